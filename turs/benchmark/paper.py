"""The paper's figures, as printed in its tables: facts to compare with."""

from __future__ import annotations

import csv
from functools import lru_cache
from importlib import resources

TURS = "TURS"
"""The paper's method in its own tables."""


@lru_cache(maxsize=1)
def paper_values() -> dict[tuple[str, str, str], float]:
    """Return the figures by table, data set and method.

    Tables are `auc`, `literals`, `random_pick_auc`, `random_pick_gap`, `overlap_percent`, and `simulation_...` with
    `simulation_..._sd` for the second ablation.
    """
    text = (resources.files("turs.benchmark") / "paper.csv").read_text(encoding="utf-8")
    return {
        (row["table"], row["dataset"], row["method"]): float(row["value"]) for row in csv.DictReader(text.splitlines())
    }


def paper_value(table: str, dataset: str, method: str = TURS) -> float | None:
    """Return one figure, None where the paper has none."""
    return paper_values().get((table, dataset, method))


def paper_methods(table: str) -> tuple[str, ...]:
    """Return the methods of a table, the paper's own first."""
    methods = {method for name, _, method in paper_values() if name == table}
    return tuple(sorted(methods, key=lambda method: (method != TURS, method)))
