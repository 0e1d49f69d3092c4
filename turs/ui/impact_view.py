"""What an edit does, as markup and as tables: bits, AUC, rows, overlaps, the else rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from turs.editing import Impact
from turs.evaluate.shares import ClassShares
from turs.ui import numbers
from turs.ui.cards import share_words, top_class
from turs.ui.study import Study
from turs.ui.table import DIGITS, table_markup

_MOST_OVERLAPS = 3
_SAMPLES = 200
UNCHANGED = "±0"

Line = tuple[str, str, str, str]


_HEADER = ("Effect of this change", "before", "after", "change")


def impact_markup(impact: Impact, header: tuple[str, str, str, str] = _HEADER) -> str:
    """Return the table of effects: before, after, change."""
    found = _effects(impact)
    return table_markup(header, [line for line, _ in found], tones=[tone for _, tone in found])


def impact_table(impact: Impact) -> pd.DataFrame:
    """Return the same as a table to take away."""
    lines = [[cell.strip() for cell in line] for line, _ in _effects(impact)]
    return pd.DataFrame(lines, columns=["effect", "before", "after", "change"])


def _effects(impact: Impact) -> list[tuple[Line, str]]:
    """Return all lines of effects with their tones."""
    return [
        *_bits(impact),
        *_aucs(impact),
        *_coverage(impact),
        *_rows(impact),
        *_overlaps(impact),
        *_otherwise(impact),
    ]


def new_rules_words(impact: Impact) -> list[str]:
    """Return for each rule that the edit makes or changes its rows and class shares in words."""
    schema = impact.after.rule_set.schema
    general = impact.after.evaluation.generalisation
    sides = {} if general is None else {rule.id: rule.evaluation for rule in general.rules}
    words = []
    for change in impact.rules:
        if change.after is not None:
            shares = ClassShares(change.after.counts)
            text = share_words(schema, shares, sides.get(change.id))
            words.append(f"{change.id}: {numbers.rows(shares.rows, 'training')} · {text}")
    return words


@dataclass(frozen=True)
class ChangedRows:
    """The rows whose probabilities change.

    Parameters
    ----------
    frame : DataFrame
        The rows, with the rules and the probability of one class before and after.
    shares : tuple of str
        The columns with these probabilities.
    order : str
        In words, how the rows are sorted.
    """

    frame: pd.DataFrame
    shares: tuple[str, ...]
    order: str


def changed_rows(impact: Impact, study: Study, *, validation: bool) -> ChangedRows:
    """Return the rows whose probabilities change: first those that get another class, then the largest changes."""
    side = impact.validation if validation else impact.training
    part = "validation" if validation else "training"
    data = study.validation if validation else study.training
    if side is None or data is None:
        return ChangedRows(pd.DataFrame(), (), "")
    moved = side.movement
    places = moved.rows(moved.same_probabilities)
    before = moved.forecast_before.probabilities[moved.row_before[places]]
    after = moved.forecast_after.probabilities[moved.row_after[places]]
    label = int(np.abs(after - before).mean(axis=0).argmax()) if len(places) else 0
    flips = before.argmax(axis=1) != after.argmax(axis=1)
    order = np.lexsort((np.arange(len(places)), -np.abs(after - before)[:, label].round(DIGITS), ~flips))
    places, before, after = places[order], before[order], after[order]
    ids, name = np.array(moved.ids, dtype=object), impact.after.rule_set.schema.classes[label]
    rows = data.data.rows[places]
    frame = study.frame_of(part).iloc[rows].reset_index(drop=True)
    positions = getattr(study.split, part)[rows]
    shares = (f"p({name}) before", f"p({name}) after")
    found = pd.DataFrame(
        {
            "row": positions + 1,
            "rules before": [" ".join(ids[line]) or "else" for line in moved.members_before[moved.row_before[places]]],
            "rules after": [" ".join(ids[line]) or "else" for line in moved.members_after[moved.row_after[places]]],
            shares[0]: before[:, label],
            shares[1]: after[:, label],
        }
    )
    clash = {column: f"{column} (table)" for column in frame.columns if column in found.columns}
    first = f"First the {numbers.rows(int(flips.sum()))} with another predicted class, then" if flips.any() else "First"
    words = f"{first} the largest change of p({name}); equal ones in the order of the table."
    return ChangedRows(pd.concat([found, frame.rename(columns=clash)], axis="columns"), shares, words)


def _line(name: str, before: str, after: str, change: float, shown: str, better: int = 0) -> tuple[Line, str]:
    """Return one line with the tone of its change."""
    words = numbers.change(change, shown) or UNCHANGED
    tone = "" if not better or words == UNCHANGED else "good" if change * better > 0 else "bad"
    return (name, before, after, words), tone


def _quantity(name: str, before: float, after: float, shown: Callable[[float], str], better: int) -> tuple[Line, str]:
    """Return the line of a number."""
    return _line(name, shown(before), shown(after), after - before, shown(after - before), better)


def _bits(impact: Impact) -> list[tuple[Line, str]]:
    """Return the lines of the bits."""
    parts = {"Total bits": "total_bits", "  likelihood": "nll_bits", "  regret": "regret_bits", "  model": "model_bits"}
    old, new = impact.score_before, impact.score_after
    return [_quantity(name, getattr(old, part), getattr(new, part), numbers.bits, -1) for name, part in parts.items()]


def _aucs(impact: Impact) -> list[tuple[Line, str]]:
    """Return the lines of the AUCs; that on validation rows with its interval."""
    lines = [_quantity("AUC training", impact.training.before.auc, impact.training.after.auc, numbers.auc, 1)]
    side = impact.validation
    if side is not None:
        line, tone = _quantity("AUC validation", side.before.auc, side.after.auc, numbers.auc, 1)
        lines.append((line, tone))
        if line[3] != UNCHANGED:
            spread = side.auc_change(_SAMPLES)
            ends = f"{numbers.auc(spread.low)} to {numbers.auc(spread.high)}"
            lines.append((("  95 % interval", "", "", ends), ""))
    shown = side or impact.training
    picks = shown.before.random_pick_auc, shown.after.random_pick_auc
    return [*lines, _quantity("Random-pick AUC", *picks, numbers.auc, 1)]


def _coverage(impact: Impact) -> list[tuple[Line, str]]:
    """Return a line for each rule that changes: its coverage and the share of the class that was its largest."""
    schema = impact.after.rule_set.schema
    lines = []
    for change in impact.rules:
        cells, sizes = [], []
        held_first = next(ClassShares(held.counts) for held in (change.before, change.after) if held is not None)
        top = top_class(held_first) if held_first.rows else 0
        for held in (change.before, change.after):
            sizes.append(held.coverage if held is not None else 0)
            if held is None:
                cells.append("not there")
                continue
            shares = ClassShares(held.counts)
            share = f", {numbers.label(schema.classes[top])} {shares.probabilities[top]:.2f}" if shares.rows else ""
            cells.append(f"{numbers.rows(shares.rows)}{share}")
        gained = sizes[1] - sizes[0]
        lines.append(_line(change.id, cells[0], cells[1], gained, f"{numbers.count(gained)} rows"))
    return lines


def _rows(impact: Impact) -> list[tuple[Line, str]]:
    """Return the line of the rows that are affected."""
    here, there = impact.training, impact.validation
    changed = [f"{here.n_probability_changed:,} training"]
    flipped = [f"{here.n_class_changed:,} training"]
    if there is not None:
        changed.append(f"{there.n_probability_changed:,} validation")
        flipped.append(f"{there.n_class_changed:,} validation")
    return [
        (("Rows with other probabilities", "", "", " · ".join(changed)), ""),
        (("Rows with another predicted class", "", "", " · ".join(flipped)), ""),
    ]


def _overlaps(impact: Impact) -> list[tuple[Line, str]]:
    """Return the overlaps that change most, and how many more there are."""
    changes = impact.training.overlaps
    lines = []
    for change in changes[:_MOST_OVERLAPS]:
        cells = []
        for rows, apart in (
            (change.rows_before, change.distance_before),
            (change.rows_after, change.distance_after),
        ):
            cells.append(numbers.rows(rows) + (f", {apart:.2f} apart" if apart is not None and rows else ""))
        gained = change.rows_after - change.rows_before
        lines.append(
            _line(
                f"Rows of exactly {' ∧ '.join(change.rules)}",
                cells[0],
                cells[1],
                gained,
                f"{numbers.count(gained)} rows",
            )
        )
    more = len(changes) - len(lines)
    if more > 0:
        lines.append((("More overlaps that change", "", "", f"{more:,}"), ""))
    return lines


def _otherwise(impact: Impact) -> list[tuple[Line, str]]:
    """Return what happens to the else rule."""
    change = impact.training.otherwise
    entered, left = sum(change.entered), sum(change.left)
    if not entered and not left:
        return []
    classes = impact.after.rule_set.schema.classes
    top = max(range(len(classes)), key=change.after.__getitem__)
    old, new = (f"{numbers.label(classes[top])} {shares[top]:.2f}" for shares in (change.before, change.after))
    return [(("Else rule", old, new, f"{entered:,} rows enter, {left:,} leave"), "")]
