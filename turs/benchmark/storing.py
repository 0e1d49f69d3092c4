"""How long a store takes: to append an edit to a long journal, and to open a session with many edits on many rows."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from turs.benchmark.generate import Generated, generate
from turs.benchmark.table import Table, Value
from turs.data.dataset import labelled_data, learning_data
from turs.editing.edit import Edit
from turs.editing.history import Entry
from turs.editing.literal_edits import MoveCut
from turs.mdl.score import patterns_on
from turs.predict import model_of
from turs.rules.literal import Interval
from turs.rules.rule import Rule, RuleSet
from turs.rules.schema import Schema
from turs.storage import ModelRecord, Store, split_rows

_BATCH = 10_000


@dataclass(frozen=True)
class StorageSize:
    """What is measured.

    Parameters
    ----------
    rows, rules : int
        Rows of the table, and rules on it.
    edits : int
        Edits of the session that is opened.
    lines : int
        Edits of the journal that is appended to.
    repeats : int
        How often an edit is appended; a session is opened a tenth as often.
    """

    rows: int = 100_000
    rules: int = 30
    edits: int = 1_000
    lines: int = 100_000
    repeats: int = 200


def run_storage(folder: Path, size: StorageSize, seed: int) -> Table:
    """Measure a store in a new SQLite file inside a folder."""
    with TemporaryDirectory(dir=folder) as temporary, Store.open(Path(temporary) / "store.sqlite") as store:
        model = _added_model(store, size, seed)
        lines = [_opening(store, model, size), *_appending(store, model, size)]
    columns = ("what", "times", "median (ms)", "slowest (ms)")
    note = "Every append is on the disk when it is acknowledged."
    return Table("storage", "A store in SQLite", columns, lines, note)


def _added_model(store: Store, size: StorageSize, seed: int) -> ModelRecord:
    """Add a table and the rules that its rows were drawn from."""
    generated = generate(size.rows, 10, 3, size.rules, seed)
    frame = generated.frame
    split = split_rows(frame["class"], validation=0.2, test=0.0)
    data_set = store.add_data_set(store.add_workspace("benchmark"), "rows", frame, "class", split)
    rows = frame.iloc[split.training]
    rule_set = _rule_set(generated, learning_data(rows, "class").schema)
    patterns = patterns_on(rule_set, labelled_data(rows, rule_set.schema))
    return store.add_model(data_set, "rules", model_of(rule_set, patterns))


def _rule_set(generated: Generated, schema: Schema) -> RuleSet:
    """Return the true rules."""
    rule_set = RuleSet(schema)
    for number, true in enumerate(generated.rules, start=1):
        literals = tuple(Interval(schema.features[index].name, low, high) for index, low, high in true.intervals)
        rule_set = rule_set.with_rule(Rule(f"r{number}", literals))
    return rule_set


def _edits(store: Store, model: ModelRecord) -> Callable[[int], Edit]:
    """Return edits by number, each of which moves a cut of one of the rules."""
    rules = store.model(model).rule_set.rules

    def edit(number: int) -> Edit:
        rule = rules[number % len(rules)]
        literal = next(part for part in rule.literals if isinstance(part, Interval) and part.low is not None)
        assert literal.low is not None  # chosen so
        return MoveCut(rule.id, literal.feature, low=literal.low - number % 5 / 1000)

    return edit


def _opening(store: Store, model: ModelRecord, size: StorageSize) -> tuple[Value, ...]:
    """Measure how long it takes until a session with its numbers is there."""
    edit = _edits(store, model)
    record = store.add_session(model, "many edits")
    store.append(record, 0, [Entry(n + 1, n, edit(n), f"edit {n}") for n in range(size.edits)])

    def work() -> None:
        assert store.open_session(record).state.score.total_bits > 0

    name = f"open a session of {size.edits:,} edits on {size.rows:,} rows"
    return (name, *_timed(work, max(size.repeats // 10, 2)))


def _appending(store: Store, model: ModelRecord, size: StorageSize) -> list[tuple[Value, ...]]:
    """Measure how long an edit takes that is added to a long journal, by itself and in an open session."""
    edit = _edits(store, model)
    record = store.add_session(model, "long journal")
    for start in range(0, size.lines, _BATCH):
        numbers = range(start, min(start + _BATCH, size.lines))
        store.append(record, start, [Entry(n + 1, n, edit(n), f"edit {n}") for n in numbers])
    version = size.lines

    def append() -> None:
        nonlocal version
        version = store.append(record, version, [Entry(version + 1, version, edit(version), "one more")])

    after = f"a journal of {size.lines:,}"
    alone = (f"append an edit to {after}", *_timed(append, size.repeats))
    session = store.open_session(record)

    def apply() -> None:
        session.apply(edit(session.history.cursor))

    return [alone, (f"apply an edit in a session with {after}", *_timed(apply, size.repeats))]


def _timed(work: Callable[[], None], repeats: int) -> tuple[int, float, float]:
    """Return how often something was done, and the median and the longest time in milliseconds."""
    work()  # the first one loads what the others use
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - began))
    return repeats, statistics.median(times), max(times)
