"""The forms that a model is exported in. Nothing is loaded here, so that the command line's help appears at once."""

from __future__ import annotations

from enum import StrEnum


class Form(StrEnum):
    """A form of a model; all but a workbook are text."""

    JSON = "json"
    TEXT = "text"
    MARKDOWN = "markdown"
    PYTHON = "python"
    SQL = "sql"
    XLSX = "xlsx"
    CSV = "csv"
