"""Check an installed wheel, run by the Python of a clean environment: `turs app` starts, and the samples are there.

    python tests/wheel.py

The folder that it runs in is empty, so nothing of the source tree can stand in for what the wheel forgot.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

TURS = Path(sys.executable).parent / "turs"
PATIENCE = 120.0


def free_port() -> int:
    """Return a port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answer(address: str) -> bytes | None:
    """Return what a server answers; None where there is none yet."""
    try:
        with urllib.request.urlopen(address, timeout=5) as reply:
            return bytes(reply.read())
    except OSError:
        return None


def check_app(folder: str) -> None:
    """Start the application and wait for its first page."""
    port = free_port()
    environment = {**os.environ, "TURS_DATA": str(Path(folder) / "data")}
    server = subprocess.Popen([TURS, "app", "--port", str(port)], cwd=folder, env=environment)
    try:
        end = time.monotonic() + PATIENCE
        while answer(f"http://127.0.0.1:{port}/_stcore/health") != b"ok":
            assert server.poll() is None, "turs app ended"
            assert time.monotonic() < end, "turs app does not answer"
            time.sleep(0.3)
        page = answer(f"http://127.0.0.1:{port}/")
        assert page is not None
        assert b"<html" in page
    finally:
        server.terminate()
        server.wait(20)


def check_package(folder: str) -> None:
    """Use what came with the wheel, from an empty folder."""
    code = (
        "import turs; from turs.shipped import shipped; from pathlib import Path;"
        "assert Path.cwd() not in Path(turs.__file__).parents;"
        "names = sorted(path.name for path in shipped('sample_data').glob('*.csv'));"
        "assert 'iris.csv' in names and 'readmission.csv' in names, names;"
        "assert shipped('pages').is_dir() and shipped('.streamlit/config.toml').is_file();"
        "print(shipped('sample_data') / 'iris.csv')"
    )
    sample = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()
    subprocess.run([TURS, "learn", sample, "--target", "species", "--out", "m.json"], cwd=folder, check=True)
    subprocess.run([TURS, "export", "m.json", "--format", "python", "--out", "m.py"], cwd=folder, check=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as empty:
        check_package(empty)
        check_app(empty)
    sys.stdout.write("The wheel works.\n")
