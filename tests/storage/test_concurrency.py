"""Eight processes edit one session, on both databases: every edit once, conflicts as conflicts, no lock error."""

from __future__ import annotations

import multiprocessing
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.storage.cases import add_session, cut
from turs.editing import Entry, history_of
from turs.errors import ConflictError
from turs.storage import SessionRecord, Store

N_PROCESSES = 8
N_EDITS = 1000
LONGEST_WAIT = 0.02
"""Seconds that somebody waits who was not fast enough."""


def edit(place: str, record: SessionRecord, name: str, results: multiprocessing.Queue) -> None:
    """Add edits to a journal, each made on the version that was seen last; where others were faster, again."""
    n_conflicts, version = 0, 0
    try:
        with Store.open(place) as store:
            for index in range(N_EDITS):
                while True:
                    step = Entry(version + 1, version, cut(20.0 + index % 60), f"{name} {index}", author=name)
                    try:
                        version = store.append(record, version, [step])
                        break
                    except ConflictError as error:
                        if len(error.theirs) != error.version - version:
                            raise AssertionError("the conflict does not name what the others did") from error
                        n_conflicts, version = n_conflicts + 1, error.version
                        time.sleep(random.uniform(0, LONGEST_WAIT))
        results.put((name, n_conflicts, None))
    except Exception as error:
        results.put((name, n_conflicts, f"{type(error).__name__}: {error}"))


def test_every_edit_is_there_once(place: str) -> None:
    with Store.open(place) as store:
        record = add_session(store)
    processes = multiprocessing.get_context("fork")
    results = processes.Queue()
    names = [f"person {number}" for number in range(N_PROCESSES)]
    children = [processes.Process(target=edit, args=(place, record, name, results)) for name in names]
    for child in children:
        child.start()
    told = [results.get(timeout=300) for _ in children]
    for child in children:
        child.join()
    assert [problem for _, _, problem in told if problem] == []
    assert sum(n_conflicts for _, n_conflicts, _ in told) > 0
    with Store.open(place) as store:
        lines = store.lines(record)
    made = Counter(line.step.description for line in lines)
    assert made == Counter(f"{name} {index}" for name in names for index in range(N_EDITS))
    assert history_of(line.step for line in lines).n_steps == N_PROCESSES * N_EDITS


def work(place: str, record: SessionRecord, name: str, results: multiprocessing.Queue) -> None:
    """Edit in a session as people do, and re-apply where others were faster."""
    try:
        with Store.open(place) as store:
            session = store.open_session(record, author=name)
            n_skipped = 0
            for index in range(25):
                try:
                    session.apply(cut(20.0 + index), note=f"{name} {index}")
                except ConflictError:
                    n_skipped += len(session.reapply())
        results.put((name, n_skipped, None))
    except Exception as error:
        results.put((name, 0, f"{type(error).__name__}: {error}"))


def test_people_who_reapply_lose_nothing(place: str) -> None:
    with Store.open(place) as store:
        record = add_session(store)
    processes = multiprocessing.get_context("fork")
    results = processes.Queue()
    children = [processes.Process(target=work, args=(place, record, name, results)) for name in "abcd"]
    for child in children:
        child.start()
    told = [results.get(timeout=120) for _ in children]
    for child in children:
        child.join()
    assert sorted(told) == [(name, 0, None) for name in "abcd"]
    with Store.open(place) as store:
        notes = Counter(entry.note for entry in store.open_session(record).history.path())
    assert notes == Counter(f"{name} {index}" for name in "abcd" for index in range(25))


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_several_processes_make_one_store(place: str) -> None:
    processes = multiprocessing.get_context("fork")
    children = [processes.Process(target=_open_and_add, args=(place, str(number))) for number in range(8)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0] * 8
    with Store.open(place) as store:
        assert [item.name for item in store.workspaces()] == [str(number) for number in range(8)]


def test_threads_share_a_store(store: Store) -> None:
    session = add_session(store)
    with ThreadPoolExecutor(8) as executor:
        list(executor.map(lambda number: store.add_workspace(f"thread {number}"), range(24)))
        list(executor.map(lambda number: store.open_session(session), range(8)))
    assert len(store.workspaces()) == 25


def _open_and_add(place: str, name: str) -> None:
    with Store.open(place) as store:
        store.add_workspace(name)
