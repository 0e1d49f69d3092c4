"""Random picks that are sampled in a thread of their own: no Streamlit here, the page asks how far it is."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from turs.evaluate.forecast import Forecast
from turs.evaluate.random_pick import PickDistribution, sample_picks


class Sampling:
    """Samples of one forecast after the other. Results are set before `done` turns true.

    Parameters
    ----------
    forecasts : sequence of Forecast
        What rows are predicted by each version of the rules.
    n_samples : int
        Samples of each.
    """

    def __init__(self, forecasts: Sequence[Forecast], n_samples: int) -> None:
        self.found: tuple[PickDistribution, ...] = ()
        self.error: Exception | None = None
        self.share = 0.0
        self._forecasts = tuple(forecasts)
        self._n_samples = n_samples
        self._stop = threading.Event()
        self._done = threading.Event()
        threading.Thread(target=self._run, name="sampling", daemon=True).start()

    @property
    def done(self) -> bool:
        """Whether the thread has ended its work."""
        return self._done.is_set()

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Ask for an end with the samples that there are."""
        self._stop.set()

    def wait(self, seconds: float | None) -> bool:
        """Wait for the end and return whether it came."""
        return self._done.wait(seconds)

    def _run(self) -> None:
        """Sample, and keep what came of it."""
        try:
            for forecast in self._forecasts:
                drawn = sample_picks(
                    forecast, self._n_samples, 0, on_progress=self._tell, should_stop=self._stop.is_set
                )
                self.found = (*self.found, drawn)
        except Exception as error:  # the page shows it; a thread has nobody to raise it to
            self.error = error
        finally:
            self._done.set()

    def _tell(self, n_samples: int) -> None:
        """Keep how far it is."""
        self.share = (len(self.found) + n_samples / self._n_samples) / len(self._forecasts)
