"""A history is the fold of its steps: all at once or one by one, and as a slow, obvious twin has it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turs.editing import DeleteRule, Entry, History, Moved, Named, Step, history_of
from turs.errors import EditError


@st.composite
def journals(draw: st.DrawFn) -> list[Step]:
    """Return steps that can follow each other; a few edits are not made where the cursor is."""
    steps: list[Step] = []
    n_entries = cursor = 0
    for _ in range(draw(st.integers(0, 25))):
        kind = draw(st.sampled_from(["edit", "edit", "elsewhere", "move", "name"]))
        at = draw(st.integers(0, n_entries))
        if kind == "name":
            steps.append(Named(draw(st.sampled_from("ab")), at))
        elif kind == "move":
            steps.append(Moved(at))
            cursor = at
        else:
            n_entries += 1
            steps.append(Entry(n_entries, at if kind == "elsewhere" else cursor, DeleteRule("r1"), ""))
            cursor = n_entries
    return steps


def naive_redo(steps: list[Step]) -> dict[int, int]:
    """Return where redo leads from each entry: to the child on the way to where the cursor was last."""
    parents: dict[int, int] = {}
    onward: dict[int, int] = {}
    for step in steps:
        if isinstance(step, Named):
            continue
        if isinstance(step, Entry):
            parents[step.number] = step.parent
        at = step.number if isinstance(step, Entry) else step.to
        while at:
            onward[parents[at]] = at
            at = parents[at]
    return onward


@given(journals())
def test_one_by_one_is_all_at_once(steps: list[Step]) -> None:
    history = History()
    for step in steps:
        history = history.after(step)
    whole = history_of(steps)
    assert whole == history
    assert whole._onward == history._onward == naive_redo(steps)
    assert whole.n_steps == len(steps)


def test_what_cannot_follow_is_refused() -> None:
    history = history_of([Entry(1, 0, DeleteRule("r1"), "")])
    for step in (Entry(3, 1, DeleteRule("r1"), ""), Entry(2, 2, DeleteRule("r1"), ""), Moved(2), Named("x", -1)):
        with pytest.raises(EditError, match="entry"):
            history.after(step)
