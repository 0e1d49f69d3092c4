"""A workspace in one file: a zip of Parquet and JSON that any store takes in.

    workspace.json          what there is: data sets, preparations, models, sessions, openings
    content/ADDRESS.parquet rows and splits of data sets and preparations, under the SHA-256 of their bytes
    models/ID.json          model documents
    learning/ID.json        how the models came about
    journals/ID.jsonl       steps of sessions, one a line

A file is checked as a whole before anything of it is written: addresses, checksums, every model and every step. What
comes in gets new ids; nothing in it says where the store is or how to reach it. Version 1 had no preparations.
"""

from __future__ import annotations

import json
import os
import uuid
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, Boolean, Connection, Integer, Table, select

from turs.data.source import MAX_BYTES
from turs.errors import ModelError, StorageError
from turs.files import replacing
from turs.rules.document import from_document
from turs.rules.node import Node
from turs.storage import content, items, tables
from turs.storage.checking import journal_problem
from turs.storage.learning import read_learning
from turs.storage.parquet import from_parquet
from turs.storage.records import DataSetRecord, Item, ModelRecord, Preparation, SessionRecord, Workspace

FORMAT = "turs-workspace"
VERSION = 2
_MANIFEST = "workspace.json"
_ELSEWHERE = frozenset({"position", "document", "learning"})
"""Columns that the manifest leaves out: the order is that of its lists, documents have files of their own."""


@dataclass(frozen=True)
class Bundle:
    """A checked file: rows of the tables as they were where it was written, and content by its address."""

    name: str
    rows: dict[Table, list[dict[str, Any]]]
    journals: dict[str, list[dict[str, Any]]]
    content: dict[str, bytes]


def write_bundle(connection: Connection, workspace: Workspace, path: str | os.PathLike[str]) -> None:
    """Write a workspace to a file, as a whole or not at all."""
    items.find(connection, Workspace, workspace.id)
    rows = _exported(connection, workspace)
    manifest: dict[str, Any] = {"format": FORMAT, "version": VERSION, "name": workspace.name}
    for table, found in rows.items():
        manifest[_list_name(table)] = [
            {name: value for name, value in row.items() if name not in _ELSEWHERE} for row in found
        ]
    try:
        with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
            bundle.writestr(_MANIFEST, _json(manifest))
            for hash_ in sorted({hash_ for row in _tables_in(rows) for hash_ in _addresses(row)}):
                data = content.get(connection, hash_)
                bundle.writestr(f"content/{hash_}.parquet", data, compress_type=zipfile.ZIP_STORED)
            for row in rows[tables.model]:
                for part, folder in (("document", "models"), ("learning", "learning")):
                    bundle.writestr(f"{folder}/{row['id']}.json", _json(row[part]))
            for row in rows[tables.session]:
                lines = map(json.dumps, _journal(connection, row["id"]))
                bundle.writestr(f"journals/{row['id']}.jsonl", "".join(f"{line}\n" for line in lines))
    except OSError as error:
        raise StorageError(f"{os.fspath(path)} cannot be written: {error.strerror or error}.") from None


