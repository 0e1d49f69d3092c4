"""The learner: bits that add up, the same rules whatever the threads, batches and row order, demands and callbacks."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive
from tests.strategies import random_data, random_feature, random_table, seeds, tables
from turs.data.dataset import DataSet, learning_data
from turs.errors import RuleError
from turs.learn import beam
from turs.learn.learner import learn
from turs.learn.progress import Learned, Progress, Step
from turs.learn.settings import SEARCHES, Constraints, Exponents, Search, Settings
from turs.mdl import regret
from turs.mdl.score import score
from turs.rules.literal import Interval, LevelSet, Missingness
from turs.rules.rule import Rule, RuleSet
from turs.rules.schema import Feature, Kind

slow = settings(deadline=None, max_examples=40)
PAPER_SEARCH = Settings(search="paper")
SEEDS = range(12)


def rich_data(seed: int, n_rows: int = 800, n_classes: int = 2, n_features: int = 6) -> DataSet:
    """Return a table with several rules to be found."""
    rng = np.random.default_rng(seed)
    features = tuple(random_feature(rng, f"x{f + 1}") for f in range(n_features))
    return random_data(rng, n_rows, n_classes, features, n_causes=5)


def changed(rules: tuple[Rule, ...], step: Step) -> tuple[Rule, ...]:
    """Return the rules after a step."""
    if step.action == "added":
        return (*rules, step.rule)
    assert step.action in ("replaced", "removed")
    assert step.rule.id in {rule.id for rule in rules}
    new = (step.rule,) if step.action == "replaced" else ()
    return tuple(kept for rule in rules for kept in (new if rule.id == step.rule.id else (rule,)))


def check_bits(data: DataSet, learned: Learned, start: tuple[Rule, ...] = ()) -> None:
    """Compare the bits after every step with the score from scratch."""
    rules = start
    before = score(RuleSet(data.schema, rules), data).total_bits
    for step in learned.steps:
        rules = changed(rules, step)
        assert step.total_bits == pytest.approx(score(RuleSet(data.schema, rules), data).total_bits, abs=1e-6)
        assert step.total_bits < before
        assert step.covered == len(set().union(*naive.rule_covers(rules, data.schema, data.bins)))
        before = step.total_bits
    assert learned.rule_set.rules == rules
    assert learned.total_bits == before or not learned.steps
    assert learned.total_bits == pytest.approx(score(learned.rule_set, data).total_bits, abs=1e-6)


def outcome(learned: Learned) -> tuple:
    """Return all that must reproduce to the last digit."""
    steps = [(step.action, step.rule, step.total_bits, step.covered) for step in learned.steps]
    return learned.rule_set, learned.total_bits, steps, learned.exponents, learned.stopped


@slow
@given(
    tables(max_rows=150, max_rules=3),
    st.builds(
        Settings,
        search=st.sampled_from(["paper", "portfolio"]),
        beam_width=st.integers(1, 12),
        patience=st.integers(1, 3),
        least_coverage=st.integers(1, 10),
        diverse=st.booleans(),
        local_test=st.booleans(),
        auxiliary=st.booleans(),
        most_rules=st.none() | st.integers(0, 6),
    ),
)
def test_bits_after_every_step(table, options):
    data, rule_set = table
    check_bits(data, learn(data, options, start=rule_set.rules), rule_set.rules)


@pytest.mark.parametrize("seed", SEEDS)
def test_bits_after_every_step_where_there_is_much_to_learn(seed):
    data = rich_data(seed, n_classes=2 + seed % 3)
    learned = learn(data, replace(PAPER_SEARCH, local_test=seed % 2 == 0))
    check_bits(data, learned)
    assert learned.exponents == Exponents(1.0, 1.0)
    assert {step.action for step in learned.steps} <= {"added"}


@slow
@given(tables(max_rows=120, max_rules=2), seeds)
def test_threads_batches_and_row_order_change_nothing(table, seed):
    data, rule_set = table
    alone = outcome(learn(data, start=rule_set.rules))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beam, "_WORTH_THREADS", 0)
        assert outcome(learn(data, Settings(threads=2), start=rule_set.rules)) == alone
    order = np.random.default_rng(seed).permutation(data.n_rows)
    shuffled = replace(data, bins=np.ascontiguousarray(data.bins[:, order]), labels=data.labels[order])
    assert outcome(learn(shuffled, start=rule_set.rules)) == alone
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beam, "_BATCH_CELLS", 1)
        assert outcome(learn(data, start=rule_set.rules)) == alone


@pytest.mark.parametrize("seed", range(3))
def test_threads_change_nothing_on_larger_tables(seed):
    data = rich_data(seed, n_rows=3000, n_classes=3, n_features=8)
    alone = learn(data, PAPER_SEARCH)
    assert len(alone.steps) > 1
    assert outcome(learn(data, replace(PAPER_SEARCH, threads=2))) == outcome(alone)
    assert outcome(learn(data, replace(PAPER_SEARCH, threads=5))) == outcome(alone)


def test_bits_of_more_rows_than_have_a_regret_each():
    data = rich_data(0, n_rows=regret._EVERY + 20_000, n_classes=3, n_features=3)
    learned = learn(data, PAPER_SEARCH)
    assert len(learned.steps) > 1
    for number, step in enumerate(learned.steps):
        before = RuleSet(data.schema, learned.rule_set.rules[: number + 1])
        assert step.total_bits == pytest.approx(score(before, data).total_bits, abs=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_unused_features_and_directions(seed):
    data = rich_data(seed)
    free = learn(data, PAPER_SEARCH)
    literals = [literal for rule in free.rule_set.rules for literal in rule.literals]
    unused = literals[0].feature if literals else data.schema.features[0].name
    directions = {
        feature.name: (">=", "<")[(seed + f) % 2]
        for f, feature in enumerate(data.schema.features)
        if not feature.is_categorical
    }
    learned = learn(data, PAPER_SEARCH, constraints=Constraints((unused,), directions))
    check_bits(data, learned)
    for literal in (literal for rule in learned.rule_set.rules for literal in rule.literals):
        assert literal.feature != unused
        if isinstance(literal, Interval):
            assert (literal.low is None) == (directions[literal.feature] == "<")
            assert (literal.high is None) == (directions[literal.feature] == ">=")


def test_directions_matter():
    data = rich_data(10)
    numeric = [feature.name for feature in data.schema.features if not feature.is_categorical]
    sides = {
        direction: {
            (literal.low is None, literal.high is None)
            for rule in learn(
                data, constraints=Constraints(directions=dict.fromkeys(numeric, direction))
            ).rule_set.rules
            for literal in rule.literals
            if isinstance(literal, Interval)
        }
        for direction in (">=", "<")
    }
    assert sides == {">=": {(False, True)}, "<": {(True, False)}}


@pytest.mark.parametrize("seed", SEEDS)
def test_limits(seed):
    data = rich_data(seed)
    free = learn(data, PAPER_SEARCH).rule_set.rules
    for most in (1, 2):
        rules = learn(data, replace(PAPER_SEARCH, most_literals=most)).rule_set.rules
        assert all(len(rule.literals) <= most for rule in rules)
        assert learn(data, replace(PAPER_SEARCH, most_rules=most)).rule_set.rules == free[:most]
    wide = learn(data, replace(PAPER_SEARCH, least_coverage=60)).rule_set.rules
    assert all(len(cover) >= 60 for cover in naive.rule_covers(wide, data.schema, data.bins))
    assert learn(data, replace(PAPER_SEARCH, most_literals=0)).rule_set.rules == ()
    assert learn(data, replace(PAPER_SEARCH, most_rules=0)).rule_set.rules == ()


@pytest.mark.parametrize("seed", SEEDS)
def test_start_rules_stay_and_come_first(seed):
    data, rule_set = random_table(seed, n_rows=300, n_rules=2)
    for search in SEARCHES:
        learned = learn(data, Settings(search=search), start=rule_set.rules)
        assert learned.rule_set.rules[:2] == rule_set.rules
        check_bits(data, learned, rule_set.rules)
        if search == "paper":
            added = learned.rule_set.rules[2:]
            assert [rule.id for rule in added] == [f"r{3 + k}" for k in range(len(added))]
    assert learn(data, Settings(most_rules=2), start=rule_set.rules).rule_set.rules == rule_set.rules
    assert learn(data, Settings(most_rules=1), start=rule_set.rules).rule_set.rules == rule_set.rules


def test_learning_in_two_parts_equals_learning_at_once():
    data = rich_data(2)
    whole = learn(data, PAPER_SEARCH)
    assert len(whole.steps) > 2
    first = learn(data, replace(PAPER_SEARCH, most_rules=2))
    again = learn(data, PAPER_SEARCH, start=first.rule_set.rules)
    assert again.rule_set == whole.rule_set
    assert again.total_bits == pytest.approx(whole.total_bits, abs=1e-9)


def test_start_rules_with_one_id_are_refused():
    data, rule_set = random_table(1, n_rules=1)
    with pytest.raises(RuleError, match="a rule 'r1' already"):
        learn(data, start=(*rule_set.rules, *rule_set.rules))


def test_stopping_keeps_what_was_found():
    data = rich_data(2)
    whole = learn(data, PAPER_SEARCH)
    n_levels = []
    learn(data, PAPER_SEARCH, on_progress=lambda progress: n_levels.append(progress.level))
    for stop_at in range(1, len(n_levels) + 1):
        asked = []

        def should_stop(asked=asked, stop_at=stop_at) -> bool:
            asked.append(1)
            return len(asked) == stop_at

        learned = learn(data, PAPER_SEARCH, should_stop=should_stop)
        assert learned.stopped
        assert len(asked) == stop_at
        finished = learned.rule_set.rules[:-1]
        assert finished == whole.rule_set.rules[: len(finished)]
        check_bits(data, learned)
    assert not whole.stopped


def test_stopping_ends_the_portfolio_with_the_best_so_far():
    data = rich_data(2)
    told: list[Progress] = []
    learned = learn(data, on_progress=told.append, should_stop=lambda: told[-1].search == 2)
    first = learn(data, PAPER_SEARCH)
    assert learned.stopped
    assert told[-1].search == 2
    assert learned.total_bits <= first.total_bits
    check_bits(data, learned)


def test_time_budget():
    data = rich_data(2)
    short = learn(data, Settings(time_budget=1e-9))
    assert short.stopped
    assert len(short.steps) <= 1
    check_bits(data, short)
    assert not learn(data, Settings(time_budget=1e6)).stopped


@pytest.mark.parametrize("search", ["paper", "portfolio"])
def test_progress_tells_where_the_learner_is(search):
    data = rich_data(2)
    told: list[Progress] = []
    learned = learn(data, Settings(search=search), on_progress=told.append)
    n_searches = len(SEARCHES[search].exponents)
    assert {progress.search for progress in told} == set(range(1, n_searches + 1))
    for before, progress in zip([None, *told], told, strict=False):
        rules = RuleSet(data.schema, progress.rules)
        assert (progress.n_searches, progress.n_rows) == (n_searches, data.n_rows)
        assert progress.total_bits == pytest.approx(score(rules, data).total_bits, abs=1e-6)
        goes_on = before is not None and place_of(before) == place_of(progress)
        assert progress.level == (before.level + 1 if goes_on else 1)
        assert before is None or progress.seconds >= before.seconds
        if progress.best is not None:
            assert progress.best.id == (progress.looking_at or rules.next_id())
            (rules.replace_rule if progress.looking_at else rules.with_rule)(progress.best)
    assert told[-1].rules == learned.rule_set.rules
    assert {progress.looking_at is not None for progress in told} == (
        {False, True} if search == "portfolio" else {False}
    )


def place_of(progress: Progress) -> tuple:
    """Return which rule of which rule set is being grown."""
    return progress.search, progress.looking_at, progress.rules


@pytest.mark.parametrize("search", ["paper", "portfolio"])
def test_progress_counts_the_rows_that_its_rules_cover(search):
    data = rich_data(2)
    told: list[Progress] = []
    learn(data, Settings(search=search), on_progress=told.append)
    for progress in told:
        otherwise = score(RuleSet(data.schema, progress.rules), data).otherwise
        assert progress.covered == data.n_rows - otherwise.coverage


@pytest.mark.parametrize("seed", SEEDS)
def test_portfolio_keeps_the_fewest_bits(seed, monkeypatch):
    data = rich_data(seed, n_classes=3)
    portfolio = SEARCHES["portfolio"]
    alone = []
    for exponents in portfolio.exponents:
        monkeypatch.setitem(SEARCHES, "alone", replace(portfolio, exponents=(exponents,), looks=0, polish=(2, 0)))
        alone.append(learn(data, Settings(search="alone")))
    best = min(alone, key=lambda learned: learned.total_bits)
    monkeypatch.setitem(SEARCHES, "as found", replace(portfolio, looks=0, polish=(2, 0)))
    assert outcome(learn(data, Settings(search="as found"))) == outcome(best)
    looked = learn(data)
    assert looked.total_bits <= best.total_bits
    assert looked.steps[: len(best.steps)] == tuple(
        replace(step, seconds=found.seconds) for step, found in zip(best.steps, looked.steps, strict=False)
    )


def test_more_than_one_search_of_the_portfolio_wins():
    found = [learn(rich_data(seed)) for seed in range(25)]
    assert len({learned.exponents for learned in found}) > 1


def test_second_looks_change_rules_and_save_bits():
    steps = [step for seed in range(25) for step in learn(rich_data(seed)).steps]
    assert {"added", "replaced"} <= {step.action for step in steps}


def test_final_choice_and_beams_have_an_exponent_each(monkeypatch):
    found = []
    for exponents in (Exponents(1.0, 1.0), Exponents(0.5, 1.0), Exponents(1.0, 0.5)):
        monkeypatch.setitem(SEARCHES, "alone", Search((exponents,), looks=0))
        found.append([learn(rich_data(seed), Settings(search="alone")).rule_set for seed in SEEDS])
    assert found[0] != found[1]
    assert found[0] != found[2]
    assert found[1] != found[2]


@pytest.mark.parametrize("heuristic", ["diverse", "local_test", "auxiliary"])
def test_each_heuristic_can_be_switched_off(heuristic):
    changed = 0
    for seed in range(15):
        data = rich_data(seed, n_classes=3)
        off = learn(data, replace(PAPER_SEARCH, **{heuristic: False}))
        check_bits(data, off)
        changed += off.rule_set != learn(data, PAPER_SEARCH).rule_set
    assert changed > 0


def test_a_planted_rule_is_found():
    rng = np.random.default_rng(5)
    age, ward = 10 * rng.integers(2, 9, 2000), rng.choice(["A", "B", "C", "D"], 2000)
    ill = rng.random(2000) < np.where((age >= 60) & np.isin(ward, ["A", "C"]), 0.95, 0.05)
    data = learning_data(
        pd.DataFrame({"age": age, "ward": ward, "noise": rng.random(2000), "ill": ill}), "ill", kinds={"age": "numeric"}
    )
    (rule,) = learn(data).rule_set.rules
    assert set(rule.literals) == {Interval("age", low=55.0), LevelSet("ward", ("A", "C"))}


def test_missing_values_can_be_the_rule():
    rng = np.random.default_rng(5)
    ill = rng.random(600) < 0.5
    x = np.where(ill, np.nan, rng.random(600))
    learned = learn(learning_data(pd.DataFrame({"x": x, "z": rng.random(600), "ill": ill}), "ill"))
    (rule,) = learned.rule_set.rules
    assert isinstance(rule.literals[0], Missingness)


@pytest.mark.parametrize("known", [5.0, "yes"])
def test_a_column_that_is_constant_or_missing(known):
    rng = np.random.default_rng(0)
    ill = rng.random(300) < 0.5
    x = pd.Series(np.where(ill, None, known), dtype=object if isinstance(known, str) else float)
    data = learning_data(pd.DataFrame({"x": x, "z": rng.random(300), "ill": ill}), "ill")
    learned = learn(data)
    check_bits(data, learned)
    assert [literal.feature for rule in learned.rule_set.rules for literal in rule.literals] == ["x"]


def test_equal_columns_use_the_first():
    data = rich_data(2)
    twins = tuple(replace(feature, name=f"{feature.name} again") for feature in data.schema.features)
    schema = replace(data.schema, features=(*data.schema.features, *twins))
    doubled = replace(data, schema=schema, bins=np.concatenate((data.bins, data.bins)))
    literals = [literal for rule in learn(doubled).rule_set.rules for literal in rule.literals]
    assert literals
    assert not any(literal.feature.endswith("again") for literal in literals)


def test_nothing_to_learn():
    noise = DataSet(
        naive.Schema("y", ("0", "1"), (Feature("x", Kind.NUMERIC, cuts=(1.0, 2.0)),)),
        np.random.default_rng(0).integers(0, 3, (1, 100)).astype(np.uint8),
        np.arange(100, dtype=np.int16) % 2,
        (),
        np.arange(100),
    )
    learned = learn(noise)
    assert learned.rule_set.rules == ()
    assert learned.steps == ()
    assert learned.total_bits == score(RuleSet(noise.schema), noise).total_bits
