"""The choice of a table: a file, or a sample."""

from __future__ import annotations

from functools import partial
from html import escape

import streamlit as st

from turs.ui import numbers, state
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
        state.read_file(file.name, file)


@st.fragment(run_every=0.5)
def draw_reading() -> None:
    """Draw that a file is being read, and the way to do without it; the page with the table when it is done."""
    reading = state.studio().reading
    if reading is None or reading.done:
        _finish()
        st.rerun()
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="reading"):
        st.html(
            f'<div class="t-line" role="status"><b>{escape(reading.name)}</b> is being read … '
            f"{numbers.seconds(reading.seconds)}</div>"
        )
        st.button("Cancel", icon=":material/close:", key="cancel-reading", on_click=state.drop_reading)


@state.guarded
def _finish() -> None:
    """Take over what was read."""
    state.finish_reading()


@state.guarded
def _use_sample(sample: Sample) -> None:
    """Read a sample."""
    load_sample(sample)
