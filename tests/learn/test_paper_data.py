"""The paper's data sets and its simulation: bits that add up after every rule, and the one true rule found alone."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from turs.data import learning_data, paper_encoding
from turs.data.dataset import DataSet
from turs.learn.learner import learn
from turs.learn.progress import Learned
from turs.learn.settings import Settings
from turs.mdl.score import score
from turs.rules.rule import RuleSet
from turs.rules.schema import Feature, Kind, Schema

FOLDER = Path(os.environ.get("TURS_DATA_SETS") or Path(__file__).parents[2].parent / "shared" / "data")
NAMES = (
    "aloi",
    "anuran",
    "avila",
    "backnote",
    "car",
    "chess",
    "contracept",
    "diabetes",
    "drybeans",
    "glass-2",
    "glass",
    "heartcleveland",
    "ionosphere",
    "iris",
    "magic",
    "mammography",
    "musk",
    "optdigits",
    "pendigits-2",
    "pendigits",
    "satimage-2",
    "smtp",
    "thyroid",
    "tic-tac-toe",
    "vehicle",
    "vowels",
    "waveform-2",
    "waveform",
    "wdbc",
    "wine",
)
LARGE = 4_000
"""Above this number of rows the default search is not run, to save time: its steps are scored by the same code."""


def data_of(name: str) -> DataSet:
    """Return a data set of the paper in bins."""
    path = FOLDER / f"{name}.csv.gz"
    if not path.exists():
        pytest.skip(f"There is no {path}: TURS_DATA_SETS names the folder of the paper's data sets.")
    frame = pd.read_csv(path)
    return learning_data(paper_encoding(frame, frame.columns[-1]), frame.columns[-1])


def check_steps(learned: Learned, data: DataSet) -> None:
    """Compare the bits after every step with the score of the rules that there are then."""
    rules = RuleSet(data.schema)
    assert learned.steps
    for step in learned.steps:
        changed = {"added": rules.with_rule, "replaced": rules.replace_rule}.get(step.action)
        rules = changed(step.rule) if changed else rules.without_rule(step.rule.id)
        assert step.total_bits == pytest.approx(score(rules, data).total_bits, abs=1e-6)
    assert rules == learned.rule_set


@pytest.mark.parametrize("name", NAMES)
def test_bits_after_every_rule_equal_the_score_from_scratch(name):
    data = data_of(name)
    check_steps(learn(data, Settings(search="paper")), data)
    if data.n_rows <= LARGE:
        check_steps(learn(data), data)


def simulated(seed: int, n_rows: int = 5_000, n_features: int = 50) -> DataSet:
    """Return the paper's ablation 2: binary features of which the first alone says something about the class."""
    rng = np.random.default_rng(seed)
    chance = np.where(np.arange(n_features) == 0, 0.2, 0.5)
    bins = (rng.random((n_features, n_rows)) < chance[:, None]).astype(np.uint8)
    labels = (rng.random(n_rows) < np.where(bins[0] == 1, 0.7, 0.95)).astype(np.int16)
    features = tuple(Feature(f"x{f + 1}", Kind.CATEGORICAL, levels=("0", "1")) for f in range(n_features))
    return DataSet(Schema("y", ("0", "1"), features), bins, labels, (), np.arange(n_rows))


@pytest.mark.parametrize("search", ["paper", "portfolio"])
def test_local_test_finds_the_true_rule_alone(search):
    rules = [learn(simulated(seed), Settings(search=search)).rule_set.rules for seed in range(100)]
    alone = [[literal.feature for rule in found for literal in rule.literals] == ["x1"] for found in rules]
    assert sum(alone) >= 98


def test_without_local_test_there_are_clearly_more_rules():
    for seed in range(3):
        assert len(learn(simulated(seed), Settings(search="paper", local_test=False)).rule_set.rules) >= 5
