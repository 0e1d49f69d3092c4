"""Stores that cannot be opened, read or written: a clear error that names what to do, and no secret in it."""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.postgres import Server, running_server
from tests.storage.cases import add_session, cut, deletion
from turs.errors import StorageError, UnsavedError
from turs.storage import Store, StoredSession, split_rows
from turs.storage import database as database_module
from turs.storage.location import data_folder

SECRET = "p@ss/w:ord%"
QUOTED = "p%40ss%2Fw%3Aord%25"


def in_child(work: Callable[[], None]) -> None:
    """Run `work` in a process of its own; it may change what the process is allowed to do."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        code = 0
        try:
            work()
        except BaseException as error:
            os.write(writer, repr(error).encode())
            code = 1
        os._exit(code)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        text = told.read().decode()
    assert os.waitpid(child, 0)[1] == 0, text


def refusal(where: object) -> str:
    with pytest.raises(StorageError) as caught:
        Store.open(where)
    assert caught.value.__cause__ is None  # what led to it could tell the password in a log
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


def told_about(path: Path) -> list[str]:
    """Return what opening and checking a store say."""
    try:
        with Store.open(path) as store:
            return [problem.text for problem in store.check()]
    except StorageError as error:
        return [str(error)]


def add_to(path: Path) -> None:
    """Write to a store that holds one workspace; where its folder can be written, it opens."""
    with Store.open(path) as store:
        assert [item.name for item in store.workspaces()] == ["kept"]
        store.add_workspace("new")


def edit_on(session: StoredSession) -> None:
    """Make large edits until the store is full."""
    for low in range(20, 60):
        session.apply(cut(low), note="x" * 50_000)


class TestFile:
    def test_a_file_that_is_no_database(self, tmp_path: Path) -> None:
        path = tmp_path / "table.csv"
        path.write_text("a,b\n1,2\n" * 200)
        assert "is no SQLite database: name another file" in refusal(path)
        assert path.read_text() == "a,b\n1,2\n" * 200

    def test_a_database_of_another_program(self, tmp_path: Path) -> None:
        path = tmp_path / "other.db"
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE notes (text)")
        connection.close()
        before = path.read_bytes()
        assert "database of another program" in refusal(path)
        assert path.read_bytes() == before

    def test_a_damaged_file(self, tmp_path: Path) -> None:
        path = tmp_path / "a.sqlite"
        with Store.open(path) as store:
            add_session(store)
        content = bytearray(path.read_bytes())
        content[8192:-4096] = bytes(len(content) - 8192 - 4096)
        path.write_bytes(content)
        assert any("put a back-up" in text for text in told_about(path))

    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        assert "cannot be made (No such file" in refusal(tmp_path / "none" / "a.sqlite")
        assert "cannot be" in refusal(tmp_path)

    @pytest.mark.parametrize("mode", [0o777, 0o755])
    def test_a_file_that_may_only_be_read(self, mode: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.sqlite"
            with Store.open(path) as store:
                store.add_workspace("kept")
            path.chmod(0o444)

            def work() -> None:
                os.chmod(folder, mode if os.geteuid() == 0 else mode & 0o577)
                if os.geteuid() == 0:  # who may write anything
                    os.setgid(65534)
                    os.setuid(65534)
                with pytest.raises(StorageError, match="is read-only: make the file and its folder writable"):
                    add_to(path)

            in_child(work)
            os.chmod(folder, 0o700)

    def test_a_full_disk_keeps_the_state_and_writes_it_when_there_is_room(self, tmp_path: Path) -> None:
        with Store.open(tmp_path / "a.sqlite") as store:
            record = add_session(store)

        def work() -> None:
            with Store.open(tmp_path / "a.sqlite") as store:
                session = store.open_session(record)
                session.apply(cut(50))
                size = max(path.stat().st_size for path in tmp_path.iterdir())
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))  # a quota, so to say
                with pytest.raises(UnsavedError, match=r"disk|quota"):
                    edit_on(session)
                n_made = session.history.n_steps
                with pytest.raises(StorageError, match=r"disk|quota"):
                    store.add_workspace("y" * 200_000)
                assert len(store.lines(record)) < n_made
                assert session.version == session.version_at(n_made)
                resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
                session.apply(deletion())
                assert len(store.lines(record)) == n_made + 1
                assert store.check() == ()

        in_child(work)

    def test_a_full_file_system(self, tmp_path: Path) -> None:
        if os.system(f"mount -t tmpfs -o size=3m tmpfs {tmp_path} 2>/dev/null") != 0:
            pytest.skip("mounting a small file system needs rights; the quota above tests the same")
        try:
            with Store.open(tmp_path / "a.sqlite") as store:
                record = add_session(store)
                session = store.open_session(record)
                (tmp_path / "filler").write_bytes(bytes(_free(tmp_path)))
                with pytest.raises(UnsavedError, match="disk is full"):
                    edit_on(session)
                (tmp_path / "filler").unlink()
                session.save()
                assert store.open_session(record).history == session.history
                noise = pd.DataFrame({"x": np.random.default_rng(0).random(400_000), "y": np.arange(400_000) % 2})
                workspace = store.workspaces()[0]
                with pytest.raises(StorageError, match="disk is full"):
                    store.add_data_set(workspace, "noise", noise, "y", split_rows(noise["y"]))
                assert len(store.data_sets(workspace)) == 1
                assert store.check() == ()
        finally:
            os.system(f"umount {tmp_path}")

    def test_a_store_that_others_hold_too_long(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(database_module, "PATIENCE", 0.2)
        monkeypatch.setattr(database_module, "_BUSY_SECONDS", 0.1)
        path = tmp_path / "a.sqlite"
        with Store.open(path) as store:
            holder = sqlite3.connect(path, isolation_level=None)
            holder.execute("BEGIN IMMEDIATE")
            with pytest.raises(StorageError, match=r"Another program holds the store .* try again"):
                store.add_workspace("w")
            assert store.workspaces() == ()  # reading goes on
            holder.execute("ROLLBACK")
            holder.close()
            store.add_workspace("w")

    def test_one_that_others_hold_for_a_while(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(database_module, "_BUSY_SECONDS", 0.01)
        path = tmp_path / "a.sqlite"
        with Store.open(path) as store:
            holder = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            holder.execute("BEGIN IMMEDIATE")

            def release() -> None:
                time.sleep(0.3)
                holder.execute("ROLLBACK")

            thread = threading.Thread(target=release)
            thread.start()
            store.add_workspace("w")
            thread.join()
            holder.close()

    def test_a_new_store_is_private(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TURS_DATA", str(tmp_path / "deep" / "data"))
        monkeypatch.delenv("TURS_DATABASE", raising=False)
        with Store.open() as store:
            assert store.place == str(tmp_path / "deep" / "data" / "workspaces.sqlite")
            store.add_workspace("w")
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in Path(store.place).parent.iterdir()}
        assert set(modes.values()) == {0o600}
        assert stat.S_IMODE((tmp_path / "deep" / "data").stat().st_mode) == 0o700


class TestPlace:
    def test_the_environment_names_the_database(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TURS_DATABASE", f"sqlite:///{tmp_path / 'b.sqlite'}")
        with Store.open() as store:
            assert store.place == str(tmp_path / "b.sqlite")

    @pytest.mark.parametrize(
        ("platform", "variables", "folder"),
        [
            ("linux", {"XDG_DATA_HOME": "/x"}, "/x/turs"),
            ("linux", {}, "/home/ada/.local/share/turs"),
            ("darwin", {}, "/home/ada/Library/Application Support/turs"),
            ("win32", {"LOCALAPPDATA": "/local"}, "/local/turs"),
            ("win32", {}, "/home/ada/AppData/Local/turs"),
            ("linux", {"TURS_DATA": "~/mine"}, "/home/ada/mine"),
        ],
    )
    def test_platforms_have_their_places(
        self, platform: str, variables: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "platform", platform)
        for name in ("TURS_DATA", "XDG_DATA_HOME", "LOCALAPPDATA"):
            monkeypatch.delenv(name, raising=False)
        for name, value in (variables | {"HOME": "/home/ada"}).items():
            monkeypatch.setenv(name, value)
        assert data_folder() == Path(folder)

    def test_a_data_folder_that_cannot_be_made(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "file").touch()
        monkeypatch.setenv("TURS_DATA", str(tmp_path / "file" / "data"))
        monkeypatch.delenv("TURS_DATABASE", raising=False)
        assert "set TURS_DATA" in refusal(None)

    @pytest.mark.parametrize(
        ("url", "problem"),
        [
            (f"postgresql://ada:{SECRET}@x:port/d", "cannot be read: write postgresql://"),
            (f"mysql://ada:{QUOTED}@localhost/d", "'mysql' is no database"),
            (f"oracle+thing://ada:{QUOTED}@localhost/d", "is no database"),
            ("sqlite://", "is no database"),
            (f"postgresql://ada:{QUOTED}@127.0.0.1:1/d", "check that the server runs"),
            (f"postgres://ada@127.0.0.1:1/d?password={QUOTED}", "check that the server runs"),
            (f"postgresql://ada:{QUOTED}@no.such.host.invalid/d", "check that the server runs"),
            (f"postgresql://ada:{QUOTED}@127.0.0.1:1/d?sslmode=nonsense", "sslmode"),
        ],
    )
    def test_urls_that_lead_nowhere(self, url: str, problem: str) -> None:
        text = refusal(url)
        assert problem in text
        for secret in (SECRET, QUOTED, "p@ss", "p%40ss"):
            assert secret not in text


@pytest.fixture(scope="class")
def server() -> Iterator[Server]:
    """Run a server that a test may stop."""
    with running_server() as server:
        yield server


class TestServer:
    def test_a_password_is_asked_for_and_never_told(self, server: Server) -> None:
        with Store.open(server.port_url) as store:
            assert server.password not in store.place
            assert "postgres@127.0.0.1" in store.place
            assert server.password not in repr(store._database.engine)
        text = refusal(server.port_url.replace(server.password, QUOTED))
        assert "password authentication failed" in text
        assert "TURS_DATABASE" in text
        assert SECRET not in text
        assert "does not exist" in refusal(server.port_url.removesuffix("postgres") + "nothing")
        assert "role" in refusal(server.url.replace("postgres@", "nobody_at_all@"))

    def test_a_server_that_goes_in_the_middle_of_an_edit(self, server: Server) -> None:
        with Store.open(server.url) as store:
            record = add_session(store)
            session = store.open_session(record)
            session.apply(cut(50))
            server.stop()
            try:
                for low in (51, 52):
                    with pytest.raises(UnsavedError, match=r"check that the server runs.* made but not saved"):
                        session.apply(cut(low))
                with pytest.raises(StorageError, match="check that the server runs"):
                    store.workspaces()
            finally:
                server.start()
            assert session.history.n_steps == 3
            session.apply(deletion())
            assert store.open_session(record).history == session.history
            assert len(store.lines(record)) == 4


def test_a_driver_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert "pip install '.[postgres]'" in refusal("postgresql://ada@localhost/d")


def _free(path: Path) -> int:
    """Return the free bytes of a file system."""
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize
