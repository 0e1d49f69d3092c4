"""What the workbench looks at: a rule, one of its literals, and an edit that is not kept yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ParamSpec

from turs.editing import Edit
from turs.ui.opened import OpenModel
from turs.ui.state.memory import change, studio
from turs.ui.state.opened_model import session
from turs.ui.studio import Selection

NEW_RULE = "new"
"""What is selected while a rule is being made."""
P = ParamSpec("P")


def while_shown(model: OpenModel, callback: Callable[P, None]) -> Callable[P, None]:
    """Return the callback of a field, which does nothing once the rules are others than when the field was drawn.

    A browser that has not drawn the new page yet sends the fields of the old one with its next click, and Streamlit,
    which has forgotten them by then, takes them for changed.
    """
    number = model.number

    def checked(*args: P.args, **kwargs: P.kwargs) -> None:
        if studio().model is model and model.number == number:
            callback(*args, **kwargs)

    return checked


def select(rule: str, feature: str = "", side: str = "") -> None:
    """Look at a rule and one of its literals; a draft is dropped."""
    chosen = Selection(rule, feature, side)
    if chosen != studio().selection:
        change(selection=chosen, draft=None)


def show_draft(edit: Edit | None) -> None:
    """Show an edit with its effect before it is kept; None drops it."""
    change(draft=edit)


def drop_draft() -> None:
    """Drop the draft; a feature on which the rule has no literal is not looked at any more."""
    now = studio()
    rule = next((part for part in session().version.rules if part.id == now.selection.rule), None)
    own = [] if rule is None else [literal.feature for literal in rule.literals]
    feature = now.selection.feature if now.selection.feature in own else ""
    change(draft=None, n_dropped=now.n_dropped + 1, selection=replace(now.selection, feature=feature))


def look_at_side(rule: str, feature: str, side: str) -> None:
    """Put the lower or the upper cut of an interval on the slider; a draft stays."""
    change(selection=Selection(rule, feature, side))
