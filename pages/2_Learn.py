"""Learn rules, and watch them appear."""

from turs.ui.frame import draw_page
from turs.ui.learn_page import draw_learn

draw_page("Learn", draw_learn)
