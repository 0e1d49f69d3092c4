"""The command line: `turs learn | show | score | predict | edit | export | report | benchmark | workspace | app`.

Options are declared here; what a command does is in a module of its own, loaded when the command runs, so that help
appears at once. Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 the user's
data or request is at fault (one clear line), 2 wrong usage, 130 ended by Ctrl-C.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from turs import __version__
from turs.cli.streams import forget_output, settle
from turs.errors import TursError
from turs.export.form import Form


class _Commands(TyperGroup):
    """The commands; an error that the user can put right becomes one line and exit code 1."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except TursError as error:
            message = str(error)
        except OSError as error:
            message = f"{error.filename or 'a file'}: {error.strerror or error}"
        forget_output()
        typer.echo(f"turs: {' '.join(message.split())}", err=True)
        raise typer.Exit(1)


class _Edit(TyperCommand):
    """The command `edit`, which makes changes in the order of the command line: the parser keeps that of one option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Note the changes in their order, then parse as ever."""
        from turs.cli.editing import changes_in

        ctx.meta["changes"] = changes_in(args)
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_Table = Annotated[Path, typer.Argument(metavar="TABLE", help="CSV, TSV, Excel or Parquet file, also with .gz.")]
_ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="Model document from `turs learn`.")]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output, nothing else.")]
_Target = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The class column, where its name is not that of the model.")
]
_Sheet = Annotated[str | None, typer.Option(metavar="NAME", help="Sheet of an Excel workbook; the first unless given.")]
_TestSize = Annotated[
    float | None, typer.Option(metavar="SHARE", help="Share of the rows put aside for testing; 0 for none.")
]
_Seed = Annotated[int, typer.Option(help="Seed of that split.")]
_ModelTestSize = Annotated[
    float | None,
    typer.Option(metavar="SHARE", help="Share of the rows put aside; 0 for none; otherwise that of the model."),
]
_ModelSeed = Annotated[int | None, typer.Option(help="Seed of that split; otherwise that of the model.")]


