"""The Explain page: which rules answer for a row, what each says, and which borders are near."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from turs.evaluate.shares import ClassShares
from turs.predict import used_features
from turs.rules.model import Model
from turs.rules.rule import RuleSet
from turs.ui import numbers, state
from turs.ui.chips import Bar, bars_markup, bars_table, chips_markup
from turs.ui.explained import Border, Explanation, explain, quantiles_of, value_text, values_of
from turs.ui.guard import fragment
from turs.ui.opened import OpenModel
from turs.ui.places import go
from turs.ui.predicted_table import draw_table
from turs.ui.row_choice import ChosenRow, draw_choice, row_at
from turs.ui.row_form import draw_form
from turs.ui.table import download
from turs.ui.theme import legend, plain

ROW, TYPED, TABLE = "A row of the table", "Type a row", "A whole table"
_MOST_NEAR = 4
_MOST_FIRED = 8
_MOST_NAMED = 3


def draw_explain(model: OpenModel) -> None:
    """Draw the page."""
    _draw_body(model)


@fragment
def _draw_body(model: OpenModel) -> None:
    """Draw the way to a row, and the row under the rules."""
    what = st.segmented_control(
        "What to explain",
        [ROW, TYPED, TABLE],
        default=state.remembered("explain-what", ROW),
        key="explain-what",
        required=True,
        label_visibility="collapsed",
        on_change=lambda: state.remember("explain-what"),
    )
    engine = model.kept(("model", model.number), model.session.model)
    if what == TABLE:
        draw_table(model, engine)
        return
    if what == ROW:
        row = draw_choice(model)
        if row is None:
            return
        state.choose("explained-row", row.number)
        values = values_of(model.study.table.frame, row.number - 1, engine)
        _draw_explanation(model, engine, explain(engine, values, _grid(model, engine)), row)
        return
    start = row_at(model, int(state.chosen("explained-row") or model.study.split.training[0] + 1))
    number = start.number if start is not None else int(model.study.split.training[0]) + 1
    st.html(f'<div class="t-line">The fields begin with row {number:,} of the table: change what you like.</div>')
    filled = values_of(model.study.table.frame, number - 1, engine)
    typed = draw_form(engine.rule_set.schema, used_features(engine), filled, str(number))
    if typed is not None:
        _draw_explanation(model, engine, explain(engine, typed, _grid(model, engine)), None)


def _grid(model: OpenModel, engine: Model) -> dict[str, NDArray[np.float64]]:
    """Return quantiles of the training values of the features that rules use, made once."""
    used = frozenset(used_features(engine))
    return model.kept(("quantiles", used), lambda: quantiles_of(model.study.training, used))


def _draw_explanation(model: OpenModel, engine: Model, found: Explanation, row: ChosenRow | None) -> None:
    """Draw the estimate with the rules that fire, beside the borders that are near."""
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True, key="answer"):
        _draw_answer(model, engine, found, row)
    with right, st.container(border=True, key="near"):
        _draw_near(model, engine, found)


def _draw_answer(model: OpenModel, engine: Model, found: Explanation, row: ChosenRow | None) -> None:
    """Draw what is estimated, and each rule that fires with its own probabilities."""
    rule_set, classes = engine.rule_set, engine.rule_set.schema.classes
    top = int(np.argmax(found.probabilities))
    told = f"row {row.number:,}, {row.part} · its class is {row.label}" if row is not None else "the row that you typed"
    tone = "" if row is None else ' class="t-good"' if row.label == classes[top] else ' class="t-bad"'
    verdict = "" if row is None else (" · as predicted" if row.label == classes[top] else " · not as predicted")
    head = (
        f'<div class="t-line">{escape(told)}<b{tone}>{verdict}</b></div>'
        f'<div class="t-answer">{escape(classes[top])}: {found.probabilities[top]:.2f}</div>'
    )
    how = {0: "No rule covers it: the else rule answers.", 1: "One rule covers it and answers alone."}
    n = len(found.fired)
    words = how.get(n, f"{n} rules cover it: the class shares of their union answer.")
    name = "else rule" if not n else "answer" if n == 1 else "union: the answer"
    bars = [_rule_bar(model, rule, top) for rule in found.fired]
    bars.append(Bar(name, found.probabilities, f"{found.probabilities[top]:.2f}", strong=True))
    about = f"p({classes[top]})" + (" with its 95 % interval" if n else "")
    shown_bars = [*bars[:n][:_MOST_FIRED], bars[-1]]
    if n > _MOST_FIRED:
        words += f" The first {_MOST_FIRED} are shown; the file holds all."
    st.html(f'{head}<div class="t-line"><p>{words}</p></div>{legend(classes)}{bars_markup(shown_bars, classes, about)}')
    shown = {name: value_text(value, rule_set.schema.feature(name)) for name, value in found.values.items()}
    for rule in found.fired[:_MOST_FIRED]:
        chips = chips_markup(rule_set.rule(rule), rule_set.schema, values=shown)
        out = next((border for border in found.leaving if border.rule == rule), None)
        words = "" if out is None else f'<div class="t-line">{escape(_leaving_words(out, rule_set))}</div>'
        st.html(f'<div class="t-head"><span class="id">{escape(rule)}</span></div>{chips}{words}')
    with st.container(horizontal=True):
        for rule in found.fired[:_MOST_FIRED]:
            if st.button(f"Edit {plain(rule)}", icon=":material/rule:", key=f"explain-edit-{rule}"):
                state.select(rule)
                go("Rules")
    download(bars_table(bars, classes), "answer.csv", "answer-csv", "Probabilities as CSV")


def _rule_bar(model: OpenModel, rule: str, label: int) -> Bar:
    """Return a rule's own probabilities with the interval of one class."""
    counts = next(part.counts for part in model.session.state.score.rules if part.id == rule)
    shares = ClassShares(counts)
    if not shares.rows:
        return Bar(f"{rule} alone", (), "no training rows")
    low, high = shares.intervals[label]
    words = f"{shares.probabilities[label]:.2f} ({low:.2f} to {high:.2f}) · {numbers.rows(shares.rows)}"
    return Bar(f"{rule} alone", shares.probabilities, words)


