"""The rules to take away, in every form that the engine writes."""

from __future__ import annotations

import re

import streamlit as st

from turs.errors import TursError
from turs.export.content import content_of
from turs.export.form import Form
from turs.ui.opened import OpenModel
from turs.ui.theme import plain

_FORMS = {
    Form.TEXT: ("Text", "txt", "text/plain", "the rules as you read them here"),
    Form.MARKDOWN: ("Markdown", "md", "text/markdown", "for a report or a wiki"),
    Form.XLSX: ("Excel", "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "a workbook"),
    Form.CSV: ("CSV", "csv", "text/csv", "a line for each condition"),
    Form.PYTHON: ("Python", "py", "text/x-python", "a module that predicts, with the standard library alone"),
    Form.SQL: ("SQL", "sql", "application/sql", "a query that predicts inside a database"),
    Form.JSON: ("JSON", "json", "application/json", "the model itself, for turs predict and turs score"),
}


def draw_export(model: OpenModel) -> None:
    """Draw the choice of a form, and the button that takes the file away."""
    st.html('<div class="t-title">Take the rules away<small>as they are now</small></div>')
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
        content,
        f"{name}.{ending}",
        kind,
        icon=":material/download:",
        key=f"export-{form}",
        on_click="ignore",
    )
    if form not in (Form.XLSX, Form.JSON):
        with st.expander("Look at it first"):
            st.code(content.decode()[:20_000], language=None, height=320)
