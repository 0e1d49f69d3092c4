"""A run over tiny data sets: what fails is a row, what was finished stays, also after a kill."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from turs.benchmark import learners as learners_module
from turs.benchmark.child import command_of
from turs.benchmark.datasets import sources_in
from turs.benchmark.experiment import JOURNAL, plan_folds, plan_simulation, run_plan
from turs.benchmark.journal import Journal
from turs.benchmark.learners import chosen_learners, peer_learner, settings_of, turs_learner
from turs.cli.benchmarking import parted_pythons
from turs.errors import SettingsError
from turs.learn.settings import SEARCHES, Settings


def _fakes():
    spec = importlib.util.spec_from_file_location("fakes", Path(__file__).parent / "fakes.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


fakes = _fakes()


def _folder(path, names=("first", "second")):
    path.mkdir()
    for number, name in enumerate(names):
        rng = np.random.default_rng(number)
        x = rng.random((60, 2))
        label = np.where(x[:, 0] > 0.5, "yes", "no")
        pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "class": label}).to_csv(path / f"{name}.csv", index=False)
    return path


def _run(folder, out, learners, *, limit=60.0, command=None, processes=1, seen=None, fresh=False, warm=False):
    plan = plan_folds(sources_in(folder), learners, {}, n_folds=2, seeds=[2], warm=warm)
    with Journal(out / JOURNAL, fresh=fresh) as journal:
        more = {} if command is None else {"command": command}
        note = None if seen is None else seen.append
        return run_plan(plan, journal, limit=limit, processes=processes, on_progress=note, **more)


def test_rows_of_a_run_and_nothing_to_do_in_the_second(tmp_path):
    folder, first, second = _folder(tmp_path / "data"), [], []
    rows = _run(folder, tmp_path, [peer_learner("CART")], seen=first, processes=2)
    assert [(row["dataset"], row["fold"], row["status"]) for row in rows] == [
        ("first", 0, "ok"), ("first", 1, "ok"), ("second", 0, "ok"), ("second", 1, "ok"),
    ]  # fmt: skip
    assert all(row["auc"] > 0.9 and row["g"] is not None and row["overlap_share"] == 0 for row in rows)
    assert all(row["random_pick_auc"] == pytest.approx(row["auc"]) for row in rows)
    assert (first[-1].done, first[-1].total) == (4, 4)
    assert {progress.row["dataset"] for progress in first if progress.left == 0} == {"first", "second"}
    assert _run(folder, tmp_path, [peer_learner("CART")], seen=second, command=("false",)) == rows
    assert second == []


@pytest.mark.parametrize("warm", [False, True])
def test_a_data_set_of_a_peer_begins_in_a_new_process_unless_warm_ones_are_wanted(tmp_path, warm):
    command = fakes.command(tmp_path)
    rows = _run(_folder(tmp_path / "data"), tmp_path, [fakes.learner("Process")], command=command, warm=warm)
    first, again, second, last = (row["reason"] for row in rows)
    assert first == again
    assert second == last
    assert (first == second) is warm


def test_changed_data_are_learned_from_again(tmp_path):
    folder, seen = _folder(tmp_path / "data", ["only"]), []
    _run(folder, tmp_path, [peer_learner("CART")])
    table = folder / "only.csv"
    table.write_text(table.read_text() + "0.9,0.9,yes\n")
    _run(folder, tmp_path, [peer_learner("CART")], seen=seen)
    assert len(seen) == 2


def test_a_data_set_that_cannot_be_read_is_reported_and_the_run_goes_on(tmp_path):
    folder = _folder(tmp_path / "data", ["good"])
    (folder / "bad.csv").write_text("x,y\n1,a\n2,a\n")
    (folder / "torn.csv.gz").write_bytes(b"\x1f\x8b\x08torn")
    rows = _run(folder, tmp_path, [peer_learner("CART")])
    by_name = {row["dataset"]: row for row in rows}
    assert by_name["good"]["status"] == "ok"
    assert by_name["bad"]["status"] == by_name["torn"]["status"] == "unreadable"
    assert "has one class only" in by_name["bad"]["reason"]
    assert "torn" in by_name["torn"]["reason"]


def test_peers_that_crash_fail_or_take_too_long_do_not_end_the_run(tmp_path):
    folder = _folder(tmp_path / "data", ["only"])
    learners = [*(fakes.learner(name) for name in ("Crash", "Leave", "Fail", "Sleep")), peer_learner("CART")]
    rows = _run(folder, tmp_path, learners, limit=4.0, processes=2, command=fakes.command(tmp_path))
    found = {row["learner"]: row for row in rows if row["fold"] == 1}
    assert {name: row["status"] for name, row in found.items()} == {
        "Crash": "crashed", "Leave": "crashed", "Fail": "failed", "Sleep": "timeout", "CART": "ok",
    }  # fmt: skip
    assert "SIGSEGV" in found["Crash"]["reason"]
    assert "the library took the process with it" in found["Crash"]["reason"]
    assert "exit code 3" in found["Leave"]["reason"]
    assert "KeyError: 'no such thing'" in found["Fail"]["reason"]
    assert found["Sleep"]["reason"].endswith("not done after 4 s")


def test_a_learner_that_ran_out_of_time_is_not_tried_on_the_other_folds(tmp_path):
    folder, sleeper, seen = _folder(tmp_path / "data"), fakes.learner("Sleep"), []
    rows = _run(folder, tmp_path, [sleeper], limit=1.0, command=fakes.command(tmp_path))
    late, spared = "not done after 1 s", "not tried: fold 0 was not done after 1 s"
    assert [(row["dataset"], row["status"], row["reason"]) for row in rows] == [
        ("first", "timeout", late), ("first", "timeout", spared),
        ("second", "timeout", late), ("second", "timeout", spared),
    ]  # fmt: skip
    assert _run(folder, tmp_path, [sleeper], limit=1.0, seen=seen, command=("false",)) == rows
    assert seen == []
    again = _run(folder, tmp_path, [sleeper], limit=1.5, command=fakes.command(tmp_path))
    assert [row["reason"] for row in again][:2] == [
        "not done after 1.5 s",
        "not tried: fold 0 was not done after 1.5 s",
    ]


def test_progress_tells_all_finished_rows_of_a_data_set_after_a_resume_too(tmp_path):
    folder, seen = _folder(tmp_path / "data", ["only"]), []
    rows = _run(folder, tmp_path, [peer_learner("CART")])
    journal = tmp_path / JOURNAL
    journal.write_text(journal.read_text().splitlines()[0] + "\n")
    _run(folder, tmp_path, [peer_learner("CART")], seen=seen)
    (progress,) = seen
    assert [row["fold"] for row in progress.finished] == [0, 1]
    assert [row["auc"] for row in progress.finished] == [row["auc"] for row in rows]


def test_the_first_fold_of_every_seed(tmp_path):
    sources = sources_in(_folder(tmp_path / "data"))
    learners = [peer_learner("CART")]
    first = plan_folds(sources, learners, {}, n_folds=5, seeds=[2, 3], first_fold=True)
    assert [(task.dataset, task.fold, task.seed) for task in first.tasks] == [
        ("first", 0, 2), ("first", 0, 3), ("second", 0, 2), ("second", 0, 3),
    ]  # fmt: skip
    whole = plan_folds(sources, learners, {}, n_folds=5, seeds=[2, 3])
    assert {task.key for task in first.tasks} <= {task.key for task in whole.tasks}


def test_a_peer_in_an_environment_of_its_own(tmp_path):
    folder = _folder(tmp_path / "data", ["only"])
    learners, missing = chosen_learners(
        ["paper"], ["CART"], ablations=False, threads=1, pythons={"CART": sys.executable}
    )
    assert (learners[1], missing) == (peer_learner("CART"), {})
    plan = plan_folds(sources_in(folder), learners[1:], {}, n_folds=2, seeds=[2])
    with Journal(tmp_path / JOURNAL) as journal:
        own = {"CART": command_of(sys.executable)}
        rows = run_plan(plan, journal, limit=60.0, processes=1, command=("false",), commands=own)
    assert [row["status"] for row in rows] == ["ok", "ok"]


def test_an_environment_that_cannot_run_a_peer_is_a_reason():
    _, missing = chosen_learners(["paper"], ["CART"], ablations=False, threads=1, pythons={"CART": "/bin/false"})
    assert missing["CART"].startswith("CART cannot run with /bin/false: the process ended with exit code 1")


@pytest.mark.parametrize("line", ["this is not json", "[1, 2]", '{"auc": 1}', '{"status": "?"}', "\xff" * 200])
def test_a_process_that_writes_no_reply_is_a_reason_of_that_learner(tmp_path, line):
    script = tmp_path / "worker.py"
    script.write_text(f"import sys\nfor task in sys.stdin:\n    print({line!r}, flush=True)\n")
    folder = _folder(tmp_path / "data", ["only"])
    rows = _run(folder, tmp_path, [peer_learner("CART")], command=(sys.executable, str(script)))
    assert [row["status"] for row in rows] == ["crashed", "crashed"]
    assert rows[0]["reason"].startswith(f"the process wrote a line that is no reply: {line[:80]}")
    assert len(rows[0]["reason"]) < 140


def test_an_environment_that_does_not_tell_its_version_cannot_run_a_peer(tmp_path, monkeypatch):
    script = tmp_path / "worker.py"
    script.write_text('import sys\nfor task in sys.stdin:\n    print(\'{"status": "ok"}\', flush=True)\n')
    monkeypatch.setattr(learners_module, "command_of", lambda python: (sys.executable, str(script)))
    _, missing = chosen_learners(["paper"], ["CART"], ablations=False, threads=1, pythons={"CART": "odd"})
    assert missing["CART"] == "CART cannot run with odd: it does not tell its version"


def test_interpreters_of_peers_are_named_with_the_peer():
    assert parted_pythons([f"CLASSY={sys.executable}"]) == {"CLASSY": sys.executable}
    for wrong in ("CLASSY", "CLASSY=", "CLASSY=no/such/python"):
        with pytest.raises(SettingsError, match="such as CLASSY=env/bin/python"):
            parted_pythons([wrong])
    with pytest.raises(SettingsError, match="no peer 'CLASSIC'"):
        parted_pythons([f"CLASSIC={sys.executable}"])


def _ended(pid: int) -> bool:
    """Say whether a process is gone, or dead and not yet collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for a process in /proc")
