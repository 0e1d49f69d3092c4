"""Options and demands that make no sense are named."""

import pytest

from tests.strategies import random_table
from turs.errors import TursError
from turs.learn.learner import learn
from turs.learn.local_test import power
from turs.learn.settings import SEARCHES, Constraints, Settings


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"search": "best"}, "no search 'best': use portfolio or paper"),
        ({"beam_width": 0}, "beam_width is 0"),
        ({"patience": 0}, "patience is 0"),
        ({"least_coverage": 0}, "least_coverage is 0"),
        ({"threads": 0}, "threads is 0"),
        ({"most_literals": -1}, "most_literals is -1"),
        ({"most_rules": -2}, "most_rules is -2"),
        ({"time_budget": 0.0}, "time_budget is 0.0"),
        ({"time_budget": float("nan")}, "time_budget is nan"),
    ],
)
def test_bad_options(options, message):
    data, _ = random_table(1)
    with pytest.raises(TursError, match=message):
        learn(data, Settings(**options))


def test_bad_constraints():
    data, _ = random_table(4, n_features=5)
    numeric = next(feature.name for feature in data.schema.features if not feature.is_categorical)
    categorical = next(feature.name for feature in data.schema.features if feature.is_categorical)
    for constraints, message in (
        (Constraints(unused=("nothing",)), "no feature 'nothing'"),
        (Constraints(directions={"nothing": "<"}), "no feature 'nothing'"),
        (Constraints(directions={numeric: ">"}), "use '>=' or '<'"),
        (Constraints(directions={categorical: ">="}), "is categorical"),
    ):
        with pytest.raises(TursError, match=message):
            learn(data, constraints=constraints)


@pytest.mark.parametrize("exponent", [k / 8 for k in range(9)])
def test_powers(exponent):
    powers = [power(m, round(8 * exponent)) for m in range(1, 51)]
    assert powers == pytest.approx([m**exponent for m in range(1, 51)], rel=1e-14)


def test_exponents_are_multiples_of_an_eighth():
    for exponents in (pair for search in SEARCHES.values() for pair in search.exponents):
        assert exponents.rule * 8 == round(exponents.rule * 8)
        assert exponents.beam * 8 == round(exponents.beam * 8)
