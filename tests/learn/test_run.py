"""The second look at learned rules, their polish, and the bound on what random picks may change."""

from collections import Counter, deque
from collections.abc import Iterator

import numpy as np
import pytest

from tests import naive
from tests.learn.test_learner import rich_data
from turs.cover.covers import rule_covers
from turs.data.dataset import DataSet
from turs.errors import SettingsError
from turs.evaluate.auc import random_pick_gap
from turs.learn.counting import Rows
from turs.learn.learner import learn
from turs.learn.run import Run, Shared
from turs.learn.settings import SEARCHES, Constraints, Exponents, Search, Settings
from turs.mdl.score import patterns_on, score
from turs.rules.literal import Interval, Literal
from turs.rules.rule import Rule, RuleSet
from turs.rules.schema import Feature, Schema

UNBOUNDED = Search((Exponents(),), looks=1)
MANY = 1000  # rounds of the polish
SEEDS = range(10)


def numeric_feature(seed: int) -> Feature | None:
    """Return a feature of the table with several cuts, if it has one."""
    return next((feature for feature in rich_data(seed).schema.features if len(feature.cuts) > 2), None)


WITH_CUTS = [seed for seed in SEEDS if numeric_feature(seed)]


def learned_run(
    seed: int,
    search: Search = UNBOUNDED,
    start: tuple[Rule, ...] = (),
    options: Settings | None = None,
) -> Run:
    data = rich_data(seed)
    shared = Shared(data, options or Settings(), Constraints(), None, None, None)
    rows = shared.divided(start)
    run = Run(shared, RuleSet(data.schema, start), rows, search, 1)
    run.add_rules(rows)
    return run


def divided(run: Run) -> Rows:
    """Return the rows as the rule set divides them."""
    return run.shared.divided(run.rule_set.rules)


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
    run.look_again(divided(run))
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
        run.look_again(divided(run))
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
        run.look_again(divided(run))
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
    run.look_again(divided(run))
    assert run.rule_set.rules[0] == given


def test_no_search_is_run_twice_beside_the_same_rules(monkeypatch):
    counted: list[int] = []
    search = Run._search
    monkeypatch.setattr(Run, "_search", lambda run, *rest: counted.append(1) or search(run, *rest))
    n_spared = 0
    for seed in SEEDS:
        remembering, forgetful = learned_run(seed), learned_run(seed)
        forgetful._searched = deque(maxlen=0)
        counted.clear()
        remembering.look_again(divided(remembering))
        n_spared -= len(counted)
        counted.clear()
        forgetful.look_again(divided(forgetful))
        n_spared += len(counted)
        assert remembering.rule_set == forgetful.rule_set
        assert remembering.total_bits == forgetful.total_bits
    assert n_spared > 0


def test_the_final_choice_is_by_rank_then_by_the_order_of_finding():
    run = learned_run(0)
    rows = run.shared.divided(run.rule_set.rules)
    found = run._search(rows, None, run._speed)
    assert len(found) > run.shared.settings.beam_width
    best = run._best_rules(run.rule_set, rows, None, run._speed)
    order = sorted(range(len(found)), key=lambda at: (-run._speed(found[at]), at))
    speeds = [run._speed(found[at]) for at in order[: run.shared.settings.beam_width]]
    assert [run._speed(one) for one in best] == speeds
    same = run._best_rules(run.rule_set, rows, None, lambda one: 7.0)
    assert [one.key for one in same] == [one.key for one in found[: run.shared.settings.beam_width]]


def neighbours(rule: Rule, schema: Schema) -> Iterator[tuple[Literal, ...]]:
    """Yield the literals without each of them, and with each interval of one cut at every other cut, moved to the end.

    An interval of two cuts is left out, as is a set of levels: their place among the literals would matter.
    """
    for j, literal in enumerate(rule.literals):
        rest = rule.literals[:j] + rule.literals[j + 1 :]
        yield rest
        if isinstance(literal, Interval) and None in (literal.low, literal.high):
            for cut in schema.feature(literal.feature).cuts:
                yield (*rest, Interval(literal.feature, low=cut))
                yield (*rest, Interval(literal.feature, high=cut))


