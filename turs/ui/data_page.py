"""The side bar: which table, which target, what was decided about the columns, and the button that learns."""

from __future__ import annotations

import io
from html import escape
from pathlib import Path

import streamlit as st

from turs.data import Table, read_table
from turs.errors import TursError
from turs.ui import state
from turs.ui.theme import plain
from turs.ui.versions import Source, split_source

SAMPLES = Path(__file__).parents[2] / "sample_data"
UPLOAD = "Upload a file …"


def draw_data() -> None:
    """Draw the side bar."""
    with st.sidebar:
        st.html('<div class="t-brand">TURS Studio</div>')
        try:
            source = _source()
        except TursError as error:
            st.error(plain(str(error)))
            return
        if source is None:
            return
        busy = state.studio().job is not None
        if st.button("Learn rules", type="primary", width="stretch", key="learn", disabled=busy):
            state.start_learning(source)
            st.rerun()
        _draw_facts(source)


def sample_names() -> dict[str, Path]:
    """Return the sample tables by the name that is shown."""
    return {path.stem.replace("_", " ").capitalize(): path for path in sorted(SAMPLES.glob("*.csv"))}


def _source() -> Source | None:
    """Return the table that was chosen, split by its target."""
    chosen = _chosen()
    if chosen is None:
        return None
    name, content, table = chosen
    columns = [str(column) for column in table.frame.columns]
    target = st.selectbox("Target", columns, index=len(columns) - 1, key=f"target-{content}")
    key = f"{content}/{target}"
    if key not in state.studio().sources:
        state.remember_source(key, split_source(name, table, target))
    return state.studio().sources[key]


def _chosen() -> tuple[str, str, Table] | None:
    """Return the name, the content id and the table that was chosen."""
    samples = sample_names()
    name = st.selectbox("Data", [*samples, UPLOAD], index=None, placeholder="Choose a sample or a file", key="data")
    if name is None:
        return None
    if name != UPLOAD:
        return name, name, _read(name, samples[name].read_bytes(), samples[name].name)
    file = st.file_uploader("CSV, TSV, Excel or Parquet", key="file")
    if file is None:
        return None
    return file.name, file.file_id, _read(file.file_id, file.getvalue(), file.name)


def _read(content: str, raw: bytes, name: str) -> Table:
    """Read a table once."""
    if content not in state.studio().tables:
        state.remember_table(content, read_table(io.BytesIO(raw), name=name))
    return state.studio().tables[content]


def _draw_facts(source: Source) -> None:
    """Draw what the table holds, and the notes."""
    data = source.training_data
    n_training, n_validation = data.n_rows, source.validation_data.n_rows
    st.html(
        f'<div class="t-facts">{n_training + n_validation:,} rows · {len(data.schema.features):,} features · '
        f"{len(data.schema.classes):,} classes<br>{n_training:,} rows to learn from (70 %)<br>"
        f"{n_validation:,} rows to check with (30 %, by class)</div>"
    )
    if data.notes:
        items = "".join(f"<li>{escape(note)}</li>" for note in data.notes)
        with st.expander(f"Notes on the data ({len(data.notes)})"):
            st.html(f'<ul class="t-notes">{items}</ul>')
