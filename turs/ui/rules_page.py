"""The rules as cards, each with its text to edit; a place for a new one; the model to take away."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from html import escape

import streamlit as st

from turs.errors import TursError
from turs.rules.rule import Rule
from turs.rules.text import format_condition
from turs.ui import state
from turs.ui.cards import else_markup, rule_markup
from turs.ui.theme import legend, plain
from turs.ui.versions import Version

_FORM = "Literals joined by AND, such as  age >= 60 AND ward in {A, B}. Names with spaces may stand in double quotes."


def draw_rules(version: Version) -> None:
    """Draw everything below the state line."""
    _draw_title(version)
    evaluation, rule_set = version.evaluation, version.rule_set
    general = evaluation.generalisation
    assert general is not None  # a version always has validation rows
    lines = sorted(
        zip(rule_set.rules, general.rules, evaluation.contributions, strict=True),
        key=lambda line: -(line[2].bits_saved or 0.0),
    )
    columns = st.columns(2)
    for number, (rule, sides, contribution) in enumerate(lines):
        with columns[number % 2].container(border=True, key=f"card-{rule.id}"):
            st.html(rule_markup(rule, rule_set.schema, sides, contribution))
            _draw_edit(version, rule)
    with columns[len(lines) % 2].container(border=True, key="card-else"):
        st.html(else_markup(rule_set.schema, general.otherwise))


def _draw_title(version: Version) -> None:
    """Draw what the rules are about, the class colours, and what can be done with all rules."""
    schema = version.rule_set.schema
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(
            f'<div class="t-title">{escape(version.source.name)}<small>target {escape(schema.target)}</small></div>'
            + legend(schema.classes)
        )
        with st.popover("Add a rule", icon=":material/add:", key="add"):
            # the number of the next rule makes an empty field once a rule was added
            text = st.text_area(
                "Condition of the new rule", height="content", key=f"new-{version.rule_set.next_id()}", help=_FORM
            )
            if st.button("Add", type="primary", key="add-rule"):
                _keep(lambda: version.with_text(text))
        st.download_button(
            "Download model",
            version.document(),
            "model.json",
            "application/json",
            icon=":material/download:",
            key="model",
            on_click="ignore",
            help="model.json, which the command turs predict takes",
        )


def _draw_edit(version: Version, rule: Rule) -> None:
    """Draw the text of a rule with what can be done to it."""
    condition = format_condition(rule.literals, version.rule_set.schema)
    with st.expander("Edit", type="compact", key=f"edit-{rule.id}"):
        # a key made of the text: undo shows the text of the version that came back
        key = f"text-{rule.id}-{zlib.crc32(condition.encode('utf-8', 'surrogatepass')):08x}"
        text = st.text_area("Condition", condition, height="content", key=key, help=_FORM)
        with st.container(horizontal=True):
            save = st.button("Save", type="primary", key=f"save-{rule.id}")
            delete = st.button("Delete rule", icon=":material/delete:", key=f"delete-{rule.id}")
        if save:
            _keep(lambda: version.with_text(text, rule.id))
        if delete:
            _keep(lambda: version.without(rule.id))


def _keep(edited: Callable[[], Version]) -> None:
    """Keep an edit and draw the page again, or say why it cannot be."""
    try:
        state.keep(edited())
    except TursError as error:
        st.error(plain(str(error)))
        return
    st.rerun()