def _print_version(wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        typer.echo(f"turs {__version__}")
        raise typer.Exit


@app.callback()
def _turs(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Learn, read, score and apply truly unordered rule sets."""


@app.command()
def learn(
    table: _Table,
    target: Annotated[str | None, typer.Option(metavar="COLUMN", help="The class column; has to be named.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the model document here.")] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=KIND", help="Kind of a column: numeric, categorical or date. Repeatable."),
    ] = None,
    feature: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Use only the columns named so. Repeatable.")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Leave a column out of the table. Repeatable.")
    ] = None,
    not_use: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Keep a column in the model, but use it in no rule. Repeatable."),
    ] = None,
    direction: Annotated[
        list[str] | None,
        typer.Option(
            metavar='"COLUMN >="',
            help='Allow only lower cuts on a numeric column ("age >="), or only upper ones ("age <"). Repeatable.',
        ),
    ] = None,
    cuts: Annotated[int, typer.Option(help="Most candidate cuts of a numeric column.")] = 20,
    search: Annotated[str, typer.Option(help="portfolio: the bits choose; paper: Algorithm 2 as written.")] = (
        "portfolio"
    ),
    beam_width: Annotated[int, typer.Option(help="Candidates kept a level in each beam.")] = 10,
    least_coverage: Annotated[int, typer.Option(help="Fewest rows that a rule covers.")] = 1,
    most_literals: Annotated[int | None, typer.Option(help="Most literals of a rule.")] = None,
    most_rules: Annotated[int | None, typer.Option(help="Most rules.")] = None,
    threads: Annotated[int | None, typer.Option(help="Threads; all cores unless given.")] = None,
    time_budget: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop after this time with what was found.")
    ] = None,
    sheet: _Sheet = None,
    test_size: _TestSize = None,
    seed: _Seed = 0,
    json: _Json = False,
) -> None:
    """Learn a rule set from a table and print it. Ctrl-C stops the search and keeps what was found."""
    from turs.cli.learning import Request, columns_text, run

    if target is None:
        typer.echo(f"turs: {columns_text(table, sheet)}", err=True)
        raise typer.Exit(2)
    options = {
        "search": search,
        "beam_width": beam_width,
        "least_coverage": least_coverage,
        "most_literals": most_literals,
        "most_rules": most_rules,
        "time_budget": time_budget,
    }
    request = Request(
        table=table,
        target=target,
        out=out,
        kinds=tuple(kind or ()),
        features=tuple(feature or ()),
        ignored=tuple(ignore or ()),
        unused=tuple(not_use or ()),
        directions=tuple(direction or ()),
        sheet=sheet,
        n_cuts=cuts,
        options=options,
        threads=threads,
        test_size=test_size,
        seed=seed,
        as_json=json,
    )
    run(request)


@app.command()
def show(model: _ModelFile, json: _Json = False) -> None:
    """Print the rules of a model."""
    from turs.cli.showing import run

    run(model, as_json=json)


@app.command()
def score(
    model: _ModelFile,
    table: _Table,
    sheet: _Sheet = None,
    target: _Target = None,
    test_size: _ModelTestSize = None,
    seed: _ModelSeed = None,
    json: _Json = False,
) -> None:
    """Score a model on a table: bits, AUC, overlap, and what each rule saves.

    With --test-size only the rows are scored that `turs learn` put aside with the same share and seed.
    """
    from turs.cli.scoring import run

    run(model, table, sheet=sheet, target=target, test_size=test_size, seed=seed, as_json=json)


@app.command()
def predict(
    model: _ModelFile,
    table: _Table,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write to a .csv, .tsv, .xlsx or .parquet file, also with .gz; otherwise print CSV."
        ),
    ] = None,
    sheet: _Sheet = None,
) -> None:
    """Add to each row of a table its predicted class, the class probabilities and the rules that fired."""
    from turs.cli.predicting import run

    run(model, table, out, sheet=sheet)


def _change(metavar: str, text: str) -> Any:
    """Return an option that is a change and may be given again and again."""
    return typer.Option(metavar=metavar, help=f"{text} Repeatable.")


@app.command(cls=_Edit)
def edit(
    ctx: typer.Context,
    model: _ModelFile,
    table: _Table,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar='"r2: age >= 60"', help="Give a rule a literal, or change it. Repeatable."),
    ] = None,
    add: Annotated[list[str] | None, _change('"IF age >= 60 AND bp < 90"', "Add a rule.")] = None,
    remove: Annotated[list[str] | None, _change('"r2: age"', "Remove a literal.")] = None,
    delete: Annotated[list[str] | None, _change("RULE", "Delete a rule.")] = None,
    duplicate: Annotated[list[str] | None, _change("RULE", "Add a copy of a rule.")] = None,
    split: Annotated[list[str] | None, _change('"r2: age 60"', "Divide a rule at a cut.")] = None,
    merge: Annotated[list[str] | None, _change('"r1 r3"', "Make one rule of two.")] = None,
    lock: Annotated[list[str] | None, _change("RULE", "Lock a rule: no edit changes it.")] = None,
    unlock: Annotated[list[str] | None, _change("RULE", "Unlock a rule.")] = None,
    note: Annotated[list[str] | None, _change('"r2: TEXT"', "Write a note on a rule.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the edited model here.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would happen and write nothing.")] = False,
    sheet: _Sheet = None,
    target: _Target = None,
    test_size: _ModelTestSize = None,
    seed: _ModelSeed = None,
    json: _Json = False,
) -> None:
    """Change single rules of a model, in the order given, and print what each change does.

    TABLE holds the rows that the model was learned from. With --test-size the rows that `turs learn` put aside with
    the same share and seed are for validation.
    """
    from turs.cli.editing import Request, run

    run(
        Request(
            model=model,
            table=table,
            changes=ctx.meta["changes"],
            out=out,
            dry_run=dry_run,
            as_json=json,
            sheet=sheet,
            target=target,
            test_size=test_size,
            seed=seed,
        )
    )


@app.command()
def export(
    model: _ModelFile,
    form: Annotated[Form, typer.Option("--format", help="Form of the export.")],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write to this file; otherwise print.")] = None,
    table: Annotated[
        str, typer.Option(metavar="NAME", help="Table that the SQL statement reads, named as the database stores it.")
    ] = "data",
) -> None:
    """Write a model in another form: text, Markdown or a spreadsheet to read, Python or SQL to predict."""
    from turs.cli.exporting import run

    run(model, form, out, table)


@app.command()
def report(
    model: _ModelFile,
    table: _Table,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Write the page here, such as report.html.")],
    sheet: _Sheet = None,
    target: _Target = None,
    test_size: _ModelTestSize = None,
    seed: _ModelSeed = None,
) -> None:
    """Write one HTML page about a model for people who decide on it; it needs no network and prints well."""
    from turs.cli.reporting import run

    run(model, table, out, sheet=sheet, target=target, test_size=test_size, seed=seed)


@app.command()
def benchmark(
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="CSV files, also with .gz, the class in the last column.")
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Results and the journal of finished folds; a second run resumes.")
    ] = Path("benchmark-results"),
    datasets: Annotated[str, typer.Option(metavar="A,B", help="Only these data sets.")] = "",
    folds: Annotated[int, typer.Option(help="Stratified folds.")] = 5,
    first_fold: Annotated[
        bool,
        typer.Option("--first-fold", help="Only the first fold of every seed, as in the recorded table of --variants."),
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the folds, or of the tables of --scale and --storage.")] = 2,
    search: Annotated[str, typer.Option(metavar="A,B", help="Searches of TURS.")] = "portfolio,paper",
    peers: Annotated[
        str, typer.Option(metavar="A,B", help="CN2, JRip, J48, CART, CLASSY, BRS, LightGBM, EBM; or all, or none.")
    ] = "none",
    python: Annotated[
        list[str] | None,
        typer.Option(metavar="PEER=PATH", help="Interpreter of a peer that has an environment of its own; repeatable."),
    ] = None,
    limit: Annotated[float, typer.Option(metavar="SECONDS", help="Most time of learning from one fold.")] = 600.0,
    processes: Annotated[int | None, typer.Option(help="Folds at a time; all cores unless given.")] = None,
    threads: Annotated[int, typer.Option(help="Threads of TURS in each process.")] = 1,
    ablations: Annotated[bool, typer.Option("--ablations", help="The paper's ablations too.")] = False,
    repetitions: Annotated[int, typer.Option(help="Simulated tables of the second ablation.")] = 100,
    variants: Annotated[bool, typer.Option("--variants", help="Variants of the default search, three seeds.")] = False,
    speed: Annotated[
        bool, typer.Option("--speed", help="Time of two threads and of the default beside the paper's search.")
    ] = False,
    repeats: Annotated[int, typer.Option(help="Times that --speed learns from a data set; the shortest counts.")] = 5,
    scale: Annotated[bool, typer.Option("--scale", help="Time and memory against size; needs no folder.")] = False,
    rows: Annotated[str | None, typer.Option(metavar="A,B", help="Numbers of rows of --scale.")] = None,
    storage: Annotated[bool, typer.Option("--storage", help="Time of a store of workspaces; needs no folder.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget finished folds and start over.")] = False,
    warm: Annotated[
        bool, typer.Option("--warm", help="Keep the processes of peers from one data set to the next.")
    ] = False,
) -> None:
    """Run the paper's experiments on a folder of data sets and write tables and a report."""
    from turs.cli.benchmarking import Request, parted, parted_pythons, parted_rows, run

    request = Request(
        folder=folder,
        out=out,
        datasets=parted(datasets),
        searches=parted(search),
        peers=parted(peers),
        pythons=parted_pythons(python or []),
        folds=folds,
        seed=seed,
        first_fold=first_fold,
        repetitions=repetitions,
        limit=limit,
        processes=processes,
        threads=threads,
        ablations=ablations,
        variants=variants,
        speed=speed,
        repeats=repeats,
        scale=scale,
        storage=storage,
        fresh=fresh,
        warm=warm,
        rows=parted_rows(rows),
    )
    run(request)


@app.command(name="app")
def app_(
    port: Annotated[int, typer.Option(help="Port of the server.")] = 8501,
    address: Annotated[
        str, typer.Option(help="Address that the server listens on; anything but this machine is open to others.")
    ] = "127.0.0.1",
) -> None:
    """Start the browser application on this machine."""
    from turs.cli.launching import run

    run(port, address)


workspace_app = typer.Typer(no_args_is_help=True, help="Keep workspaces: list, export, import, check, delete.")
app.add_typer(workspace_app, name="workspace")

_Store = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|URL",
        help="The store: an SQLite file or the URL of a database; otherwise TURS_DATABASE or the user's data folder.",
    ),
]
_WorkspaceName = Annotated[str, typer.Argument(metavar="NAME", help="Name of the workspace.")]


