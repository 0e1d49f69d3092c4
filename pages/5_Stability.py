"""What happens where a row takes one of its rules at random."""

from turs.ui.frame import draw_model_page
from turs.ui.stability_page import draw_stability

draw_model_page("Stability", draw_stability)
