"""A study: a table, what a person decided about it, and its rows in three parts. Values only, no Streamlit.

Training rows are learned from and give the bits, validation rows give the AUC while rules are edited, and the test part
stays sealed until somebody asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from turs.data import DEFAULT_CUTS, DataSet, Table, labelled_data, learning_data, stratified_split
from turs.editing import Rows, rows_of

DEFAULT_VALIDATION = 0.2
DEFAULT_TEST = 0.2


@dataclass(frozen=True)
class Plan:
    """What a person decided about a table.

    Parameters
    ----------
    target : str
        The class column.
    features : tuple of str or None
        Columns to use; None leaves it to the engine, which drops identifiers and constants.
    kinds : dict of str to str
        Columns whose kind is not to be inferred.
    validation, test : float
        Shares of the rows; 0 for none.
    seed : int
        Of the division.
    n_cuts : int
        Most candidate cuts of a numeric column.
    """

    target: str
    features: tuple[str, ...] | None = None
    kinds: dict[str, str] = field(default_factory=dict)
    validation: float = DEFAULT_VALIDATION
    test: float = DEFAULT_TEST
    seed: int = 0
    n_cuts: int = DEFAULT_CUTS


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
    training_rows, validation_rows, test_rows : int64
        Positions in the table.
    training : DataSet
        The training rows in bins; its schema is what rules are learned on.
    validation : DataSet or None
        The validation rows in the same bins, where there are some.
    """

    name: str
    table: Table
    plan: Plan
    training_rows: NDArray[np.int64]
    validation_rows: NDArray[np.int64]
    test_rows: NDArray[np.int64]
    training: DataSet
    validation: DataSet | None

    def frame_of(self, part: str) -> pd.DataFrame:
        """Return the raw rows of a part: training, validation or test."""
        rows = {"training": self.training_rows, "validation": self.validation_rows, "test": self.test_rows}
        return self.table.frame.iloc[rows[part]]

    @cached_property
    def rows(self) -> tuple[Rows, Rows | None]:
        """The training and the validation rows for an editing session."""
        validation = self.validation
        return (
            rows_of(self.training, self.frame_of("training")),
            None if validation is None else rows_of(validation, self.frame_of("validation")),
        )


def study_of(name: str, table: Table, plan: Plan) -> Study:
    """Divide a table and put its rows into bins.

    Raises
    ------
    TursError
        Where the table or the plan is at fault.
    """
    frame = table.frame
    kept = np.arange(len(frame), dtype=np.int64)
    nothing = kept[:0]
    test = validation = nothing
    if plan.test > 0:
        kept, test = stratified_split(frame[plan.target], plan.test, plan.seed)
    if plan.validation > 0:
        share = min(plan.validation / (1 - plan.test), 0.99)
        inner, outer = stratified_split(frame[plan.target].iloc[kept], share, plan.seed + 1)
        kept, validation = kept[inner], kept[outer]
    training = learning_data(
        frame.iloc[kept], plan.target, kinds=plan.kinds, features=plan.features, n_cuts=plan.n_cuts, notes=table.notes
    )
    aside = labelled_data(frame.iloc[validation], training.schema) if validation.size else None
    return Study(name, table, plan, kept, validation, test, training, aside)
