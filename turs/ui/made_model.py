"""A model of any size in a store, without learning: what measurements and tests of the application open."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from turs.data import Table
from turs.mdl.score import patterns_on
from turs.predict import model_of
from turs.rules.literal import Interval
from turs.rules.rule import Rule, RuleSet
from turs.storage import Store
from turs.ui.library import first_workspace
from turs.ui.study import Plan, study_of

N_FEATURES = 10
_CLASSES = ("low", "middle", "high")
_GROUP = 3


def made_table(n_rows: int, n_rules: int, seed: int = 0) -> pd.DataFrame:
    """Return numbers with a class that follows rules of two conditions, a tenth of the rows at random."""
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame(draw.random((n_rows, N_FEATURES)).round(3), columns=[f"x{k}" for k in range(N_FEATURES)])
    label = draw.integers(0, len(_CLASSES), n_rows) * (draw.random(n_rows) < 0.1)
    for number, (slice_of, above) in enumerate(_literals(n_rules)):
        inside = (frame["x0"] >= slice_of.low) & (frame["x0"] < slice_of.high) & (frame[above.feature] >= above.low)
        label[inside.to_numpy()] = number % len(_CLASSES)
    return frame.assign(**{"class": np.array(_CLASSES)[label]})


def store_made_model(place: Path, n_rows: int, n_rules: int, seed: int = 0) -> str:
    """Put rules on such a table into the store in a file, and return the id of an editing session on them.

    Parameters
    ----------
    place : Path
        The file of the store.
    n_rows : int
        Training rows; a quarter as many are for validation.
    n_rules : int
        Rules of two literals each; those of a group of three overlap.
    seed : int
        Of the rows.
    """
    table = Table(made_table(n_rows + n_rows // 4, n_rules, seed))
    study = study_of("made", table, Plan("class", validation=0.2, test=0.0))
    rules = RuleSet(study.schema)
    for number, literals in enumerate(_literals(n_rules), start=1):
        rules = rules.with_rule(Rule(f"r{number}", literals))
    with Store.open(place) as store:
        data_set = store.add_data_set(first_workspace(store), study.name, table.frame, "class", study.split)
        model = model_of(rules, patterns_on(rules, study.training.data))
        return store.add_session(store.add_model(data_set, "made", model), "made").id


def _literals(n_rules: int) -> list[tuple[Interval, Interval]]:
    """Return the conditions of the rules: groups of three share a slice of the first feature and overlap in it."""
    n_slices = -(-n_rules // _GROUP)
    edges = np.linspace(0.0, 1.0, n_slices + 1).round(2).tolist()
    return [
        (
            Interval("x0", low=edges[number // _GROUP], high=edges[number // _GROUP + 1]),
            Interval(f"x{1 + number % (N_FEATURES - 1)}", low=0.7),
        )
        for number in range(n_rules)
    ]
