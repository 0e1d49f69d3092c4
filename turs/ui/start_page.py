"""The first page: what this is, sample tables that lead to rules in two clicks, and the way to an own table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from turs.data import read_table
from turs.shipped import shipped
from turs.ui import state
from turs.ui.places import go
from turs.ui.saved_list import draw_saved

_IN_A_ROW = 3
_PLAY = ":material/play_arrow:"
SAMPLES = shipped("sample_data")


@dataclass(frozen=True)
class Sample:
    """A table to try the application with."""

    name: str
    file: str
    about: str

    @property
    def path(self) -> Path:
        """Where it is."""
        return SAMPLES / self.file


SAMPLE_TABLES = (
    Sample("Breast cancer", "breast_cancer.csv", "569 patients, 30 measurements of cells: benign or malignant?"),
    Sample("Readmission", "readmission.csv", "1,500 made-up patients with known rules: who comes back?"),
    Sample(
        "Machines", "machines.csv", "1,200 made-up machines, with categories, dates and gaps: which will break down?"
    ),
    Sample("Iris", "iris.csv", "150 flowers, 4 measurements: which of three species?"),
    Sample("Wine", "wine.csv", "178 wines, 13 measurements: which of three cultivars?"),
)

_WELCOME = """
<div class="t-hero">Rules that you can read one at a time, and correct</div>
<div class="t-lead">TURS Studio learns probabilistic rules from a table. Each rule stands on its own, and every change
that you make shows at once what it costs: bits, AUC, overlaps, and who is affected.</div>
"""
_STEPS = """
<ol class="t-steps">
<li><b>Data</b>: a table with one row a case and one column to predict</li>
<li><b>Learn</b>: the score decides how many rules there are</li>
<li><b>Rules</b>: move a cut, drop a condition, add what is missing; undo brings everything back</li>
<li><b>Overlaps</b>, <b>Stability</b>, <b>Explain</b>: question the rules before you trust them</li>
<li><b>History</b>: every edit with its reason; go back, compare, test once, take the rules away</li>
</ol>
"""


def draw_start() -> None:
    """Draw the page."""
    st.html(_WELCOME)
    draw_saved("Rules")
    columns = [*st.columns(_IN_A_ROW), *st.columns(_IN_A_ROW)]
    for column, sample in zip(columns, SAMPLE_TABLES, strict=False):
        with column.container(border=True, height="stretch", key=f"sample-{sample.file.removesuffix('.csv')}"):
            st.html(f'<div class="t-title">{sample.name}</div><div class="t-line">{sample.about}</div>')
            if st.button(f"Learn from {sample.name}", type="primary", icon=_PLAY, key=f"learn-{sample.file}"):
                load_sample(sample)
                state.start_learning()
                go("Learn")
    with columns[-1].container(border=True, height="stretch", key="own-table"):
        st.html(
            '<div class="t-title">A table of your own</div>'
            '<div class="t-line">CSV, TSV, Excel or Parquet. The rows stay on this machine.</div>'
        )
        if st.button("Choose a file", icon=":material/upload:", key="own"):
            go("Data")
    st.html(_STEPS)


def load_sample(sample: Sample) -> None:
    """Read a sample and make it the table of the session."""
    state.use_table(sample.name, read_table(sample.path))
