"""The list of rules on the left of the workbench, with what sorts and filters it."""

from __future__ import annotations

from functools import partial

import streamlit as st

from turs.rules.document import dumps
from turs.ui import state
from turs.ui.busy import busy
from turs.ui.cards import ORDERS, Line, Wanted, list_data, rule_lines, rules_table
from turs.ui.component import rule_list
from turs.ui.opened import OpenModel
from turs.ui.table import download
from turs.ui.theme import legend

_TURN = "filter-turn"


def draw_list(model: OpenModel, view: str) -> None:
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
    with busy(model, "Working out what each rule is worth …"):
        lines = rule_lines(model, wanted)
    n_hidden = len(model.session.version.rules) - len(lines)
    if n_hidden:
        with st.container(horizontal=True, vertical_alignment="center", key="hidden"):
            told = f"{n_hidden} of {len(model.session.version.rules)} rules are filtered out."
            st.html(f'<div class="t-line">{told}</div>', width="content")
            st.button("Show all", key="show-all", type="tertiary", on_click=_show_all)
    known = {state.NEW_RULE, *model.session.version.ids}
    if state.studio().selection.rule not in known and lines:
        state.select(lines[0].rule.id)
    selection = state.studio().selection
    feature = selection.feature or _first_feature(lines, selection.rule)
    data = list_data(model, lines, selection.rule, feature, "table" if view == "Aligned" else "cards")
    rule_list(data, "rule-list", lambda chosen: state.select(chosen["rule"], chosen["feature"]))
    with st.container(horizontal=True, key="take-rules"):
        download(lambda: rules_table(model, lines), "rules.csv", "rules-csv", "Rules as CSV")
        _draw_model_file(model)


def _draw_model_file(model: OpenModel) -> None:
    """Offer the rules as they are as a file for the command line."""
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
    turn = f"{model.id}-{state.chosen(_TURN) or 0}"  # classes and features are those of the model
    with st.popover("Filter", key="filter"):
        label = st.selectbox(
            "Largest class",
            ["", *schema.classes],
            format_func=lambda name: name or "any",
            key=f"filter-class-{turn}",
            persist_state="session",
        )
        features = [""] + [part.name for part in schema.features]
        feature = st.selectbox(
            "Uses",
            features,
            format_func=lambda name: name or "any",
            key=f"filter-feature-{turn}",
            persist_state="session",
        )
        least = st.number_input(
            "At least so many training rows",
            min_value=0,
            value=0,
            step=10,
            key=f"filter-rows-{turn}",
            persist_state="session",
        )
        saved = st.number_input(
            "Saves at least so many bits",
            value=None,
            step=10.0,
            placeholder="any",
            key=f"filter-saved-{turn}",
            persist_state="session",
        )
        apart = st.number_input(
            "Disagrees by at least",
            min_value=0.0,
            max_value=1.0,
            value=0.0,
            step=0.05,
            key=f"filter-distance-{turn}",
            persist_state="session",
            help="How far the probabilities of two rules that overlap are apart: 0 is the same, 1 is the opposite.",
        )
    return Wanted(order, label, feature, int(least), saved, apart)


@state.guarded
def _show_all() -> None:
    """Take the filter away: its fields begin anew."""
    state.choose(_TURN, (state.chosen(_TURN) or 0) + 1)
