"""The right side of the workbench: the rule that is selected under the hands of a person, or the one being made."""

from __future__ import annotations

from functools import partial
from html import escape

import streamlit as st

from turs.editing import AddLiteral, Edit
from turs.rules.rule import Rule
from turs.ui import numbers, state
from turs.ui.cards import literal_words, saved_words
from turs.ui.desk import draw_desk
from turs.ui.draft_bar import draw_draft, is_elsewhere
from turs.ui.finding_list import draw_findings
from turs.ui.guard import draw_message, fragment
from turs.ui.impact_panel import draw_impact
from turs.ui.literal_edit import drafted
from turs.ui.literal_panel import begin_literal, draw_literal, draw_tables
from turs.ui.opened import OpenModel
from turs.ui.rule_actions import draw_actions
from turs.ui.rule_builder import draw_builder
from turs.ui.rule_text import draw_text
from turs.ui.theme import plain

_IDLE = "Nothing is changed yet. Change something: its effect shows here before you keep it or drop it."
_LOCKED = "{} is locked, so that nobody changes it by mistake. Unlock it under More to change it."


@fragment
def draw_selected(model: OpenModel) -> None:
    """Draw the rule that is selected, or the one that is being made."""
    if state.take_refresh():
        st.rerun(scope="app")
    with st.container(border=True, key="bench"):
        draw_message()
        selection = state.studio().selection
        rule = next((part for part in model.session.version.rules if part.id == selection.rule), None)
        if selection.rule == state.NEW_RULE:
            draw_builder(model)
        elif rule is None:
            _draw_none_selected(has_rules=bool(model.session.version.rules))
        else:
            _draw_rule(model, rule, selection.feature)
    draw_desk(model)


def _draw_none_selected(*, has_rules: bool) -> None:
    """Draw what there is to do where the filter leaves no rule, or where there is none."""
    title, text = (
        ("No rule is selected", "Choose one on the left, take the filter away, or add a rule.")
        if has_rules
        else (
            "There are no rules",
            "The else rule answers for every row. Learning keeps a rule only where it saves more bits than it costs; "
            "you can add one of your own, or undo what removed the last one.",
        )
    )
    st.html(f'<div class="t-title">{title}</div><div class="t-line">{text}</div>')
    make = partial(state.select, state.NEW_RULE)
    st.button("Add a rule", type="primary", icon=":material/add:", key="first-rule", on_click=make)


def _draw_rule(model: OpenModel, rule: Rule, feature: str) -> None:
    """Draw one rule: its literals, its findings, the literal that is selected, what can be done, the effect."""
    own = [literal.feature for literal in rule.literals]
    known = feature if feature in own or any(part.name == feature for part in model.study.schema.features) else own[0]
    begin_literal(model, rule.id, known)
    contribution = next(part for part in model.session.state.evaluation.contributions if part.id == rule.id)
    locked = " · locked" if rule.id in model.session.version.locked else ""
    coverage = next(part.coverage for part in model.session.state.score.rules if part.id == rule.id)
    with st.container(key="rule-head"):  # words above buttons: these stay where they are, however long the words
        st.html(
            f'<div class="t-title">{escape(rule.id)}<small>{numbers.rows(coverage, "training")} · '
            f"{saved_words(contribution)}{locked}</small></div>"
        )
        draw_actions(model, rule, known)
    as_text = _draw_literals(model, rule, own, known)
    draw_draft(model, _LOCKED.format(rule.id) if locked else _IDLE)
    if as_text:
        draw_text(model, rule)
    else:
        draw_literal(model, rule.id, known)
    if not is_elsewhere(state.studio().draft, rule.id):
        draw_impact(model)
    draw_findings(model, rule.id)
    if not as_text:
        draw_tables(model, rule.id, known)


def _draw_literals(model: OpenModel, rule: Rule, own: list[str], known: str) -> bool:
    """Draw the literals to choose from, and return whether the rule is to be edited as text instead."""
    schema, number = model.study.schema, model.number
    draft = state.studio().draft
    options = list(dict.fromkeys([*own, *_added(draft, rule.id), known]))
    literals = {name: drafted(model.session.version, rule.id, name, draft) for name in options}
    shown = {name: literal_words(part, schema) for name, part in literals.items() if part is not None}
    key = f"literal-{rule.id}-{number}-{len(options)}-{schema.index(known)}"  # a widget keeps its value, not `default`
    with st.container(horizontal=True, vertical_alignment="center", key="literals"):
        place = st.container(key="literal-choice")
        as_text = st.toggle("As text", key="as-text", persist_state="session", help="Edit the whole condition as text")
    if as_text:
        return True
    place.pills(
        "Literals",
        options,
        default=known,
        required=True,
        format_func=lambda name: plain(shown.get(name, f"{name}: new")),
        key=key,
        label_visibility="collapsed",
        on_change=state.while_shown(model, partial(_choose, rule.id, own[0], key)),
    )
    return False


def _added(draft: Edit | None, rule_id: str) -> list[str]:
    """Return the feature on which the draft gives a rule its first literal, if any."""
    return [draft.literal.feature] if isinstance(draft, AddLiteral) and draft.rule == rule_id else []


def _choose(rule_id: str, first: str, key: str) -> None:
    """Look at the literal that was chosen."""
    state.select(rule_id, state.value_of(key) or first)
