"""The sealed test part: what the rules do on it, once somebody breaks the seal; every look is written down."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from turs.editing import Rows
from turs.editing.partition import partition_of
from turs.evaluate.evaluation import evaluate
from turs.storage import Opening
from turs.ui import numbers, state
from turs.ui.history_view import moment
from turs.ui.opened import OpenModel
from turs.ui.table import download, table_markup
from turs.ui.theme import plain

_SHOWN: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("AUC", "auc", numbers.auc),
    ("Random-pick AUC", "random_pick_auc", numbers.auc),
    ("Accuracy", "accuracy", numbers.share),
    ("Log-loss", "log_loss", numbers.auc),
    ("Brier score", "brier", numbers.auc),
    ("Overlap", "overlap_share", numbers.share),
)


def measure(model: OpenModel, rows: Rows) -> dict[str, Any]:
    """Return what the rules as they are do on rows, as plain values; None stands for a number that does not exist."""
    now = model.session.state
    patterns = partition_of(rows, now.rule_set).patterns
    found = evaluate(now.rule_set, now.training.patterns, patterns)
    metrics, side = found.metrics_evaluation, found.headline.evaluation
    assert metrics is not None  # rows were given
    assert side is not None
    result: dict[str, Any] = {"entry": model.number, "rows": metrics.n_rows}
    values = {
        "auc": metrics.auc.value,
        "random_pick_auc": side.random_pick_auc,
        "accuracy": metrics.accuracy,
        "log_loss": metrics.log_loss,
        "brier": metrics.brier,
        "overlap_share": side.overlap_share,
    }
    return result | {name: None if math.isnan(value) else value for name, value in values.items()}


def draw_test(model: OpenModel, openings: tuple[Opening, ...]) -> None:
    """Draw the seal, or what was seen behind it."""
    n = model.study.n_rows("test")
    title = "Test part, opened" if openings else "Sealed test part"
    use = "that no rule was learned from" if openings else "that nobody learned or edited with"
    st.html(f'<div class="t-title">{title}<small>{f"{numbers.rows(n)} {use}" if n else ""}</small></div>')
    if not n:
        st.html('<div class="t-line">No rows were put aside: give the test part a share on the Data page.</div>')
        return
    times = len(openings)
    seen = "It was never opened." if not times else f"It was opened {times} time{'' if times == 1 else 's'}."
    st.html(
        f'<div class="t-line"><p>{seen} Open it when you are done: a test part that is looked at while rules are '
        "edited is no test any more. Every opening is written into the history.</p></div>"
    )
    sure = st.checkbox("I am done with editing, or accept that this is recorded", key=f"unseal-{times}")
    st.button(
        "Open the test part" if not times else "Open it again",
        icon=":material/lock_open:",
        key="open-test",
        disabled=not sure,
        on_click=_open,
        args=(model, times),
    )
    if openings:
        _draw_result(model, openings)


def opening_table(openings: tuple[Opening, ...]) -> pd.DataFrame:
    """Return all openings as a table."""
    lines = [{"time": opening.time, "author": opening.author, **opening.result} for opening in openings]
    return pd.DataFrame(lines)


@state.guarded
def _open(model: OpenModel, times: int) -> None:
    """Break the seal, unless it was opened since the button was drawn: nobody asked for two looks."""
    if len(state.openings()) == times:
        state.open_test(lambda rows: measure(model, rows))


def _draw_result(model: OpenModel, openings: tuple[Opening, ...]) -> None:
    """Draw the latest opening beside the validation rows as they are now."""
    last = openings[-1]
    here = {} if model.study.validation is None else measure(model, model.study.validation)
    lines = [[name, _shown(here.get(key), shown), _shown(last.result.get(key), shown)] for name, key, shown in _SHOWN]
    who = f" by {last.author}" if last.author else ""
    entry = last.result.get("entry")
    when = "with the learned rules" if not entry else f"after edit {entry}"
    stale = "" if entry == model.number and last.session == model.id else " The rules have changed since."
    st.html(table_markup(("The rules", "validation now", "test"), lines))
    st.caption(plain(f"Test: opened {moment(last.time)}{who}, {when}.{stale}"))
    download(opening_table(openings), "openings.csv", "openings-csv", "Openings as CSV")


def _shown(value: float | None, shown: Callable[[float], str]) -> str:
    """Return a number, or a dash where there is none."""
    return numbers.NOTHING if value is None else shown(value)
