"""The history as the page shows it: edits and openings of the test part in one log, versions, rules compared."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any

import pandas as pd

from turs.editing import LEARNED, Entry, History, Impact
from turs.storage import ModelRecord, Opening
from turs.ui import numbers
from turs.ui.chips import chips_markup
from turs.ui.opened import OpenModel


@dataclass(frozen=True)
class LogLine:
    """One line of the log.

    Parameters
    ----------
    number : int or None
        Entry of the history; None for an opening of the test part.
    words, note, author, time : str
        What was done, why, by whom and when (ISO 8601).
    bits_change, auc_change : float
        Against the state it was made on; NaN where there is none. The AUC is that on validation rows, without any that
        on training rows.
    names : tuple of str
        Checkpoints.
    place : str
        `now`, `path` (an edit that is in force), or `aside` (undone, or on another branch).
    """

    number: int | None
    words: str
    note: str
    author: str
    time: str
    bits_change: float
    auc_change: float
    names: tuple[str, ...]
    place: str


def log_of(model: OpenModel, openings: tuple[Opening, ...], learned: ModelRecord | None = None) -> list[LogLine]:
    """Return the log, the latest first; `learned` says who learned the rules, and when."""
    history = model.session.history
    on_path = {entry.number for entry in history.path()} | {LEARNED}
    edits = [_edit_line(model, entry, on_path) for entry in history.entries]
    seen = [_opening_line(opening) for opening in openings]
    start = LogLine(
        LEARNED,
        f"Rules learned from {model.study.name}",
        "",
        learned.author if learned is not None else "",
        learned.created if learned is not None else "",
        math.nan,
        math.nan,
        _names(history, LEARNED),
        _place(history, LEARNED, on_path),
    )
    return [*sorted([*edits, *seen], key=lambda line: (line.time, line.number or 0), reverse=True), start]


def log_data(lines: list[LogLine]) -> dict[str, Any]:
    """Return the log as plain values for `browser/history.js`."""
    shown = []
    for line in lines:
        bits, bits_tone = _change(line.bits_change, numbers.bits(line.bits_change), "bits", -1)
        auc, auc_tone = _change(line.auc_change, numbers.auc(line.auc_change), "AUC", 1)
        shown.append(
            {
                "number": line.number,
                "title": "" if line.number is None else "start" if line.number == LEARNED else f"edit {line.number}",
                "words": line.words,
                "note": line.note,
                "who": " · ".join(part for part in (line.author, moment(line.time)) if part),
                "bits": bits,
                "bitsTone": bits_tone,
                "auc": auc,
                "aucTone": auc_tone,
                "names": list(line.names),
                "place": line.place,
            }
        )
    return {"lines": shown}


def log_table(lines: list[LogLine]) -> pd.DataFrame:
    """Return the log as a table."""
    return pd.DataFrame(
        {
            "entry": pd.array([line.number for line in lines], dtype="Int64"),
            "what": [line.words for line in lines],
            "note": [line.note for line in lines],
            "author": [line.author for line in lines],
            "time": [line.time for line in lines],
            "change of bits": [line.bits_change for line in lines],
            "change of AUC": [line.auc_change for line in lines],
            "checkpoints": [", ".join(line.names) for line in lines],
            "in force": [line.place in ("now", "path") for line in lines],
        }
    )


def moment(time: str) -> str:
    """Return a time as people read it, in the time zone of the machine; empty where unknown."""
    return f"{datetime.fromisoformat(time).astimezone():%d %b %Y, %H:%M}" if time else ""


def version_names(model: OpenModel) -> dict[int, str]:
    """Return what each version is called, the present and the learned one first.

    What tells one from the others stands in front: a box shows the beginning of a long name.
    """
    history = model.session.history
    numbers_of = dict.fromkeys((history.cursor, LEARNED, *range(len(history.entries), LEARNED, -1)))
    found = {}
    for number in numbers_of:
        name = "learned rules" if number == LEARNED else f"edit {number}"
        marks = [*(["now"] if number == history.cursor else []), *_names(history, number)]
        did = "" if number == LEARNED else f": {history.entry(number).description}"
        found[number] = " · ".join((name, *marks)) + did
    return found


def rules_markup(impact: Impact) -> str:
    """Return the rules that differ between two versions side by side."""
    old, new = impact.before.rule_set, impact.after.rule_set
    lines = []
    for change in impact.rules:
        kind = "added" if change.before is None else "removed" if change.after is None else "changed"
        before = "" if change.before is None else chips_markup(old.rule(change.id), old.schema)
        after = "" if change.after is None else chips_markup(new.rule(change.id), new.schema)
        none = '<span class="t-line">not there</span>'
        lines.append(
            f"<div><b>{escape(change.id)}</b><br><small>{kind}</small></div><div>{before or none}</div>"
            f"<div>{after or none}</div>"
        )
    same = len({rule.id for rule in new.rules} - {change.id for change in impact.rules})
    words = f"{same} rule{' is' if same == 1 else 's are'} the same in both."
    head = "<div></div><div><small>before</small></div><div><small>after</small></div>" if lines else ""
    return f'<div class="t-sides">{head}{"".join(lines)}</div><div class="t-line">{words}</div>'


def _edit_line(model: OpenModel, entry: Entry, on_path: set[int]) -> LogLine:
    """Return the line of an edit."""
    history = model.session.history
    before = _numbers(model, entry.parent)
    after = _numbers(model, entry.number)
    return LogLine(
        entry.number,
        entry.description,
        entry.note,
        entry.author,
        entry.time,
        after[0] - before[0],
        after[1] - before[1],
        _names(history, entry.number),
        _place(history, entry.number, on_path),
    )


def _opening_line(opening: Opening) -> LogLine:
    """Return the line of an opening of the test part."""
    auc = opening.result.get("auc")
    words = "Sealed test part opened" + (f": AUC {numbers.auc(float(auc))}" if auc is not None else "")
    return LogLine(None, words, "", opening.author, opening.time, math.nan, math.nan, (), "opening")


def _numbers(model: OpenModel, number: int) -> tuple[float, float]:
    """Return total bits and AUC (validation, without such rows training) of a version."""
    if number == LEARNED:
        line = model.headline_learned
        side = line.evaluation or line.training
        return line.total_bits if line.total_bits is not None else math.nan, side.auc
    entry = model.session.history.entry(number)
    auc = entry.validation_auc if model.study.validation is not None else entry.auc
    return entry.total_bits, math.nan if auc is None else auc


def _names(history: History, number: int) -> tuple[str, ...]:
    """Return the checkpoints of an entry."""
    return tuple(name for name, at in history.checkpoints.items() if at == number)


def _place(history: History, number: int, on_path: set[int]) -> str:
    """Return where an entry stands."""
    return "now" if number == history.cursor else "path" if number in on_path else "aside"


def _change(value: float, shown: str, unit: str, better: int) -> tuple[str, str]:
    """Return a change with its unit, empty where there is none to tell, and how it is coloured."""
    if math.isnan(value):
        return "", ""
    words = numbers.change(value, shown)
    return f"{words or '±0'} {unit}", "" if not words else "good" if value * better > 0 else "bad"