def _leaving_words(border: Border, rule_set: RuleSet) -> str:
    """Return how near a row is to leaving a rule."""
    (step,) = border.steps
    return (
        f"Nearest border: {step.feature}, {numbers.share(step.share)} of the training rows lie between. Beyond it, "
        f"{_then(border, rule_set)}."
    )


def _draw_near(model: OpenModel, engine: Model, found: Explanation) -> None:
    """Draw the other rules, the nearest first."""
    rule_set = engine.rule_set
    st.html(
        '<div class="t-title">Rules that nearly fire</div><div class="t-line">the fewest conditions to change first, '
        "then the nearest, counted in training rows that lie between</div>"
    )
    if not found.near:
        st.html('<div class="t-line">There is no other rule.</div>')
        return
    shown = {name: value_text(value, rule_set.schema.feature(name)) for name, value in found.values.items()}
    for border in found.near[:_MOST_NEAR]:
        broken = [step.feature for step in border.steps]
        chips = chips_markup(rule_set.rule(border.rule), rule_set.schema, broken=broken, values=shown)
        n = len(broken)
        words = f"{n} condition{'' if n == 1 else 's'} not met ({_far(border)}). If met, {_then(border, rule_set)}."
        st.html(
            f'<div class="t-head"><span class="id">{escape(border.rule)}</span></div>{chips}'
            f'<div class="t-line">{escape(words)}</div>'
        )
    left = len(found.near) - _MOST_NEAR
    if left > 0:
        st.html(f'<div class="t-line">{left:,} more are farther away; the file holds all.</div>')
    download(near_table(found, rule_set), "borders.csv", "near-csv")


def near_table(found: Explanation, rule_set: RuleSet) -> pd.DataFrame:
    """Return all borders as a table."""
    schema = rule_set.schema
    lines = [
        {
            "rule": border.rule,
            "way": "in" if border in found.near else "out",
            "conditions": len(border.steps),
            "share of rows between": border.share,
            "change": "; ".join(
                f"{step.feature} to {value_text(step.target, schema.feature(step.feature))}" for step in border.steps
            ),
            "rules then": " ".join(border.fired),
            **{f"p({label}) then": share for label, share in zip(schema.classes, border.probabilities, strict=True)},
        }
        for border in (*found.near, *found.leaving)
    ]
    return pd.DataFrame(lines)


def _far(border: Border) -> str:
    """Return in words how far a border is."""
    parts = [f"{step.feature}: {numbers.share(step.share)}" for step in border.steps if step.share < 1]
    others = len(border.steps) - len(parts)
    words = "; ".join(parts) + (" of the rows lie between" if parts else "")
    return words + (f"{'; ' if words else ''}{others} by another level or a missing value" if others else "")


def _then(border: Border, rule_set: RuleSet) -> str:
    """Return what would be predicted."""
    top = int(np.argmax(border.probabilities))
    n = len(border.fired)
    who = " and ".join(border.fired) or "the else rule"
    if n > _MOST_NAMED:
        who = f"{border.rule} with {n - 1} others" if border.rule in border.fired else f"{n} rules"
    verb = "answer" if len(border.fired) > 1 else "answers"
    return f"{who} {verb} {rule_set.schema.classes[top]} with {border.probabilities[top]:.2f}"
