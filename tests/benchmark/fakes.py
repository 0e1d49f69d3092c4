"""Peers that misbehave, and a worker that knows them: `python fakes.py FOLDER`."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from turs.benchmark import peers, worker
from turs.benchmark.learners import Learner
from turs.benchmark.peer import Learned, Peer, Rows


def learner(name: str) -> Learner:
    return Learner(name, "peer", {"peer": name}, "fake 1", "none")


def command(folder: Path) -> tuple[str, ...]:
    """Return the command of a worker with the fake peers; they write what they did into `folder`."""
    return (sys.executable, __file__, str(folder))


def _fake(name: str, learn: object) -> Peer:
    return Peer(name, "fake", (), Rows, learn, lambda: "fake 1")  # type: ignore[arg-type]  # each raises or sleeps


def _crash(rows: Rows, seed: int) -> Learned:
    sys.stderr.write("the library took the process with it\n")
    sys.stderr.flush()
    os.kill(os.getpid(), signal.SIGSEGV)
    raise AssertionError


def _leave(rows: Rows, seed: int) -> Learned:
    os._exit(3)


def _fail(rows: Rows, seed: int) -> Learned:
    print("noise on standard output")
    raise KeyError("no such thing")


def _name_process(rows: Rows, seed: int) -> Learned:
    raise KeyError(os.getpid())


def _sleep(rows: Rows, seed: int) -> Learned:
    (Path(sys.argv[1]) / "sleeper").write_text(str(os.getpid()))
    time.sleep(60)
    raise AssertionError


FAKES = (
    _fake("Crash", _crash),
    _fake("Leave", _leave),
    _fake("Fail", _fail),
    _fake("Sleep", _sleep),
    _fake("Process", _name_process),
)

if __name__ == "__main__":
    peers.PEERS = (*peers.PEERS, *FAKES)
    worker.main()
