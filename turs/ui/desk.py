"""What a person is about to change and looks at: kept in the tab, so that a reload of the page gives it back."""

from __future__ import annotations

from turs.editing import edit_document
from turs.ui import state
from turs.ui.component import kept_desk
from turs.ui.opened import OpenModel
from turs.ui.studio import Selection


def draw_desk(model: OpenModel) -> None:
    """Hand the draft and the selection to the tab, or take back those from before a reload."""
    now = state.studio()
    data = {
        "model": model.id,
        "number": model.number,
        "draft": None if now.draft is None else edit_document(now.draft),
        "rule": now.selection.rule,
        "feature": now.selection.feature,
        "side": now.selection.side,
    }
    kept_desk(data, "desk", _take_back)


def _take_back(kept: dict[str, object]) -> None:
    """Take over what the tab kept, where it still fits the rules."""
    rule, feature, side = (str(kept.get(name) or "") for name in ("rule", "feature", "side"))
    state.take_desk(Selection(rule, feature, side), kept.get("draft"))
