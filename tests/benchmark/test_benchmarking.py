"""The command: a whole run over a tiny folder, and requests that make no sense."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from turs.cli import app
from turs.cli.benchmarking import parted, parted_rows
from turs.errors import SettingsError


def test_a_run_writes_results_and_resumes(tmp_path):
    folder, out = tmp_path / "data", tmp_path / "out"
    folder.mkdir()
    x = np.random.default_rng(3).random((80, 2))
    frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "class": np.where(x[:, 0] > 0.4, "yes", "no")})
    frame.to_csv(folder / "tiny.csv", index=False)
    (folder / "broken.csv").write_text("x,y\n1,a\n")
    options = ["benchmark", str(folder), "--out", str(out), "--folds", "2", "--peers", "CART", "--processes", "1"]
    first = CliRunner().invoke(app, options)
    assert first.exit_code == 0, first.output
    assert "tiny done, TURS AUC" in first.stderr
    assert "broken done, 6 not done" in first.stderr
    assert "unreadable" in first.stdout
    assert {path.name for path in out.iterdir()} == {
        "journal.jsonl", "report.html", "results.csv", "results.json", "summary.csv", "verdicts.csv",
    }  # fmt: skip
    journal = (out / "journal.jsonl").read_text().splitlines()
    second = CliRunner().invoke(app, options)
    assert second.exit_code == 0
    assert "tiny done" not in second.stderr
    assert (out / "journal.jsonl").read_text().splitlines()[: len(journal)] == journal


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "Name a folder"),
        (["nowhere"], "There is no folder"),
        (["nowhere", "--scale"], "leave the folder out"),
        (["nowhere", "--storage"], "leave the folder out"),
        (["nowhere", "--folds", "1"], "--folds is 1"),
        (["nowhere", "--limit", "0"], "--limit is 0"),
        (["nowhere", "--processes", "0"], "--processes is 0"),
        (["nowhere", "--search", ","], "names no search"),
        (["--scale", "--rows", "many"], "--rows is 'many'"),
    ],
)
def test_requests_that_make_no_sense(tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["benchmark", *options])
    assert result.exit_code == 1
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_lists_in_options():
    assert parted("a, b,,c ") == ("a", "b", "c")
    assert parted_rows("100000,10_000") == (10_000, 100_000)
    with pytest.raises(SettingsError, match="100 or more"):
        parted_rows("10")
