"""`turs benchmark`: the paper's experiments on a folder of data sets, and time and memory against size."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer

from turs.benchmark import ratios
from turs.benchmark.child import command_of
from turs.benchmark.datasets import sources_in
from turs.benchmark.edits import run_edits
from turs.benchmark.experiment import JOURNAL, SIMULATION, Plan, Progress, plan_folds, plan_simulation, run_plan
from turs.benchmark.journal import Journal, Row
from turs.benchmark.learners import DEFAULT, chosen_learners, turs_learner
from turs.benchmark.outcome import run_info, write_experiment, write_scale
from turs.benchmark.peers import peer
from turs.benchmark.report import NO_PLOTLY, plotly_script, write_table
from turs.benchmark.scale import ROWS, run_scale
from turs.benchmark.table import Table
from turs.benchmark.variants import VARIANTS
from turs.cli.listing import print_line, tell
from turs.cli.workspaces import storage_needed
from turs.errors import DataError, SettingsError
from turs.kernel import all_cores
from turs.learn.settings import Settings

_VARIANT_SEEDS = 3
_LEAST_FOLDS = 2
_INTERRUPTED = 130
"""What a shell gives a command that Ctrl-C ended."""


@dataclass(frozen=True)
class Request:
    """What the user asked for.

    Parameters
    ----------
    folder : Path or None
        Data sets; None with `scale`.
    out : Path
        Where results go, and where finished tasks are kept.
    datasets, searches, peers : tuple of str
        Names.
    pythons : dict of str to str
        Interpreters of peers that have an environment of their own.
    folds, seed, repetitions : int
        Folds, their seed, and repetitions of the simulation.
    limit : float
        Seconds of learning of one fold.
    processes, threads : int or None
        Child processes at a time (all cores unless given), and threads of TURS in each.
    first_fold : bool
        Whether only the first fold of every seed is done.
    ablations, variants, speed, scale, storage, fresh, warm : bool
        What else to run, or instead; whether to forget finished tasks, and whether processes of peers go on with
        further data sets.
    repeats : int
        Times that the measurement of the speed learns from a data set.
    rows : tuple of int
        Numbers of rows of the scale measurements.
    """

    folder: Path | None
    out: Path
    datasets: tuple[str, ...]
    searches: tuple[str, ...]
    peers: tuple[str, ...]
    pythons: dict[str, str]
    folds: int
    seed: int
    repetitions: int
    limit: float
    processes: int | None
    threads: int
    first_fold: bool
    ablations: bool
    variants: bool
    speed: bool
    repeats: int
    scale: bool
    storage: bool
    fresh: bool
    warm: bool
    rows: tuple[int, ...]


def parted(text: str) -> tuple[str, ...]:
    """Return the parts of a comma-separated option."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def parted_pythons(texts: list[str]) -> dict[str, str]:
    """Return the interpreters of peers by name."""
    parts = [text.partition("=") for text in texts]
    for (name, _, python), text in zip(parts, texts, strict=True):
        if not python or not Path(python).is_file():
            raise SettingsError(
                f"--python is '{text}': name a peer and its interpreter, such as CLASSY=env/bin/python."
            )
        peer(name)  # raises where there is none
    return {name: python for name, _, python in parts}


def parted_rows(text: str | None) -> tuple[int, ...]:
    """Return numbers of rows, ascending."""
    try:
        rows = tuple(sorted({int(part.replace("_", "")) for part in parted(text)})) if text else ROWS
    except ValueError:
        raise SettingsError(f"--rows is '{text}': give numbers separated by commas, such as 10000,100000.") from None
    if not rows or rows[0] < 100:
        raise SettingsError(f"--rows is '{text}': give numbers of 100 or more.")
    return rows


