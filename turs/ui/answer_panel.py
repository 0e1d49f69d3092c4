"""What is estimated for a row, and each rule that fires with its own probabilities."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from turs.evaluate.shares import ClassShares
from turs.rules.model import Model
from turs.rules.rule import RuleSet
from turs.ui import numbers, state
from turs.ui.border_panel import then_words
from turs.ui.chips import Bar, bars_markup, chips_markup
from turs.ui.explained import Border, Explanation, value_text
from turs.ui.opened import OpenModel
from turs.ui.places import go
from turs.ui.row_choice import ChosenRow
from turs.ui.share_table import share_table
from turs.ui.table import download
from turs.ui.theme import legend, plain
from turs.ui.value_list import other_values, values_markup

_MOST_FIRED = 8


def draw_answer(model: OpenModel, engine: Model, found: Explanation, row: ChosenRow | None) -> None:
    """Draw what is estimated, the values of the row, and each rule that fires with its own probabilities."""
    rule_set, classes = engine.rule_set, engine.rule_set.schema.classes
    top = int(np.argmax(found.probabilities))
    others = {} if row is None else other_values(model.study, row.number - 1, found.values)
    told = f"row {row.number:,}, {row.part} · its class is {row.label}" if row is not None else "the row that you typed"
    tone = "" if row is None else ' class="t-good"' if row.label == classes[top] else ' class="t-bad"'
    verdict = "" if row is None else (" · as predicted" if row.label == classes[top] else " · not as predicted")
    head = (
        f'<div class="t-line">{escape(told)}<b{tone}>{verdict}</b></div>'
        f'<div class="t-answer">{escape(numbers.label(classes[top]))}: {found.probabilities[top]:.2f}</div>'
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
    st.html(values_markup(found.values, rule_set.schema, others))
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
    download(lambda: answer_table(model, found, name), "answer.csv", "answer-csv", "Probabilities as CSV")


def answer_table(model: OpenModel, found: Explanation, name: str) -> pd.DataFrame:
    """Return the bars as a table: the rules that fire with rows and intervals, then the answer."""
    classes = model.study.schema.classes
    rules = share_table([(f"{rule} alone", _shares(model, rule)) for rule in found.fired], classes)
    answer = {f"p({label})": share for label, share in zip(classes, found.probabilities, strict=True)}
    return pd.concat([rules, pd.DataFrame([{"name": name, **answer}])], ignore_index=True)


def _shares(model: OpenModel, rule: str) -> ClassShares:
    """Return the class shares of the training rows of a rule."""
    return ClassShares(next(part.counts for part in model.session.state.score.rules if part.id == rule))


def _rule_bar(model: OpenModel, rule: str, label: int) -> Bar:
    """Return a rule's own probabilities with the interval of one class."""
    shares = _shares(model, rule)
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
        f"{then_words(border, rule_set)}."
    )