def test_a_killed_run_keeps_what_was_finished(tmp_path):
    folder = _folder(tmp_path / "data")
    script = (
        "import sys, importlib.util as u; from pathlib import Path\n"
        "s = u.spec_from_file_location('t', sys.argv[1]); t = u.module_from_spec(s); s.loader.exec_module(t)\n"
        "out = Path(sys.argv[2]); learners = [t.peer_learner('CART'), t.fakes.learner('Sleep')]\n"
        "t._run(out / 'data', out, learners, command=t.fakes.command(out))\n"
    )
    root = str(Path(__file__).parents[2])
    run = subprocess.Popen([sys.executable, "-c", script, __file__, str(tmp_path)], cwd=root)
    try:
        deadline = time.monotonic() + 60
        while not (tmp_path / "sleeper").exists() or not (tmp_path / "sleeper").read_text():
            assert time.monotonic() < deadline
            assert run.poll() is None
            time.sleep(0.05)
    finally:
        run.send_signal(signal.SIGKILL)
        run.wait()
    lines = (tmp_path / JOURNAL).read_text().splitlines()
    assert [(json.loads(line)["dataset"], json.loads(line)["fold"]) for line in lines] == [("first", 0), ("first", 1)]
    sleeper = int((tmp_path / "sleeper").read_text())
    deadline = time.monotonic() + 10
    while not _ended(sleeper):
        assert time.monotonic() < deadline, "the child outlived its parent"
        time.sleep(0.05)
    seen = []
    rows = _run(folder, tmp_path, [peer_learner("CART")], seen=seen)
    assert [progress.row["dataset"] for progress in seen] == ["second", "second"]
    assert [row["status"] for row in rows] == ["ok"] * 4
    assert (tmp_path / JOURNAL).read_text().splitlines()[:2] == lines


