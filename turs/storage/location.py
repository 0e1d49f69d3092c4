"""Where a store is: the file or the URL that was asked for, the one in the environment, or the user's data folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from turs.errors import StorageError

DATABASE_VARIABLE = "TURS_DATABASE"
"""Environment variable with the URL of a database, or with a file."""

FOLDER_VARIABLE = "TURS_DATA"
"""Environment variable that moves the data folder."""

FILE_NAME = "workspaces.sqlite"
"""The store in the data folder."""

_SQLITE = "sqlite"
_POSTGRES = ("postgresql", "postgres", "postgresql+psycopg")


def data_folder() -> Path:
    """Return the folder of the user's store: TURS_DATA, or the platform's place for the data of programs."""
    moved = os.environ.get(FOLDER_VARIABLE)
    if moved:
        return Path(moved).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "turs"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "turs"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "turs"


def located(where: str | os.PathLike[str] | None) -> URL:
    """Return the URL of a store.

    Parameters
    ----------
    where : str or path-like, optional
        A file or a URL; otherwise what the environment says, or the file in the data folder, which is made.

    Raises
    ------
    StorageError
        Where the URL cannot be read (it is not repeated, because it may hold a password), or names another database.
    """
    where = where or os.environ.get(DATABASE_VARIABLE)
    if not where:
        folder = data_folder()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or error
            raise StorageError(f"The folder {folder} cannot be made ({reason}): set {FOLDER_VARIABLE}.") from None
        return _file_url(folder / FILE_NAME)
    if "://" not in os.fspath(where):
        return _file_url(Path(where).expanduser())
    try:
        url = make_url(os.fspath(where))
        if os.fspath(where).count("@") > 1:
            raise ValueError("what follows the first @ may be a part of the password")
    except (ArgumentError, ValueError):
        raise StorageError(
            "The URL of the database cannot be read: write postgresql://user:password@host:port/name, and @, : and / in"
            " a password as %40, %3A and %2F."
        ) from None
    if url.drivername in _POSTGRES:
        return url.set(drivername="postgresql+psycopg")
    if url.drivername == _SQLITE and url.database:
        return _file_url(Path(url.database))
    raise StorageError(
        f"'{url.drivername}' is no database that TURS stores workspaces in: use postgresql:// or a file."
    )


def place_of(url: URL) -> str:
    """Return where a store is as people may read it: a file, or a URL without password and options."""
    if url.drivername.startswith(_SQLITE):
        return str(url.database)
    return URL.create(
        "postgresql", username=url.username, host=url.host, port=url.port, database=url.database
    ).render_as_string()


def secrets_of(url: URL) -> tuple[str, ...]:
    """Return the texts of a URL that must not appear anywhere."""
    values = [url.password, *(value for key, value in url.query.items() if "pass" in key.casefold())]
    return tuple(str(value) for value in values if value)


def _file_url(path: Path) -> URL:
    """Return the URL of an SQLite file."""
    return URL.create("sqlite+pysqlite", database=os.path.abspath(path))
