"""A process that edits in a loop is killed 200 times at random moments: nothing acknowledged is lost or there twice."""

from __future__ import annotations

import os
import random
import select
import signal
import time
from pathlib import Path

import pytest

from tests.storage.cases import add_session
from turs.editing import LEARNED, MoveCut, Rows, history_of
from turs.storage import SessionRecord, Store

N_KILLS = 200
LONGEST = 0.03
"""Seconds between the first acknowledged edit and the latest kill."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.sqlite"


def edit_until_killed(path: Path, record: SessionRecord, rows: Rows, acknowledged: int) -> None:
    """Open the session, edit it without end, and write the number of each edit after its call returned."""
    with Store.open(path) as store:
        session = store.open_session(record, training=rows)
        low = 20.0 + len(session.history.entries) % 60
        while True:
            low = 20.0 + (low - 19.0) % 60
            session.apply(MoveCut("r1", "age", low=low))
            os.write(acknowledged, b"%d\n" % session.history.cursor)
            if len(session.history.path()) > 20:
                session.jump(LEARNED)


def run_and_kill(path: Path, record: SessionRecord, rows: Rows, wait: float) -> list[int]:
    """Run the editor, kill it a moment after its first edit, and return the edits that it acknowledged."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            edit_until_killed(path, record, rows, writer)
        finally:
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        assert select.select([told], [], [], 60)[0], "the editor did not begin"
        time.sleep(wait)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        acknowledged = [int(line) for line in told.read().split()]
    assert os.WTERMSIG(status) == signal.SIGKILL, "the editor ended by itself"
    return acknowledged


def test_acknowledged_edits_survive_every_kill(path: Path) -> None:
    with Store.open(path) as store:
        record = add_session(store)
        rows, _ = store.rows(store.model_record(record.model))
    generator = random.Random(5)
    known = 0
    for _ in range(N_KILLS):
        acknowledged = run_and_kill(path, record, rows, generator.uniform(0, LONGEST))
        assert acknowledged == list(range(known + 1, known + 1 + len(acknowledged)))
        with Store.open(path) as store:
            numbers = [entry.number for entry in history_of(line.step for line in store.lines(record)).entries]
            assert numbers == list(range(1, len(numbers) + 1))
            # an edit that was written but not acknowledged any more may be there, once
            assert acknowledged[-1] <= len(numbers) <= acknowledged[-1] + 1
        known = len(numbers)
    with Store.open(path) as store:
        assert store.check() == ()
        assert len(store.open_session(record).history.entries) == known
        assert len({line.token for line in store.lines(record)}) == len(store.lines(record))
