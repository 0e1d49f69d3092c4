"""Workspaces, data sets, preparations, models and sessions as rows of the store.

They are found, listed, added, renamed, archived and deleted here, each kind in the same way.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, Row, Select, Table, false, func, select

from turs.errors import StorageError, nearest
from turs.storage import content, tables
from turs.storage.journal import is_edit, now
from turs.storage.records import Contents, DataSetRecord, Item, ModelRecord, Preparation, SessionRecord, Workspace

_Kind = TypeVar("_Kind", bound=Item)


@dataclass(frozen=True)
class _Kept:
    """How a kind of item is kept: what it is called, its table, the column of what it belongs to, and its record."""

    name: str
    table: Table
    parent: str | None
    record: Callable[[Row[Any]], Item]


def find(connection: Connection, kind: type[_Kind], id_: str) -> _Kind:
    """Return an item by its id, or raise where it is gone."""
    row = connection.execute(_query(kind).where(_KEPT[kind].table.c.id == id_)).first()
    if row is None:
        raise StorageError(f"There is no such {_KEPT[kind].name} in the store any more: look at the list again.")
    return cast(_Kind, _KEPT[kind].record(row))


def listed(connection: Connection, kind: type[_Kind], parent: str | None, archived: bool) -> tuple[_Kind, ...]:
    """Return the items that belong to something, in the order in which they were added."""
    kept = _KEPT[kind]
    query = _query(kind).order_by(kept.table.c.position, kept.table.c.id)
    if kept.parent is not None:
        query = query.where(kept.table.c[kept.parent] == parent)
    if not archived:
        query = query.where(kept.table.c.is_archived.is_(False))
    return tuple(cast(_Kind, kept.record(row)) for row in connection.execute(query))


def workspace_named(connection: Connection, name: str) -> Workspace:
    """Return the workspace of that name, or raise with the names that are close."""
    known = {item.name: item for item in listed(connection, Workspace, None, True)}
    if name not in known:
        names = ", ".join(f"'{other}'" for other in known) or "none"
        raise StorageError(f"There is no workspace '{name}'. Workspaces: {names}.{nearest(name, known)}")
    return known[name]


def add(connection: Connection, kind: type[_Kind], name: str, values: Mapping[str, Any], author: str = "") -> _Kind:
    """Add an item with its further columns and return its record."""
    kept = _KEPT[kind]
    if kept.parent is not None:
        owner = next(other for other in _KEPT if _KEPT[other].table.name == f"turs_{kept.parent}")
        find(connection, owner, values[kept.parent])
    row: dict[str, Any] = {
        "id": uuid.uuid4().hex,
        "name": _checked_name(connection, kind, name),
        "author": author,
        "created": now(),
        "position": time.time_ns(),
        "is_archived": False,
        **values,
    }
    connection.execute(kept.table.insert(), row)
    return find(connection, kind, row["id"])


def rename(connection: Connection, item: _Kind, name: str) -> _Kind:
    """Give an item another name."""
    kind = type(item)
    if name != item.name:
        _change(connection, item, {"name": _checked_name(connection, kind, name)})
    return find(connection, kind, item.id)


def archive(connection: Connection, item: _Kind, is_archived: bool) -> _Kind:
    """Take an item out of the lists, or put it back."""
    _change(connection, item, {"is_archived": is_archived})
    return find(connection, type(item), item.id)


def contents(connection: Connection, item: Item) -> Contents:
    """Return what belongs to an item."""
    find(connection, type(item), item.id)
    data_sets, preparations, models, sessions = _scope(item)
    used, elsewhere = (_addresses(connection, (data_sets, preparations), inside) for inside in (True, False))
    model, journal = tables.model, tables.journal
    documents = func.coalesce(func.sum(func.length(model.c.document) + func.length(model.c.learning)), 0)
    lines = func.coalesce(func.sum(func.length(journal.c.line)), 0)
    in_sessions = journal.c.session.in_(sessions)

    def number(query: Select[Any]) -> int:
        return int(connection.execute(query).scalar_one())

    return Contents(
        n_data_sets=number(select(func.count()).select_from(data_sets.subquery())),
        n_models=number(select(func.count()).select_from(models.subquery())),
        n_sessions=number(select(func.count()).select_from(sessions.subquery())),
        n_steps=number(select(func.count()).select_from(journal).where(in_sessions)),
        n_openings=number(
            select(func.count()).select_from(tables.opening).where(tables.opening.c.session.in_(sessions))
        ),
        n_preparations=number(select(func.count()).select_from(preparations.subquery())),
        n_bytes=content.size_of(connection, used - elsewhere)
        + number(select(documents).where(model.c.id.in_(models)))
        + number(select(lines).where(in_sessions)),
    )


def delete(connection: Connection, item: Item) -> Contents:
    """Delete an item with all that belongs to it, and return what went."""
    gone = contents(connection, item)
    table = _KEPT[type(item)].table
    connection.execute(table.delete().where(table.c.id == item.id))
    content.drop_unused(connection)
    return gone


def _checked_name(connection: Connection, kind: type[Item], name: str) -> str:
    """Return a name that may be given."""
    if not name.strip():
        raise StorageError(f"The {_KEPT[kind].name} has no name: write one.")
    if kind is Workspace:
        taken = select(tables.workspace.c.id).where(tables.workspace.c.name == name)
        if connection.execute(taken).first() is not None:
            raise StorageError(f"There is a workspace '{name}' already: choose another name.")
    return name


def _change(connection: Connection, item: Item, values: dict[str, Any]) -> None:
    """Change columns of an item."""
    table = _KEPT[type(item)].table
    connection.execute(table.update().where(table.c.id == item.id).values(**values))


def _scope(item: Item) -> tuple[Select[Any], Select[Any], Select[Any], Select[Any]]:
    """Return the ids of the data sets, preparations, models and sessions that an item holds, itself included."""
    model, session = tables.model.c, tables.session.c
    data_sets = _in_workspace(item, DataSetRecord)
    preparations = _in_workspace(item, Preparation)
    models = select(model.id).where(
        model.id == item.id if isinstance(item, ModelRecord) else model.data_set.in_(data_sets)
    )
    sessions = select(session.id).where(
        session.id == item.id if isinstance(item, SessionRecord) else session.model.in_(models)
    )
    return data_sets, preparations, models, sessions


def _in_workspace(item: Item, kind: type[Item]) -> Select[Any]:
    """Return the ids of a kind of items that belong to workspaces: those in a workspace, or the item itself."""
    table = _KEPT[kind].table.c
    return select(table.id).where(
        table.workspace == item.id
        if isinstance(item, Workspace)
        else table.id == item.id
        if isinstance(item, kind)
        else false()
    )


def _addresses(connection: Connection, owners: tuple[Select[Any], Select[Any]], inside: bool) -> set[str]:
    """Return the addresses that these data sets and preparations use, or all others."""
    found = set()
    for table, ids in zip((tables.data_set.c, tables.preparation.c), owners, strict=True):
        chosen = table.id.in_(ids) if inside else table.id.not_in(ids)
        rows = connection.execute(select(table.content, table.split_content).where(chosen))
        found |= {hash_ for row in rows for hash_ in row if hash_ is not None}
    return found


def _query(kind: type[Item]) -> Select[Any]:
    """Return the query of the rows of a kind of item, without its large columns."""
    if kind is not SessionRecord:
        large = {"document", "learning"}
        return select(*(column for column in _KEPT[kind].table.c if column.name not in large))
    journal, session = tables.journal, tables.session
    last = journal.c.session == session.c.id
    version = select(func.max(journal.c.number)).where(last).scalar_subquery()
    edits = select(func.count()).where(last, is_edit()).scalar_subquery()
    changed = select(journal.c.time).where(last).order_by(journal.c.number.desc()).limit(1).scalar_subquery()
    return select(
        session,
        func.coalesce(version, 0).label("version"),
        edits.label("n_edits"),
        func.coalesce(changed, "").label("changed"),
    )


def _workspace(row: Row[Any]) -> Workspace:
    """Return the record of a workspace."""
    return Workspace(row.id, row.name, row.created, row.is_archived)


def _data_set(row: Row[Any]) -> DataSetRecord:
    """Return the record of a data set."""
    return DataSetRecord(
        id=row.id,
        workspace=row.workspace,
        name=row.name,
        target=row.target,
        kinds=row.kinds,
        ignored=tuple(row.ignored),
        notes=tuple(row.notes),
        n_rows=row.n_rows,
        n_columns=row.n_columns,
        content=row.content,
        split_content=row.split_content,
        author=row.author,
        created=row.created,
        is_archived=row.is_archived,
    )


def _preparation(row: Row[Any]) -> Preparation:
    """Return the record of a preparation."""
    return Preparation(
        id=row.id,
        workspace=row.workspace,
        name=row.name,
        choices=row.choices,
        notes=tuple(row.notes),
        n_rows=row.n_rows,
        n_columns=row.n_columns,
        content=row.content,
        split_content=row.split_content,
        version=row.version,
        author=row.author,
        created=row.created,
        changed=row.changed,
        is_archived=row.is_archived,
    )


def _model(row: Row[Any]) -> ModelRecord:
    """Return the record of a model."""
    return ModelRecord(
        row.id, row.data_set, row.name, row.n_rules, row.total_bits, row.author, row.created, row.is_archived
    )


def _session(row: Row[Any]) -> SessionRecord:
    """Return the record of a session."""
    return SessionRecord(
        id=row.id,
        model=row.model,
        name=row.name,
        author=row.author,
        created=row.created,
        version=row.version,
        n_edits=row.n_edits,
        changed=row.changed,
        origin=row.origin,
        origin_version=row.origin_version,
        is_archived=row.is_archived,
    )


_KEPT: dict[type[Item], _Kept] = {
    Workspace: _Kept("workspace", tables.workspace, None, _workspace),
    DataSetRecord: _Kept("data set", tables.data_set, "workspace", _data_set),
    Preparation: _Kept("preparation", tables.preparation, "workspace", _preparation),
    ModelRecord: _Kept("model", tables.model, "data_set", _model),
    SessionRecord: _Kept("session", tables.session, "model", _session),
}