def run(request: Request) -> None:
    """Run what was asked for, write the results and print the short tables."""
    _check(request)
    _make_folder(request.out)
    if request.storage:
        _print_table(_storage(request))
        return
    if request.scale:
        _show(request, _scale(request))
        return
    assert request.folder is not None  # checked above
    if request.speed:
        _print_table(_speed(request, request.folder))
        return
    try:
        rows, shown_tables = _experiment(request, request.folder)
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted: finished folds are kept; the same command resumes.\n")
        raise typer.Exit(_INTERRUPTED) from None
    _show(request, shown_tables)
    if not any(row["status"] == "ok" and row["dataset"] != SIMULATION for row in rows):
        reason = next((row["reason"] for row in rows if row.get("reason")), "there was nothing to do")
        raise DataError(f"No fold of any data set could be done; the first reason is: {reason}")


def _show(request: Request, shown_tables: Sequence[Table]) -> None:
    """Print the short tables, and where the report is."""
    for table in shown_tables:
        _print_table(table)
    if plotly_script() is None:
        tell([NO_PLOTLY])
    print_line(f"The report is {request.out / 'report.html'}")


def _make_folder(out: Path) -> None:
    """Make the folder of the results."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise SettingsError(f"--out is {out}, which is a file or inside one: name a folder.") from None


def _check(request: Request) -> None:
    """Raise where an option makes no sense."""
    makes_its_own = request.scale or request.storage
    if request.folder is None and not makes_its_own:
        raise SettingsError("Name a folder of data sets, or ask for --scale or --storage.")
    if request.folder is not None and makes_its_own:
        raise SettingsError("--scale and --storage make their own tables: leave the folder out.")
    if request.speed and makes_its_own:
        raise SettingsError("--speed learns from the data sets of a folder: ask for --scale or --storage by itself.")
    if request.folds < _LEAST_FOLDS:
        raise SettingsError(f"--folds is {request.folds}: give at least {_LEAST_FOLDS}.")
    if not request.limit > 0:
        raise SettingsError(f"--limit is {request.limit}: give a positive number of seconds.")
    counts = {"--processes": request.processes, "--threads": request.threads, "--repeats": request.repeats}
    for name, value in counts.items():
        if value is not None and value < 1:
            raise SettingsError(f"{name} is {value}: it has to be at least 1.")
    if request.repetitions < 0 or request.seed < 0:
        raise SettingsError("--repetitions and --seed cannot be negative.")
    if not request.searches:
        raise SettingsError("--search names no search: use portfolio, paper or both.")


def _experiment(request: Request, folder: Path) -> tuple[list[Row], list[Table]]:
    """Run the paper's experiments; return all rows and the tables that a terminal shows."""
    sources = sources_in(folder, request.datasets)
    learners, missing = chosen_learners(
        request.searches,
        request.peers,
        ablations=request.ablations,
        threads=request.threads,
        pythons=request.pythons,
    )
    tell(missing.values())
    plan = plan_folds(
        sources,
        learners,
        missing,
        n_folds=request.folds,
        seeds=[request.seed],
        first_fold=request.first_fold,
        warm=request.warm,
    )
    parts, seeds = [plan], [request.seed]
    if request.ablations:
        parts.append(plan_simulation(learners, request.repetitions, request.seed))
    if request.variants:
        seeds = [request.seed + more for more in range(_VARIANT_SEEDS)]
        default = turs_learner(DEFAULT, Settings(threads=request.threads))
        tried = [
            turs_learner(name, Settings(threads=request.threads), search) for name, (_, search) in VARIANTS.items()
        ]
        measured = plan_folds(
            sources, [default, *tried], {}, n_folds=request.folds, seeds=seeds, first_fold=request.first_fold
        )
        planned = {task.key for task in plan.tasks}
        further = [task for task in measured.tasks if task.key not in planned]
        parts.append(Plan(tuple(sorted(further, key=lambda task: task.fold))))
    whole = Plan(tuple(task for part in parts for task in part.tasks), plan.undone)
    processes = request.processes or all_cores()
    with Journal(request.out / JOURNAL, fresh=request.fresh) as journal, _watching() as watch:
        rows = run_plan(
            whole,
            journal,
            limit=request.limit,
            processes=processes,
            threads=request.threads,
            on_progress=watch,
            commands={name: command_of(python) for name, python in request.pythons.items()},
        )
    folds = f"the first of {request.folds}" if request.first_fold else request.folds
    told = {"folder": folder.name, "folds": folds, "seeds": " ".join(map(str, seeds)), "limit": request.limit}
    options = {**told, "processes": processes, "threads": request.threads, "repetitions": request.repetitions}
    options["processes of peers"] = "warm from other data sets" if request.warm else "new for every data set"
    return rows, write_experiment(request.out, rows, run_info(options, learners), seeds)


