"""`turs export`: a model in another form."""

from __future__ import annotations

from pathlib import Path

from turs.cli.learning import check_out
from turs.cli.listing import print_exactly
from turs.errors import ModelError, SettingsError
from turs.export.content import content_of
from turs.export.form import Form
from turs.files import replacing
from turs.rules.document import load


def run(model_path: Path, form: Form, out: Path | None, table: str) -> None:
    """Load, export and write."""
    if out is None and form is Form.XLSX:
        raise SettingsError("A workbook is not printed: say with --out which file to write.")
    if not table:
        raise SettingsError("The name of the table is empty: give it with --table.")
    check_out(out, model_path)
    content = content_of(load(model_path), form, table=table)
    if out is None:
        print_exactly(content.decode())
        return
    try:
        with replacing(out) as file:
            file.write(content)
    except OSError as error:
        raise ModelError(f"{out} cannot be written: {error.strerror or error}.") from error
