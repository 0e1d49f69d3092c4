"""Means, spreads and verdicts of a hand-made table of results."""

from __future__ import annotations

import statistics

import pytest

from turs.benchmark import summary
from turs.benchmark.paper import paper_methods, paper_value, paper_values
from turs.benchmark.summary import against_learner, against_paper, cells_of, judge, verdict_counts


def row(dataset, learner, fold, auc, status="ok", **more):
    return {"dataset": dataset, "learner": learner, "fold": fold, "seed": 2, "status": status, "auc": auc, **more}


ROWS = [
    *(row("iris", "TURS", fold, auc, n_literals=2) for fold, auc in enumerate((0.90, 0.92, 0.94))),
    *(row("iris", "CN2", fold, auc) for fold, auc in enumerate((0.80, 0.83, 0.83))),
    *(row("wine", "TURS", fold, auc) for fold, auc in enumerate((0.90, 0.80, 0.85))),
    row("wine", "CN2", 0, 0.95),
    row("wine", "CN2", 1, 0.70),
    row("wine", "CN2", 2, None, "timeout"),
    row("musk", "TURS", 0, 0.9),
    row("musk", "CN2", 0, 0.95),
]


def test_means_and_deviations():
    cells = cells_of(ROWS)
    iris = cells["iris", "TURS"]
    assert iris.mean == {"auc": pytest.approx(0.92), "n_literals": 2.0}
    assert iris.sd == {"auc": pytest.approx(0.02), "n_literals": 0.0}
    assert iris.error("auc") == pytest.approx(0.02 / 3**0.5)
    wine = cells["wine", "CN2"]
    assert (wine.folds, wine.statuses) == (2, {"ok": 2, "timeout": 1})
    assert wine.mean["auc"] == pytest.approx(0.825)
    assert cells["musk", "TURS"].error("auc") is None


def test_a_fold_without_a_number_does_not_count_for_its_error():
    cells = cells_of([row("iris", "TURS", fold, auc, g=0.1) for fold, auc in enumerate((0.90, 0.94, None))])
    iris = cells["iris", "TURS"]
    assert (iris.folds, iris.values) == (3, {"auc": 2, "g": 3})
    assert iris.error("auc") == pytest.approx(statistics.stdev((0.90, 0.94)) / 2**0.5)
    (verdict,) = against_paper(cells, "TURS", "TURS")
    assert (verdict.folds, verdict.error) == (2, iris.error("auc"))


def test_verdicts_are_paired_by_fold():
    verdicts = {verdict.dataset: verdict for verdict in against_learner(ROWS, "TURS", "CN2")}
    assert {name: verdict.verdict for name, verdict in verdicts.items()} == {
        "iris": "ahead", "wine": "level", "musk": "behind",
    }  # fmt: skip
    iris = verdicts["iris"]
    assert iris.difference == pytest.approx(0.1)
    assert iris.error == pytest.approx(0.01 / 3**0.5)
    assert (verdicts["wine"].folds, verdicts["musk"].folds, verdicts["musk"].error) == (2, 1, None)
    assert verdicts["wine"].ours == pytest.approx(0.85)


def test_verdicts_against_the_paper_use_the_spread_of_our_folds():
    verdicts = {verdict.dataset: verdict for verdict in against_paper(cells_of(ROWS), "TURS", "TURS")}
    assert verdicts["iris"].theirs == paper_value("auc", "iris") == 0.981
    assert verdicts["iris"].verdict == "behind"
    assert verdicts["wine"].verdict == "behind"
    assert verdicts["wine"].error == pytest.approx(0.05 / 3**0.5)
    assert against_paper(cells_of([row("mine", "TURS", 0, 0.9)]), "TURS", "TURS") == []
    close = cells_of([row("iris", "TURS", fold, 0.98125) for fold in range(3)])
    assert against_paper(close, "TURS", "TURS")[0].verdict == "level"


def test_judge_and_counts():
    assert [judge(*pair) for pair in ((0.1, 0.05), (0.05, 0.05), (-0.1, None), (0.0, None))] == [
        "ahead", "level", "behind", "level",
    ]  # fmt: skip
    counts = verdict_counts(against_learner(ROWS, "TURS", "CN2"))
    assert counts == {("TURS", "CN2"): {"ahead": 1, "level": 1, "behind": 1}}


def test_means_over_the_data_sets_that_all_have():
    means, common = summary.means_over_datasets(cells_of(ROWS[:-1]), ["TURS", "CN2"], "auc")
    assert common == ["iris", "wine"]
    assert means["TURS"] == pytest.approx((0.92 + 0.85) / 2)
    assert summary.means_over_datasets(cells_of(ROWS), ["TURS", "absent"], "auc") == ({}, [])


def test_the_figures_of_the_paper():
    assert len([key for key in paper_values() if key[0] == "auc" and key[2] == "TURS"]) == 31
    assert paper_methods("auc")[0] == "TURS"
    assert len(paper_methods("auc")) == 9
    assert paper_value("literals", "magic") == 227.8
    assert paper_value("random_pick_gap", "waveform", "CN2") == -0.037
    assert paper_value("auc", "anuran", "BRS") is None
    assert paper_value("simulation_rules", "simulation", "without local test") == 12.48
