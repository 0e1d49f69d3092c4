"""The application as a process of its own, on a free port of this machine: for pictures, measurements and tests."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Playwright

from turs.ui.warming import prepare

ROOT = Path(__file__).parents[2]
CACHE_VARIABLE = "TURS_CACHE"
START_SECONDS = 30
_PROGRAM = ("-m", "streamlit", "run", "app.py")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


class Server:
    """A server of the application.

    Parameters
    ----------
    folder : Path
        Where its store is.
    environment : mapping
        What its environment has beyond that of this process.
    program : sequence of str
        What Python runs; options of Streamlit follow.
    """

    def __init__(
        self, folder: Path, environment: Mapping[str, str] | None = None, program: Sequence[str] = _PROGRAM
    ) -> None:
        self.folder = folder
        self._program = program
        self._environment = dict(environment or {})
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()

    @property
    def address(self) -> str:
        """Where the application is."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def is_running(self) -> bool:
        """Whether the process is there."""
        return self._process is not None and self._process.poll() is None

    @property
    def memory(self) -> int:
        """Bytes that the process has in memory (Linux)."""
        return self._status("VmRSS")

    @property
    def peak_memory(self) -> int:
        """Most bytes that the process ever had in memory (Linux)."""
        return self._status("VmHWM")

    def start(self) -> None:
        """Start the process; it may not answer yet. Kernels are compiled before, unless it has a folder for its own."""
        if CACHE_VARIABLE not in self._environment:
            prepare()
        self._process = subprocess.Popen(
            [sys.executable, *self._program, "--server.port", str(self.port)],
            cwd=ROOT,
            env=os.environ | {"TURS_DATA": str(self.folder)} | self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def wait(self) -> None:
        """Wait until it answers."""
        for _ in range(50 * START_SECONDS):
            try:
                with urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=5) as answer:
                    if answer.read() == b"ok":
                        return
            except OSError:
                time.sleep(0.02)
        raise SystemExit(f"The application did not start within {START_SECONDS} seconds.")

    def stop(self, *, kill: bool = False) -> None:
        """End the process; `kill` gives it no time to do anything more."""
        if self._process is not None:
            (self._process.kill if kill else self._process.terminate)()
            self._process.wait()
            self._process = None

    def _status(self, name: str) -> int:
        """Return a number of bytes that the system knows about the process."""
        if self._process is None:
            raise SystemExit("The application does not run.")
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        return 1024 * int(next(line for line in lines if line.startswith(f"{name}:")).split()[1])


@contextmanager
def running_app(environment: Mapping[str, str] | None = None, program: Sequence[str] = _PROGRAM) -> Iterator[Server]:
    """Start the application on a store of its own; both end with the block."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), environment, program)
        server.start()
        try:
            server.wait()
            yield server
        finally:
            server.stop()


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def launched(driver: Playwright) -> Browser:
    """Start a browser of this machine."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        raise SystemExit("No browser was found: install one, on Debian with apt-get install chromium libatomic1.")
    return driver.chromium.launch(executable_path=path, args=list(FLAGS))
