"""Every edit, to go back to, to compare and to take away."""

from turs.ui.frame import draw_model_page
from turs.ui.history_page import draw_history

draw_model_page("History", draw_history)
