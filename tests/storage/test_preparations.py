"""Preparations in a store, on SQLite and on PostgreSQL: what was decided comes back, and nobody is overwritten."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sqlalchemy import text

from tests.storage.cases import AWKWARD, CHOICES, add_data, add_preparation, table
from turs.errors import DataError, OutdatedError, StorageError
from turs.storage import Store, split_rows
from turs.storage.preparations import KEPT_DAYS


def n_contents(store: Store) -> int:
    with store._database.engine.connect() as connection:
        return int(connection.execute(text("SELECT count(*) FROM turs_content")).scalar_one())


def test_a_table_comes_back_with_all_that_was_decided(store: Store, place: str) -> None:
    workspace = store.add_workspace("hospital")
    begun = add_preparation(store, workspace, AWKWARD)
    assert (begun.name, begun.choices, begun.notes, begun.author) == (AWKWARD, CHOICES, ("a note",), "Ada")
    assert (begun.n_rows, begun.n_columns, begun.version) == (120, 6, 0)
    split = split_rows(table()["ill"], seed=7)
    changed = store.preparations.change(begun, {"target": AWKWARD}, split)
    assert (changed.choices, changed.version) == ({"target": AWKWARD}, 1)
    with Store.open(place) as other:
        assert other.preparations.of(workspace) == (changed,) == (other.preparations.find(begun.id),)
        pd.testing.assert_frame_equal(other.preparations.frame(changed), table(), check_exact=True)
        found = other.preparations.split(changed)
        assert found is not None
        for part in ("training", "validation", "test"):
            assert np.array_equal(getattr(found, part), getattr(split, part))
        without = other.preparations.change(changed, {})
        assert other.preparations.split(without) is None


def test_who_changes_an_older_version_is_refused_and_nothing_is_overwritten(store: Store, place: str) -> None:
    begun = add_preparation(store, store.add_workspace("hospital"))
    with Store.open(place) as other:
        theirs = other.preparations.change(begun, {"target": "theirs"})
    with pytest.raises(OutdatedError, match="'patients' was changed in another window"):
        store.preparations.change(begun, {"target": "mine"}, split_rows(table()["ill"]))
    assert store.preparations.find(begun.id) == theirs
    assert not store.preparations.end(begun)
    assert store.preparations.find(begun.id) == theirs
    assert store.preparations.end(theirs)
    assert store.preparations.end(theirs)  # it is gone, whoever did it
    with pytest.raises(OutdatedError):
        store.preparations.change(theirs, {})
    with pytest.raises(StorageError, match="no such preparation"):
        store.preparations.find(begun.id)


def test_rows_go_with_the_last_that_uses_them(store: Store) -> None:
    workspace = store.add_workspace("hospital")
    begun, data_set = add_preparation(store, workspace), add_data(store, workspace)
    assert begun.content == data_set.content
    assert n_contents(store) == 2  # rows and split
    again = store.preparations.change(begun, {}, split_rows(table()["ill"], seed=2))
    assert n_contents(store) == 3
    again = store.preparations.change(again, {}, split_rows(table()["ill"], seed=3))
    assert n_contents(store) == 3
    assert store.contents(again).n_bytes < store.contents(workspace).n_bytes
    store.delete(data_set)
    pd.testing.assert_frame_equal(store.preparations.frame(again), table(), check_exact=True)
    assert n_contents(store) == 2
    assert store.preparations.end(again)
    assert n_contents(store) == 0


def test_rows_that_are_there_are_not_converted_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = store.add_workspace("hospital")
    begun = add_preparation(store, workspace)
    split = split_rows(table()["ill"])
    with monkeypatch.context() as patch:
        patch.setattr("turs.storage.content.to_parquet", lambda frame: pytest.fail("converted"))
        data_set = store.add_data_set(workspace, "learned", table(), "ill", split, address=begun.content)
        copy = store.preparations.add(workspace, "copy", table(), {}, address=begun.content)
    assert data_set.content == copy.content == begun.content
    for part in (begun, copy):
        assert store.preparations.end(part)
    store.delete(data_set)
    again = store.preparations.add(workspace, "again", table(), {}, address=begun.content)  # they are gone by now
    pd.testing.assert_frame_equal(store.preparations.frame(again), table(), check_exact=True)


def test_those_that_were_given_up_go_when_another_one_is_begun(store: Store) -> None:
    workspace = store.add_workspace("hospital")
    old, recent = add_preparation(store, workspace, "old"), add_preparation(store, workspace, "recent")
    days = {old.id: KEPT_DAYS + 1, recent.id: KEPT_DAYS - 1}
    with store._database.engine.begin() as connection:
        for id_, ago in days.items():
            changed = (pd.Timestamp.now("UTC") - pd.Timedelta(days=ago)).isoformat(timespec="seconds")
            command = text("UPDATE turs_preparation SET changed = :changed WHERE id = :id")
            connection.execute(command, {"changed": changed, "id": id_})
    assert len(store.preparations.of(workspace)) == 2
    add_preparation(store, workspace, "new")
    assert [item.name for item in store.preparations.of(workspace)] == ["recent", "new"]


def test_they_are_renamed_archived_and_deleted_like_everything_else(store: Store) -> None:
    workspace = store.add_workspace("hospital")
    begun = add_preparation(store, workspace)
    renamed = store.rename(begun, AWKWARD)
    assert renamed == replace(begun, name=AWKWARD)
    store.archive(renamed)
    assert store.preparations.of(workspace) == ()
    assert len(store.preparations.of(workspace, archived=True)) == 1
    assert store.delete(renamed).n_preparations == 1
    assert n_contents(store) == 0
    add_preparation(store, workspace)
    assert store.delete(workspace).n_preparations == 1
    assert n_contents(store) == 0


def test_what_cannot_be_stored_is_refused(store: Store) -> None:
    workspace = store.add_workspace("hospital")
    with pytest.raises(DataError, match="holds a value of type"):
        store.preparations.add(workspace, "x", pd.DataFrame({"a": [object()]}), {})
    store.delete(workspace)
    with pytest.raises(StorageError, match="no such workspace"):
        add_preparation(store, workspace)
    assert n_contents(store) == 0
