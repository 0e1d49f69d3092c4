"""Editing: change single rules, see every consequence at once, never lose a step."""
