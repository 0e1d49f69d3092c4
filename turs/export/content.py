"""The content of an exported file, in any of the forms."""

from __future__ import annotations

from turs.export.form import Form
from turs.export.markdown import markdown_of
from turs.export.python import python_of
from turs.export.sheet import csv_of, workbook_of
from turs.export.sql import DEFAULT_TABLE, sql_of
from turs.export.text import text_of
from turs.rules.document import dumps
from turs.rules.model import Model


def content_of(model: Model, form: Form, *, table: str = DEFAULT_TABLE) -> bytes:
    """Return a model as the content of a file; text is UTF-8.

    Parameters
    ----------
    model : Model
        The model.
    form : Form
        The form of the file.
    table : str
        Name of the table that SQL reads, as the database stores it.

    Raises
    ------
    ModelError
        Where the model holds a text that the form cannot hold.
    """
    if form is Form.XLSX:
        return workbook_of(model)
    if form is Form.SQL:
        return sql_of(model, table).encode()
    text = {
        Form.JSON: dumps,
        Form.TEXT: text_of,
        Form.MARKDOWN: markdown_of,
        Form.PYTHON: python_of,
        Form.CSV: csv_of,
    }[form]
    return text(model).encode()
