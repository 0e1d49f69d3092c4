"""`turs app`: the browser application, on this machine unless somebody says otherwise."""

from __future__ import annotations

import importlib.util
import os
import sys

from turs.errors import SettingsError
from turs.shipped import shipped


def run(port: int, address: str) -> None:
    """Become the server of the application; it ends with Ctrl-C."""
    if importlib.util.find_spec("streamlit") is None:
        raise SettingsError("The browser application is not installed: pip install '.[app]' in the clone.")
    script = shipped("app.py")
    options = ["--server.port", str(port), "--server.address", address]
    os.chdir(script.parent)  # its settings lie beside it
    os.execv(sys.executable, [sys.executable, "-m", "streamlit", "run", str(script), *options])
