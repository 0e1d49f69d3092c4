"""A PostgreSQL server for tests: a real one, started in a folder of its own and stopped afterwards.

It listens on a Unix socket in that folder, where everybody is trusted, and on a free port of this machine, where a
password is asked for. PostgreSQL refuses to run as root: where the tests do, it runs as an account without rights.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

ACCOUNTS = ("postgres", "nobody")
"""Accounts without rights, the preferred one first."""

OPTIONS = "-c fsync=off -c full_page_writes=off -c synchronous_commit=off -c listen_addresses=127.0.0.1"
"""Of the server: what it stores need not outlive the tests."""


@dataclass(frozen=True)
class Server:
    """A server with an empty database called postgres.

    Parameters
    ----------
    folder : Path
        Holds its data, its socket and its log.
    password : str
        Of the user postgres, asked for on the port.
    port : int
        A port that was free.
    """

    folder: Path
    password: str = field(default_factory=secrets.token_hex)
    port: int = field(default_factory=lambda: _free_port())

    @property
    def url(self) -> str:
        """Connection URL through the socket (`postgresql://...`)."""
        return f"postgresql://postgres@/postgres?host={quote(str(self.folder), safe='')}&port={self.port}"

    @property
    def port_url(self) -> str:
        """Connection URL through the port, with the password."""
        return f"postgresql://postgres:{self.password}@127.0.0.1:{self.port}/postgres"

    def make(self) -> None:
        """Make the files of the server."""
        secret = self.folder / "password"
        secret.write_text(self.password)
        secret.chmod(0o644)
        names = ("-U", "postgres", "--encoding=UTF8", "-N")
        trust = ("--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={secret}")
        _run("initdb", "-D", self.folder / "cluster", *names, *trust)

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = f"{OPTIONS} -p {self.port} -k {self.folder}"
        _run("pg_ctl", "-D", self.folder / "cluster", "-w", "-o", options, "-l", self.folder / "log", "start")

    def stop(self) -> None:
        """Stop the server at once, as a crash would."""
        _run("pg_ctl", "-D", self.folder / "cluster", "-w", "-m", "immediate", "stop")


@contextmanager
def running_server() -> Iterator[Server]:
    """Run a server."""
    folder = Path(tempfile.mkdtemp(prefix="turs-pg-"))  # short, because the path of a socket may have 107 bytes
    try:
        account = _account()
        if account is not None:
            os.chown(folder, account.pw_uid, account.pw_gid)
        server = Server(folder)
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


@contextmanager
def postgres_server() -> Iterator[str]:
    """Run a server with an empty database and give its connection URL (`postgresql://...`)."""
    with running_server() as server:
        yield server.url


def _free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _binaries() -> Path:
    """Return the folder of the server's programs; Debian keeps them off the search path."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    folders = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if not folders:
        raise RuntimeError("These tests need a PostgreSQL server: install it, for example `apt-get install postgresql`")
    return max(folders, key=lambda folder: float(folder.parent.name))


def _account() -> pwd.struct_passwd | None:
    """Return the account that the server runs as, None for that of the tests."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    return next(known[name] for name in ACCOUNTS if name in known)


def _run(program: str, *arguments: object) -> None:
    """Run a program of PostgreSQL as that account; raise with what it said where it fails."""
    account = _account()
    options = {} if account is None else {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    with tempfile.TemporaryFile() as said:  # a pipe would stay open as long as the server that a program starts
        done = subprocess.run(
            [str(_binaries() / program), *map(str, arguments)],
            cwd="/",
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            check=False,
            **options,
        )
        said.seek(0)
        if done.returncode:
            raise RuntimeError(f"{program} failed: {said.read().decode(errors='replace')}")
