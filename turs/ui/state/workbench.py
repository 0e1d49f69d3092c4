"""What the workbench looks at: a rule, one of its literals, and an edit that is not kept yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ParamSpec

from turs.editing import AddLiteral, AddRule, Edit, read_edit
from turs.errors import TursError
from turs.ui.opened import OpenModel
from turs.ui.state.memory import change, guarded, refresh, studio
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
    """Look at a rule, one of its literals, and which of its cuts; a draft stays until it is kept or dropped."""
    change(selection=Selection(rule, feature, side))


def place_of(edit: Edit) -> Selection:
    """Return where in the workbench an edit is made."""
    if isinstance(edit, AddRule):
        return Selection(NEW_RULE)
    feature = edit.literal.feature if isinstance(edit, AddLiteral) else str(getattr(edit, "feature", ""))
    return Selection(str(getattr(edit, "rule", "")), feature)


def go_to_draft() -> None:
    """Look at the place where the draft is made."""
    draft = studio().draft
    if draft is not None:
        change(selection=place_of(draft))


@guarded
def show_draft(edit: Edit | None) -> None:
    """Show an edit with its effect before it is kept; None drops it. A draft on another rule is decided on first."""
    now = studio().draft
    if edit is not None and now is not None and place_of(edit).rule != place_of(now).rule:
        raise TursError("Another change is not kept yet: keep it or drop it first, then make this one.")
    change(draft=edit)


def drop_draft() -> None:
    """Drop the draft; a feature on which the rule has no literal is not looked at any more."""
    now = studio()
    rule = next((part for part in session().version.rules if part.id == now.selection.rule), None)
    own = [] if rule is None else [literal.feature for literal in rule.literals]
    feature = now.selection.feature if now.selection.feature in own else ""
    change(draft=None, n_dropped=now.n_dropped + 1, selection=replace(now.selection, feature=feature))


def take_desk(selection: Selection, document: object) -> None:
    """Look at what was looked at before a reload, and show the draft from then; what does not fit the rules is left.

    Raises
    ------
    TursError
        Where the draft is no edit that can be made.
    """
    ids = session().version.ids
    if selection.rule in (*ids, NEW_RULE):
        change(selection=selection)
    if document is not None:
        draft = read_edit(document)
        session().preview(draft)
        change(draft=draft)
    refresh()
