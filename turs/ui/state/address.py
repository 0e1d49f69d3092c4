"""The address of a page: which model is open, and which table is being prepared.

After a reload, in another tab or on a server that was started again, a session begins with what its address names. From
then on the address follows the session.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from turs.errors import TursError
from turs.ui.state.memory import change, studio, tell
from turs.ui.state.opened_model import model_id, open_model
from turs.ui.state.table import open_preparation

_MODEL = "model"
_PREPARATION = "preparation"


def come_back() -> None:
    """Open what the address names where the session has just begun; keep the address up to date."""
    now = studio()
    if not now.is_back:
        wanted = st.query_params.get(_PREPARATION, "")
        if now.model is None:
            _open(st.query_params.get(_MODEL, ""), open_model, "model")
        if now.preparation is None and now.reading is None:
            _open(wanted, open_preparation, "table")
        change(is_back=True)
    _name(_MODEL, model_id())
    if studio().reading is None:  # it may be the table that the address names
        found = studio().preparation
        _name(_PREPARATION, "" if found is None else found.id)


def _open(wanted: str, open_it: Callable[[str], None], what: str) -> None:
    """Open one of the things that the address names."""
    if wanted:
        try:
            open_it(wanted)
        except TursError as error:
            tell("fault", f"The {what} in the address cannot be opened: {error}")


def _name(parameter: str, id_: str) -> None:
    """Write into the address what is open."""
    if st.query_params.get(parameter, "") != id_:
        if id_:
            st.query_params[parameter] = id_
        else:
            del st.query_params[parameter]
