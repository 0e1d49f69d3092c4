"""What a person should know about a table before learning from it, each with a proposal."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from turs.ui import numbers
from turs.ui.columns import ColumnView, column_views
from turs.ui.study import Plan, Study

GIVES_IT_AWAY = 0.995
"""Share of rows whose class a single column tells, from which on it may be a copy of the target."""
MOSTLY_MISSING = 0.5
FEW_ROWS = 20
"""Training rows of a class below which little can be said about it."""


@dataclass(frozen=True)
class Notice:
    """Something noticed.

    Parameters
    ----------
    text : str
        What it is, and what was done or could be done.
    proposal : str
        The label of the button; empty where there is nothing to press.
    plan : Plan or None
        What the button makes of the plan.
    """

    text: str
    proposal: str = ""
    plan: Plan | None = None


def notices(study: Study) -> list[Notice]:
    """Return what was noticed about a table, the gravest first."""
    views = column_views(study)
    return [
        *_copies(study, views),
        *_rare_classes(study),
        *_mostly_missing(study, views),
        *_left_out(study, views),
        *(Notice(note) for note in study.table.notes),
    ]


def _ignoring(plan: Plan, name: str) -> Plan:
    """Return the plan without a column."""
    return replace(plan, ignored=tuple(dict.fromkeys((*plan.ignored, name))))


def _copies(study: Study, views: tuple[ColumnView, ...]) -> list[Notice]:
    """Return the columns that tell the class on their own."""
    largest = np.bincount(study.training.data.labels).max() / study.training.n_rows
    found = []
    for view in views:
        if view.role != "used" or not view.bars.sum() or view.n_distinct > study.training.n_rows / 2:
            continue
        told = view.bars.max(axis=1).sum() / view.bars.sum()
        if told >= GIVES_IT_AWAY and told - largest > 0.01:
            text = f"'{view.name}' alone tells {numbers.share(told)} of the classes: is it known before the target is?"
            found.append(Notice(text, "Leave it out", _ignoring(study.plan, view.name)))
    return found


def _rare_classes(study: Study) -> list[Notice]:
    """Return the classes with few rows."""
    counts = np.bincount(study.training.data.labels, minlength=len(study.schema.classes)).tolist()
    found = []
    for label, n in zip(study.schema.classes, counts, strict=True):
        if n < FEW_ROWS:
            plan, text = study.plan, f"Class '{label}' has {numbers.rows(n, 'training')}: little can be said about it."
            if plan.test > 0:
                found.append(Notice(text, "No test rows", replace(plan, test=0.0)))
            else:
                found.append(Notice(f"{text} Collect more, or join it with another class in the table."))
    return found


def _mostly_missing(study: Study, views: tuple[ColumnView, ...]) -> list[Notice]:
    """Return the columns that are mostly missing."""
    return [
        Notice(
            f"'{view.name}' is missing in {numbers.share(view.missing)} of the rows; rules can ask whether it is.",
            "Leave it out",
            _ignoring(study.plan, view.name),
        )
        for view in views
        if view.role == "used" and view.missing > MOSTLY_MISSING
    ]


def _left_out(study: Study, views: tuple[ColumnView, ...]) -> list[Notice]:
    """Return the columns that the engine leaves out."""
    found = []
    for view in views:
        if view.role != "left out":
            continue
        reason = view.reason.split(";")[0]
        text = f"'{view.name}' is left out: {reason}."
        if view.n_distinct > 1:
            kinds = {**study.plan.kinds, view.name: view.kind}
            found.append(Notice(text, "Use it anyway", replace(study.plan, kinds=kinds)))
        else:
            found.append(Notice(text))
    return found
