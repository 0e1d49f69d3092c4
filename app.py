"""The browser application: `make app`."""

from turs.ui.studio import draw

draw()
