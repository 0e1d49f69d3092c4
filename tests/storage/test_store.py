"""The contract of a store, on SQLite and on PostgreSQL: what goes in comes out, and what is deleted is said before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sqlalchemy import text

from tests.storage.cases import (
    AWKWARD,
    CONSTRAINTS,
    SETTINGS,
    add_data,
    add_model,
    add_preparation,
    add_session,
    cut,
    deletion,
    learned_from,
    table,
)
from turs.data.dataset import labelled_data
from turs.errors import DataError, StorageError
from turs.mdl.score import patterns_on
from turs.predict import model_of
from turs.storage import Contents, Split, Store, split_rows


class TestWorkspaces:
    def test_they_are_listed_by_name_and_found_by_it(self, store: Store) -> None:
        names = ["b", AWKWARD, "A", "\ud800"]
        for name in names:
            store.add_workspace(name)
        assert [item.name for item in store.workspaces()] == sorted(names, key=str.casefold)
        assert store.workspace(AWKWARD).name == AWKWARD
        with pytest.raises(StorageError, match=r"There is no workspace 'a'.*Did you mean 'A'"):
            store.workspace("a")

    def test_names_are_given_once(self, store: Store) -> None:
        first = store.add_workspace("one")
        second = store.add_workspace("two")
        with pytest.raises(StorageError, match="There is a workspace 'one' already"):
            store.add_workspace("one")
        with pytest.raises(StorageError, match="already"):
            store.rename(second, "one")
        assert store.rename(first, "one").name == "one"
        assert store.rename(second, "three") == replace(second, name="three")
        with pytest.raises(StorageError, match="no name"):
            store.add_workspace("  ")

    def test_archived_ones_are_listed_on_request(self, store: Store) -> None:
        workspace = store.archive(store.add_workspace("old"))
        assert workspace.is_archived
        assert store.workspaces() == ()
        assert store.workspaces(archived=True) == (workspace,)
        assert store.archive(workspace, False) in store.workspaces()

    def test_others_see_them_at_once_and_they_survive(self, store: Store, place: str) -> None:
        with Store.open(place) as other:
            workspace = store.add_workspace("shared")
            assert other.workspaces() == (workspace,)
        store.close()
        with Store.open(place) as later:
            assert later.workspaces() == (workspace,)


class TestDataSets:
    def test_a_table_comes_back_as_it_was(self, store: Store) -> None:
        data_set = add_data(store, store.add_workspace("hospital"), AWKWARD)
        pd.testing.assert_frame_equal(store.frame(data_set), table(), check_exact=True)
        split, expected = store.split(data_set), split_rows(table()["ill"], seed=1)
        for part in ("training", "validation", "test"):
            assert np.array_equal(getattr(split, part), getattr(expected, part))
        assert (data_set.target, data_set.kinds, data_set.ignored) == ("ill", {"age": "numeric"}, ("admitted",))
        assert (data_set.name, data_set.n_rows, data_set.n_columns) == (AWKWARD, 120, 6)
        assert store.data_sets(store.workspace("hospital")) == (data_set,) == (store.data_set(data_set.id),)

    def test_rows_are_stored_once_and_go_with_the_last_that_uses_them(self, store: Store) -> None:
        one, two = store.add_workspace("one"), store.add_workspace("two")
        first, second = add_data(store, one), add_data(store, two)
        assert first.content == second.content
        assert _n_contents(store) == 2  # rows and split
        assert store.contents(one).n_bytes == 0  # nothing that would go
        store.delete(one)
        assert _n_contents(store) == 2
        assert store.contents(two).n_bytes > 0
        store.delete(second)
        assert _n_contents(store) == 0

    def test_large_tables_are_kept_in_parts(self, store: Store) -> None:
        frame = pd.DataFrame({"x": np.random.default_rng(0).random(1_200_000), "y": np.arange(1_200_000) % 2})
        data_set = store.add_data_set(store.add_workspace("w"), "large", frame, "y", split_rows(frame["y"]))
        pd.testing.assert_frame_equal(store.frame(data_set), frame, check_exact=True)

    @pytest.mark.parametrize(
        ("split", "problem"),
        [
            (([0, 1], [1], []), "Row 2 is in two parts"),
            (([0, 0], [1], []), "Row 1 is in two parts"),
            (([0], [], [500]), "test part names rows"),
            (([-1], [], []), "training part names rows"),
            (([], [1], []), "no training rows"),
        ],
    )
    def test_a_split_has_to_fit(self, store: Store, split: tuple[list[int], ...], problem: str) -> None:
        parts = Split(*(np.array(part, dtype=np.int64) for part in split))
        workspace = store.add_workspace("w")
        with pytest.raises(DataError, match=problem):
            store.add_data_set(workspace, "x", table(), "ill", parts)
        with pytest.raises(DataError, match="target"):
            store.add_data_set(workspace, "x", table(), "nobody", split_rows(table()["ill"]))
        assert store.data_sets(workspace) == ()


class TestModels:
    def test_a_model_comes_back_with_all_that_is_known_about_it(self, store: Store) -> None:
        data_set = add_data(store, store.add_workspace("hospital"))
        learned = learned_from(store, data_set)
        rows = store.frame(data_set).iloc[store.split(data_set).training]
        patterns = patterns_on(learned.rule_set, labelled_data(rows, learned.rule_set.schema))
        model = replace(model_of(learned.rule_set, patterns), info={"table": AWKWARD})
        record = store.add_model(
            data_set, AWKWARD, model, learned=learned, settings=SETTINGS, constraints=CONSTRAINTS, author="Ada"
        )
        assert store.model(record) == model
        told = store.learning(record)
        assert (told.settings, told.constraints, told.steps) == (SETTINGS, CONSTRAINTS, learned.steps)
        assert len(told.steps) >= 1
        assert (told.total_bits, told.seconds, told.stopped) == (learned.total_bits, learned.seconds, False)
        assert (record.name, record.n_rules, record.author) == (AWKWARD, len(model.rule_set.rules), "Ada")
        assert record.total_bits == learned.total_bits
        assert store.models(data_set) == (record,) == (store.model_record(record.id),)

    def test_things_in_a_deleted_one_are_gone(self, store: Store) -> None:
        session = add_session(store)
        model = store.model_record(session.model)
        data_set = store.data_set(model.data_set)
        rules = store.model(model)
        store.delete(data_set)
        for call in (
            lambda: store.model(model),
            lambda: store.lines(session),
            lambda: store.add_session(model, "more"),
            lambda: store.add_model(data_set, "more", rules),
            lambda: store.delete(data_set),
            lambda: store.rename(model, "more"),
        ):
            with pytest.raises(StorageError, match=r"There is no such (model|session|data set)"):
                call()


class TestHousekeeping:
    def test_what_would_go_is_what_goes(self, store: Store) -> None:
        record = add_session(store)
        session = store.open_session(record)
        session.apply(cut(50))
        store.open_test(session, lambda rows: {"rows": rows.n_rows})
        other = add_session(store, "other")
        model = store.model_record(record.model)
        data_set = store.data_set(model.data_set)
        workspace = store.workspace("hospital of first look")
        begun = add_preparation(store, workspace)
        expected = {
            record: (0, 0, 1, 1, 1, 0),
            model: (0, 1, 1, 1, 1, 0),
            data_set: (1, 1, 1, 1, 1, 0),
            workspace: (1, 1, 1, 1, 1, 1),
            begun: (0, 0, 0, 0, 0, 1),
        }
        for item, numbers in expected.items():
            found = store.contents(item)
            assert found == Contents(*numbers, found.n_bytes)
        would_go = store.contents(workspace)
        assert store.delete(workspace) == would_go
        assert store.workspaces() == (store.workspace("hospital of other"),)
        assert store.session_record(other.id) == other

    def test_sessions_and_models_are_renamed_and_archived(self, store: Store) -> None:
        session = add_session(store)
        model = store.model_record(session.model)
        assert store.rename(session, AWKWARD) == replace(session, name=AWKWARD)
        store.archive(session)
        assert store.sessions(model) == ()
        assert [item.name for item in store.sessions(model, archived=True)] == [AWKWARD]
        renamed = store.rename(store.rename(model, "x"), AWKWARD)
        assert store.models(store.data_set(model.data_set)) == (renamed,)

    def test_deleting_a_session_leaves_the_others(self, store: Store) -> None:
        first = add_session(store)
        model = store.model_record(first.model)
        second = store.add_session(model, "second")
        for record in (first, second):
            store.open_session(record).apply(deletion())
        store.delete(first)
        assert store.sessions(model) == (store.session_record(second.id),)
        assert store.open_session(second).version.ids == ("r1",)


class TestOpenings:
    def test_who_looked_and_when_is_written_before_the_result_is_seen(self, store: Store) -> None:
        record = add_session(store)
        session = store.open_session(record, author="Ada")
        session.apply(cut(50))
        opening = store.open_test(session, lambda rows: {"auc": 0.5, "rows": rows.n_rows})
        assert (opening.version, opening.author, opening.result) == (1, "Ada", {"auc": 0.5, "rows": 24})
        session.apply(cut(55))
        store.open_test(session, lambda rows: {AWKWARD: None}, author=AWKWARD)
        found = store.openings(store.model_record(record.model))
        assert found[0] == opening
        assert (found[1].version, found[1].author, found[1].result) == (2, AWKWARD, {AWKWARD: None})

    def test_without_test_rows_there_is_nothing_to_open(self, store: Store) -> None:
        workspace = store.add_workspace("w")
        frame = table()
        data_set = store.add_data_set(workspace, "d", frame, "ill", split_rows(frame["ill"], validation=0, test=0))
        session = store.open_session(store.add_session(add_model(store, data_set), "s"))
        assert session.state.validation is None
        with pytest.raises(DataError, match="no test rows"):
            store.open_test(session, lambda rows: {})


def test_nothing_is_wrong_with_a_store_in_use(store: Store) -> None:
    session = store.open_session(add_session(store))
    session.apply(cut(50))
    session.undo()
    session.checkpoint(AWKWARD)
    workspace = store.workspace("hospital of first look")
    add_preparation(store, workspace)
    store.preparations.add(workspace, "no split", table(), {})
    assert store.check() == ()


def test_check_names_what_is_damaged(store: Store) -> None:
    record = add_session(store)
    add_preparation(store, store.workspace("hospital of first look"), "begun")
    session = store.open_session(record)
    for low in (50, 51, 52):
        session.apply(cut(low))
    with store._database.engine.begin() as connection:
        connection.execute(text("UPDATE turs_journal SET line = '{' WHERE number = 2"))
    assert [problem.where for problem in store.check()] == ["session 'first look'"]
    assert "step 2 is damaged" in store.check()[0].text
    with store._database.engine.begin() as connection:
        connection.execute(text("DELETE FROM turs_journal WHERE number = 2"))
        connection.execute(text("UPDATE turs_model SET document = '{}'"))
        connection.execute(text("UPDATE turs_content_part SET data = :data"), {"data": b"x"})
    places = [problem.where for problem in store.check()]
    assert places == ["data set 'patients'", "preparation 'begun'", "model 'model'"]


def _n_contents(store: Store) -> int:
    with store._database.engine.connect() as connection:
        parts = connection.execute(text("SELECT count(DISTINCT hash) FROM turs_content_part")).scalar_one()
        assert parts == connection.execute(text("SELECT count(*) FROM turs_content")).scalar_one()
        return int(parts)
