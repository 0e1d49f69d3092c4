"""The journal: whole lines survive, cut-off ones do not, and one run at a time writes."""

from __future__ import annotations

import pytest

from turs.benchmark.journal import Journal
from turs.errors import SettingsError


def _row(key, status="ok", **more):
    return {"key": key, "status": status, "limit": 10.0, **more}


def test_what_was_appended_is_there_in_the_next_run(tmp_path):
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        journal.append(_row("a", auc=0.5))
        journal.append(_row("b", "failed", reason="ünlucky"))
        assert path.read_bytes().count(b"\n") == 2
    with Journal(path) as journal:
        assert journal.finished("a", 10.0) == _row("a", auc=0.5)
        assert journal.finished("b", 10.0) == _row("b", "failed", reason="ünlucky")
        assert journal.finished("c", 10.0) is None


def test_a_cut_off_line_is_left_out_and_does_not_spoil_the_next(tmp_path):
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        journal.append(_row("a"))
    with path.open("ab") as file:
        file.write(b'{"key": "b", "sta')
    with Journal(path) as journal:
        assert set(journal.rows) == {"a"}
        journal.append(_row("c"))
    with Journal(path) as journal:
        assert set(journal.rows) == {"a", "c"}


def test_what_may_have_been_an_accident_is_tried_again(tmp_path):
    with Journal(tmp_path / "journal.jsonl") as journal:
        for status in ("ok", "failed", "timeout", "crashed", "unreadable"):
            journal.append(_row(status, status))
        done = {status for status in journal.rows if journal.finished(status, 10.0)}
        assert done == {"ok", "failed", "timeout"}
        assert journal.finished("timeout", 20.0) is None


def test_fresh_forgets_and_a_second_run_is_refused(tmp_path):
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        journal.append(_row("a"))
        with pytest.raises(SettingsError, match="Another run"), Journal(path):
            pass
    with Journal(path, fresh=True) as journal:
        assert journal.rows == {}
