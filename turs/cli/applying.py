"""A model and a table: what the commands that take both check and read before they part."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from turs.cli.listing import tell
from turs.cover.patterns import Patterns
from turs.data.names import listed, position_of, shortened
from turs.data.reading import Table, read_table
from turs.data.splitting import stratified_split
from turs.editing import Note, Version, first_version
from turs.errors import ModelError
from turs.predict import model_of
from turs.rules.document import load
from turs.rules.model import Model
from turs.rules.schema import Schema


@dataclass(frozen=True)
class Split:
    """How rows are put aside: the share of them, and the seed of the draw."""

    test_size: float
    seed: int


@dataclass(frozen=True)
class Parts:
    """A table in the parts that a command works on.

    Parameters
    ----------
    training, validation : DataFrame
        The rows; without a split all are for training.
    split : Split or None
        How they were parted.
    notes : tuple of str
        What the reader noted, and told.
    """

    training: pd.DataFrame
    validation: pd.DataFrame | None
    split: Split | None
    notes: tuple[str, ...]


def load_model(path: Path, table_path: Path) -> Model:
    """Load the model of a command that takes a table after it."""
    try:
        return load(path)
    except ModelError:
        if not _is_model(table_path):
            raise
    raise ModelError(f"{path} is no model, but {table_path} is: the model comes first, the table after it.")


def _is_model(path: Path) -> bool:
    """Return whether a file holds a model."""
    try:
        with path.open("rb") as file:
            if not file.read(64).lstrip().startswith(b"{"):  # a large table is not read for that
                return False
        load(path)
    except (OSError, ModelError):
        return False
    return True


def read_rows(model: Model, path: Path | BinaryIO, sheet: str | None = None, *, name: str | None = None) -> Table:
    """Read a table that has to have every feature column of the model; columns of levels stay text.

    What the reader noted is told at once: it may explain what is found to be wrong after that.
    """
    features = model.rule_set.schema.features
    levels = [feature.name for feature in features if feature.is_categorical]
    table = read_table(path, name=name, sheet=sheet or 0, text=levels)
    tell(table.notes)
    names = list(table.frame.columns)
    for feature in features:
        position_of(feature.name, names, "feature column")
    return table


def unknown_notes(schema: Schema, bins: NDArray[np.uint8], used: Collection[str]) -> list[str]:
    """Return a note on each column that rules use and of which the model knows no value."""
    notes = []
    for feature, row in zip(schema.features, bins, strict=True):
        if not feature.is_categorical or feature.name not in used:
            continue
        present = row[row != feature.missing_bin]
        if present.size and (present == feature.other_bin).all():
            notes.append(
                f"The model knows no value of '{shortened(feature.name)}' in this table; those that it knows are"
                f" {listed(feature.levels)}."
            )
    return notes


def split_table(
    model: Model, path: Path, sheet: str | None, target: str | None, test_size: float | None, seed: int | None
) -> Parts:
    """Return training rows and, where rows are to be put aside, validation rows.

    The class column gets the name that the model knows.
    """
    known = model.rule_set.schema.target
    table = read_rows(model, path, sheet)
    frame, names = table.frame, list(table.frame.columns)
    name = names[position_of((target or known).strip(), names, "target column")]
    frame = frame.rename(columns={name: known}) if name != known else frame
    split = wanted_split(model, test_size, seed)
    if split is None:
        return Parts(frame, None, None, table.notes)
    kept, aside = stratified_split(frame[known], split.test_size, split.seed)
    return Parts(frame.iloc[kept], frame.iloc[aside], split, table.notes)


def wanted_split(model: Model, test_size: float | None, seed: int | None) -> Split | None:
    """Return the split that was asked for; what was not comes from the model. A share of 0 puts no row aside."""
    known = known_split(model)
    if test_size is None:
        test_size = known.test_size if known else 0
    if seed is None:
        seed = known.seed if known else 0
    return Split(test_size, seed) if test_size else None


def known_split(model: Model) -> Split | None:
    """Return the split whose training part the counts of a model are of, where its document tells one."""
    told = edited_rows(model)["split"] if edited_rows(model) else model.info.get("split")
    size, seed = (told.get("test_size"), told.get("seed")) if isinstance(told, dict) else (None, None)
    is_split = isinstance(size, float) and 0 < size < 1 and isinstance(seed, int) and seed >= 0
    return Split(size, seed) if is_split else None  # type: ignore[arg-type]  # both were checked


def editing_of(model: Model) -> dict[str, Any]:
    """Return what a model document tells of edits; nothing where there were none."""
    told = model.info.get("editing")
    return told if isinstance(told, dict) else {}


def edited_rows(model: Model) -> dict[str, Any]:
    """Return on which rows the model was edited, where its document tells."""
    told = editing_of(model).get("rows")
    return {"split": None, "learned_from": False, **told} if isinstance(told, dict) else {}


def n_rows_of(model: Model) -> int:
    """Return the number of rows that the counts of a model are of."""
    return sum(sum(pattern.counts) for pattern in model.patterns)


def has_counts(model: Model, patterns: Patterns) -> bool:
    """Return whether the rules of a model have on some rows the counts that the model holds."""
    here = model_of(model.rule_set, patterns)
    stored, found = ({line.rules: line.counts for line in one.patterns if any(line.counts)} for one in (model, here))
    return stored == found


def are_own_rows(model: Model, parts: Parts, patterns: Patterns) -> bool:
    """Return whether these are the rows of the model: its counts, and the rows put aside that it was not counted on.

    The counts alone do not tell two draws apart where there are no rules.
    """
    known = known_split(model)
    return has_counts(model, patterns) and (parts.split is None or known is None or parts.split == known)


def are_learned_rows(model: Model, split: Split | None) -> bool:
    """Return whether the model's own rows are those that its rules were learned from, as far as its document tells."""
    if edited_rows(model):
        return edited_rows(model)["learned_from"] is True
    return not editing_of(model) or split == known_split(model)  # documents of old do not tell it of edits


def start_of(model: Model) -> Version:
    """Return the rules of a model with the locks and notes that earlier edits left."""
    version = first_version(model.rule_set)
    told = editing_of(model)
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
