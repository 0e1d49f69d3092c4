"""Learn, score, read and edit probabilistic truly unordered rule sets.

    from turs import TursClassifier
    model = TursClassifier().fit(X, y)

Names are loaded on first use, so that `import turs` and the command line start quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turs.errors import TursError
    from turs.estimator import TursClassifier

__version__ = "0.1.0"

__all__ = ["TursClassifier", "TursError", "__version__"]

_HOMES = {"TursClassifier": "turs.estimator", "TursError": "turs.errors"}


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'turs' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