def test_turs_rows_have_bits_and_a_path(tmp_path):
    folder = _folder(tmp_path / "data", ["only"])
    learner = turs_learner("TURS", Settings(search="paper"))
    row = _run(folder, tmp_path, [learner], limit=120.0)[0]
    assert row["status"] == "ok", row
    assert row["total_bits"] == pytest.approx(row["nll_bits"] + row["regret_bits"] + row["model_bits"])
    assert [action for _, _, action in row["path"]] == ["start"] + ["added"] * row["n_rules"]
    assert row["path"][-1][1] == pytest.approx(row["total_bits"])
    assert row["n_rules"] >= 1
    assert row["auc"] > 0.8


def test_learners_and_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "Orange.classification", None)
    learners, missing = chosen_learners(["portfolio"], ["CN2", "CART"], ablations=True, threads=1)
    assert [learner.name for learner in learners] == [
        "TURS",
        "TURS, paper's search",
        "paper's search without diverse patience",
        "paper's search without auxiliary beam",
        "paper's search without local test",
        "CART",
    ]
    assert "pip install Orange3" in missing["CN2"]
    settings, search = settings_of(json.loads(json.dumps(learners[0].options)))
    assert (settings, search) == (Settings(), SEARCHES["portfolio"])
    with pytest.raises(SettingsError, match="no search 'fast'"):
        chosen_learners(["fast"], ["none"], ablations=False, threads=1)
    with pytest.raises(SettingsError, match="no peer 'CN3'"):
        chosen_learners(["paper"], ["CN3"], ablations=False, threads=1)


def test_the_simulation_is_planned_for_the_searches_that_differ_in_the_local_test():
    learners, _ = chosen_learners(["portfolio", "paper"], ["none"], ablations=True, threads=1)
    plan = plan_simulation(learners, 4, 2)
    assert len(plan.tasks) == 3 * 4
    assert len({task.key for task in plan.tasks}) == 12
    assert os.sep not in plan.tasks[0].key
