"""`turs predict`: a table as it was, with predictions beside it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from turs.cli.applying import read_rows, used_features
from turs.cli.listing import tell
from turs.data.dataset import unlabelled_bins
from turs.data.names import listed, unique_names
from turs.data.reading import read_cells
from turs.data.writing import check_ending, write_table
from turs.predict import Prediction, predict
from turs.rules.document import load
from turs.rules.model import Model


def run(model_path: Path, table_path: Path, out: Path | None) -> None:
    """Load, read, predict and write."""
    if out is not None:
        check_ending(out)
    model = load(model_path)
    table = read_rows(model, table_path)
    prediction = predict(model, unlabelled_bins(table.frame, model.rule_set.schema, used_features(model)))
    columns = _predicted_columns(model, prediction)
    names, _ = unique_names([*table.frame.columns, *columns])
    renamed = [new for old, new in zip(columns, names[-len(columns) :], strict=True) if old != new]
    tell(table.notes)
    if renamed:
        tell([f"The table has such columns already; predictions are in {listed(renamed)}."])
    predicted = pd.concat([read_cells(table_path), pd.DataFrame(columns)], axis="columns")
    predicted.columns = pd.Index(names)
    if out is None:
        sys.stdout.write(predicted.to_csv(index=False, lineterminator="\n"))
    else:
        write_table(predicted, out)


def _predicted_columns(model: Model, prediction: Prediction) -> dict[str, object]:
    """Return the columns that are added: predicted class, one probability a class, ids of the rules that fired."""
    rule_set = model.rule_set
    classes = np.array(rule_set.schema.classes, dtype=object)
    probabilities = prediction.by_row()
    best = classes[prediction.probabilities.argmax(axis=1)][prediction.pattern]
    by_class = {f"p({label})": probabilities[:, c] for c, label in enumerate(classes)}
    fired = prediction.fired(tuple(rule.id for rule in rule_set.rules))
    return {"predicted": best} | by_class | {"rules": fired}
