"""`turs score`: a model on a table in numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from turs.cli.applying import read_rows
from turs.cli.listing import lines_of, print_json, print_line, print_rules, summary_text, tell
from turs.data.dataset import DataSet, labelled_data
from turs.data.names import position_of
from turs.data.splitting import stratified_split
from turs.evaluate.summary import summarise
from turs.predict import used_features
from turs.rules.document import load
from turs.rules.model import Model


def run(
    model_path: Path, table_path: Path, *, target: str | None, test_size: float | None, seed: int, as_json: bool
) -> None:
    """Load, read, score and print."""
    model = load(model_path)
    data = _read(model, table_path, target, test_size, seed)
    tell(data.notes)
    summary = summarise(model, data)
    if as_json:
        print_json(summary.to_json_object())
        return
    print_rules(model.rule_set, lines_of(summary))
    print_line("")
    print_line(summary_text(summary))


def _read(model: Model, path: Path, target: str | None, test_size: float | None, seed: int) -> DataSet:
    """Return the labelled rows of a table, or of its test part."""
    schema = model.rule_set.schema
    table = read_rows(model, path)
    frame, names = table.frame, list(table.frame.columns)
    name = names[position_of(target or schema.target, names, "target column")]
    if test_size is not None:
        frame = frame.iloc[stratified_split(frame[name], test_size, seed)[1]]
    return labelled_data(frame, replace(schema, target=name), needed=used_features(model), notes=table.notes)
