"""The browser application: `make app`. This is its first page; the others are found in `pages/`."""

from turs.ui.frame import draw_page
from turs.ui.start_page import draw_start

draw_page("Start", draw_start)
