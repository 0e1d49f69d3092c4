"""What can be done to a whole rule: one more condition, one less, copy, split, merge, lock, note, delete."""

from __future__ import annotations

from functools import partial

import streamlit as st

from turs.editing import (
    AttachNote,
    DeleteRule,
    DuplicateRule,
    Edit,
    LockRule,
    MergeRules,
    SplitRule,
    UnlockRule,
)
from turs.rules.rule import Rule
from turs.rules.text import parse_number
from turs.ui import state
from turs.ui.opened import OpenModel
from turs.ui.theme import plain

_MENU = "more"


def draw_actions(model: OpenModel, rule: Rule, feature: str) -> None:
    """Draw the actions on a rule; `feature` is that of the selected literal."""
    locked = rule.id in model.session.version.locked
    fixed = locked or state.studio().draft is not None
    own = [literal.feature for literal in rule.literals]
    with st.container(horizontal=True, vertical_alignment="center", width="content", key="actions"):
        key = f"add-{rule.id}-{model.number}"
        st.selectbox(
            "Add a condition on",
            [part.name for part in model.study.schema.features if part.name not in own],
            index=None,
            placeholder="Add a condition on …",
            label_visibility="collapsed",
            key=key,
            disabled=fixed,
            width=190,
            on_change=state.while_shown(model, partial(_look_at, rule.id, key)),
        )
        _draft_button("Delete", DeleteRule(rule.id), "delete", ":material/delete:", fixed)
        with st.popover("More", key=_MENU, on_change="rerun"):  # a widget: what is done in it closes it
            _draw_more(model, rule, feature, locked, fixed)


def _draw_more(model: OpenModel, rule: Rule, feature: str, locked: bool, fixed: bool) -> None:
    """Draw the actions that are rarer; `fixed` holds back those that make a draft."""
    number = model.number
    st.button(
        "Unlock" if locked else "Lock: nobody may change it",
        icon=":material/lock_open:" if locked else ":material/lock:",
        key="lock",
        width="stretch",
        on_click=partial(_apply, UnlockRule(rule.id) if locked else LockRule(rule.id)),
    )
    copy, busy = DuplicateRule(rule.id), state.studio().draft is not None
    _draft_button("Duplicate, to change it from there", copy, "duplicate", ":material/content_copy:", busy)
    others = [other.id for other in model.session.version.rules if other.id != rule.id]
    if others:
        key = f"merge-{rule.id}-{number}"
        st.selectbox(
            "Merge with",
            others,
            index=None,
            placeholder="Choose a rule",
            key=key,
            disabled=fixed,
            on_change=state.while_shown(model, partial(_merge, rule.id, key)),
        )
    known = {part.name: part for part in model.study.schema.features}.get(feature)
    if known is not None and not known.is_categorical:
        key = f"split-{rule.id}-{number}"
        st.text_input(
            plain(f"Split in two at {feature} ="),
            key=key,
            disabled=fixed,
            placeholder="a number inside the rule",
            on_change=state.while_shown(model, partial(_split, model, rule.id, feature, key)),
        )
    key = f"note-{rule.id}-{number}"
    st.text_input(
        "Note on this rule",
        model.session.version.note_on(rule.id),
        key=key,
        placeholder="Shown on its card",
        on_change=state.while_shown(model, partial(_note, rule.id, key)),
    )


def _draft_button(label: str, edit: Edit, key: str, icon: str, disabled: bool) -> None:
    """Draw a button that shows an edit with its effect."""
    st.button(label, key=key, icon=icon, disabled=disabled, on_click=partial(_show, edit))


@state.guarded
def _show(edit: Edit) -> None:
    """Show an edit with its effect, which the menu would cover."""
    state.show_draft(edit)
    state.close(_MENU)


@state.guarded
def _look_at(rule_id: str, key: str) -> None:
    """Look at a feature on which the rule has no literal yet."""
    feature = state.value_of(key)
    if feature is not None:
        state.select(rule_id, feature)


@state.guarded
def _apply(edit: Edit) -> None:
    """Make an edit that needs no preview: it changes no number. Where the second of two clicks asks, it is made."""
    now = state.session().version
    if edit.apply(now) != now:
        state.keep(edit)
        state.close(_MENU)
        state.refresh()


@state.guarded
def _merge(rule_id: str, key: str) -> None:
    """Show the merged rule."""
    other = state.value_of(key)
    if other is not None:
        _show(MergeRules(rule_id, other))


@state.guarded
def _split(model: OpenModel, rule_id: str, feature: str, key: str) -> None:
    """Show the two parts of the rule."""
    text = state.value_of(key)
    if text:
        _show(SplitRule(rule_id, feature, parse_number(text, model.study.schema.feature(feature))))


@state.guarded
def _note(rule_id: str, key: str) -> None:
    """Write a note on the rule; an emptied field takes it off."""
    text = (state.value_of(key) or "").strip()
    if text != state.session().version.note_on(rule_id):
        state.keep(AttachNote(rule_id, text))
        state.close(_MENU)
        state.refresh()
