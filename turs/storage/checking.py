"""Whether a store is as it should be: every address, checksum, document and journal is read again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, select, text

from turs.editing.document import read_step
from turs.editing.history import LEARNED, history_of
from turs.editing.version import first_version
from turs.errors import TursError
from turs.rules.document import from_document
from turs.rules.rule import RuleSet
from turs.storage import content, tables
from turs.storage.journal import checksum
from turs.storage.learning import read_learning
from turs.storage.parquet import from_parquet
from turs.storage.records import Problem


def problems(connection: Connection, *, is_sqlite: bool) -> tuple[Problem, ...]:
    """Read everything and return what is wrong."""
    found = _file_problems(connection) if is_sqlite else []
    found += _content_problems(connection)
    rule_sets = {}
    for row in connection.execute(select(tables.model)):
        try:
            rule_sets[row.id] = from_document(row.document).rule_set
            read_learning(row.learning)
        except (TursError, KeyError, TypeError) as error:
            found.append(Problem(f"model '{row.name}'", f"cannot be read: {error} Put a back-up in place."))
    for row in connection.execute(select(tables.session.c.id, tables.session.c.name, tables.session.c.model)):
        query = select(tables.journal).where(tables.journal.c.session == row.id).order_by(tables.journal.c.number)
        lines = [dict(line) for line in connection.execute(query).mappings()]
        problem = journal_problem(rule_sets[row.model], lines) if row.model in rule_sets else None
        if problem is not None:
            found.append(Problem(f"session '{row.name}'", problem))
    return tuple(found)


def journal_problem(rule_set: RuleSet, lines: Sequence[dict[str, Any]]) -> str | None:
    """Return what is wrong with the rows of a journal, None where nothing is."""
    steps = []
    for number, line in enumerate(lines, start=1):
        if line["number"] != number:
            return f"step {number} is missing: put a back-up in place, or branch off version {number - 1}."
        try:
            if line["checksum"] != checksum(number, line["line"]):
                raise ValueError("its checksum does not fit")
            steps.append(read_step(json.loads(line["line"])))
        except (ValueError, RecursionError) as error:
            if number == len(lines):
                return f"the last step, {number}, was cut off ({error}): it is dropped when the session goes on."
            return f"step {number} is damaged ({error}): put a back-up in place, or branch off version {number - 1}."
    try:
        versions = {LEARNED: first_version(rule_set)}
        for entry in history_of(steps).entries:
            versions[entry.number] = entry.edit.apply(versions[entry.parent])
    except TursError as error:
        return f"its steps do not fit the model: {error}"
    return None


def _file_problems(connection: Connection) -> list[Problem]:
    """Return what SQLite says about its own file."""
    told = [row[0] for row in connection.execute(text("PRAGMA integrity_check"))]
    broken = list(connection.execute(text("PRAGMA foreign_key_check")))
    found = [Problem("the file", f"{line}: put a back-up in place.") for line in told if line != "ok"]
    return found + [Problem("the file", f"table {row[0]} names rows that are gone.") for row in broken]


def _content_problems(connection: Connection) -> list[Problem]:
    """Return what is wrong with the rows of data sets and preparations."""
    found = []
    for table, kind in ((tables.data_set, "data set"), (tables.preparation, "preparation")):
        for row in connection.execute(select(table)):
            where = f"{kind} '{row.name}'"
            addresses = [hash_ for hash_ in (row.content, row.split_content) if hash_ is not None]
            try:
                sizes = {len(from_parquet(content.get(connection, hash_))) for hash_ in addresses}
            except TursError as error:
                found.append(Problem(where, str(error)))
                continue
            if sizes != {row.n_rows}:
                found.append(Problem(where, f"has {max(sizes):,} rows instead of {row.n_rows:,}."))
    return found
