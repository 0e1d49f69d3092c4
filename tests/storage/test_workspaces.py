"""`turs workspace`: what it prints, and how it refuses."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text
from typer.testing import CliRunner, Result

from tests.storage.cases import add_session, cut
from turs.cli import app
from turs.storage import Store

NAME = "hospital of first look"
HELD = "1 data set, 1 model, 1 session, 1 step, 0 openings, 0 preparations"


def turs(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["workspace", *map(str, arguments)])


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of the user's store, with one workspace."""
    monkeypatch.setenv("TURS_DATA", str(tmp_path))
    monkeypatch.delenv("TURS_DATABASE", raising=False)
    with Store.open() as store:
        store.open_session(add_session(store)).apply(cut(50))
        store.archive(store.add_workspace("old"))
        return Path(store.place)


def test_list(path: Path) -> None:
    result = turs("list")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{NAME}: {HELD}, 0.0 MB")
    assert "old" not in result.stdout
    assert str(path) in result.stderr
    assert "old (archived): 0 data sets" in turs("list", "--archived").stdout
    found = json.loads(turs("list", "--json").stdout)
    assert found["store"] == str(path)
    assert [(row["name"], row["n_steps"]) for row in found["workspaces"]] == [(NAME, 1)]


def test_export_and_import(tmp_path: Path) -> None:
    out, other = tmp_path / "w.zip", tmp_path / "other.sqlite"
    assert turs("export", NAME, "--out", out).exit_code == 0
    assert turs("import", out, "--store", other).stdout.startswith(f"{NAME}: {HELD}")
    assert turs("import", out, "--store", other, "--name", "mine").stdout.startswith("mine: ")
    assert len(json.loads(turs("list", "--store", other, "--json").stdout)["workspaces"]) == 2
    for arguments, problem in (
        (("export", "nothing", "--out", out), "turs: There is no workspace 'nothing'"),
        (("import", tmp_path / "none.zip"), "turs: There is no file"),
        (("list", "--store", "postgresql://ada:geheim@127.0.0.1:1/d"), "check that the server runs"),
    ):
        result = turs(*arguments)
        assert result.exit_code == 1
        assert problem in result.stderr
        assert "geheim" not in result.output


def test_check(path: Path) -> None:
    assert "Nothing is wrong" in turs("check").stdout
    with Store.open(path) as store, store._database.engine.begin() as connection:
        connection.execute(text("UPDATE turs_journal SET line = '{'"))
    result = turs("check")
    assert result.exit_code == 1
    assert "session 'first look': the last step, 1, was cut off" in result.stdout
    assert "not as it should be" in result.stderr


def test_delete_says_what_would_go(path: Path) -> None:
    refused = turs("delete", NAME)
    assert refused.exit_code == 1
    assert f"say --yes to delete '{NAME}' with {HELD}" in refused.stderr
    assert turs("delete", NAME, "--yes").exit_code == 0
    assert turs("list").stdout == ""


def test_a_terminal_is_asked(path: Path) -> None:
    for answer, left in ((b"n\n", 1), (b"y\n", 0)):
        parent, child = pty.openpty()
        command = [sys.executable, "-m", "turs", "workspace", "delete", NAME]
        with subprocess.Popen(command, stdin=child, stderr=subprocess.PIPE, text=True) as process:
            os.write(parent, answer)
            _, said = process.communicate(timeout=60)
        os.close(parent)
        os.close(child)
        assert f"Delete '{NAME}' with {HELD}" in said
        with Store.open(path) as store:
            assert len(store.workspaces()) == left


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [
        name for name in sys.modules if name == "sqlalchemy" or name.startswith(("turs.storage", "sqlalchemy."))
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    result = turs("list")
    assert result.exit_code == 1
    assert "pip install '.[app]'" in result.stderr
