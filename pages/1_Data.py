"""Choose a table, say what its columns are, and divide its rows."""

from turs.ui.data_page import draw_data
from turs.ui.frame import draw_page

draw_page("Data", draw_data)
