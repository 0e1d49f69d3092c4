"""`turs learn`: from a table to a model document and its listing."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]  # pyarrow ships no types

from turs import __version__
from turs.cli.listing import auc_text, lines_of, print_json, print_line, print_rules, summary_text, tell
from turs.cli.watching import interruptible, progress_bar
from turs.data.dataset import DataSet, labelled_data, learning_data
from turs.data.names import listed, position_of
from turs.data.reading import read_table
from turs.data.splitting import stratified_split
from turs.errors import ModelError, SettingsError
from turs.evaluate.summary import Summary, summarise
from turs.kernel import all_cores, is_compiled, spare_linear_algebra
from turs.learn.learner import learn
from turs.learn.progress import Learned
from turs.learn.settings import Constraints, Settings
from turs.mdl.score import patterns_on
from turs.predict import model_of
from turs.rules.document import save
from turs.rules.model import Model

_DIRECTIONS = (">=", "<")
_SETTINGS = ("beam_width", "least_coverage", "most_literals", "most_rules", "threads", "time_budget")
_OPTIONS = {"n_cuts": "--cuts"} | {name: f"--{name.replace('_', '-')}" for name in _SETTINGS}
_MOST_COLUMNS = 30


@dataclass(frozen=True)
class Request:
    """What the user asked for; the texts of `kinds` and `directions` are not parsed yet.

    Parameters
    ----------
    table, out : Path
        What to read and where to write the model, if anywhere.
    target : str
        The class column.
    kinds, directions : tuple of str
        Such as `zip=categorical` and `age >=`.
    features, ignored, unused : tuple of str
        Columns to use only, to leave out, and to use in no rule.
    sheet : str or None
        Sheet of a workbook; None for the first.
    n_cuts : int
        Most candidate cuts of a numeric column.
    options : dict
        Further fields of the learner's settings.
    threads : int or None
        None stands for all cores.
    test_size : float or None
        Share of the rows to put aside; None and 0 for none.
    seed : int
        Of the split.
    as_json : bool
        Whether to print JSON.
    """

    table: Path
    target: str
    out: Path | None
    kinds: tuple[str, ...]
    features: tuple[str, ...]
    ignored: tuple[str, ...]
    unused: tuple[str, ...]
    directions: tuple[str, ...]
    sheet: str | None
    n_cuts: int
    options: dict[str, Any]
    threads: int | None
    test_size: float | None
    seed: int
    as_json: bool


def run(request: Request) -> None:
    """Read, learn, write and print."""
    spare_linear_algebra()
    settings = Settings(**request.options, threads=all_cores() if request.threads is None else request.threads)
    with _as_options():
        settings.check()
    constraints = Constraints(tuple(name.strip() for name in request.unused), _parsed_directions(request.directions))
    check_out(request.out, request.table)
    data, test = _read(request)
    pa.default_memory_pool().release_unused()  # the table, which learning needs no more
    tell(data.notes)
    if not is_compiled():
        tell(["This is the first run on this machine: compiling takes about a minute, once."])
    learned = _learned(data, settings, constraints)
    model = model_of(learned.rule_set, patterns_on(learned.rule_set, data))
    training = summarise(model, data)
    tested = summarise(model, test) if test is not None else None
    model = replace(model, info=_info(request, settings, learned, training, tested))
    if learned.stopped:
        tell(["The search was stopped before it was done; what it had found is kept."])
    # Neither takes the other with it: a screen that breaks off no file, a full disk no rules on the screen.
    unsaved = None if request.out is None else _save_error(model, request.out)
    try:
        _report(request, model, learned, training, tested)
    finally:
        if unsaved is not None:
            raise unsaved
        if request.out is not None:
            tell([f"The model was written to {request.out} after {learned.seconds:.1f} s."])


def _save_error(model: Model, out: Path) -> ModelError | None:
    """Write a model; return the error where that fails."""
    try:
        save(model, out)
    except ModelError as error:
        return error
    return None


def check_out(out: Path | None, *inputs: Path) -> None:
    """Raise where a result cannot be written there, or would take the place of what it is made from.

    That is before time is spent on it.
    """
    if out is None:
        return
    if out.is_dir():
        raise ModelError(f"{out} is a folder: name a file in it.")
    if not out.resolve().parent.is_dir():
        raise ModelError(f"{out} cannot be written: there is no folder {out.parent}.")
    for path in inputs:
        if out.exists() and path.exists() and out.samefile(path):
            raise ModelError(f"{out} is what is read here, and would be lost: name another file to write.")
    if out.exists() and not out.is_file():  # such as a terminal
        return
    try:
        with tempfile.TemporaryFile(dir=out.resolve().parent):
            pass
    except OSError as error:
        raise ModelError(f"{out} cannot be written: {error.strerror or error}.") from error


def columns_text(path: Path, sheet: str | None) -> str:
    """Return which columns a table has, for somebody who did not name the target."""
    table = read_table(path, sheet=sheet or 0)
    tell(table.notes)
    names = list(table.frame.columns)
    return f"Say which column holds the classes with --target COLUMN. Columns: {listed(names, _MOST_COLUMNS)}."


@contextmanager
def _as_options() -> Iterator[None]:
    """Let an error of a setting name the option that the user gave."""
    try:
        yield
    except SettingsError as error:
        name, rest = str(error).split(" ", 1)
        raise SettingsError(f"{_OPTIONS.get(name, name)} {rest}") from None


def _read(request: Request) -> tuple[DataSet, DataSet | None]:
    """Return training rows and, where rows are to be put aside, test rows."""
    kinds = _parsed_kinds(request.kinds)
    as_text = [name for name, kind in kinds.items() if kind == "categorical"]
    table = read_table(request.table, text=as_text, sheet=request.sheet or 0)
    tell(table.notes)  # at once: they may explain what is found to be wrong after that
    names = list(table.frame.columns)
    target = names[position_of(request.target.strip(), names, "target column")]
    ignored = [names[position_of(name.strip(), names, "column")] for name in request.ignored]
    if target in ignored:
        raise SettingsError(f"'{target}' is the target: it cannot be left out.")
    frame = table.frame.drop(columns=ignored)
    if kinds.get(target, "categorical") != "categorical":
        raise SettingsError(f"'{target}' is the target, whose values are always classes: leave its --kind out.")
    features = [names[position_of(name.strip(), names, "column")] for name in request.features] or None
    if both := [name for name in features or () if name in ignored]:
        raise SettingsError(f"--feature and --ignore both name {listed(both)}: say one of them.")
    training, test_rows = frame, None
    if request.test_size:
        kept, put_aside = stratified_split(frame[target], request.test_size, request.seed)
        training, test_rows = frame.iloc[kept], frame.iloc[put_aside]
    with _as_options():
        data = learning_data(training, target, kinds=kinds, features=features, n_cuts=request.n_cuts)
    return data, None if test_rows is None else _test_data(test_rows, data)


def _test_data(rows: pd.DataFrame, training: DataSet) -> DataSet:
    """Return rows that were put aside, in the bins of the training rows."""
    return labelled_data(rows, training.schema)


def _learned(data: DataSet, settings: Settings, constraints: Constraints) -> Learned:
    """Learn, with progress on a terminal; Ctrl-C ends the search."""
    with interruptible() as should_stop, progress_bar() as on_progress:
        return learn(data, settings, constraints=constraints, on_progress=on_progress, should_stop=should_stop)


def _parsed_kinds(texts: tuple[str, ...]) -> dict[str, str]:
    """Return kinds by column; the last = separates them."""
    kinds = {}
    for text in texts:
        name, equals, kind = text.rpartition("=")
        if not (equals and name.strip() and kind.strip()):
            raise SettingsError(f"'{text}' does not say the kind of a column: write for example zip=categorical.")
        kinds[name.strip()] = kind.strip().casefold()
    return kinds


def _parsed_directions(texts: tuple[str, ...]) -> dict[str, str]:
    """Return directions by column."""
    directions = {}
    for text in texts:
        direction = next((end for end in _DIRECTIONS if text.rstrip().endswith(end)), None)
        name = text.rstrip().removesuffix(direction or "").strip()
        if direction is None or not name:
            raise SettingsError(f'\'{text}\' is no direction: write for example "age >=" or "age <".')
        directions[name] = direction
    return directions


def _info(
    request: Request, settings: Settings, learned: Learned, training: Summary, tested: Summary | None
) -> dict[str, Any]:
    """Return what the model document tells beside the model."""
    told = asdict(settings)
    del told["threads"]  # the rules do not depend on it
    info: dict[str, Any] = {
        "turs": __version__,
        "table": request.table.name,
        "settings": told | {"n_cuts": request.n_cuts, "unused": request.unused},
        "exponents": asdict(learned.exponents),
        "stopped": learned.stopped,
        "training": numbers_of(training),
        "rules": rule_numbers(training),
    }
    info["settings"]["directions"] = _parsed_directions(request.directions)
    if tested is not None:
        info["split"] = {"test_size": request.test_size, "seed": request.seed}
        info["test"] = numbers_of(tested)
    return info


def numbers_of(summary: Summary) -> dict[str, Any]:
    """Return the numbers of a summary that describe the whole rule set."""
    document = summary.to_json_object()
    for name in ("rules", "else_counts", "else_probabilities"):
        del document[name]
    return document


def rule_numbers(summary: Summary) -> dict[str, Any]:
    """Return the bits of each rule."""
    return {rule.id: {"model_bits": rule.model_bits, "bits_saved": rule.bits_saved} for rule in summary.rules}


def _report(request: Request, model: Model, learned: Learned, training: Summary, tested: Summary | None) -> None:
    """Print what was learned."""
    if request.as_json:
        document = training.to_json_object() | {"seconds": learned.seconds, "stopped": learned.stopped}
        if tested is not None:
            document["test"] = numbers_of(tested)
        if request.out is not None:
            document["model"] = str(request.out)
        print_json(document)
        return
    print_rules(model.rule_set, lines_of(training))
    print_line("")
    print_line(summary_text(training))
    if tested is not None:
        print_line(f"{auc_text(tested)} on {tested.n_rows:,} test rows")
