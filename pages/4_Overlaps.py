"""Which rules cover the same rows, and whether they agree there."""

from turs.ui.frame import draw_model_page
from turs.ui.overlaps_page import draw_overlaps

draw_model_page("Overlaps", draw_overlaps)
