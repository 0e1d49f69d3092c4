"""The README is true: its Python is run, and its commands print what it says they print."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from turs.storage import Store

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ELSEWHERE = ("pip", "make")
"""Commands that set up environments: the continuous integration runs them, not a test inside of one."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the samples, as after a clone, and go there."""
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_python(folder: Path) -> None:
    blocks = doctest.DocTestParser().get_doctest(README, {}, "README", "README.md", 0)
    assert len(blocks.examples) > 15
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    failed, _ = runner.run(blocks, out=report.append)
    assert not failed, "".join(report)


def commands() -> list[tuple[str, list[str]]]:
    """Return the commands that stand after a dollar sign, with the lines that they are said to print."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"(?:^    .*\n|^\n)+", README, re.MULTILINE):
        lines = [line.removeprefix("    ") for line in block.splitlines()]
        for line in lines:
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif found and lines and any(other.startswith("$ ") for other in lines):
                found[-1][1].append(line)
    return found


def test_commands(folder: Path) -> None:
    checked = 0
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    for command, expected in commands():
        if shlex.split(command)[0] in ELSEWHERE:
            continue
        result = subprocess.run(
            command, shell=True, capture_output=True, text=True, check=False, env={**os.environ, "PATH": path}
        )
        assert result.returncode == 0, f"{command}: {result.stderr}"
        printed = [line.rstrip() for line in result.stdout.splitlines()]
        while expected and not expected[-1].strip():
            expected.pop()
        assert printed == [line.rstrip() for line in expected], command
        checked += 1
    assert checked >= 4


def listed_commands(names: str) -> list[str]:
    """Return the commands that stand in a list, one a line, with a remark behind some of them."""
    lines = [line.strip() for line in README.splitlines() if re.match(rf"    turs ({names}) ", line)]
    return [re.sub(r" {2,}#.*", "", line) for line in lines]


def run_all(commands: list[str], **more: str) -> None:
    """Run commands in a shell, one after the other; each has to succeed."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    for command in commands:
        result = subprocess.run(
            command, shell=True, capture_output=True, text=True, check=False, env={**os.environ, "PATH": path, **more}
        )
        assert result.returncode == 0, f"{command}: {result.stderr}"


def test_the_overview_of_commands(folder: Path) -> None:
    """They run, on the sample of readmissions under the names that the overview uses."""
    for name in ("patients.csv", "new.csv"):
        shutil.copy(folder / "sample_data" / "readmission.csv", folder / name)
    overview = listed_commands("learn|show|score|predict|edit|export|report")
    names = [command.split()[1] for command in overview]
    assert names == ["learn", "show", "score", "predict", "edit", "export", "report"]
    run_all(overview)


def test_the_commands_about_workspaces(folder: Path) -> None:
    found = listed_commands("workspace")
    assert [command.split()[2] for command in found] == ["list", "export", "import", "check", "delete"]
    with Store.open(folder / "workspaces.sqlite") as store:
        store.add_workspace("my study")
    run_all(found, TURS_DATA=str(folder))
    with Store.open(folder / "team.sqlite") as store:
        assert [workspace.name for workspace in store.workspaces()] == ["my study"]


def test_the_tutorial_runs_and_tells_what_an_edit_repairs(folder: Path) -> None:
    result = subprocess.run(
        [sys.executable, "sample_data/tutorial.py"], capture_output=True, text=True, check=False, env={**os.environ}
    )
    assert result.returncode == 0, result.stderr
    assert "In r2, move the lower cut of age from 65.5 to 65" in result.stdout
    best = next(line for line in result.stdout.splitlines() if line.startswith("ScanPoint"))
    assert "Interval(feature='age', low=65.0, high=None)" in best
    assert "relearned rules, 1 of them as they were" in result.stdout


def test_secrets_name_what_streamlit_asks_for() -> None:
    lines = README.partition("      [auth]\n")[2].partition("\n\n")[0].splitlines()
    secrets = tomllib.loads("[auth]\n" + "\n".join(line.strip() for line in lines))["auth"]
    assert set(secrets) == {"redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url"}
    assert secrets["redirect_uri"].endswith("/oauth2callback")
    assert secrets["server_metadata_url"].endswith("/.well-known/openid-configuration")
