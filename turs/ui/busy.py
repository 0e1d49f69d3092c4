"""What takes a while says so: rules that overlap freely make very many patterns, and numbers about all of them."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import streamlit as st

from turs.ui.opened import OpenModel

_MANY_PATTERNS = 5_000
"""Patterns from which on a part of a page may take longer than a second."""
_MANY_ROWS = 300_000
"""Rows of a table from which on putting them into bins may."""


def busy(model: OpenModel, words: str) -> AbstractContextManager[None]:
    """Return what says, with the seconds, what is under way while it is; nothing where it is done at once."""
    return st.spinner(words, show_time=True) if n_many(model) else nullcontext()


def busy_with_rows(n_rows: int, words: str) -> AbstractContextManager[None]:
    """Return what says what is under way with a large table."""
    return st.spinner(words, show_time=True) if n_rows >= _MANY_ROWS else nullcontext()


def n_many(model: OpenModel) -> int:
    """Return the number of patterns where there are very many, otherwise 0."""
    n_patterns = len(model.session.state.training.patterns.members)
    return n_patterns if n_patterns >= _MANY_PATTERNS else 0
