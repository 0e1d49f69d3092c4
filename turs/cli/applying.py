"""A model and a table: what `turs score` and `turs predict` check and read before they part."""

from __future__ import annotations

from pathlib import Path

from turs.data.names import position_of
from turs.data.reading import Table, read_table
from turs.rules.model import Model


def read_rows(model: Model, path: Path) -> Table:
    """Read a table that has to have every feature column of the model; columns of levels stay text."""
    features = model.rule_set.schema.features
    table = read_table(path, text=[feature.name for feature in features if feature.is_categorical])
    names = list(table.frame.columns)
    for feature in features:
        position_of(feature.name, names, "feature column")
    return table