@workspace_app.command("list")
def workspace_list(
    archived: Annotated[bool, typer.Option("--archived", help="Archived ones too.")] = False,
    store: _Store = None,
    json: _Json = False,
) -> None:
    """Print the workspaces and what they hold."""
    from turs.cli.workspaces import list_workspaces

    list_workspaces(store, archived=archived, as_json=json)


@workspace_app.command("export")
def workspace_export(
    name: _WorkspaceName,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write.")],
    store: _Store = None,
) -> None:
    """Write a workspace to one file, a zip of Parquet and JSON."""
    from turs.cli.workspaces import export

    export(store, name, out)


@workspace_app.command("import")
def workspace_import(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="From `turs workspace export`.")],
    name: Annotated[str | None, typer.Option(help="Its name here, instead of the one in the file.")] = None,
    store: _Store = None,
) -> None:
    """Add the workspace in a file, as a whole or not at all."""
    from turs.cli.workspaces import import_file

    import_file(store, file, name)


@workspace_app.command("check")
def workspace_check(store: _Store = None) -> None:
    """Read the whole store again and print what is wrong with it."""
    from turs.cli.workspaces import check

    check(store)


@workspace_app.command("delete")
def workspace_delete(
    name: _WorkspaceName,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    store: _Store = None,
) -> None:
    """Delete a workspace with all that is in it; what would go is said before."""
    from turs.cli.workspaces import delete

    delete(store, name, lambda question: yes or (sys.stdin.isatty() and typer.confirm(question, err=True)))


def main() -> None:
    """Run the command line."""
    settle()
    try:
        app()
    except OSError as error:  # of help and of the version, which are printed before a command runs
        forget_output()
        typer.echo(f"turs: standard output: {error.strerror or error}", err=True)
        sys.exit(1)
