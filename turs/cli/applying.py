"""A model and a table: what the commands that take both check and read before they part."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd

from turs.data.names import position_of
from turs.data.reading import Table, read_table
from turs.data.splitting import stratified_split
from turs.editing import Note, Version, first_version
from turs.rules.model import Model


def read_rows(model: Model, path: Path) -> Table:
    """Read a table that has to have every feature column of the model; columns of levels stay text."""
    features = model.rule_set.schema.features
    table = read_table(path, text=[feature.name for feature in features if feature.is_categorical])
    names = list(table.frame.columns)
    for feature in features:
        position_of(feature.name, names, "feature column")
    return table


def split_table(
    model: Model, path: Path, target: str | None, test_size: float | None, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame | None, tuple[str, ...]]:
    """Return training rows and, where rows are to be put aside, validation rows; and what the reader noted.

    The class column gets the name that the model knows.
    """
    known = model.rule_set.schema.target
    table = read_rows(model, path)
    frame, names = table.frame, list(table.frame.columns)
    name = names[position_of(target or known, names, "target column")]
    frame = frame.rename(columns={name: known}) if name != known else frame
    if test_size is None:
        return frame, None, table.notes
    kept, aside = stratified_split(frame[known], test_size, seed)
    return frame.iloc[kept], frame.iloc[aside], table.notes


def start_of(model: Model) -> Version:
    """Return the rules of a model with the locks and notes that earlier edits left."""
    version = first_version(model.rule_set)
    told = model.info.get("editing")
    told = told if isinstance(told, dict) else {}
    locked, notes, last_id = (told.get(key) for key in ("locked", "notes", "last_id"))
    if isinstance(locked, list):
        version = replace(version, locked=frozenset(str(rule) for rule in locked) & set(version.ids))
    if isinstance(notes, list):
        texts = (note for note in notes if isinstance(note, dict))
        version = replace(
            version, notes=tuple(Note(str(note.get("rule", "")), str(note.get("text", ""))) for note in texts)
        )
    if isinstance(last_id, int):
        version = replace(version, last_id=max(version.last_id, last_id))
    return version