@pytest.mark.parametrize("seed", SEEDS)
def test_no_step_saves_bits_after_the_polish(seed):
    run = learned_run(seed, options=Settings(local_test=False))
    run.polish(divided(run), MANY)
    data, rules = run.shared.data, run.rule_set
    assert run.total_bits == pytest.approx(score(rules, data).total_bits, abs=1e-6)
    n_tried = 0
    for rule in rules.rules:
        assert score(rules.without_rule(rule.id), data).total_bits >= run.total_bits - 1e-6
        for literals in filter(None, neighbours(rule, data.schema)):
            changed = rules.replace_rule(Rule(rule.id, literals))
            if all(newly_covered(changed, rule.id, data)):
                n_tried += 1
                assert score(changed, data).total_bits >= run.total_bits - 2e-6
    assert n_tried


def newly_covered(rules: RuleSet, rule_id: str, data: DataSet) -> Iterator[bool]:
    """Yield whether the rule covers a row that no other does, and not all rows: the search looks at no others."""
    covers = dict(
        zip((rule.id for rule in rules.rules), rule_covers(rules.rules, rules.schema, data.bins), strict=True)
    )
    cover = covers.pop(rule_id)
    yield bool((cover & ~np.any([np.zeros_like(cover), *covers.values()], axis=0)).any())
    yield not cover.all()


def test_the_polish_shortens_and_recuts_rules():
    done: Counter[str] = Counter()
    for seed in SEEDS:
        run = learned_run(seed)
        run.steps.clear()
        before, bits = run.rule_set, run.total_bits
        run.polish(divided(run), MANY)
        for step in run.steps:
            assert step.total_bits < bits
            bits = step.total_bits
            old = before.rule(step.rule.id).literals
            if step.action == "removed":
                done["dropped"] += 1
                before = before.without_rule(step.rule.id)
                continue
            assert {literal.feature for literal in step.rule.literals} <= {literal.feature for literal in old}
            done["shorter" if len(step.rule.literals) < len(old) else "cut anew"] += 1
            before = before.replace_rule(step.rule)
        assert before == run.rule_set
    assert done["shorter"]
    assert done["cut anew"]


def test_the_polish_looks_at_each_rule_as_often_as_it_may():
    run = next(run for run in map(learned_run, SEEDS) if len(run.rule_set.rules) > 2)
    n_rules, told = len(run.rule_set.rules), []
    run.shared.on_progress = told.append
    run.polish(divided(run), 0)
    assert not told
    run.polish(divided(run), 1)
    assert len(told) == n_rules
    run.polish(divided(run), MANY)
    told.clear()
    run.polish(divided(run), MANY)
    assert not told, "nothing has changed since no step saved bits"


@pytest.mark.parametrize("seed", WITH_CUTS)
def test_given_rules_are_not_polished(seed):
    feature = numeric_feature(seed)
    given = Rule("mine", (Interval(feature.name, low=feature.cuts[-1]),))
    run = learned_run(seed, start=(given,))
    run.polish(divided(run), MANY)
    assert run.rule_set.rules[0] == given


def test_the_polish_can_be_stopped():
    run = next(run for run in map(learned_run, SEEDS) if len(run.rule_set.rules) > 2)
    told = []
    run.shared.on_progress, run.shared.should_stop = told.append, lambda: len(told) == 2
    run.polish(divided(run), MANY)
    assert run.stopped
    assert len(told) == 2
    assert run.total_bits == pytest.approx(score(run.rule_set, run.shared.data).total_bits, abs=1e-6)


def test_random_picks_stay_within_the_bound(monkeypatch):
    tables = [rich_data(seed, n_classes=2 + seed % 2) for seed in range(21)]
    gaps = {}
    for bound in (0.0005, np.inf):
        monkeypatch.setitem(SEARCHES, "bounded", Search((Exponents(),), looks=1, polish=(MANY, MANY), most_gap=bound))
        found = [learn(data, Settings(search="bounded")).rule_set for data in tables]
        gaps[bound] = [abs(random_pick_gap(patterns_on(*pair))) for pair in zip(found, tables, strict=True)]
    assert max(gaps[0.0005]) <= 0.0005
    assert max(gaps[np.inf]) > 0.0005


def test_a_start_rule_off_the_grid_is_refused():
    data = rich_data(WITH_CUTS[0])
    feature = numeric_feature(WITH_CUTS[0])
    off = Rule("off", (Interval(feature.name, low=(feature.cuts[0] + feature.cuts[1]) / 2),))
    with pytest.raises(SettingsError, match="candidate cut"):
        learn(data, start=(off,))
