"""A session driven at random: whatever is done, it equals a fresh start, and every step can be undone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.editing.cases import Case, assert_same, random_case, random_edit
from tests.strategies import seeds
from turs.editing import LEARNED, history_of, read_step, state_of, step_document
from turs.editing.state import State
from turs.errors import TursError


class SessionMachine(RuleBasedStateMachine):
    """Edits, undo, redo, jumps and checkpoints in any order."""

    case: Case

    @initialize(
        seed=seeds,
        n_rows=st.integers(12, 70),
        n_classes=st.integers(2, 4),
        n_rules=st.integers(0, 4),
        with_validation=st.booleans(),
    )
    def begin(self, seed: int, n_rows: int, n_classes: int, n_rules: int, with_validation: bool) -> None:
        self.case = random_case(seed, n_rows, n_classes, n_rules, with_validation)
        self.steps: list[object] = []
        self.case.session.journal = lambda step: self.steps.append(step_document(step))

    @property
    def session(self):  # type: ignore[no-untyped-def]  # a short name for what every rule uses
        return self.case.session

    @rule(seed=seeds, n_edits=st.integers(1, 12))
    def edit(self, seed: int, n_edits: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(n_edits):
            self.edit_once(rng)

    def check_bits_saved(self, state: State, rng: np.random.Generator) -> None:
        rules = state.version.rules
        if rules:
            k = int(rng.integers(len(rules)))
            without = state.moved_to(replace(state.version, rules=(*rules[:k], *rules[k + 1 :])))
            saved = state.evaluation.contributions[k].bits_saved
            assert saved == pytest.approx(without.score.total_bits - state.score.total_bits, abs=1e-9)

    def edit_once(self, rng: np.random.Generator) -> None:
        edit = random_edit(rng, self.session.version)
        before, history, n_steps = self.session.state, self.session.history, len(self.steps)
        locked = {rule for rule in before.version.rules if rule.id in before.version.locked}
        try:
            previewed = self.session.preview(edit)
            assert self.session.state is before
            impact = self.session.apply(edit, author="somebody")
        except TursError:
            assert self.session.state is before
            assert self.session.history is history
            assert len(self.steps) == n_steps
            return
        assert previewed.after.version == impact.after.version == self.session.version
        assert previewed.score_after == impact.score_after
        assert locked <= set(self.session.version.rules)
        assert_same(self.session.state, self.case.from_scratch(self.session.version))
        after = self.session.state
        self.check_bits_saved(after, rng)
        self.session.undo()
        assert self.session.version == before.version
        assert_same(self.session.state, self.case.from_scratch(before.version))
        self.session.redo()
        assert self.session.version == after.version
        assert self.session.state.score == after.score

    @precondition(lambda self: self.session.history.can_undo)
    @rule()
    def undo(self) -> None:
        self.session.undo()

    @precondition(lambda self: self.session.history.can_redo)
    @rule()
    def redo(self) -> None:
        self.session.redo()

    @rule(share=st.floats(0, 1))
    def jump(self, share: float) -> None:
        self.session.jump(round(share * len(self.session.history.entries)))

    @rule(name=st.sampled_from(["before", "after the meeting"]))
    def checkpoint(self, name: str) -> None:
        self.session.checkpoint(name)
        assert self.session.history.at(name) == self.session.history.cursor

    @invariant()
    def state_is_the_fold_of_the_edits(self) -> None:
        version = self.session.version_at(LEARNED)
        for entry in self.session.history.path():
            version = entry.edit.apply(version)
        assert version == self.session.version

    def teardown(self) -> None:
        """The journal alone gives the same session again, to the last digit."""
        if not hasattr(self, "case"):
            return
        again = history_of(read_step(step) for step in self.steps)
        assert again == self.session.history
        assert again.can_redo == self.session.history.can_redo
        learned = self.session.learned
        fresh = state_of(self.session.version, learned.training.rows, learned.validation and learned.validation.rows)
        assert fresh.score == self.session.state.score
        np.testing.assert_array_equal(fresh.training.row_pattern, self.session.state.training.row_pattern)


TestSessionMachine = SessionMachine.TestCase
TestSessionMachine.settings = settings(max_examples=50, stateful_step_count=30, suppress_health_check=list(HealthCheck))
