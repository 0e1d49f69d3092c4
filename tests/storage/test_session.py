"""Sessions in a store: durable steps, colleagues, conflicts and the three ways out, on SQLite and PostgreSQL."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from tests.storage.cases import AWKWARD, add_session, cut, deletion
from turs.editing import AddRule, AttachNote, Entry, Moved, Named, history_of
from turs.errors import ConflictError, EditError, StorageError, UnsavedError
from turs.rules import Interval
from turs.storage import SessionRecord, Store, StoredSession


@pytest.fixture
def record(store: Store) -> SessionRecord:
    return add_session(store)


def test_a_session_is_as_it_was_left(store: Store, place: str, record: SessionRecord) -> None:
    session = store.open_session(record, author="Ada")
    session.apply(cut(50), note=AWKWARD)
    session.apply(AttachNote("r1", AWKWARD), author="Grace")
    session.undo()
    session.apply(deletion())
    session.checkpoint(AWKWARD)
    session.jump(2)
    store.close()
    with Store.open(place) as later:
        back = later.open_session(later.session_record(record.id))
        assert back.history == session.history
        assert back.version == session.version
        assert back.state.score == session.state.score
        assert back.learned.rule_set == session.learned.rule_set
        assert [entry.author for entry in back.history.entries] == ["Ada", "Grace", "Ada"]
        assert back.history.entries[0].note == AWKWARD
        assert back.history.entries[0].total_bits == session.history.entries[0].total_bits
        assert back.history.at(AWKWARD) == 3
        lines = later.lines(record)
    assert [line.number for line in lines] == [1, 2, 3, 4, 5, 6]
    assert [type(line.step) for line in lines] == [Entry, Entry, Moved, Entry, Named, Moved]
    assert {line.author for line in lines} == {"Ada", "Grace"}
    assert history_of(line.step for line in lines) == session.history
    assert back.record.version == 6
    assert back.record.changed == lines[-1].time


def test_an_edit_that_cannot_be_made_leaves_no_trace(store: Store, record: SessionRecord) -> None:
    session = store.open_session(record)
    with pytest.raises(EditError):
        session.apply(deletion("r9"))
    assert store.lines(record) == ()


def test_readers_see_new_steps_without_a_restart(store: Store, place: str, record: SessionRecord) -> None:
    writer = store.open_session(record)
    with Store.open(place) as other:
        reader = other.open_session(record)
        assert reader.refresh() == ()
        writer.apply(cut(50))
        writer.apply(deletion())
        writer.undo()
        assert [line.number for line in reader.refresh()] == [1, 2, 3]
        assert (reader.history, reader.version) == (writer.history, writer.version)
        assert reader.state.score == writer.state.score
        reader.apply(cut(45))
    assert len(writer.refresh()) == 1
    assert writer.version == reader.version


def test_news_tell_who_went_on_and_take_nothing_over(store: Store, record: SessionRecord) -> None:
    ada, grace = (store.open_session(record, author=name) for name in ("Ada", "Grace"))
    assert ada.news() == ()
    grace.apply(cut(50))
    grace.undo()
    before = ada.version, ada.history
    assert ada.news() == ("Grace", "Grace")
    assert (ada.version, ada.history) == before
    assert grace.news() == ()
    ada.refresh()
    assert ada.news() == ()


class Conflict:
    """Two people who edit the same version; Grace was faster."""

    def __init__(self, store: Store, record: SessionRecord) -> None:
        self.grace = store.open_session(record, author="Grace")
        self.ada = store.open_session(record, author="Ada")
        self.grace.apply(cut(50))


@pytest.fixture
def conflict(store: Store, record: SessionRecord) -> Conflict:
    return Conflict(store, record)


def refused(session: StoredSession, edit: object) -> ConflictError:
    before = session.history, session.state
    with pytest.raises(ConflictError) as caught:
        session.apply(edit)
    assert (session.history, session.state) == before
    return caught.value


class TestConflict:
    def test_both_versions_are_described(self, store: Store, record: SessionRecord, conflict: Conflict) -> None:
        error = refused(conflict.ada, deletion())
        assert (error.base, error.version) == (0, 1)
        assert error.mine == ("Delete r2: IF age < 40",)
        assert len(error.theirs) == 1
        assert "edit 1: " in error.theirs[0]
        assert "50" in error.theirs[0]
        assert "Grace" in error.theirs[0]
        for words in (
            "by somebody else or in another window of yours",
            "Delete r2",
            "edit 1: ",
            "go on with yours in a branch",
        ):
            assert words in str(error)
        assert conflict.ada.refused is not None
        assert len(store.lines(record)) == 1

    def test_undo_and_checkpoints_conflict_too(self, store: Store, record: SessionRecord, conflict: Conflict) -> None:
        conflict.ada.refresh()
        conflict.grace.apply(deletion())
        for step in (conflict.ada.undo, lambda: conflict.ada.checkpoint("mine")):
            with pytest.raises(ConflictError, match="Delete r2"):
                step()
        assert len(store.lines(record)) == 2

    def test_mine_on_top_of_theirs(self, store: Store, record: SessionRecord, conflict: Conflict) -> None:
        refused(conflict.ada, deletion())
        assert conflict.ada.reapply() == ()
        assert conflict.ada.refused is None
        assert conflict.ada.version.ids == ("r1",)
        assert conflict.ada.version.literal("r1", "age") == Interval("age", low=50.0)
        assert [entry.author for entry in conflict.ada.history.path()] == ["Grace", "Ada"]
        assert len(conflict.grace.refresh()) == 1
        assert conflict.grace.version == conflict.ada.version

    def test_mine_that_does_not_apply_any_more_is_named(self, store: Store, conflict: Conflict) -> None:
        conflict.grace.apply(deletion())
        refused(conflict.ada, AttachNote("r1", "kept"))
        assert conflict.ada.reapply() == ()
        conflict.grace.refresh()
        conflict.grace.apply(deletion("r1"))
        refused(conflict.ada, cut(70))
        (skipped,) = conflict.ada.reapply()
        assert "r1" in skipped.reason
        assert conflict.ada.version.ids == ()
        assert conflict.ada.history == conflict.grace.history

    def test_rules_that_both_add_are_both_there(self, conflict: Conflict) -> None:
        mine, theirs = (Interval("age", high=20.0),), (Interval("age", low=80.0),)
        conflict.grace.apply(AddRule(theirs))
        refused(conflict.ada, AddRule(mine))
        assert conflict.ada.reapply() == ()
        assert conflict.ada.version.ids == ("r1", "r2", "r3", "r4")
        assert conflict.ada.version.rule("r3").literals == theirs
        assert conflict.ada.version.rule("r4").literals == mine

    def test_theirs(self, store: Store, record: SessionRecord, conflict: Conflict) -> None:
        refused(conflict.ada, deletion())
        assert len(conflict.ada.take_theirs()) == 1
        assert conflict.ada.refused is None
        assert conflict.ada.history == conflict.grace.history
        conflict.ada.apply(deletion())
        assert len(store.lines(record)) == 2

    def test_a_branch(self, store: Store, record: SessionRecord, conflict: Conflict) -> None:
        refused(conflict.ada, deletion())
        branch = conflict.ada.branch(AWKWARD)
        assert branch.version.ids == ("r1",)
        assert branch.version.literal("r1", "age") == Interval("age", low=60.0)
        assert conflict.ada.history == conflict.grace.history
        assert (branch.record.origin, branch.record.origin_version, branch.record.version) == (record.id, 0, 1)
        branch.apply(cut(65))
        conflict.ada.apply(cut(51))
        both = store.sessions(store.model_record(record.model))
        assert [(item.name, item.version) for item in both] == [("first look", 2), (AWKWARD, 2)]
        assert store.open_session(branch.record).version == branch.version

    def test_a_branch_begins_with_what_was_there(self, store: Store, record: SessionRecord, conflict: Conflict) -> None:
        branch = conflict.grace.branch("copy")
        assert branch.history == conflict.grace.history
        assert store.lines(branch.record)[0].step == store.lines(record)[0].step
        assert branch.record.origin_version == 1

    def test_no_step_of_a_longer_journal_is_overwritten(self, store: Store, record: SessionRecord) -> None:
        steps = [Named("a", 0), Named("b", 0)]
        assert store.append(record, 0, steps) == 2
        for base in (0, 1):
            with pytest.raises(ConflictError) as caught:
                store.append(record, base, [Named("c", 0)])
            assert caught.value.version == 2
        with pytest.raises(StorageError, match="has 2 steps, but the session had read 3"):
            store.append(record, 3, [Named("c", 0)])
        assert [line.step for line in store.lines(record)] == steps


class TestCutOffLine:
    def test_the_last_one_is_dropped(self, store: Store, record: SessionRecord) -> None:
        session = store.open_session(record)
        for low in (50, 51, 52):
            session.apply(cut(low))
        damage(store, 3)
        assert "the last step, 3, was cut off" in store.check()[0].text
        back = store.open_session(record)
        assert back.history.n_steps == 2
        back.apply(deletion())
        assert store.check() == ()
        assert [line.step for line in store.lines(record)] == [*session.history.entries[:2], back.history.entries[2]]

    def test_any_other_one_is_named(self, store: Store, record: SessionRecord) -> None:
        session = store.open_session(record)
        for low in (50, 51, 52):
            session.apply(cut(low))
        damage(store, 2)
        with pytest.raises(StorageError, match=r"Step 2 .* is damaged .* branches off version 1"):
            store.open_session(record)
        assert len(store.lines(record, 2)) == 1


def damage(store: Store, number: int) -> None:
    """Cut a line of the only journal in half."""
    with store._database.engine.begin() as connection:
        half = "UPDATE turs_journal SET line = substr(line, 1, length(line) / 2) WHERE number = :number"
        assert connection.execute(text(half), {"number": number}).rowcount == 1


class TestUnreachable:
    """The database stops answering, seen through an engine that fails."""

    @pytest.fixture
    def session(self, store: Store, record: SessionRecord) -> StoredSession:
        session = store.open_session(record, author="Ada")
        session.apply(cut(50))
        return session

    @pytest.fixture
    def gone(self, session: StoredSession, monkeypatch: pytest.MonkeyPatch):
        def fail(work: object) -> None:
            raise StorageError("The database is gone.")

        with monkeypatch.context() as patch:
            patch.setattr(session._database, "write", fail)
            patch.setattr(session._database, "read", fail)
            yield patch

    def test_steps_are_kept_and_written_with_the_next_one(
        self, store: Store, record: SessionRecord, session: StoredSession, gone: pytest.MonkeyPatch
    ) -> None:
        with pytest.raises(UnsavedError, match=r"The database is gone\. 1 step is made but not saved"):
            session.apply(deletion())
        assert session.version.ids == ("r1",)
        with pytest.raises(UnsavedError, match="2 steps are made but not saved"):
            session.undo()
        assert session.version.ids == ("r1", "r2")
        for call in (session.save, session.refresh):
            with pytest.raises(UnsavedError):
                call()
        assert len(session.unsaved) == 2
        gone.undo()
        session.apply(cut(55))
        assert session.unsaved == ()
        assert store.open_session(record).history == session.history
        assert len(store.lines(record)) == 4

    def test_save_writes_them(
        self, store: Store, record: SessionRecord, session: StoredSession, gone: pytest.MonkeyPatch
    ) -> None:
        with pytest.raises(UnsavedError):
            session.checkpoint("kept")
        gone.undo()
        session.save()
        session.save()
        assert len(store.lines(record)) == 2

    def test_colleagues_who_went_on_meanwhile(
        self, store: Store, record: SessionRecord, session: StoredSession, gone: pytest.MonkeyPatch
    ) -> None:
        for step in (
            lambda: session.apply(cut(45)),
            session.undo,
            lambda: session.apply(AddRule((Interval("age", low=30.0, high=35.0),))),
            lambda: session.checkpoint("mine"),
        ):
            with pytest.raises(UnsavedError):
                step()
        for call in (session.reapply, session.take_theirs, lambda: session.branch("b")):
            with pytest.raises(StorageError, match="gone"):
                call()
        assert len(session.unsaved) == 4
        gone.undo()
        grace = store.open_session(record, author="Grace")
        grace.apply(deletion())
        for call in (session.save, session.refresh, lambda: session.apply(cut(44))):
            with pytest.raises(ConflictError, match="Delete r2"):
                call()
        assert len(session.unsaved) == 4
        assert session.reapply() == ()
        assert session.unsaved == ()
        # the edit that was undone and its undoing are not made again; the refused one is
        texts = [entry.description for entry in session.history.path()]
        assert len(texts) == 4
        assert "44" in texts[-1]
        assert session.version.ids == ("r1", "r3")
        assert session.history.at("mine") == 3
        assert store.open_session(record).history == session.history

    def test_a_branch_takes_unsaved_steps_along(
        self, store: Store, record: SessionRecord, session: StoredSession, gone: pytest.MonkeyPatch
    ) -> None:
        with pytest.raises(UnsavedError):
            session.apply(deletion())
        gone.undo()
        store.open_session(record).apply(cut(51))
        branch = session.branch("mine")
        assert branch.version.ids == ("r1",)
        assert session.unsaved == ()
        assert session.history == store.open_session(record).history

    def test_a_step_whose_commit_was_not_acknowledged_is_not_written_twice(
        self, store: Store, record: SessionRecord, session: StoredSession, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write = session._database.write

        def lose(work: object) -> None:
            write(work)
            raise StorageError("The connection was lost.")

        with monkeypatch.context() as patch:
            patch.setattr(session._database, "write", lose)
            for low in (51, 52):
                with pytest.raises(UnsavedError):
                    session.apply(cut(low))
        assert len(session.unsaved) == 2
        session.apply(cut(53))
        assert store.open_session(record).history == session.history
        assert len(store.lines(record)) == 4

    def test_nor_is_it_made_again_after_a_conflict(
        self, store: Store, record: SessionRecord, session: StoredSession, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write = session._database.write

        def lose(work: object) -> None:
            write(work)
            raise StorageError("The connection was lost.")

        with monkeypatch.context() as patch:
            patch.setattr(session._database, "write", lose)
            with pytest.raises(UnsavedError):
                session.apply(deletion())
        store.open_session(record).apply(cut(51))
        with pytest.raises(ConflictError):
            session.checkpoint("mine")
        assert session.reapply() == ()
        assert [entry.number for entry in session.history.path()] == [1, 2, 3]
        assert session.history.at("mine") == 2
        assert store.open_session(record).history == session.history

    def test_a_deleted_session_keeps_the_state_on_screen(
        self, store: Store, record: SessionRecord, session: StoredSession
    ) -> None:
        store.delete(record)
        with pytest.raises(UnsavedError, match="was deleted"):
            session.apply(deletion())
        assert session.version.ids == ("r1",)
