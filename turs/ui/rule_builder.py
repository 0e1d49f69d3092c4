"""A new rule, as text or clicked together condition by condition, with its rows and probabilities while it grows."""

from __future__ import annotations

import zlib
from functools import partial
from html import escape

import streamlit as st

from turs.editing import AddRule
from turs.errors import TursError
from turs.rules.literal import Interval, LevelSet, Literal, Missingness
from turs.rules.schema import Feature, Kind
from turs.rules.text import format_condition, parse_number
from turs.ui import numbers, state
from turs.ui.cards import literal_words
from turs.ui.condition_text import draw_condition, fault_of, literals_of
from turs.ui.impact_panel import draw_impact
from turs.ui.impact_view import new_rules_words
from turs.ui.literal_edit import forms
from turs.ui.opened import OpenModel
from turs.ui.theme import plain


def draw_builder(model: OpenModel) -> None:
    """Draw the rule that is being made."""
    literals = _literals()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html('<div class="t-title">New rule</div>')
        st.button("Cancel", key="cancel-new", type="tertiary", on_click=_cancel)
    _draw_text(model, literals)
    _draw_conditions(model, literals)
    if literals:
        draw_impact(model)
    else:
        st.html(
            '<div class="t-line">Add a condition: rows, probabilities and the effect on the model appear here.</div>'
        )


def _literals() -> tuple[Literal, ...]:
    """Return the conditions so far."""
    draft = state.studio().draft
    return draft.literals if isinstance(draft, AddRule) else ()


def _draw_text(model: OpenModel, literals: tuple[Literal, ...]) -> None:
    """Draw the condition as text."""
    text = format_condition(literals, model.study.schema) if literals else ""
    key = f"new-text-{model.number}-{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"
    draw_condition("Condition as text", text, key, model.study.schema, state.while_shown(model, partial(_read, model)))


def _draw_conditions(model: OpenModel, literals: tuple[Literal, ...]) -> None:
    """Draw the conditions so far, and the fields of the next one."""
    schema = model.study.schema
    with st.container(horizontal=True):
        for literal in literals:
            st.button(
                plain(literal_words(literal, schema)),
                icon=":material/close:",
                key=f"drop-{schema.index(literal.feature)}",
                help="Take this condition out",
                on_click=partial(_show, tuple(part for part in literals if part is not literal)),
            )
    used = {literal.feature for literal in literals}
    number = len(literals)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            "Condition on",
            [feature.name for feature in schema.features if feature.name not in used],
            index=None,
            placeholder="Choose a feature",
            key=f"new-feature-{model.number}-{number}",
            width=220,
        )
        if name is not None:
            _draw_value(model, literals, schema.feature(name), f"{model.number}-{number}-{schema.index(name)}")


def _draw_value(model: OpenModel, literals: tuple[Literal, ...], feature: Feature, place: str) -> None:
    """Draw form and value of the next condition."""
    form = st.segmented_control(
        "Form", forms(feature), default=forms(feature)[0], key=f"new-form-{place}", required=True
    )
    keys: list[str] = []
    if form == "in":
        keys = [f"new-levels-{place}"]
        st.multiselect("Levels", feature.levels, key=keys[0], width=260)
    elif form in ("≥", "<", "between"):
        n = len(feature.cuts)
        starts = (n // 3, 2 * n // 3) if form == "between" else (n // 2,)
        for number, start in enumerate(starts):
            keys.append(f"new-cut-{place}-{form}-{number}")
            cut = numbers.cut(feature.cuts[min(start, n - 1)], feature) if n else ""
            label = "Cut" if len(starts) == 1 else ("From", "to below")[number]
            st.text_input(label, cut, key=keys[-1], width=170 if feature.kind is Kind.DATE else 110)
    st.button(
        "Add condition",
        icon=":material/add:",
        key=f"new-add-{place}",
        on_click=partial(_add, literals, feature, form, tuple(keys)),
    )
    st.html(f'<div class="t-line">{escape(_prospect(model, literals, feature, form, tuple(keys)))}</div>')


def _prospect(
    model: OpenModel, literals: tuple[Literal, ...], feature: Feature, form: str, keys: tuple[str, ...]
) -> str:
    """Return in words which rows the rule would cover with the condition as it is set, or why it cannot be."""
    try:
        impact = model.impact(AddRule((*literals, _literal(feature, form, keys))))
    except TursError as error:
        return str(error)
    return f"With this condition {new_rules_words(impact)[0]}"


@state.guarded
def _add(literals: tuple[Literal, ...], feature: Feature, form: str, keys: tuple[str, ...]) -> None:
    """Add the condition that was set, unless others are there by now: then it was added by the click before."""
    if literals == _literals():
        _show((*literals, _literal(feature, form, keys)))


def _literal(feature: Feature, form: str, keys: tuple[str, ...]) -> Literal:
    """Return the condition that was set in these fields."""
    values = [state.value_of(key) for key in keys]
    if form == "in":
        if not values[0]:
            raise TursError(f"Choose at least one level of '{feature.name}'.")
        return LevelSet(feature.name, tuple(values[0]))
    if form in ("is missing", "is known"):
        return Missingness(feature.name, form == "is missing")
    cuts = [parse_number(value, feature) for value in values]
    return Interval(feature.name, cuts[0] if form != "<" else None, cuts[-1] if form != "≥" else None)


@state.guarded
def _read(model: OpenModel, text: str) -> None:
    """Show the rule that was typed; what is wrong with its text stands under the field."""
    if fault_of(text, model.study.schema) is None:
        _show(literals_of(text, model.study.schema))


def _show(literals: tuple[Literal, ...]) -> None:
    """Show the rule with these conditions."""
    if literals:
        edit = AddRule(literals)
        edit.apply(state.session().version)
        state.show_draft(edit)
    else:
        state.show_draft(None)


@state.guarded
def _cancel() -> None:
    """Make no rule."""
    state.select("")
    state.refresh()
