"""Versions of the tables: older stores are brought up to date after a back-up, newer ones refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from tests.storage.cases import add_preparation, add_session, cut, deletion
from turs.errors import StorageError
from turs.storage import SessionRecord, Store
from turs.storage.migration import VERSION


def make_old(store: Store) -> SessionRecord:
    """Turn a store with a session of two edits into one of version 0: journals have no tokens and no checksums."""
    record = add_session(store)
    session = store.open_session(record)
    session.apply(cut(50))
    session.apply(deletion())
    with store._database.engine.begin() as connection:
        connection.execute(text("ALTER TABLE turs_journal DROP COLUMN token"))
        connection.execute(text("ALTER TABLE turs_journal DROP COLUMN checksum"))
    _take_back(store, 0)
    return record


def _take_back(store: Store, version: int) -> None:
    """Take the tables that came with later versions off a store, and close it."""
    with store._database.engine.begin() as connection:
        connection.execute(text("DROP TABLE turs_preparation"))
        connection.execute(text("UPDATE turs_store SET version = :version"), {"version": version})
    store.close()


def test_an_old_store_is_brought_up_to_date(store: Store, place: str) -> None:
    record = make_old(store)
    with Store.open(place) as updated:
        assert updated.backup is not None
        assert updated.check() == ()
        session = updated.open_session(record)
        assert session.version.ids == ("r1",)
        session.apply(cut(55))
        assert len({line.token for line in updated.lines(record)}) == 3
    with Store.open(place) as again:
        assert again.backup is None
        assert again.open_session(record).history == session.history


def test_a_store_without_preparations_gets_them(store: Store, place: str) -> None:
    record = add_session(store)
    store.open_session(record).apply(cut(50))
    _take_back(store, 1)
    with Store.open(place) as updated:
        assert updated.backup is not None
        assert len(updated.lines(record)) == 1
        workspace = updated.workspaces()[0]
        assert updated.preparations.of(workspace) == ()
        begun = add_preparation(updated, workspace)
        assert updated.check() == ()
    with Store.open(place) as again:
        assert again.backup is None
        assert again.preparations.of(workspace) == (begun,)
        again.delete(workspace)
        assert again.check() == ()


def test_the_back_up_is_as_it_was(store: Store, place: str) -> None:
    make_old(store)
    with Store.open(place) as updated:
        engine = updated._database.engine
        if isinstance(updated.backup, Path):
            with Store.open(updated.backup) as other:  # it is of version 0 and brought up to date in turn
                assert other.backup is not None
                assert other.check() == ()
                assert len(other.workspaces()) == 1
        else:
            names = inspect(engine).get_table_names()
            assert len([name for name in names if name.endswith(str(updated.backup))]) == 9
            with engine.connect() as connection:
                query = text(f"SELECT version FROM turs_store_{updated.backup}")
                assert connection.execute(query).scalar_one() == 0
                rows = connection.execute(text(f"SELECT * FROM turs_journal_{updated.backup}")).mappings().all()
            assert len(rows) == 2
            assert "checksum" not in rows[0]


def test_a_failed_migration_changes_nothing(store: Store, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    record = make_old(store)

    def fail(connection: object) -> None:
        raise StorageError("The migration failed.")

    with monkeypatch.context() as patch:
        from turs.storage import migration

        patch.setattr(migration, "MIGRATIONS", (*migration.MIGRATIONS, fail))
        with pytest.raises(StorageError, match="failed"):
            Store.open(place)
    with Store.open(place) as updated:
        assert len(updated.lines(record)) == 2


def test_without_room_for_a_back_up_nothing_is_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.sqlite"
    record = make_old(Store.open(path))

    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        with pytest.raises(StorageError, match=r"cannot be backed up .*No space left.* Nothing was changed"):
            Store.open(path)
    assert [found.name for found in tmp_path.glob("*.part")] == []
    with Store.open(path) as store:
        assert len(store.lines(record)) == 2


def test_a_newer_store_is_refused(store: Store, place: str) -> None:
    with store._database.engine.begin() as connection:
        connection.execute(text("UPDATE turs_store SET version = :version"), {"version": VERSION + 1})
    store.close()
    with pytest.raises(StorageError, match=rf"newer version of TURS \(tables of version {VERSION + 1}.*update TURS"):
        Store.open(place)
