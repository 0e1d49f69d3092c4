"""One overlap, or one pair of rules: side by side with the union, whether they differ, the rows, the way on."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from html import escape

import numpy as np
import streamlit as st

from turs.editing import Edit, repairs
from turs.evaluate.shares import ClassShares
from turs.ui import numbers, state
from turs.ui.chips import Bar, bars_markup, chips_markup
from turs.ui.opened import OpenModel
from turs.ui.overlap_view import Chosen, Shared, is_sure, ledger_of, place_of, shared, shared_rows
from turs.ui.places import go
from turs.ui.row_table import draw_rows
from turs.ui.share_table import share_table
from turs.ui.table import download
from turs.ui.theme import legend, plain

MOST_RULES = 6
"""Rules that are shown side by side; of more, those farthest from their union."""


def draw_chosen(model: OpenModel, chosen: Chosen) -> None:
    """Draw what is selected."""
    schema = model.study.schema
    with st.spinner("The rules are being compared …"):  # a second where dozens of rules overlap
        here, there = shared(model, chosen, "training"), shared(model, chosen, "validation")
    assert here is not None  # there are always training rows
    counted = numbers.rows(here.observed.rows, "training")
    counted += "" if there is None else f" · {numbers.rows(there.observed.rows, 'validation')}"
    kind = "covered by exactly these rules" if chosen.exact else "covered by both, alone or with others"
    st.html(f'<div class="t-title">{escape(chosen.name)}</div><div class="t-line">{counted} {kind}</div>')
    version, places = model.session.version, telling(here)
    _draw_ways(model, chosen, [chosen.rules[k] for k in places])
    _draw_rows(model, chosen)
    heads = (
        f'<div class="t-head"><span class="id">{escape(rule)}</span></div>{chips_markup(version.rule(rule), schema)}'
        for rule in (chosen.rules[k] for k in places)
    )
    bars = probability_bars(chosen, here, there, places)
    words = "".join(f"<p>{escape(line)}</p>" for line in verdict(model, chosen, here, there))
    hidden = len(chosen.rules) - len(places)
    left = (
        f'<div class="t-line">The {len(places)} rules farthest from their union; {hidden} more are in the file.</div>'
    )
    head = f"p({schema.classes[_label(here)]}) with its 95 % interval"
    st.html(
        f"{left if hidden else ''}{''.join(heads)}{legend(schema.classes)}{bars_markup(bars, schema.classes, head)}"
        f'<div class="t-line">{words}</div>'
    )
    every = share_table(named_shares(chosen, here, there), schema.classes)
    download(every, "probabilities.csv", "overlap-bars-csv", "Probabilities as CSV")


def telling(here: Shared) -> list[int]:
    """Return the places of the rules that are shown: all of a few, of many those farthest from their union."""
    n = len(here.rules)
    if n <= MOST_RULES:
        return list(range(n))
    union = np.array(here.union.probabilities)
    far = [float(np.abs(np.array(rule.probabilities) - union).sum()) if rule.rows else 0.0 for rule in here.rules]
    return sorted(sorted(range(n), key=lambda k: -far[k])[:MOST_RULES])


def probability_bars(chosen: Chosen, here: Shared, there: Shared | None, places: Iterable[int]) -> list[Bar]:
    """Return the rules', the union's and the observed class shares, training beside validation."""
    label = _label(here)
    bars = []
    for k in places:
        rule = chosen.rules[k]
        bars.append(_bar(f"{rule} alone", here.rules[k], label, strong=True))
        if there is not None:
            bars.append(_bar(f"  {rule} validation", there.rules[k], label))
    named = (
        ("union", here.union, there.union if there is not None else None),
        ("observed", here.observed, there.observed if there is not None else None),
    )
    for name, training, validation in named:
        bars.append(_bar(name, training, label, strong=True))
        if validation is not None:
            bars.append(_bar(f"  {name} validation", validation, label))
    return bars


def named_shares(chosen: Chosen, here: Shared, there: Shared | None) -> list[tuple[str, ClassShares]]:
    """Return the class shares of all rules, of their union and of the shared rows, by name."""
    found = []
    for part, side in (("training", here), ("validation", there)):
        if side is not None:
            pairs = [*zip(chosen.rules, side.rules, strict=True), ("union", side.union), ("observed", side.observed)]
            found += [(f"{name} {part}", shares) for name, shares in pairs]
    return found


def verdict(model: OpenModel, chosen: Chosen, here: Shared, there: Shared | None) -> list[str]:
    """Return in words whether the rules differ, and what that does."""
    p_values = f"p {_p(here.p_value)} on training rows"
    if there is not None and there.observed.rows:
        p_values += f", {numbers.p_value(there.p_value)} on validation rows"
    apart = f"The probabilities of these rules are up to {here.distance:.2f} apart"
    if is_sure(here.p_value):
        words = [f"{apart}, more than chance explains ({p_values})."]
    else:
        words = [f"{apart}; that may be chance ({p_values}). Nothing has to be done about it."]
    place = place_of(model, chosen) if chosen.exact else None
    if place is not None:
        line = ledger_of(model).training
        words.append(
            f"Disagreement loses {numbers.bits(float(line.lost_bits[place]))} bits; following one of the rules at"
            f" random here would change the training AUC by {numbers.small(float(line.auc_change[place]))}."
        )
    return words


def _p(value: float) -> str:
    """Return a p-value with its sign of comparison."""
    text = numbers.p_value(value)
    return text if text.startswith("≤") else f"= {text}"


def _bar(name: str, shares: ClassShares, label: int, *, strong: bool = False) -> Bar:
    """Return class shares with the share of one class and its interval."""
    if not shares.rows:
        return Bar(name, (), "no rows", strong)
    low, high = shares.intervals[label]
    words = f"{shares.probabilities[label]:.2f} ({low:.2f} to {high:.2f}) · {numbers.rows(shares.rows)}"
    return Bar(name, shares.probabilities, words, strong)


def _label(here: Shared) -> int:
    """Return the class in which the rules differ most; of two classes the last."""
    table = np.array([rule.probabilities for rule in here.rules])
    return 1 if table.shape[1] == 2 else int(np.nan_to_num(np.ptp(table, axis=0)).argmax())


def _draw_ways(model: OpenModel, chosen: Chosen, shown: list[str]) -> None:
    """Draw the ways to the rules in the workbench, and what could be done about their disagreement."""
    with st.container(horizontal=True, key="overlap-ways"):
        for rule in shown:
            if st.button(f"Edit {plain(rule)}", icon=":material/rule:", key=f"edit-{rule}"):
                state.select(rule)
                go("Rules")
    first, second = chosen.rules if len(chosen.rules) == 2 else _farthest(model, chosen)
    if not st.toggle(f"What could be done about {plain(first)} and {plain(second)}", key="overlap-repairs"):
        return
    key = ("repairs", model.number, first, second)
    found = model.kept(key, lambda: repairs(model.session.state, first, second))
    now = model.session.state.score.total_bits
    if not found:
        st.html('<div class="t-line">No single edit ends the disagreement.</div>')
    for repair in found:
        change = repair.total_bits - now
        words = numbers.change(change, numbers.bits(change)) or "±0"
        with st.container(horizontal=True, vertical_alignment="center"):
            label = f"{repair.name.capitalize()} ({words} bits)"
            if st.button(plain(label), key=f"repair-{repair.name}", icon=":material/build:"):
                _show(repair.edit, first)
            st.html(f'<div class="t-line">{escape(repair.description)}</div>')
    if found:
        st.html('<div class="t-line">The Rules page shows the effect in full before anything is kept.</div>')


def _farthest(model: OpenModel, chosen: Chosen) -> tuple[str, str]:
    """Return the two rules of an overlap whose probabilities are farthest apart."""
    place = place_of(model, chosen)
    assert place is not None  # only an overlap has more than two rules
    return ledger_of(model)[place].training.farthest


def _show(edit: Edit, rule: str) -> None:
    """Show an edit in the workbench."""
    target = str(getattr(edit, "rule", rule))
    state.select(target, str(getattr(edit, "feature", "")))
    state.show_draft(edit)
    go("Rules")


def _draw_rows(model: OpenModel, chosen: Chosen) -> None:
    """Draw the rows, where somebody wants to see them."""
    if not st.toggle("Show the rows", key="overlap-rows"):
        return
    parts = ["training", "validation"] if model.study.validation is not None else ["training"]
    part = st.segmented_control("Rows", parts, default="training", key="overlap-part", required=True)
    frame = shared_rows(model, chosen, part)
    if frame.empty:
        st.html('<div class="t-line">No row of this part is covered by these rules together.</div>')
        return
    name = "-".join(chosen.rules)
    draw_rows(frame, f"rows-{name}.csv", f"rows-{name}-{part}", f"Rows that {chosen.name} cover")


def choose(rules: list[str], exact: bool) -> None:
    """Select an overlap or a pair of rules."""
    state.choose("overlap", Chosen(tuple(rules), exact))


choose_overlap = partial(choose, exact=True)
choose_pair = partial(choose, exact=False)
