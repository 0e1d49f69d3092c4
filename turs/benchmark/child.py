"""A child process that does tasks one after the other, each within a time limit.

A child that runs out of time or dies is replaced by a fresh one for the next task. Children are started as new
processes, never forked, because a Java machine does not survive a fork.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any


def command_of(python: str) -> tuple[str, ...]:
    """Return what a child process of an interpreter runs."""
    return (python, "-m", "turs.benchmark.worker")


COMMAND = command_of(sys.executable)
PREPARATION_SECONDS = 600.0
"""What a child may take to start, to compile kernels and to read the data: no part of learning."""


_STATUSES = ("started", "ok", "failed", "unreadable", "timeout", "crashed")
_MOST_SHOWN = 80
"""Characters of a line that is no reply that its reason shows."""


class _NoReplyError(Exception):
    """A child wrote a line that is no reply."""


class Child:
    """A worker process, started when it is first needed.

    Parameters
    ----------
    command : sequence of str
        What to run.
    threads : int
        Threads that numerical libraries may use in it.
    """

    def __init__(self, command: Sequence[str] = COMMAND, threads: int = 1) -> None:
        self._command = tuple(command)
        self._threads = threads
        self._process: subprocess.Popen[bytes] | None = None
        self._messages: IO[bytes] | None = None
        self._pending = b""
        self._lock = threading.Lock()
        self._stopped = False

    def ask(self, task: dict[str, Any], limit: float) -> dict[str, Any]:
        """Do a task and return the reply; its `status` is ok, failed, timeout or crashed, with a `reason`.

        Parameters
        ----------
        task : dict
            For the worker.
        limit : float
            Seconds from the beginning of learning.
        """
        try:
            process = self._started()
            assert process.stdin is not None
            process.stdin.write(json.dumps(task).encode() + b"\n")
            process.stdin.flush()
            reply = self._reply(process, PREPARATION_SECONDS)
            if reply is not None and reply["status"] == "started":
                reply = self._reply(process, limit)
            elif reply is None:
                return self._ended("timeout", f"the data were not ready after {PREPARATION_SECONDS:g} s")
        except _NoReplyError as error:
            return self._ended("crashed", str(error))
        except (OSError, ValueError):
            return self._crashed()
        return self._ended("timeout", f"not done after {limit:g} s") if reply is None else reply

    def stop(self) -> None:
        """End the process for good."""
        with self._lock:
            self._stopped = True
            self._end()

    def renew(self) -> None:
        """End the process; the next task gets a fresh one."""
        with self._lock:
            self._end()

    def _started(self) -> subprocess.Popen[bytes]:
        """Return the running process."""
        with self._lock:
            if self._stopped:
                raise OSError("The child was stopped.")
            if self._process is None:
                self._messages = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the process
                self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._messages,
                    env=self._environment(),
                    start_new_session=True,  # Ctrl-C is for the parent, which ends its children
                )
            return self._process

    def _environment(self) -> dict[str, str]:
        """Return the parent's environment with this package on the path and one number of threads for everybody."""
        root = str(Path(__file__).parents[2])
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(self._threads))
        paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
        return {**os.environ, **threads, "PYTHONPATH": os.pathsep.join(paths)}

    def _reply(self, process: subprocess.Popen[bytes], seconds: float) -> dict[str, Any] | None:
        """Return the next line of the child, or None where it does not come in time."""
        assert process.stdout is not None
        deadline = time.monotonic() + seconds
        while b"\n" not in self._pending:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
                return None
            part = os.read(process.stdout.fileno(), 1 << 16)
            if not part:
                raise OSError("The child is gone.")
            self._pending += part
        line, self._pending = self._pending.split(b"\n", 1)
        return _reply_in(line)

    def _crashed(self) -> dict[str, Any]:
        """Return a reply that says how the child ended, with the last line that it left."""
        process, last = self._process, ""
        code: int | None = None
        if process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = process.wait(5)
        if self._messages is not None and not self._messages.closed:
            self._messages.seek(0)
            lines = self._messages.read().decode(errors="replace").strip().splitlines()
            last = f": {lines[-1].strip()}" if lines else ""
        how = f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"
        return self._ended("crashed", f"the process ended with {how}{last}")

    def _ended(self, status: str, reason: str) -> dict[str, Any]:
        """End the process and return a reply that says why."""
        self.renew()
        return {"status": status, "reason": reason}

    def _end(self) -> None:
        """End the process and everything that it started."""
        process, self._process, self._pending = self._process, None, b""
        if process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):  # what could not be sent is of no use any more
                        pipe.close()
        if self._messages is not None:
            self._messages.close()


def _reply_in(line: bytes) -> dict[str, Any]:
    """Return the reply in a line; what is none is the fault of the child, not of this program."""
    try:
        reply = json.loads(line)
    except ValueError:
        reply = None
    if isinstance(reply, dict) and reply.get("status") in _STATUSES:
        return reply
    text = line.decode(errors="replace").strip()
    shown = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
    raise _NoReplyError(f"the process wrote a line that is no reply: {shown}")


def run_tasks(
    tasks: Sequence[dict[str, Any]],
    children: Sequence[Child],
    limit: float,
    on_done: Callable[[int, dict[str, Any]], None],
    *,
    ask: Callable[[Child, dict[str, Any], float], dict[str, Any]] = Child.ask,
    fresh: bool = False,
) -> None:
    """Do tasks on several children at once.

    Parameters
    ----------
    tasks : sequence of dict
        For the worker, in the order in which they are begun.
    children : sequence of Child
        Each does one task at a time; all of them are stopped in the end, also by Ctrl-C.
    limit : float
        Seconds of learning of one task.
    on_done : callable
        Told the number of a task and its reply, in the calling thread.
    ask : callable
        How a child is asked, in the thread of that child.
    fresh : bool
        Whether every task gets a process of its own, as measuring memory needs.
    """
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[int, dict[str, Any] | Exception]] = queue.SimpleQueue()
    for number in range(len(tasks)):
        waiting.put(number)

    def serve(child: Child) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                number = waiting.get_nowait()
                try:
                    done.put((number, ask(child, tasks[number], limit)))
                    if fresh:
                        child.renew()
                except Exception as error:  # a fault of this module: raised in the calling thread
                    done.put((number, error))

    for child in children:
        threading.Thread(target=serve, args=(child,), daemon=True).start()
    try:
        for _ in tasks:
            number, reply = done.get()
            if isinstance(reply, Exception):
                raise reply
            on_done(number, reply)
    finally:
        for child in children:
            child.stop()