def read_bundle(path: str | os.PathLike[str]) -> Bundle:
    """Read a file and check all of it.

    Raises
    ------
    StorageError
        Where it is no such file, is incomplete, or holds something that this version cannot read.
    """
    name = os.fspath(path)
    try:
        with zipfile.ZipFile(path) as bundle:
            if sum(member.file_size for member in bundle.infolist()) > MAX_BYTES:
                raise StorageError(f"{name} unpacks to more than {MAX_BYTES / 2**30:.0f} GiB: is it a workspace?")
            return _checked(bundle, name)
    except FileNotFoundError:
        raise StorageError(f"There is no file {name}.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise StorageError(f"{name} is no complete workspace file ({error}): export it again.") from None
    except OSError as error:
        raise StorageError(f"{name} cannot be read: {error.strerror or error}.") from None
    except (ModelError, KeyError, ValueError, RecursionError) as error:
        if isinstance(error, StorageError):
            raise
        raise StorageError(f"{name} is no workspace that can be read: {' '.join(str(error).split())}") from None


def add_bundle(connection: Connection, bundle: Bundle, name: str | None) -> Workspace:
    """Write what a file holds into the store, under new ids, and return the workspace."""
    taken = {item.name for item in items.listed(connection, Workspace, None, True)}
    workspace = items.add(connection, Workspace, name or _free_name(bundle.name, taken), {})
    for data in bundle.content.values():
        content.put(connection, data)
    ids: dict[str | None, str | None] = {None: None}
    kinds: tuple[tuple[Table, type[Item], str], ...] = (
        (tables.data_set, DataSetRecord, "workspace"),
        (tables.preparation, Preparation, "workspace"),
        (tables.model, ModelRecord, "data_set"),
        (tables.session, SessionRecord, "model"),
    )
    for table, kind, parent in kinds:
        for row in bundle.rows[table]:
            ids[row["id"]] = uuid.uuid4().hex
            values = row | {"id": ids[row["id"]], parent: ids.get(row[parent], workspace.id)}
            if "origin" in row:
                values["origin"] = ids.get(row["origin"])
            items.add(connection, kind, row["name"], values, row["author"])
    for session, lines in bundle.journals.items():
        if lines:
            connection.execute(tables.journal.insert(), [line | {"session": ids[session]} for line in lines])
    for position, row in enumerate(bundle.rows[tables.opening]):
        values = row | {"id": uuid.uuid4().hex, "session": ids[row["session"]], "position": position}
        connection.execute(tables.opening.insert(), values)
    return workspace


def _exported(connection: Connection, workspace: Workspace) -> dict[Table, list[dict[str, Any]]]:
    """Return the rows of all that belongs to a workspace."""
    data_set, model, session, opening = tables.data_set, tables.model, tables.session, tables.opening
    rows: dict[Table, list[dict[str, Any]]] = {}
    owners = [workspace.id]
    for table, parent in ((data_set, "workspace"), (model, "data_set"), (session, "model"), (opening, "session")):
        query = select(table).where(table.c[parent].in_(owners)).order_by(table.c.position, table.c.id)
        rows[table] = [dict(row) for row in connection.execute(query).mappings()]
        owners = [row["id"] for row in rows[table]]
    begun = tables.preparation
    query = select(begun).where(begun.c.workspace == workspace.id).order_by(begun.c.position, begun.c.id)
    return rows | {begun: [dict(row) for row in connection.execute(query).mappings()]}


def _tables_in(rows: dict[Table, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the rows that have content."""
    return rows[tables.data_set] + rows[tables.preparation]


def _addresses(row: dict[str, Any]) -> list[str]:
    """Return the addresses of the rows and of the split, where there is one."""
    return [row[key] for key in ("content", "split_content") if row[key] is not None]


def _journal(connection: Connection, session: str) -> list[dict[str, Any]]:
    """Return the lines of a journal as JSON values."""
    table = tables.journal
    found = connection.execute(select(table).where(table.c.session == session).order_by(table.c.number)).all()
    names = ("number", "token", "author", "time", "checksum")
    return [{name: getattr(row, name) for name in names} | {"step": json.loads(row.line)} for row in found]


def _checked(bundle: zipfile.ZipFile, where: str) -> Bundle:
    """Read all members of a file and check them."""
    manifest = _member(bundle, _MANIFEST, where)
    if manifest.get("format").text() != FORMAT:
        manifest.get("format").wrong(f'"{FORMAT}"')
    version = manifest.get("version").whole()
    if version > VERSION:
        raise StorageError(f"{where} was written by a newer version of TURS (version {version}): update TURS.")
    rows = {
        table: [_read_row(table, node) for node in manifest.get(_list_name(table)).items()]
        for table in (tables.data_set, tables.model, tables.session, tables.opening)
    }
    begun = manifest.get(_list_name(tables.preparation)).items() if version > 1 else ()
    rows[tables.preparation] = [_read_row(tables.preparation, node) for node in begun]
    _check_owners(rows, where)
    held = {}
    for row in _tables_in(rows):
        for hash_ in _addresses(row):
            held[hash_] = data = bundle.read(f"content/{hash_}.parquet")
            if content.address(data) != hash_ or len(from_parquet(data)) != row["n_rows"]:
                raise StorageError(f"{where}: the rows of '{row['name']}' are damaged: export it again.")
    rule_sets = {}
    for row in rows[tables.model]:
        row["document"] = _member(bundle, f"models/{row['id']}.json", where).object()
        row["learning"] = _member(bundle, f"learning/{row['id']}.json", where).object()
        rule_sets[row["id"]] = from_document(row["document"], where).rule_set
        read_learning(row["learning"])
    journals = {}
    for row in rows[tables.session]:
        text = bundle.read(f"journals/{row['id']}.jsonl").decode()
        journals[row["id"]] = lines = [_read_line(Node(json.loads(line), where)) for line in text.splitlines()]
        problem = journal_problem(rule_sets[row["model"]], lines)
        if problem is not None:
            raise StorageError(f"{where}: the journal of session '{row['name']}' is damaged: {problem}")
    return Bundle(manifest.get("name").text(), rows, journals, held)


def _check_owners(rows: dict[Table, list[dict[str, Any]]], where: str) -> None:
    """Raise where something belongs to nothing."""
    for table, parent, owner in (
        (tables.model, "data_set", tables.data_set),
        (tables.session, "model", tables.model),
        (tables.opening, "session", tables.session),
    ):
        known = {row["id"] for row in rows[owner]}
        for row in rows[table]:
            if row[parent] not in known:
                raise StorageError(f"{where}: a part is missing ({parent} {row[parent]}): export it again.")


def _read_line(node: Node) -> dict[str, Any]:
    """Check a line of a journal and return its row."""
    line = json.dumps(node.get("step").object(), allow_nan=False)
    row: dict[str, Any] = {name: node.get(name).text() for name in ("token", "author", "time", "checksum")}
    return row | {"number": node.get("number").whole(), "line": line}


def _read_row(table: Table, node: Node) -> dict[str, Any]:
    """Check a row of the manifest and return it."""
    row = {}
    for column in table.c:
        if column.name not in _ELSEWHERE:
            value = node.get(column.name)
            if isinstance(column.type, tables.Json):
                row[column.name] = _JSON_READERS[column.name](value)
            elif isinstance(column.type, Boolean):
                row[column.name] = value.flag()
            elif isinstance(column.type, Integer | BigInteger):
                row[column.name] = value.whole()
            else:
                row[column.name] = None if column.nullable and value.value is None else value.text()
    return row


_JSON_READERS: dict[str, Callable[[Node], Any]] = {
    "name": Node.text,
    "author": Node.text,
    "target": Node.text,
    "kinds": lambda node: {key: node.get(key).text() for key in node.object()},
    "ignored": lambda node: [item.text() for item in node.items()],
    "notes": lambda node: [item.text() for item in node.items()],
    "total_bits": lambda node: None if node.value is None else node.number(),
    "result": Node.object,
    "choices": Node.object,
}
"""How columns of JSON values are read, by their names."""


def _member(bundle: zipfile.ZipFile, name: str, where: str) -> Node:
    """Return a JSON document in the file."""
    return Node(json.loads(bundle.read(name)), f"{where}: {name}")


def _free_name(name: str, taken: set[str]) -> str:
    """Return a name that no workspace has."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free


def _list_name(table: Table) -> str:
    """Return what the manifest calls the rows of a table."""
    return f"{table.name.removeprefix('turs_')}s"


def _json(value: object) -> str:
    """Return a JSON value as readable text."""
    return json.dumps(value, indent=1, allow_nan=False) + "\n"
