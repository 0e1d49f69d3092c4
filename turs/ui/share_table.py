"""Class shares as a table to take away: rows, the probability of each class and its interval."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from turs.evaluate.shares import ClassShares


def share_table(named: Sequence[tuple[str, ClassShares]], classes: Sequence[str]) -> pd.DataFrame:
    """Return what bars of class shares show, with the intervals of all classes; empty cells where there are no rows."""
    lines = []
    for name, shares in named:
        line: dict[str, object] = {"name": name, "rows": shares.rows}
        for label, share, ends in zip(classes, shares.probabilities, shares.intervals, strict=True):
            known = (share, *ends) if shares.rows else (None, None, None)
            line |= dict(zip((f"p({label})", f"p({label}) low", f"p({label}) high"), known, strict=True))
        lines.append(line)
    return pd.DataFrame(lines)
