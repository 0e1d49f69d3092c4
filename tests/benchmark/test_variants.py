"""The table of search variants, and variants measured beside the default."""

from __future__ import annotations

from dataclasses import fields

import pytest

from turs.benchmark.learners import DEFAULT
from turs.benchmark.variants import VARIANTS, Tried, measured_variants, recorded_variants
from turs.errors import ModelError
from turs.learn.settings import SEARCHES

HEADER = ",".join(field.name for field in fields(Tried))


def test_the_table_that_is_shipped_can_be_read():
    assert all(isinstance(tried, Tried) for tried in recorded_variants())


def test_every_recorded_variant_has_a_reason_and_the_default_a_line():
    tried = recorded_variants()
    assert all(one.reason and one.kept for one in tried)
    assert [one.variant for one in tried if one.kept == "yes"] == [DEFAULT] == [tried[0].variant]


def test_the_means_of_the_default_are_those_that_the_differences_were_taken_from():
    default, *others = recorded_variants()
    for one in others:
        assert one.mean_auc - one.auc_difference == pytest.approx(default.mean_auc, abs=2e-6), one.variant


def test_variants_differ_from_the_default_and_from_each_other():
    searches = [SEARCHES["portfolio"], *(search for _, search in VARIANTS.values())]
    assert len(set(searches)) == len(searches)


def test_the_table_says_what_the_variants_are():
    recorded = {tried.variant: tried.what for tried in recorded_variants()}
    assert {name: recorded[name] for name in VARIANTS} == {name: what for name, (what, _) in VARIANTS.items()}


def test_a_table_is_read_and_checked():
    line = "more cuts,40 cuts,30,2 3 4,450,100.5,0.9,12,-0.1,0.05,0.001,0.002,3,1,2,,no,too slow"
    text = f"{HEADER}\n{line}\nempty,,1,2,,,,,,,,,,,,,,\n"
    first, second = recorded_variants(text)
    assert (first.variant, first.datasets, first.bits_difference, first.kept) == ("more cuts", 30, -0.1, "no")
    assert (first.folds, first.cost, first.largest_gap) == (450, 2.0, None)
    assert (first.reason, second.reason, second.mean_bits) == ("too slow", "", None)
    with pytest.raises(ModelError, match="columns variant"):
        recorded_variants("a,b\n1,2\n")
    with pytest.raises(ModelError, match="maybe"):
        recorded_variants(text.replace(",no,", ",maybe,"))


def test_variants_are_paired_with_the_default():
    name = next(iter(VARIANTS))

    def row(dataset, learner, fold, bits, auc, literals):
        place = {"dataset": dataset, "learner": learner, "fold": fold, "seed": 2, "status": "ok"}
        sizes = {"total_bits": bits, "auc": auc, "n_literals": literals}
        return {**place, **sizes, "fit_cpu_s": bits, "random_pick_auc": auc - literals / 1000}

    rows = [
        row("a", "TURS", 0, 100.0, 0.9, 4), row("a", name, 0, 90.0, 0.92, 4),
        row("b", "TURS", 0, 1000.0, 0.8, 10), row("b", name, 0, 1000.0, 0.8, 5),
        row("c", "TURS", 0, 50.0, 0.8, 10),
    ]  # fmt: skip
    itself, tried = measured_variants(rows, "TURS", [name], [2])
    assert (itself.variant, itself.datasets, itself.kept, itself.cost) == ("TURS", 3, "yes", 1.0)
    assert itself.mean_bits == pytest.approx(1150 / 3)
    assert (itself.bits_difference, itself.auc_difference, itself.auc_error) == (0.0, 0.0, None)
    assert measured_variants(rows[-1:], "TURS", [name], [2]) == []
    assert tried.datasets == 2
    assert tried.mean_bits == pytest.approx(545.0)
    assert tried.bits_difference == pytest.approx(-5.0)
    assert tried.bits_error == pytest.approx(5.0)
    assert tried.auc_difference == pytest.approx(0.01)
    assert tried.literals_difference == pytest.approx(-25.0)
    assert (tried.folds, tried.cost, tried.largest_gap) == (2, pytest.approx(1090 / 1100), pytest.approx(0.005))
