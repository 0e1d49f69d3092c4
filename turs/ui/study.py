"""A study: a table, what a person decided about it, and its rows in three parts. Values only, no Streamlit.

Training rows are learned from and give the bits, validation rows give the AUC while rules are edited, and the test part
stays sealed until somebody asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from turs.data import DEFAULT_CUTS, Table, labelled_data, learning_data
from turs.editing import Rows, rows_of
from turs.rules.schema import Schema
from turs.storage import Split, split_rows

PARTS = ("training", "validation", "test")


@dataclass(frozen=True)
class Plan:
    """What a person decided about a table.

    Parameters
    ----------
    target : str
        The class column.
    kinds : dict of str to str
        Columns whose kind is not to be inferred; they are used even where they look like identifiers.
    ignored : tuple of str
        Columns that are left out.
    validation, test : float
        Shares of the rows; 0 for none.
    seed : int or None
        Of the division; None for that of a stored table, which nobody remembers.
    n_cuts : int
        Most candidate cuts of a numeric column.
    """

    target: str
    kinds: dict[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    validation: float = 0.2
    test: float = 0.2
    seed: int | None = 0
    n_cuts: int = DEFAULT_CUTS

    @property
    def division(self) -> tuple[str, float, float, int | None]:
        """What the division into parts depends on."""
        return self.target, self.validation, self.test, self.seed


@dataclass(frozen=True, eq=False)
class Study:
    """A table in three parts.

    Parameters
    ----------
    name : str
        What the table is called.
    table : Table
        All rows.
    plan : Plan
        What was decided.
    split : Split
        Which rows belong to which part.
    training : Rows
        The training rows in bins; their schema is what rules are learned on.
    validation : Rows or None
        The validation rows in the same bins, where there are some.
    """

    name: str
    table: Table
    plan: Plan
    split: Split
    training: Rows
    validation: Rows | None

    @property
    def schema(self) -> Schema:
        """Features and classes."""
        return self.training.data.schema

    def frame_of(self, part: str) -> pd.DataFrame:
        """Return the raw rows of a part: training, validation or test."""
        rows: NDArray[np.int64] = getattr(self.split, part)
        return self.table.frame.iloc[rows]

    def n_rows(self, part: str) -> int:
        """Return the number of rows of a part."""
        return int(getattr(self.split, part).size)


def may_be_target(column: pd.Series) -> bool:
    """Say whether a column may hold classes: at least two, and on average two rows of each."""
    try:
        return 2 <= column.nunique() <= max(len(column) // 2, 2)
    except TypeError:  # lists and the like
        return False


def likely_target(frame: pd.DataFrame) -> str:
    """Return the column to predict unless somebody says otherwise: the last one that may hold classes."""
    names = [str(name) for name in frame.columns]
    return next((name for name in reversed(names) if may_be_target(frame[name])), names[-1])


def study_of(name: str, table: Table, plan: Plan, split: Split | None = None) -> Study:
    """Divide a table and put its rows into bins.

    Where its parts are known already (`split`), they stay.

    Raises
    ------
    TursError
        Where the table or the plan is at fault.
    """
    frame = table.frame
    if split is None:
        split = split_rows(frame[plan.target], validation=plan.validation, test=plan.test, seed=plan.seed or 0)
    used = frame.drop(columns=[column for column in plan.ignored if column in frame.columns])
    kinds = {column: kind for column, kind in plan.kinds.items() if column in used.columns and column != plan.target}
    kept = used.iloc[split.training]
    training = learning_data(kept, plan.target, kinds=kinds, n_cuts=plan.n_cuts, notes=table.notes)
    aside = used.iloc[split.validation]
    validation = rows_of(labelled_data(aside, training.schema), aside) if split.validation.size else None
    return Study(name, table, plan, split, rows_of(training, kept), validation)
