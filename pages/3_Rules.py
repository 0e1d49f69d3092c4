"""The workbench: read, question and edit rules."""

from turs.ui.frame import draw_model_page
from turs.ui.rules_page import draw_rules

draw_model_page("Rules", draw_rules)
