"""The rules to take away, in every form that the engine writes."""

from __future__ import annotations

import re

import streamlit as st

from turs.errors import TursError
from turs.export.content import content_of
from turs.export.form import Form
from turs.export.report import About, Look, report_of
from turs.ui import state
from turs.ui.opened import OpenModel
from turs.ui.theme import plain

_FORMS = {
    Form.TEXT: ("Text", "txt", "text/plain", "the rules as lines of text, which TURS reads back"),
    Form.MARKDOWN: ("Markdown", "md", "text/markdown", "for a report or a wiki"),
    Form.XLSX: ("Excel", "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "a workbook"),
    Form.CSV: ("CSV", "csv", "text/csv", "a line for each condition"),
    Form.PYTHON: ("Python", "py", "text/x-python", "a module that predicts, with the standard library alone"),
    Form.SQL: ("SQL", "sql", "application/sql", "a query that predicts inside a database"),
    Form.JSON: ("JSON", "json", "application/json", "the model itself, for turs predict and turs score"),
}


def draw_export(model: OpenModel) -> None:
    """Draw the choice of a form, and the button that takes the file away."""
    st.html('<div class="t-title">Export the rules<small>as they are now</small></div>')
    chosen = st.segmented_control(
        "Form",
        list(_FORMS),
        default=Form.TEXT,
        format_func=lambda form: _FORMS[form][0],
        key="export-form",
        required=True,
        label_visibility="collapsed",
    )
    form = Form(chosen or Form.TEXT)
    label, ending, kind, about = _FORMS[form]
    st.html(f'<div class="t-line">{label}: {about}.</div>')
    try:
        content = model.kept(("export", model.number, form), lambda: content_of(model.session.model(), form))
    except TursError as error:
        st.error(plain(str(error)))
        return
    name = re.sub(r"[^\w-]+", "_", model.study.name).strip("_") or "rules"
    st.download_button(
        f"Download as {label}",
        lambda: content,
        f"{name}.{ending}",
        kind,
        icon=":material/download:",
        key=f"export-{form}",
        on_click="ignore",
    )
    _draw_report(model, name)
    if form not in (Form.XLSX, Form.JSON):
        with st.expander("Look at it first"):
            st.code(content.decode()[:20_000], language=None, height=320)


def _draw_report(model: OpenModel, name: str) -> None:
    """Draw the way to the report for people who decide on the rules; it is made on request: it takes a moment."""
    help_text = (
        "One page with the rules, who changed them and why, and every number: it needs no network and prints well."
    )
    if not st.toggle("Report for a committee", key="report-wanted", help=help_text):
        return
    openings = state.openings()
    looks = tuple(Look(opening.author, opening.time, opening.result) for opening in openings)
    about = About(
        title=f"Rules for {model.session.state.rule_set.schema.target}",
        table=model.study.name,
        notes=model.study.table.notes,
        n_test=model.study.n_rows("test"),
        settings=model.learning.settings,
        constraints=model.learning.constraints,
        openings=looks,
    )
    with st.spinner("The report is being made …"):
        key = ("report", model.number, len(looks))
        page = model.kept(key, lambda: report_of(model.session, about).encode("utf-8", errors="replace"))
    st.download_button(
        "Download the report", page, f"{name}.html", "text/html", icon=":material/download:", key="report",
        on_click="ignore",
    )  # fmt: skip
