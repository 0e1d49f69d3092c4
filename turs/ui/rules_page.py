"""The Rules page, the workbench: the rules on the left, the selected one under the hands of a person on the right."""

from __future__ import annotations

from functools import partial
from html import escape

import streamlit as st

from turs.rules.document import dumps
from turs.rules.rule import Rule
from turs.ui import numbers, state
from turs.ui.cards import ORDERS, Line, Wanted, list_data, literal_words, rule_lines, saved_words
from turs.ui.component import rule_list
from turs.ui.finding_list import draw_findings
from turs.ui.frame import draw_message, fragment
from turs.ui.impact_panel import draw_impact
from turs.ui.literal_panel import draw_literal, draw_scan
from turs.ui.opened import OpenModel
from turs.ui.rule_actions import draw_actions
from turs.ui.rule_builder import draw_builder
from turs.ui.theme import legend, plain


def draw_rules(model: OpenModel) -> None:
    """Draw the page."""
    if state.take_refresh():
        st.rerun()
    _draw_bench(model)


@fragment
def _draw_bench(model: OpenModel) -> None:
    """Draw the list and the workbench."""
    view = state.remembered("view", "Cards")
    left, right = st.columns((5, 7), gap="medium") if view == "Cards" else (st.container(), st.container())
    with left:
        _draw_list(model, view)
    with right:
        _draw_selected(model)


def _draw_list(model: OpenModel, view: str) -> None:
    """Draw the rules with what sorts and filters them; the first is selected where none is."""
    with st.container(horizontal=True, vertical_alignment="center", key="list-tools"):
        st.segmented_control(
            "View",
            ["Cards", "Aligned"],
            default=view,
            key="view",
            required=True,
            label_visibility="collapsed",
            on_change=partial(state.remember, "view"),
        )
        wanted = _draw_wanted(model)
        st.button("New rule", icon=":material/add:", key="new-rule", on_click=partial(state.select, state.NEW_RULE))
    st.html(legend(model.study.schema.classes))
    lines = rule_lines(model, wanted)
    n_hidden = len(model.session.version.rules) - len(lines)
    if n_hidden:
        st.html(f'<div class="t-line">{n_hidden} of {len(model.session.version.rules)} rules are filtered out.</div>')
    known = {state.NEW_RULE, *model.session.version.ids}
    if state.studio().selection.rule not in known and lines:
        state.select(lines[0].rule.id)
    selection = state.studio().selection
    feature = selection.feature or _first_feature(lines, selection.rule)
    data = list_data(model, lines, selection.rule, feature, "table" if view == "Aligned" else "cards")
    rule_list(data, "rule-list", lambda chosen: state.select(chosen["rule"], chosen["feature"]))
    st.download_button(
        "Download model.json",
        lambda: dumps(model.session.model()),
        "model.json",
        "application/json",
        icon=":material/download:",
        key="download-model",
        on_click="ignore",
        type="tertiary",
        help="The rules as they are, for the command turs predict",
    )


def _first_feature(lines: list[Line], rule: str) -> str:
    """Return the feature of the first literal of a rule."""
    return next((line.rule.literals[0].feature for line in lines if line.rule.id == rule), "")


def _draw_wanted(model: OpenModel) -> Wanted:
    """Draw how the rules are sorted and filtered."""
    schema = model.study.schema
    order = st.selectbox(
        "Sort by",
        list(ORDERS),
        key="order",
        format_func=lambda name: f"by {name}",
        label_visibility="collapsed",
        width=140,
        persist_state="session",
    )
    with st.popover("Filter", key="filter"):
        label = st.selectbox(
            "Largest class", ["", *schema.classes], format_func=lambda name: name or "any", key="filter-class"
        )
        features = [""] + [part.name for part in schema.features]
        feature = st.selectbox("Uses", features, format_func=lambda name: name or "any", key="filter-feature")
        least = st.number_input("At least so many training rows", min_value=0, value=0, step=10, key="filter-rows")
    return Wanted(order, label, feature, int(least))


@fragment
def _draw_selected(model: OpenModel) -> None:
    """Draw the rule that is selected, or the one that is being made."""
    if state.take_refresh():
        st.rerun(scope="app")
    with st.container(border=True, key="bench"):
        draw_message()
        selection = state.studio().selection
        if selection.rule == state.NEW_RULE:
            draw_builder(model)
            return
        rule = next((part for part in model.session.version.rules if part.id == selection.rule), None)
        if rule is None:
            _draw_no_rules()
        else:
            _draw_rule(model, rule, selection.feature)


def _draw_no_rules() -> None:
    """Draw what there is to do without rules."""
    st.html(
        '<div class="t-title">No rule is selected</div><div class="t-line">Where there is none, the else rule answers '
        "for every row. Add a rule, take the filter away, or undo.</div>"
    )
    make = partial(state.select, state.NEW_RULE)
    st.button("Add a rule", type="primary", icon=":material/add:", key="first-rule", on_click=make)


def _draw_rule(model: OpenModel, rule: Rule, feature: str) -> None:
    """Draw one rule: its literals, its findings, the literal that is selected, what can be done, the effect."""
    schema = model.study.schema
    own = [literal.feature for literal in rule.literals]
    known = feature if feature in own or any(part.name == feature for part in schema.features) else own[0]
    contribution = next(part for part in model.session.state.evaluation.contributions if part.id == rule.id)
    locked = " · locked" if rule.id in model.session.version.locked else ""
    coverage = next(part.coverage for part in model.session.state.score.rules if part.id == rule.id)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="rule-head"):
        st.html(
            f'<div class="t-title">{escape(rule.id)}<small>{numbers.rows(coverage, "training")} · '
            f"{saved_words(contribution)}{locked}</small></div>"
        )
        draw_actions(model, rule, known)
    shown = {literal.feature: literal_words(literal, schema) for literal in rule.literals}
    options = own if known in own else [*own, known]
    key = f"literal-{rule.id}-{model.number}-{len(options)}"
    st.pills(
        "Literals",
        options,
        default=known,
        required=True,
        format_func=lambda name: plain(shown.get(name, f"{name}: new")),
        key=key,
        label_visibility="collapsed",
        on_change=lambda: state.select(rule.id, state.value_of(key) or own[0]),
    )
    draw_literal(model, rule.id, known)
    draw_impact(model)
    draw_findings(model, rule.id)
    draw_scan(model, rule.id, known)
