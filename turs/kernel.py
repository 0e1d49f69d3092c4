"""How loops are compiled (without the lock, without fast maths, once a machine), and on how many cores they may run.

Compiled code is kept in the user's cache folder under a name made of the text of all kernels. Numba's own check looks
at the file of the function that is called, not at the files of those that it calls in turn; with the name it cannot
happen that an old inner function lives on inside a new outer one.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numba
import numba.core.config

_PACKAGE = Path(__file__).parent
_WITH_KERNELS = ("mdl", "cover", "learn", "evaluate", "editing")


@lru_cache(maxsize=1)
def cache_folder() -> Path:
    """Return the folder of compiled code; `TURS_CACHE` moves it, a temporary folder stands in where it is read-only."""
    base = os.environ.get("TURS_CACHE") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    text = hashlib.sha256(Path(__file__).read_bytes())  # how they are compiled
    for folder in _WITH_KERNELS:
        for path in sorted((_PACKAGE / folder).glob("*.py")):
            code = path.read_bytes()
            if b"@kernel" in code:
                text.update(code)
    name = f"kernels-{text.hexdigest()[:16]}"
    for parent in (Path(base).expanduser() / "turs", Path(tempfile.gettempdir()) / f"turs-{os.getuid()}"):
        folder_path = parent / name
        try:
            folder_path.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder_path, os.W_OK):
            return folder_path
    return Path(tempfile.mkdtemp(prefix="turs-"))


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function on first use and keep the machine code on disk."""
    config: Any = numba.core.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder())
    try:
        compiled: Callable[..., Any] = numba.njit(function, cache=True, nogil=True)
    finally:
        config.CACHE_DIR = before
    return compiled


def spare_linear_algebra() -> None:
    """Keep Numba from loading SciPy's linear algebra, which no kernel uses: 15 MB, and a tenth of a second.

    For processes of our own only: Numba looks once, and compiles no `numpy.cov` in a process where it did not find it.
    """
    if "numba.np.arraymath" in sys.modules or "scipy.linalg" in sys.modules:
        return
    sys.modules["scipy.linalg"] = None  # type: ignore[assignment]  # the way to make an import fail
    try:
        import_module("numba.np.arraymath")
    finally:
        del sys.modules["scipy.linalg"]


def is_compiled() -> bool:
    """Return whether the kernels were compiled on this machine before; if not, the first use takes about a minute."""
    return any(cache_folder().rglob("*.nbc"))


def all_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