def _speed(request: Request, folder: Path) -> Table:
    """Measure the searches and two threads on whole data sets, and keep the table in the folder of the results."""

    def watch(row: Row) -> None:
        seconds = ", ".join(f"{row[name]:.3f} s {text}" for name, text in ratios.NAMES.items() if name in row)
        sys.stderr.write(f"{row['dataset']}: {seconds or row['reason']}\n")

    sources = sources_in(folder, request.datasets)
    rows = ratios.run_ratios(sources, request.repeats, limit=request.limit, on_done=watch)
    table = ratios.ratio_table(rows)
    write_table(request.out / "speed.csv", table.columns, table.rows)
    if not any(row["status"] == "ok" for row in rows):
        raise DataError(f"No data set could be learned from; the first reason is: {rows[0]['reason']}")
    return table


def _scale(request: Request) -> list[Table]:
    """Measure time and memory."""

    def watch(row: Row, done: int, total: int) -> None:
        size = f"{row['rows']:,} rows, {row['features']} features, {row['classes']} classes, {row['rules']} rules"
        took = f"{row['fit_s']:.2f} s" if row["status"] == "ok" else f"{row['status']}: {row.get('reason')}"
        sys.stderr.write(f"{done} of {total}: {row['learner']}, {size}: {took}\n")

    rows = run_scale(request.rows, seed=request.seed, limit=request.limit, on_done=watch)
    edits = run_edits(request.rows, seed=request.seed, limit=request.limit)
    info = run_info({"rows": " ".join(map(str, request.rows)), "seed": request.seed, "limit": request.limit})
    return write_scale(request.out, rows, edits, info)


def _storage(request: Request) -> Table:
    """Measure a store in the folder of the results, and keep the table there."""
    with storage_needed():
        from turs.benchmark.storing import StorageSize, run_storage
    table = run_storage(request.out, StorageSize(), request.seed)
    write_table(request.out / "storage.csv", table.columns, table.rows)
    return table


@contextmanager
def _watching() -> Iterator[Callable[[Progress], None]]:
    """Give a callback that draws a bar on a terminal, and otherwise writes a line for each data set that is done."""
    if not sys.stderr.isatty():
        yield _line_by_dataset()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("starting", total=None)

        def draw(progress: Progress) -> None:
            doing = f"{progress.row['dataset']}, {progress.row['learner']}: {progress.row['status']}"
            bar.update(task, completed=progress.done, total=progress.total, description=doing)

        yield draw


def _line_by_dataset() -> Callable[[Progress], None]:
    """Return a callback that writes one line when the last task of a data set is done."""

    def write(progress: Progress) -> None:
        if progress.left == 0:
            name, rows = progress.row["dataset"], progress.finished
            aucs = [row["auc"] for row in rows if row["learner"] == DEFAULT and row.get("auc") is not None]
            undone = sum(row["status"] != "ok" for row in rows)
            auc = f", TURS AUC {sum(aucs) / len(aucs):.3f}" if aucs and name != SIMULATION else ""
            missed = f", {undone} not done" if undone else ""
            sys.stderr.write(f"{progress.done} of {progress.total} tasks: {name} done{auc}{missed}\n")
            sys.stderr.flush()

    return write


def _print_table(table: Table) -> None:
    """Print a table to standard output in aligned columns."""
    if not table.rows:
        return
    lines = [table.columns, *table.texts()]
    widths = [max(len(line[column]) for line in lines) for column in range(len(table.columns))]
    print_line(f"\n{table.title}")
    for line in lines:
        print_line("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())
