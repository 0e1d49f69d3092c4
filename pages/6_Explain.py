"""Why a row gets its probabilities; predictions for a whole table."""

from turs.ui.explain_page import draw_explain
from turs.ui.frame import draw_model_page

draw_model_page("Explain", draw_explain)
