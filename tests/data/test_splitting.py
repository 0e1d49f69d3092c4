"""Rows put aside: classes in proportion, the same rows for the same seed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from turs.data import stratified_split
from turs.errors import DataError, SettingsError

LABELS = pd.Series(["a"] * 60 + ["b"] * 30 + ["c"] + [None] * 9)


def test_every_row_is_in_one_part_and_classes_keep_their_share() -> None:
    training, test = stratified_split(LABELS, 0.3, seed=1)
    assert sorted([*training, *test]) == list(range(100))
    assert LABELS.iloc[test].value_counts().to_dict() == {"a": 18, "b": 9}
    assert np.all(np.diff(training) > 0)
    assert np.all(np.diff(test) > 0)


def test_the_seed_decides() -> None:
    first, same, other = (stratified_split(LABELS, 0.3, seed)[1] for seed in (1, 1, 2))
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


def test_every_class_keeps_a_training_row() -> None:
    training, _ = stratified_split(LABELS, 0.99, seed=0)
    assert set(LABELS.iloc[training].dropna()) == {"a", "b", "c"}


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0, float("nan")])
def test_a_share_is_between_0_and_1(share: float) -> None:
    with pytest.raises(SettingsError, match="share"):
        stratified_split(LABELS, share, seed=0)


def test_too_few_rows() -> None:
    with pytest.raises(DataError, match=r"'class' has 2 different values in 5 rows: too few rows .* larger share"):
        stratified_split(pd.Series(["a", "a", "b", "b", "b"], name="class"), 0.1, seed=0)


def test_an_identifier_is_told_as_one() -> None:
    with pytest.raises(DataError, match=r"'id' has 9 different values in 10 rows: .* an identifier"):
        stratified_split(pd.Series([*range(9), None], name="id").astype("Int64").fillna(8), 0.2, seed=0)
