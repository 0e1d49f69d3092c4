"""The History page."""

from __future__ import annotations

from turs.ui.frame import draw_empty
from turs.ui.opened import OpenModel


def draw_history(model: OpenModel) -> None:
    """Draw the page."""
    draw_empty(
        "History", f"This page is being built; {len(model.session.version.rules)} rules are open.", "Rules", "Rules"
    )
