"""The Data page: which table, what its columns are, the target, and the three parts of its rows."""

from __future__ import annotations

import streamlit as st

from turs.data import read_table
from turs.errors import TursError
from turs.ui import state
from turs.ui.frame import go
from turs.ui.start_page import SAMPLE_TABLES, load_sample
from turs.ui.theme import plain


def draw_data() -> None:
    """Draw the page."""
    for sample in SAMPLE_TABLES:
        if st.button(sample.name, key=f"use-{sample.file}"):
            load_sample(sample)
    file = st.file_uploader("CSV, TSV, Excel or Parquet", key="file")
    if file is not None:
        try:
            state.use_table(file.name, read_table(file, name=file.name))
        except TursError as error:
            st.error(plain(str(error)))
    if state.studio().study is not None and st.button("Learn rules", type="primary", key="to-learn"):
        go("Learn")
