"""The second look at learned rules, and the bound on what random picks may change."""

import numpy as np
import pytest

from tests import naive
from tests.learn.test_learner import rich_data
from turs.errors import SettingsError
from turs.evaluate.auc import random_pick_gap
from turs.learn.learner import learn
from turs.learn.run import Run, Shared
from turs.learn.settings import SEARCHES, Constraints, Exponents, Search, Settings
from turs.mdl.score import patterns_on, score
from turs.rules.literal import Interval
from turs.rules.rule import Rule, RuleSet
from turs.rules.schema import Feature

UNBOUNDED = Search((Exponents(),), looks=1)
SEEDS = range(10)


def numeric_feature(seed: int) -> Feature | None:
    """Return a feature of the table with several cuts, if it has one."""
    return next((feature for feature in rich_data(seed).schema.features if len(feature.cuts) > 2), None)


WITH_CUTS = [seed for seed in SEEDS if numeric_feature(seed)]


def learned_run(seed: int, search: Search = UNBOUNDED, start: tuple[Rule, ...] = ()) -> Run:
    data = rich_data(seed)
    shared = Shared(data, Settings(), Constraints(), None, None, None)
    run = Run(shared, RuleSet(data.schema, start), search, 1)
    run.add_rules()
    return run


def with_rules(run: Run, rules: tuple[Rule, ...]) -> None:
    """Put a rule set of ours in the place of the learned one."""
    run.rule_set = RuleSet(run.rule_set.schema, rules)
    run.total_bits = score(run.rule_set, run.shared.data).total_bits


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rule_that_saves_nothing_goes(seed):
    run = learned_run(seed)
    twin = Rule("twin", run.rule_set.rules[0].literals)
    with_rules(run, (*run.rule_set.rules, twin))
    before = run.total_bits
    run.look_again()
    literals = [rule.literals for rule in run.rule_set.rules]
    assert run.total_bits < before
    assert len(set(literals)) == len(literals)
    assert run.total_bits == pytest.approx(naive.score(run.rule_set.rules, run.shared.data).total, abs=1e-6)


def test_removals_happen_and_are_written_down():
    removed = []
    for seed in SEEDS:
        run = learned_run(seed)
        with_rules(run, (*run.rule_set.rules, Rule("twin", run.rule_set.rules[0].literals)))
        run.steps.clear()
        run.look_again()
        removed += [step.rule.id for step in run.steps if step.action == "removed"]
    assert removed


def test_spoiled_rules_are_repaired():
    repaired = []
    for seed in WITH_CUTS:
        run = learned_run(seed)
        good = run.total_bits
        feature = numeric_feature(seed)
        spoiled = Rule(run.rule_set.rules[0].id, (Interval(feature.name, high=feature.cuts[0]),))
        with_rules(run, (spoiled, *run.rule_set.rules[1:]))
        spoiled_bits = run.total_bits
        if spoiled_bits <= good:  # by chance the better rule
            continue
        run.look_again()
        assert run.total_bits < spoiled_bits
        assert run.total_bits == pytest.approx(score(run.rule_set, run.shared.data).total_bits, abs=1e-6)
        repaired.append(run.total_bits <= good + 1e-6)
    assert len(repaired) > 3
    assert sum(repaired) > len(repaired) / 2


@pytest.mark.parametrize("seed", WITH_CUTS)
def test_given_rules_get_no_second_look(seed):
    feature = numeric_feature(seed)
    given = Rule("mine", (Interval(feature.name, low=feature.cuts[-1]),))
    run = learned_run(seed, start=(given,))
    run.look_again()
    assert run.rule_set.rules[0] == given


def test_random_picks_stay_within_the_bound(monkeypatch):
    gaps = {}
    for bound in (0.0005, np.inf):
        monkeypatch.setitem(SEARCHES, "bounded", Search((Exponents(),), looks=1, most_gap=bound))
        found = [learn(data, Settings(search="bounded")).rule_set for data in map(rich_data, SEEDS)]
        gaps[bound] = [abs(random_pick_gap(patterns_on(rules, rich_data(seed)))) for seed, rules in enumerate(found)]
    assert max(gaps[0.0005]) <= 0.0005
    assert max(gaps[np.inf]) > 0.0005


def test_a_start_rule_off_the_grid_is_refused():
    data = rich_data(WITH_CUTS[0])
    feature = numeric_feature(WITH_CUTS[0])
    off = Rule("off", (Interval(feature.name, low=(feature.cuts[0] + feature.cuts[1]) / 2),))
    with pytest.raises(SettingsError, match="candidate cut"):
        learn(data, start=(off,))
