"""A new rule, as text or clicked together condition by condition, with its rows and probabilities while it grows.

The condition whose fields are open is part of the rule as soon as it can be read: what is shown is what is kept.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import partial

import streamlit as st

from turs.editing import AddRule
from turs.errors import TursError
from turs.rules.literal import Interval, LevelSet, Literal, Missingness
from turs.rules.schema import Feature, Kind
from turs.rules.text import format_condition, parse_number
from turs.ui import numbers, state
from turs.ui.cards import literal_words
from turs.ui.condition_text import draw_condition, fault_of, literals_of
from turs.ui.draft_bar import draw_draft, is_elsewhere
from turs.ui.impact_panel import draw_impact
from turs.ui.literal_edit import forms
from turs.ui.opened import OpenModel
from turs.ui.theme import plain

_TURN = "condition-turn"
_IDLE = "Add a condition, or write the rule as text: rows, probabilities and the effect on the model appear here."


@dataclass(frozen=True)
class Fields:
    """The fields of the condition that is being set.

    Parameters
    ----------
    feature : Feature
        What it is on.
    form : str
        Its form.
    starts : tuple of str
        What the fields of its cuts begin with.
    place : str
        Tells its widgets from those of other conditions.
    """

    feature: Feature
    form: str
    starts: tuple[str, ...]
    place: str

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of the fields with its values."""
        if self.form == "in":
            return (f"new-levels-{self.place}",)
        return tuple(f"new-cut-{self.place}-{self.form}-{number}" for number in range(len(self.starts)))

    def literal(self) -> Literal:
        """Return the condition that is set.

        Raises
        ------
        TursError
            Where a field is empty or cannot be read.
        """
        name, form = self.feature.name, self.form
        if form == "in":
            levels = state.value_of(self.keys[0])
            if not levels:
                raise TursError(f"Choose at least one level of '{name}'.")
            return LevelSet(name, tuple(levels))
        if form in ("is missing", "is known"):
            return Missingness(name, form == "is missing")
        typed = [state.value_of(key) for key in self.keys]
        texts = [start if text is None else text for text, start in zip(typed, self.starts, strict=True)]
        cuts = [parse_number(text, self.feature) for text in texts]
        return Interval(name, cuts[0] if form != "<" else None, cuts[-1] if form != "≥" else None)


