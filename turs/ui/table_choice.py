"""The choice of a table: a file, or a sample."""

from __future__ import annotations

from functools import partial

import streamlit as st

from turs.data import read_table
from turs.ui import state
from turs.ui.start_page import SAMPLE_TABLES, Sample, load_sample


def draw_table_choice() -> None:
    """Draw the samples and the place for a file."""
    st.file_uploader(
        "A table of your own: CSV, TSV, Excel (.xlsx) or Parquet, each also with .gz; up to 200 MB",
        key="file",
        on_change=_read_file,
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html('<div class="t-line">or a sample:</div>', width="content")
        for sample in SAMPLE_TABLES:
            st.button(sample.name, key=f"use-{sample.file}", help=sample.about, on_click=partial(_use_sample, sample))


@state.guarded
def _read_file() -> None:
    """Read the file that was given."""
    file = state.value_of("file")
    if file is not None:
        state.use_table(file.name, read_table(file, name=file.name))


@state.guarded
def _use_sample(sample: Sample) -> None:
    """Read a sample."""
    load_sample(sample)
