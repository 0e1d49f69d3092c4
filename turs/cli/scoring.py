"""`turs score`: a model on a table in numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd

from turs.cli.applying import (
    Split,
    are_learned_rows,
    has_counts,
    known_split,
    load_model,
    read_rows,
    unknown_notes,
    wanted_split,
)
from turs.cli.listing import lines_of, print_json, print_line, print_rules, summary_text, tell
from turs.data.dataset import DataSet, labelled_data
from turs.data.names import position_of
from turs.data.splitting import stratified_split
from turs.errors import DataError
from turs.evaluate.summary import summarise
from turs.mdl.score import patterns_on
from turs.predict import used_features
from turs.rules.model import Model


def run(
    model_path: Path,
    table_path: Path,
    *,
    sheet: str | None,
    target: str | None,
    test_size: float | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Load, read, score and print."""
    model = load_model(model_path, table_path)
    data = _read(model, table_path, sheet, target, test_size, seed)
    tell((*data.notes, *unknown_notes(data.schema, data.bins, used_features(model))))
    summary = summarise(model, data)
    if as_json:
        print_json(summary.to_json_object())
        return
    print_rules(model.rule_set, lines_of(summary))
    print_line("")
    print_line(summary_text(summary))


def _read(
    model: Model, path: Path, sheet: str | None, target: str | None, test_size: float | None, seed: int | None
) -> DataSet:
    """Return the labelled rows of a table, or of its test part.

    Of the table that the model was learned from, the rows that were put aside then are taken unless asked otherwise.
    """
    table = read_rows(model, path, sheet)
    frame, names = table.frame, list(table.frame.columns)
    name = names[position_of((target or model.rule_set.schema.target).strip(), names, "target column")]
    split, notes = wanted_split(model, test_size, seed), tuple[str, ...]()
    if test_size is None and split is not None:
        if not _is_own_table(model, frame, name, split):
            split = None
        else:
            notes = ("Only the rows that were put aside at learning are scored; --test-size 0 scores all rows.",)
    if split is not None:
        frame = frame.iloc[stratified_split(frame[name], split.test_size, split.seed)[1]]
    return _labelled(model, frame, name, notes)


def _is_own_table(model: Model, frame: pd.DataFrame, target: str, split: Split) -> bool:
    """Return whether the rows that a split leaves for training are those of the model."""
    if split != known_split(model) or not are_learned_rows(model, split):
        return False
    try:
        kept, _ = stratified_split(frame[target], split.test_size, split.seed)
        data = _labelled(model, frame.iloc[kept], target)
    except DataError:  # a table too small to be parted so, or of other classes
        return False
    return has_counts(model, patterns_on(model.rule_set, data))


def _labelled(model: Model, frame: pd.DataFrame, target: str, notes: tuple[str, ...] = ()) -> DataSet:
    """Return rows in the bins of a model."""
    schema = replace(model.rule_set.schema, target=target)
    return labelled_data(frame, schema, needed=used_features(model), notes=notes)
