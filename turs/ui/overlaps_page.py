"""The Overlaps page."""

from __future__ import annotations

from turs.ui.frame import draw_empty
from turs.ui.opened import OpenModel


def draw_overlaps(model: OpenModel) -> None:
    """Draw the page."""
    draw_empty(
        "Overlaps", f"This page is being built; {len(model.session.version.rules)} rules are open.", "Rules", "Rules"
    )
