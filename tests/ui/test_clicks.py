"""A click that comes twice, and a click that comes while another one is still at work: each thing is done once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.cases import overlapping
from tests.ui.driving import PATIENCE, finished, on_page, studio
from turs.editing import DeleteRule, DuplicateRule, Edit, LockRule
from turs.errors import ConflictError
from turs.learn.learner import learn
from turs.learn.progress import Learned
from turs.ui import draft_bar, history_page, rule_actions, rule_builder, sealed, state
from turs.ui.library import saved_models
from turs.ui.opened import OpenModel
from turs.ui.state import memory
from turs.ui.studio import Message, Seat, Studio
from turs.ui.worker import Job


class Ended(BaseException):
    """What Streamlit raises where a script asks for something after a new click."""


class Values(dict[str, Any]):
    """Values of a session; `ended` says that a new click is there."""

    ended = False

    def __contains__(self, key: object) -> bool:
        if self.ended:
            raise Ended
        return super().__contains__(key)

    def __getitem__(self, key: str) -> Any:
        if self.ended:
            raise Ended
        return super().__getitem__(key)


@pytest.fixture
def values(monkeypatch: pytest.MonkeyPatch) -> Values:
    found = Values(seat=Seat())
    monkeypatch.setattr(memory.st, "session_state", found)
    monkeypatch.setattr("streamlit.user", {})
    return found


@pytest.fixture
def opened(values: Values) -> OpenModel:
    """Rules that overlap, open in a session."""
    found = overlapping()
    study = found.study
    values["seat"].studio = Studio("cases", study.table, study.plan, study, model=found)
    return found


def told() -> Message | None:
    return state.studio().message


@pytest.mark.parametrize("edit", [DuplicateRule("r1"), DeleteRule("r2")])
def test_a_second_click_on_keep_does_nothing(opened: OpenModel, edit: Edit) -> None:
    state.show_draft(edit)
    draft_bar._keep(edit, "why")
    selection = state.studio().selection
    draft_bar._keep(edit, "why")
    assert [type(entry.edit) for entry in opened.session.history.entries] == [type(edit)]
    assert told() is None
    assert state.studio().selection == selection


def test_the_draft_that_is_kept_is_the_one_on_screen(opened: OpenModel) -> None:
    state.show_draft(DeleteRule("r3"))
    draft_bar._keep(DeleteRule("r2"), "why")
    assert not opened.session.history.entries
    assert state.studio().draft == DeleteRule("r3")


def test_a_click_on_another_page_while_keep_is_at_work_leaves_no_draft_behind(
    opened: OpenModel, values: Values, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply = opened.session.apply

    def slow(edit: Edit, **about: str) -> object:
        values.ended = True
        return apply(edit, **about)

    monkeypatch.setattr(opened.session, "apply", slow)
    state.show_draft(DeleteRule("r2"))
    draft_bar._keep(DeleteRule("r2"), "why")
    values.ended = False
    assert "r2" not in opened.session.version.ids
    assert state.studio().draft is None
    assert told() is None


def test_two_clicks_in_two_threads_are_two_one_after_the_other(
    opened: OpenModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way, go_on = threading.Event(), threading.Event()
    apply = opened.session.apply

    def slow(edit: Edit, **about: str) -> object:
        under_way.set()
        assert go_on.wait(PATIENCE)
        return apply(edit, **about)

    monkeypatch.setattr(opened.session, "apply", slow)
    edit = DuplicateRule("r1")
    state.show_draft(edit)
    threads = [threading.Thread(target=draft_bar._keep, args=(edit, "why")) for _ in range(2)]
    for thread in threads:
        thread.start()
        assert under_way.wait(PATIENCE)
    threads[1].join(0.1)
    go_on.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(opened.session.history.entries) == 1
    assert told() is None


def test_a_second_click_on_lock_does_nothing(opened: OpenModel) -> None:
    for _ in range(2):
        rule_actions._apply(LockRule("r1"))
    assert len(opened.session.history.entries) == 1
    assert told() is None


def test_a_second_click_on_another_condition_does_nothing(opened: OpenModel) -> None:
    state.select(state.NEW_RULE)
    for _ in range(2):
        rule_builder._settle(0, "")
    assert rule_builder._turn() == 1
    assert told() is None


def test_a_second_click_opens_the_test_part_no_second_time(opened: OpenModel) -> None:
    for _ in range(2):
        sealed._open(opened, 0)
    assert len(state.openings()) == 1
    assert told() is None
    sealed._open(opened, 1)  # asked for again
    assert len(state.openings()) == 2


def test_a_second_click_puts_no_other_model_away(opened: OpenModel) -> None:
    other = overlapping()
    history_page._put_away(opened.id)
    state.open_model(other.id)
    history_page._put_away(opened.id)
    assert state.model_id() == other.id
    assert [part.record.id for part in state.models(archived=True)] == [opened.id]


@pytest.mark.parametrize("again", ["mine", ""], ids=["the same name", "the field is empty by then"])
def test_a_second_click_makes_no_second_branch(opened: OpenModel, values: Values, again: str) -> None:
    for values["branch-name"] in ("mine", again):
        history_page._branch(opened.id)
    assert len(saved_models(state.store(), state.workspace())) == 2
    note = told()
    assert note is not None
    assert note.kind == "note"


@pytest.mark.parametrize("again", ["good", ""], ids=["the same name", "the field is empty by then"])
def test_a_second_click_names_a_version_no_second_time(opened: OpenModel, values: Values, again: str) -> None:
    steps = opened.session.history.n_steps
    for values["checkpoint-name"] in ("good", again):
        history_page._name(steps)
    assert opened.session.history.n_steps == steps + 1
    note = told()
    assert note is not None
    assert note.kind == "note"


@pytest.mark.parametrize("way", ["mine", "theirs", "branch"])
def test_a_conflict_is_settled_once(opened: OpenModel, way: str) -> None:
    store = state.store()
    store.open_session(store.session_record(opened.id)).apply(DeleteRule("r5"))
    with pytest.raises(ConflictError):
        opened.session.apply(DeleteRule("r2"))
    state.settle_conflict(way)
    once, message = state.model_id(), told()
    lines = len(store.lines(store.session_record(once)))
    state.settle_conflict(way)
    assert state.model_id() == once
    assert told() == message
    assert len(store.lines(store.session_record(once))) == lines
    assert len(saved_models(store, state.workspace())) == (2 if way == "branch" else 1)


def test_news_are_taken_over_once(opened: OpenModel) -> None:
    store = state.store()
    store.open_session(store.session_record(opened.id)).apply(DeleteRule("r5"))
    state.take_news()
    message = told()
    state.take_news()
    assert message is not None
    assert told() == message


def test_rules_are_saved_once_where_another_page_is_opened_at_that_moment(
    opened: OpenModel, values: Values, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(opened.study)
    assert job.wait(PATIENCE)
    memory.change(job=job, model=None)
    save = state.table.save_learned

    def slow(*parts: Any) -> OpenModel:
        values.ended = True
        return save(*parts)

    monkeypatch.setattr(state.table, "save_learned", slow)
    state.finish_learning(show=True)
    values.ended = False
    state.finish_learning(show=True)
    assert len(saved_models(state.store(), state.workspace())) == 2
    assert state.studio().job is None


def test_a_field_that_is_gone_does_nothing(opened: OpenModel) -> None:
    told_to: list[str] = []
    field = state.while_shown(opened, told_to.append)
    field("here")
    opened.session.apply(DeleteRule("r2"))
    field("after an edit")
    opened.session.undo()
    field("here again")
    memory.change(model=overlapping())
    field("on another model")
    assert told_to == ["here", "here again"]


def test_a_second_click_on_learn_leaves_the_search_alone(
    start: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def held(*parts: Any, **options: Any) -> Learned:
        go_on.wait(PATIENCE)
        return learn(*parts, **options)

    monkeypatch.setattr("turs.ui.worker.learn", held)
    app = start("1_Data.py")
    app.button(key="use-iris.csv").click().run()
    on_page(app, "2_Learn.py")
    app.button(key="learn").click().run()
    job = studio(app).job
    assert job is not None
    late = app.button(key="learn")
    late.proto.disabled = False  # as in a browser that has not drawn the new page yet
    late.click().run()
    assert studio(app).job is job
    assert not job.stopping
    go_on.set()
    finished(app)
