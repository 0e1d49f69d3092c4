"""A PostgreSQL server for tests: a real one, started in a folder of its own and stopped afterwards.

It listens on a Unix socket in that folder only, so several test processes have one each without agreeing on ports.
PostgreSQL refuses to run as root: where the tests do, the server runs as an account without rights.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

ACCOUNTS = ("postgres", "nobody")
"""Accounts without rights, the preferred one first."""

OPTIONS = "-c fsync=off -c full_page_writes=off -c synchronous_commit=off -c listen_addresses=''"
"""Of the server: what it stores need not outlive the tests."""


@contextmanager
def postgres_server() -> Iterator[str]:
    """Run a server with an empty database and give its connection URL (`postgresql://...`)."""
    binaries = _binaries()
    account = _account()
    folder = Path(tempfile.mkdtemp(prefix="turs-pg-"))  # short, because the path of a socket may have 107 bytes
    cluster = folder / "cluster"
    try:
        if account is not None:
            os.chown(folder, account.pw_uid, account.pw_gid)
        _run(account, binaries / "initdb", "-D", cluster, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "-N")
        start = ("-o", f"{OPTIONS} -k {folder}", "-l", folder / "log", "start")
        _run(account, binaries / "pg_ctl", "-D", cluster, "-w", *start)
        try:
            yield f"postgresql://postgres@/postgres?host={quote(str(folder), safe='')}"
        finally:
            _run(account, binaries / "pg_ctl", "-D", cluster, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


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


def _run(account: pwd.struct_passwd | None, *command: object) -> None:
    """Run a program as that account; raise with what it said where it fails."""
    options = {} if account is None else {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    with tempfile.TemporaryFile() as said:  # a pipe would stay open as long as the server that a program starts
        done = subprocess.run(
            [str(part) for part in command],
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
            raise RuntimeError(f"{Path(str(command[0])).name} failed: {said.read().decode(errors='replace')}")
