"""What a person sees of the search while it runs, and how Ctrl-C ends it with what was found."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from turs.learn.progress import Progress


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Give a function that tells whether Ctrl-C was pressed; a second Ctrl-C ends the process as usual."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():  # signals belong to the main thread
        yield pressed.is_set
        return

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def progress_bar() -> Iterator[Callable[[Progress], None] | None]:
    """Give a callback that draws the progress on standard error, or None where that is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(20), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=1.0)

        def draw(progress: Progress) -> None:
            share = progress.covered / progress.n_rows
            done = 1.0 if progress.looking_at else (progress.search - 1 + share) / progress.n_searches
            bar.update(task, completed=done, description=progress_text(progress))

        yield draw


def progress_text(progress: Progress) -> str:
    """Return where the search is, in one line."""
    rules = len(progress.rules)
    doing = f"a second look at {progress.looking_at}" if progress.looking_at else f"growing rule {rules + 1}"
    return (
        f"search {progress.search} of {progress.n_searches}: {doing}, level {progress.level};"
        f" {rules} found, {progress.total_bits:,.1f} bits, {progress.covered / progress.n_rows:.0%} covered"
    )
