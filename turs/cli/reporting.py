"""`turs report`: a page about a model for people who decide on it."""

from __future__ import annotations

from pathlib import Path

from turs.cli.applying import split_table, start_of
from turs.cli.learning import check_out
from turs.cli.listing import tell
from turs.editing import session_on
from turs.errors import ModelError
from turs.export.report import About, report_of
from turs.files import replacing
from turs.rules.document import load


def run(
    model_path: Path, table_path: Path, out: Path, *, target: str | None, test_size: float | None, seed: int
) -> None:
    """Load, evaluate and write."""
    check_out(out, model_path, table_path)
    model = load(model_path)
    training, validation, notes = split_table(model, table_path, target, test_size, seed)
    session = session_on(start_of(model), training, validation)
    title = f"Rules for {model.rule_set.schema.target}"
    page = report_of(session, About(title, table_path.name, (*notes, *session.state.training.rows.data.notes)))
    try:
        with replacing(out) as file:
            file.write(page.encode("utf-8", errors="replace"))
    except OSError as error:
        raise ModelError(f"{out} cannot be written: {error.strerror or error}.") from error
    tell([f"The report was written to {out}."])
