"""`turs predict`: a table as it was, with predictions beside it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from turs.cli.applying import load_model, read_rows, unknown_notes
from turs.cli.learning import check_out
from turs.cli.listing import print_exactly, tell
from turs.data.dataset import unlabelled_bins
from turs.data.names import listed, unique_names
from turs.data.reading import read_cells
from turs.data.source import rereadable
from turs.data.writing import check_ending, write_table
from turs.predict import predict, predicted_columns, used_features


def run(model_path: Path, table_path: Path, out: Path | None, *, sheet: str | None = None) -> None:
    """Load, read, predict and write."""
    if out is not None:
        check_ending(out)
        check_out(out, model_path, table_path)
    model = load_model(model_path, table_path)
    with rereadable(table_path) as file:
        table = read_rows(model, file, sheet, name=table_path.name)
        cells = read_cells(file, name=table_path.name, sheet=sheet or 0)
    schema, used = model.rule_set.schema, used_features(model)
    bins = unlabelled_bins(table.frame, schema, used)
    tell(unknown_notes(schema, bins, used))
    prediction = predict(model, bins)
    columns = predicted_columns(model, prediction)
    names, _ = unique_names([*table.frame.columns, *columns])
    renamed = [new for old, new in zip(columns, names[-len(columns) :], strict=True) if old != new]
    if renamed:
        tell([f"The table has such columns already; predictions are in {listed(renamed)}."])
    predicted = pd.concat([cells, pd.DataFrame(columns)], axis="columns")
    predicted.columns = pd.Index(names)
    if out is None:
        print_exactly(predicted.to_csv(index=False, lineterminator="\n"))
    else:
        write_table(predicted, out)
