"""Learning in a thread of its own: no Streamlit here, the page asks how far it is."""

from __future__ import annotations

import threading

from turs.kernel import all_cores
from turs.learn.learner import learn
from turs.learn.progress import Learned, Progress
from turs.learn.settings import Settings
from turs.ui.versions import Source


class Job:
    """One run of the learner. Results are set once, before `done` turns true."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.progress: Progress | None = None
        self.learned: Learned | None = None
        self.error: Exception | None = None
        self._stop = threading.Event()
        self._done = threading.Event()
        threading.Thread(target=self._run, name="learning", daemon=True).start()

    @property
    def done(self) -> bool:
        """Whether the thread has ended its work."""
        return self._done.is_set()

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Ask the learner to end with what it has found."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Wait for the end and return whether it came."""
        return self._done.wait(seconds)

    def _run(self) -> None:
        """Learn, and keep what came of it."""
        try:
            self.learned = learn(
                self.source.training_data,
                Settings(threads=all_cores()),
                on_progress=self._tell,
                should_stop=self._stop.is_set,
            )
        except Exception as error:  # the page shows it; a thread has nobody to raise it to
            self.error = error
        finally:
            self._done.set()

    def _tell(self, progress: Progress) -> None:
        """Keep the latest progress."""
        self.progress = progress