def draw_builder(model: OpenModel) -> None:
    """Draw the rule that is being made; another change that is not kept yet comes first."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html('<div class="t-title">New rule</div>')
        st.button("Cancel", key="cancel-new", type="tertiary", on_click=_cancel)
    if is_elsewhere(state.studio().draft, state.NEW_RULE):
        draw_draft(model, "")
        st.html('<div class="t-line">Keep this change or drop it: then the new rule can be made.</div>')
        return
    fields = _fields(model)
    settled = tuple(part for part in _literals() if fields is None or part.feature != fields.feature.name)
    fault = _take_in(settled, fields)
    draw_draft(model, _IDLE, fault or _text_fault(model))
    _draw_text(model)
    _draw_settled(model, settled)
    _draw_fields(model, settled, fields, fault)
    draw_impact(model)


def _literals() -> tuple[Literal, ...]:
    """Return the conditions so far."""
    draft = state.studio().draft
    return draft.literals if isinstance(draft, AddRule) else ()


def _turn() -> int:
    """Return how often fields of a condition were done with: each begins with empty ones."""
    return int(state.chosen(_TURN) or 0)


def _feature_key(model: OpenModel) -> str:
    """Return the key of the field that says what the condition is on."""
    return f"new-feature-{model.number}-{state.studio().n_dropped}-{_turn()}"


def _fields(model: OpenModel) -> Fields | None:
    """Return the fields of the condition that is being set, as they are drawn next; None where none is."""
    key = _feature_key(model)
    name, schema = state.value_of(key), model.study.schema
    if name is None:
        return None
    feature = schema.feature(name)
    place = f"{key.removeprefix('new-feature-')}-{schema.index(name)}"
    form = state.value_of(f"new-form-{place}") or forms(feature)[0]
    return Fields(feature, form, _starts(feature, form), place)


def _starts(feature: Feature, form: str) -> tuple[str, ...]:
    """Return what the fields of the cuts begin with."""
    if form not in ("≥", "<", "between"):
        return ()
    n = len(feature.cuts)
    places = (n // 3, 2 * n // 3) if form == "between" else (n // 2,)
    return tuple(numbers.cut(feature.cuts[min(place, n - 1)], feature) if n else "" for place in places)


def _take_in(settled: tuple[Literal, ...], fields: Fields | None) -> str:
    """Show the rule with the condition that is being set, and return why that cannot be; empty where it can be."""
    try:
        _show(settled if fields is None else (*settled, fields.literal()))
    except TursError as error:
        _show(settled)
        return str(error)
    return ""


def _text(model: OpenModel) -> tuple[str, str]:
    """Return the condition as text, and the key of its field."""
    text = format_condition(_literals(), model.study.schema)
    return text, f"new-text-{model.number}-{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"


def _text_fault(model: OpenModel) -> str:
    """Return why the rule cannot be kept while its text has a mistake, which is not what would be kept."""
    _, key = _text(model)
    wrong = fault_of(str(state.value_of(key) or ""), model.study.schema)
    return "" if wrong is None else "The text below cannot be read yet: correct it, then the rule can be kept."


def _draw_text(model: OpenModel) -> None:
    """Draw the condition as text."""
    text, key = _text(model)
    draw_condition("Condition as text", text, key, model.study.schema, state.while_shown(model, partial(_read, model)))


def _draw_settled(model: OpenModel, settled: tuple[Literal, ...]) -> None:
    """Draw the conditions whose fields are done with."""
    schema = model.study.schema
    with st.container(horizontal=True):
        for literal in settled:
            st.button(
                plain(literal_words(literal, schema)),
                icon=":material/close:",
                key=f"drop-{schema.index(literal.feature)}",
                help="Take this condition out",
                on_click=partial(_take_out, literal),
            )


def _draw_fields(model: OpenModel, settled: tuple[Literal, ...], fields: Fields | None, fault: str) -> None:
    """Draw the fields of the condition that is being set."""
    used = {literal.feature for literal in settled}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Condition on",
            [feature.name for feature in model.study.schema.features if feature.name not in used],
            index=None,
            placeholder="Choose a feature",
            key=_feature_key(model),
            width=220,
        )
        if fields is not None:
            _draw_value(fields, fault)


def _draw_value(fields: Fields, fault: str) -> None:
    """Draw form and value of the condition that is being set."""
    options = forms(fields.feature)
    st.segmented_control("Form", options, default=options[0], key=f"new-form-{fields.place}", required=True)
    if fields.form == "in":
        st.multiselect("Levels", fields.feature.levels, key=fields.keys[0], width=260)
    labels = ("Cut",) if len(fields.starts) == 1 else ("From", "to below")
    for label, start, key in zip(labels, fields.starts, fields.keys, strict=False):
        st.text_input(label, start, key=key, width=170 if fields.feature.kind is Kind.DATE else 110)
    st.button(
        "And another condition",
        icon=":material/add:",
        key=f"new-add-{fields.place}",
        on_click=partial(_settle, _turn(), fault),
    )


@state.guarded
def _settle(turn: int, fault: str) -> None:
    """Be done with the fields of a condition; the second click of two finds others."""
    if fault:
        raise TursError(fault)
    state.choose(_TURN, turn + 1)


@state.guarded
def _take_out(literal: Literal) -> None:
    """Show the rule without a condition."""
    _show(tuple(part for part in _literals() if part != literal))


@state.guarded
def _read(model: OpenModel, text: str) -> None:
    """Show the rule that was typed; what is wrong with its text stands under the field."""
    if fault_of(text, model.study.schema) is None:
        _show(literals_of(text, model.study.schema))
        state.choose(_TURN, _turn() + 1)


def _show(literals: tuple[Literal, ...]) -> None:
    """Show the rule with these conditions."""
    edit = AddRule(literals) if literals else None
    if edit is not None:
        edit.apply(state.session().version)
    if edit != state.studio().draft:
        state.show_draft(edit)


@state.guarded
def _cancel() -> None:
    """Make no rule; a change of another one stays."""
    if not is_elsewhere(state.studio().draft, state.NEW_RULE):
        state.drop_draft()
    state.select("")
    state.refresh()
