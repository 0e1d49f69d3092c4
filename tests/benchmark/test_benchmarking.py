"""The command: a whole run over a tiny folder, and requests that make no sense."""

from __future__ import annotations

import csv

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from turs.cli import app, benchmarking
from turs.cli.benchmarking import parted, parted_rows
from turs.errors import SettingsError


def test_a_run_writes_results_and_resumes(tmp_path):
    folder, out = tmp_path / "data", tmp_path / "out"
    _tiny(folder)
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


def _tiny(folder):
    folder.mkdir()
    x = np.random.default_rng(3).random((80, 2))
    frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "class": np.where(x[:, 0] > 0.4, "yes", "no")})
    frame.to_csv(folder / "tiny.csv", index=False)
    return str(folder)


def test_a_run_in_which_no_fold_could_be_done_says_so_in_one_line(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "broken.csv").write_text("x,y\n1,a\n2,a\n")
    options = ["benchmark", str(tmp_path / "data"), "--out", str(tmp_path / "out"), "--folds", "2", "--processes", "1"]
    result = CliRunner().invoke(app, options)
    assert result.exit_code == 1
    assert (tmp_path / "out" / "report.html").exists()
    line = result.stderr.splitlines()[-1]
    assert line.startswith("turs: No fold of any data set could be done; the first reason is: ")
    assert "has one class only" in line


def test_ctrl_c_says_that_finished_folds_are_kept(tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(benchmarking, "run_plan", interrupt)
    result = CliRunner().invoke(app, ["benchmark", _tiny(tmp_path / "data"), "--out", str(tmp_path / "out")])
    assert result.exit_code == 130
    assert result.stderr == "Interrupted: finished folds are kept; the same command resumes.\n"
    assert result.stdout == ""


def test_results_cannot_go_where_a_file_is(tmp_path):
    (tmp_path / "taken").write_text("")
    for out in (tmp_path / "taken", tmp_path / "taken" / "inside"):
        result = CliRunner().invoke(app, ["benchmark", _tiny(tmp_path / f"data{out.name}"), "--out", str(out)])
        assert result.exit_code == 1
        assert result.stderr.splitlines() == [f"turs: --out is {out}, which is a file or inside one: name a folder."]


def test_variants_of_the_first_fold_of_every_seed(tmp_path, monkeypatch):
    few = {"no polish": benchmarking.VARIANTS["no polish"]}
    monkeypatch.setattr(benchmarking, "VARIANTS", few)
    options = ["--folds", "2", "--search", "portfolio", "--processes", "1", "--variants", "--first-fold"]
    out = tmp_path / "out"
    result = CliRunner().invoke(app, ["benchmark", _tiny(tmp_path / "data"), "--out", str(out), *options])
    assert result.exit_code == 0, result.output
    with (out / "results.csv").open(newline="") as file:
        found = {(line["learner"], line["fold"], line["seed"]) for line in csv.DictReader(file)}
    assert found == {(name, "0", seed) for name in ("TURS", "no polish") for seed in "234"}
    with (out / "variants.csv").open(newline="") as file:
        assert [(line["variant"], line["folds"]) for line in csv.DictReader(file)] == [
            ("TURS", "3"),
            ("no polish", "3"),
        ]
    assert "the first of 2 stratified folds" in (out / "report.html").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "Name a folder"),
        (["nowhere"], "There is no folder"),
        (["nowhere", "--scale"], "leave the folder out"),
        (["nowhere", "--storage"], "leave the folder out"),
        (["--scale", "--speed"], "ask for --scale or --storage by itself"),
        (["nowhere", "--speed", "--repeats", "0"], "--repeats is 0"),
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
