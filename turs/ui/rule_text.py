"""A rule edited as text, as a whole: read, shown with its effect, then kept or dropped."""

from __future__ import annotations

from functools import partial

from turs.editing import ReplaceCondition
from turs.rules.rule import Rule
from turs.rules.text import format_condition
from turs.ui import state
from turs.ui.condition_text import draw_condition, fault_of, literals_of
from turs.ui.opened import OpenModel


def draw_text(model: OpenModel, rule: Rule) -> None:
    """Draw the condition of a rule as text."""
    schema = model.session.version.grid
    key = f"rule-text-{rule.id}-{model.number}-{state.studio().n_dropped}"
    text = format_condition(rule.literals, schema)
    draft = state.studio().draft
    aside = draft is not None and not (isinstance(draft, ReplaceCondition) and draft.rule == rule.id)
    read = state.while_shown(model, partial(_read, model, rule))
    draw_condition(f"Condition of {rule.id}", text, key, schema, read, disabled=aside)


@state.guarded
def _read(model: OpenModel, rule: Rule, text: str) -> None:
    """Show the rule with the condition that was typed; what is wrong with the text stands under the field."""
    schema = model.session.version.grid
    literals = rule.literals if fault_of(text, schema) else literals_of(text, schema) or rule.literals
    state.show_draft(None if literals == rule.literals else ReplaceCondition(rule.id, literals))
