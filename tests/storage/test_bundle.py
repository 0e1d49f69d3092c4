"""Workspaces that move: between SQLite and PostgreSQL and back, identical; files that are no workspaces are refused."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from tests.storage.cases import AWKWARD, add_model, add_preparation, add_session, cut, deletion, new_url, sqlite_path
from turs.errors import StorageError
from turs.storage import Store, Workspace


@pytest.fixture
def filled(store: Store) -> Workspace:
    """Return a workspace with everything in it."""
    record = add_session(store)
    session = store.open_session(record, author="Ada")
    session.apply(cut(50), note=AWKWARD)
    session.checkpoint(AWKWARD)
    session.undo()
    store.open_test(session, lambda rows: {"rows": rows.n_rows, AWKWARD: [1.5, None]})
    session.branch("a branch").apply(deletion())
    model = store.model_record(record.model)
    store.archive(store.rename(add_model(store, store.data_set(model.data_set), "second"), AWKWARD))
    workspace = store.workspace("hospital of first look")
    changed = store.preparations.change(add_preparation(store, workspace, AWKWARD), {AWKWARD: [None]})
    store.archive(add_preparation(store, workspace, "given up"))
    assert changed.split_content is None
    return workspace


def assert_same(store: Store, workspace: Workspace, other: Store, arrived: Workspace) -> None:
    """Assert that all of a workspace arrived, but for the ids."""
    for here, there in zip(
        store.data_sets(workspace, archived=True), other.data_sets(arrived, archived=True), strict=True
    ):
        assert there == replace(here, id=there.id, workspace=arrived.id)
        pd.testing.assert_frame_equal(other.frame(there), store.frame(here), check_exact=True)
        assert other.split(there).test.tolist() == store.split(here).test.tolist()
        models, arrived_models = store.models(here, archived=True), other.models(there, archived=True)
        sessions = {}
        for model, copy in zip(models, arrived_models, strict=True):
            assert copy == replace(model, id=copy.id, data_set=there.id)
            assert other.model(copy) == store.model(model)
            assert other.learning(copy) == store.learning(model)
            for session, its in zip(store.sessions(model), other.sessions(copy), strict=True):
                sessions[session.id] = its.id
                origin = None if session.origin is None else sessions[session.origin]
                assert its == replace(session, id=its.id, model=copy.id, origin=origin)
                assert other.lines(its) == store.lines(session)
                assert other.open_session(its).version == store.open_session(session).version
            found = [replace(opening, session=sessions[opening.session]) for opening in store.openings(model)]
            assert list(other.openings(copy)) == found
    begun = store.preparations.of(workspace, archived=True)
    assert len(begun) == 2
    for here, there in zip(begun, other.preparations.of(arrived, archived=True), strict=True):
        assert there == replace(here, id=there.id, workspace=arrived.id)
        pd.testing.assert_frame_equal(other.preparations.frame(there), store.preparations.frame(here), check_exact=True)
    assert other.check() == ()


@pytest.mark.parametrize("target", ["sqlite", "postgresql"])
def test_a_workspace_arrives_identical(
    store: Store, filled: Workspace, target: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    path = tmp_path / "moved.zip"
    store.export(filled, path)
    assert store.place not in path.read_bytes().decode("latin-1")
    where = sqlite_path(tmp_path) if target == "sqlite" else new_url(request.getfixturevalue("postgres_url"))
    with Store.open(where) as other:
        arrived = other.import_workspace(path)
        assert arrived.name == filled.name
        assert_same(store, filled, other, arrived)
        back = tmp_path / "back.zip"
        other.export(arrived, back)
    again = store.import_workspace(back)
    assert again.name == f"{filled.name} (2)"
    assert_same(store, filled, store, again)
    assert store.import_workspace(back, name=AWKWARD).name == AWKWARD
    with pytest.raises(StorageError, match="already"):
        store.import_workspace(back, name=AWKWARD)


def test_a_file_is_parquet_and_json(store: Store, filled: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "moved.zip"
    store.export(filled, path)
    with zipfile.ZipFile(path) as bundle:
        names = bundle.namelist()
        parquet = next(name for name in names if name.endswith(".parquet"))
        bundle.extract(parquet, tmp_path)
        model = json.loads(bundle.read(next(name for name in names if name.startswith("models/"))))
    assert {name.rpartition(".")[2] for name in names} == {"json", "jsonl", "parquet"}
    assert len(pd.read_parquet(tmp_path / parquet)) == 120
    assert model["format"] == "turs-model"


def changed(path: Path, change: Callable[[str, bytes], bytes | None]) -> Path:
    """Write a copy of a zip with changed members; None leaves one out."""
    copy = path.with_name("changed.zip")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(copy, "w") as target:
        for name in source.namelist():
            content = change(name, source.read(name))
            if content is not None:
                target.writestr(name, content)
    return copy


def in_member(start: str, old: bytes, new: bytes) -> Callable[[str, bytes], bytes | None]:
    def change(name: str, content: bytes) -> bytes:
        assert not name.startswith(start) or old in content
        return content.replace(old, new) if name.startswith(start) else content

    return change


def without(start: str) -> Callable[[str, bytes], bytes | None]:
    return lambda name, content: None if name.startswith(start) else content


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (without("workspace"), "no workspace that can be read"),
        (without("content"), "no item named 'content/"),
        (without("models"), "no item named 'models/"),
        (without("journals"), "no item named 'journals/"),
        (in_member("workspace", b'"turs-workspace"', b'"other"'), '"turs-workspace" was expected'),
        (
            in_member(
                "workspace",
                b'"format": "turs-workspace",\n "version": 2,',
                b'"format": "turs-workspace",\n "version": 3,',
            ),
            "newer version of TURS",
        ),
        (in_member("workspace", b'"n_rows": 120', b'"n_rows": "many"'), "a whole number was expected"),
        (in_member("workspace", b'"n_rows": 120', b'"n_rows": 121'), "rows of 'patients' are damaged"),
        (in_member("workspace", b'"ignored": [', b'"ignored": [5, '), "a text was expected"),
        (in_member("content", b"PAR1", b"PAR2"), "rows of 'patients' are damaged"),
        (in_member("models", b'"turs-model"', b'"model"'), "not a model document"),
        (in_member("learning", b'"settings"', b'"setting"'), "settings"),
        (in_member("workspace", b'"model": "', b'"model": "x'), "a part is missing"),
        (in_member("journals", b'"low": 50', b'"low": 51'), "damaged"),
    ],
)
def test_a_changed_file_is_refused_as_a_whole(
    tmp_path: Path, change: Callable[[str, bytes], bytes | None], problem: str
) -> None:
    with Store.open(tmp_path / "a.sqlite") as store:
        record = add_session(store)
        store.open_session(record).apply(cut(50))
        store.export(store.workspace("hospital of first look"), tmp_path / "good.zip")
        with pytest.raises(StorageError, match=problem):
            store.import_workspace(changed(tmp_path / "good.zip", change))
        assert len(store.workspaces()) == 1


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a zip")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    with Store.open(tmp_path / "a.sqlite") as store:
        workspace = store.add_workspace("w")
        for name, problem in (
            ("text", "no complete workspace file"),
            ("none", "There is no file"),
            ("empty.zip", "workspace.json"),
            ("", "cannot be read"),
        ):
            with pytest.raises(StorageError, match=problem):
                store.import_workspace(tmp_path / name)
        store.export(workspace, tmp_path / "w.zip")
        whole = (tmp_path / "w.zip").read_bytes()
        (tmp_path / "half.zip").write_bytes(whole[: len(whole) // 2])
        with pytest.raises(StorageError, match="export it again"):
            store.import_workspace(tmp_path / "half.zip")
        with pytest.raises(StorageError, match="cannot be written"):
            store.export(workspace, tmp_path / "nowhere" / "w.zip")


def test_a_file_of_version_1_has_no_preparations(tmp_path: Path) -> None:
    def older(name: str, content: bytes) -> bytes:
        if name != "workspace.json":
            return content
        manifest = json.loads(content)
        del manifest["preparations"]
        return json.dumps(manifest | {"version": 1}).encode()

    with Store.open(tmp_path / "a.sqlite") as store:
        workspace = store.data_set(store.model_record(add_session(store).model).data_set).workspace
        store.export(store.workspaces()[0], tmp_path / "good.zip")
        arrived = store.import_workspace(changed(tmp_path / "good.zip", older))
        assert arrived.id != workspace
        assert len(store.data_sets(arrived)) == 1
        assert store.preparations.of(arrived) == ()
