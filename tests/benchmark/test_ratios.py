"""The default, and two threads, timed beside the paper's search."""

import csv

import pytest
from typer.testing import CliRunner

from turs.benchmark import ratios
from turs.benchmark.datasets import read_encoded, sources_in
from turs.cli import app


def write_two(folder):
    """Write a data set and a file that is none."""
    folder.mkdir()
    lines = [f"{i % 7},{i % 5},{'yes' if i % 7 > 3 else 'no'}" for i in range(140)]
    (folder / "small.csv").write_text("\n".join(["a,b,class", *lines]) + "\n")
    (folder / "broken.csv").write_text("a,class\n1,yes\n2,yes\n")
    return folder


def row(name, paper, two, default, *, same_bits=True):
    """Return the row of a data set."""
    seconds = dict(zip(ratios.WAYS, (paper, two, default), strict=True))
    return {"dataset": name, "status": "ok", "rows": 10, **seconds, "same_bits": same_bits}


def test_ratios_of_each_data_set_and_of_all_together():
    table = ratios.ratio_table([row("a", 4.0, 2.0, 10.0), row("b", 1.0, 0.5, 5.0, same_bits=False)])
    a, b, together = table.rows
    assert a == ("a", 10, 4.0, 2.0, 2.0, "yes", 10.0, 2.5, None)
    assert b == ("b", 10, 1.0, 0.5, 2.0, "no", 5.0, 5.0, None)
    assert together == ("together", 20, 5.0, 2.5, 2.0, "no", 15.0, 3.0, None)


@pytest.mark.parametrize("done", [[], [row("a", 4.0, 2.0, 10.0)]])
def test_one_data_set_is_not_added_up(done):
    failed = {"dataset": "c", "status": "timeout", "reason": "not done after 1 s"}
    table = ratios.ratio_table([*done, failed])
    assert len(table.rows) == len(done) + 1
    assert table.rows[-1] == ("c", *[None] * 7, "not done after 1 s")


def test_ways_are_what_they_are_called():
    assert [(way.search, way.threads) for way in ratios.WAYS.values()] == [("paper", 1), ("paper", 2), ("portfolio", 1)]


def test_the_shortest_time_counts(tmp_path, monkeypatch):
    left = iter([3.0, 2.0, 9.0, 1.0, 5.0, 8.0])
    monkeypatch.setattr(ratios.Stopwatch, "read", lambda watch: {"fit_s": next(left), "fit_cpu_s": 0.0})
    [source] = sources_in(write_two(tmp_path / "data"), ("small",))
    told = []
    found = ratios.measure_ratios(read_encoded(source.path), 2, lambda: told.append(True))
    assert told == [True]
    assert [found[name] for name in ratios.WAYS] == [1.0, 2.0, 8.0]
    assert found["same_bits"] is True
    assert found["rows"] == 140


def test_command_prints_and_keeps_the_table(tmp_path):
    folder, out = write_two(tmp_path / "data"), tmp_path / "out"
    result = CliRunner().invoke(app, ["benchmark", str(folder), "--speed", "--repeats", "1", "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "broken: The last column of 'broken.csv', 'class', has one class only" in result.stderr
    assert "default / paper" in result.stdout
    with (out / "speed.csv").open(newline="") as file:
        broken, small = csv.DictReader(file)
    assert broken["reason"].startswith("The last column of")
    assert small["same bits"] == "yes"
    assert float(small["speed-up"]) == pytest.approx(float(small["paper (s)"]) / float(small["two threads (s)"]))


def test_command_fails_where_nothing_could_be_measured(tmp_path):
    options = ["--speed", "--datasets", "broken", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, ["benchmark", str(write_two(tmp_path / "data")), *options])
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1].startswith(
        "turs: No data set could be learned from; the first reason is: The"
    )
