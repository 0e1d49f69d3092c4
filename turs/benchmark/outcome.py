"""What a run leaves behind: `results.csv`, `results.json`, `summary.csv`, `verdicts.csv` and `report.html`."""

from __future__ import annotations

import os
import platform
from collections.abc import Collection, Sequence
from dataclasses import astuple, fields, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from turs import __version__
from turs.benchmark import figures as draw
from turs.benchmark import tables, undone
from turs.benchmark.edits import edit_table
from turs.benchmark.experiment import SIMULATION
from turs.benchmark.journal import Row
from turs.benchmark.learners import ABLATIONS, DEFAULT, NO_PATIENCE, PAPER, Learner
from turs.benchmark.paper import TURS, paper_methods
from turs.benchmark.report import Section, plotly_script, report_html, write_rows, write_table, write_text
from turs.benchmark.scale import exponent_table, scale_figures, scale_table, thread_table
from turs.benchmark.summary import Cells, Verdict, against_learner, against_paper, cells_of
from turs.benchmark.table import Table, Value
from turs.benchmark.variants import VARIANTS, Tried, measured_variants, recorded_variants
from turs.kernel import all_cores

_PAPER_G = "The paper's own figures count the else rule (the default rule of a peer) as one of the rules."
_LIBRARIES = ("numpy", "numba", "pandas", "scikit-learn")


def run_info(options: dict[str, Any], learners: Sequence[Learner] = ()) -> dict[str, Any]:
    """Return what a reader needs to repeat a run: versions, machine and options."""
    return {
        "turs": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "CPUs": os.cpu_count(),
        "CPUs that the run may use": all_cores(),
        **{name: metadata.version(name) for name in _LIBRARIES},
        **{learner.name: learner.version for learner in learners},
        **options,
    }


def verdicts_of(rows: Sequence[Row], cells: Cells) -> list[Verdict]:
    """Return how the searches of TURS stand against the paper's own figures, each peer, and the paper's others."""
    ours = [name for name in (DEFAULT, PAPER) if any(learner == name for _, learner in cells)]
    own = {*ours, *ABLATIONS, *VARIANTS}
    peers = [name for name in dict.fromkeys(learner for _, learner in cells) if name not in own]
    found: list[Verdict] = []
    for name in ours:
        found += against_paper(cells, name, TURS)
        for opponent in peers:
            found += against_learner([row for row in rows if row["dataset"] != SIMULATION], name, opponent)
        for method in paper_methods("auc")[1:]:
            found += against_paper(cells, name, method)
    return found


def write_experiment(folder: Path, rows: Sequence[Row], info: dict[str, Any], seeds: Sequence[int]) -> list[Table]:
    """Write everything about the paper's experiments and return the tables that a terminal shows.

    Parameters
    ----------
    folder : Path
        Where to.
    rows : sequence of dict
        Of the run; those of further seeds are there for the variants only.
    info : dict
        From `run_info`.
    seeds : sequence of int
        Seeds of the folds; tables and verdicts are about the first.
    """
    write_rows(folder, rows, info)
    main = [row for row in rows if row.get("seed", seeds[0]) == seeds[0] and row["learner"] not in VARIANTS]
    cells = cells_of(main)
    verdicts = verdicts_of(main, cells)
    summary = tables.summary_table(cells, verdicts)
    write_table(folder / "summary.csv", summary.columns, summary.rows)
    names = [field.name for field in fields(Verdict)]
    write_table(folder / "verdicts.csv", names, [astuple(verdict) for verdict in verdicts])
    measured = measured_variants(rows, DEFAULT, [name for name in VARIANTS if _has(rows, name)], seeds)
    if measured:
        columns = [field.name for field in fields(Tried)]
        write_table(folder / "variants.csv", columns, [astuple(tried) for tried in measured])
    sections = _sections(main, rows, cells, verdicts, measured, info)
    lead = (
        f"turs {__version__}, {info.get('folds')} stratified folds, seed {seeds[0]}; means over folds, bits on"
        f" training rows, all else on test rows. '{DEFAULT}' is the default search."
    )
    write_text(folder / "report.html", report_html("TURS benchmark", lead, sections, plotly_script()))
    printed = (tables.overview_table(cells, main), tables.count_table(verdicts))
    return [*printed, undone.problem_table(rows), undone.omission_table(rows)]


def write_scale(folder: Path, rows: Sequence[Row], edits: Sequence[Row], info: dict[str, Any]) -> list[Table]:
    """Write everything about time and memory and return the tables that a terminal shows."""
    write_rows(folder, rows, info)
    shown = [scale_table(rows), exponent_table(rows), thread_table(rows), edit_table(edits)]
    write_table(folder / "edits.csv", shown[3].columns, shown[3].rows)
    write_table(folder / "exponents.csv", shown[1].columns, shown[1].rows)
    exponents = replace(shown[1], decimals=2)
    sections = [
        Section("Time and memory", (exponents, shown[2], shown[3]), tuple(scale_figures(rows))),
        Section("Numbers", (shown[0],)),
        Section("How it was run", (_info_table(info),)),
    ]
    lead = f"turs {__version__}; every measurement in a process of its own, one after the other."
    write_text(folder / "report.html", report_html("TURS benchmark: scale", lead, sections, plotly_script()))
    return shown


def _has(rows: Sequence[Row], learner: str) -> bool:
    """Say whether a learner is among the rows."""
    return any(row["learner"] == learner for row in rows)


def _sections(
    main: Sequence[Row],
    rows: Sequence[Row],
    cells: Cells,
    verdicts: list[Verdict],
    measured: list[Tried],
    info: dict[str, Any],
) -> list[Section]:
    """Return the report on the paper's experiments."""
    of = tables.metric_table
    datasets = [name for name in dict.fromkeys(dataset for dataset, _ in cells) if name != SIMULATION]
    aucs, literals = (
        draw.learner_numbers(cells, "auc", ABLATIONS),
        draw.learner_numbers(cells, "n_literals", ABLATIONS),
    )
    ours = DEFAULT if DEFAULT in aucs else PAPER
    printed = {name: values for name, values in aucs.items() if name in (DEFAULT, PAPER)}
    beside_paper = {**printed, **draw.paper_numbers("auc", datasets)}
    scores = draw.comparative_literals(literals, aucs, ours)
    own_literals = {name: values for name, values in literals.items() if name in printed}
    all_literals = {**own_literals, **draw.paper_numbers("literals", datasets)}
    scores_beside_paper = draw.comparative_literals(all_literals, beside_paper, ours)
    sections = [
        Section(
            "Results",
            (
                tables.overview_table(cells, main),
                tables.count_table(verdicts),
                undone.problem_table(rows),
                undone.omission_table(rows),
            ),
        ),
        Section(
            "Classification performance",
            (of("auc", "AUC on test rows", cells, "auc", "auc"),),
            (
                draw.gap_to_best("gap", "Gap to the best AUC, learners of this run", aucs),
                draw.gap_to_best("gap_paper", "Gap to the best AUC, beside the paper's figures", beside_paper),
            ),
        ),
        Section("Random picks", (tables.random_pick_table(cells),)),
        Section(
            "Generalisation",
            (
                of("g", "g score: how far rules' probabilities move from training to test rows", cells, "g"),
                of(
                    "g_with_else", "g score with the else rule as one of the rules", cells, "g_with_else", note=_PAPER_G
                ),
            ),
            (
                draw.ecdf(
                    "g_ecdf",
                    "g score over data sets, the else rule counted",
                    draw.learner_numbers(cells, "g_with_else", ABLATIONS),
                    "g score with the else rule",
                    f"Lines further to the left generalise better. {_PAPER_G} Only that of the simulation is at hand.",
                ),
            ),
        ),
        Section(
            "Model size",
            (
                of("literals", "Literals", cells, "n_literals", "literals"),
                of("rules", "Rules", cells, "n_rules"),
                of("bits", "Total bits on training rows", cells, "total_bits"),
            ),
            (
                draw.ecdf(
                    "literals_ecdf",
                    "Fewest literals / literals (1 is the smallest model), learners of this run",
                    scores,
                    "fewest literals of these learners / literals",
                    draw.LITERALS_NOTE,
                ),
                draw.ecdf(
                    "literals_ecdf_paper",
                    "Fewest literals / literals (1 is the smallest model), beside the paper's figures",
                    scores_beside_paper,
                    "fewest literals of these learners / literals",
                    draw.LITERALS_NOTE,
                ),
            ),
        ),
        _ablation_section(cells, main),
        Section(
            "Paths and time",
            (of("time", "CPU seconds of learning a fold", cells, "fit_cpu_s"), tables.speed_table(cells)),
            (
                draw.path_figure(
                    "paths", "Bits against coverage while rules are added", draw.paths_of(main), relative=True
                ),
                draw.time_figure(cells),
            ),
        ),
    ]
    took_part = undone.learner_table(rows)
    info_table = _info_table(info, leave_out={row[0] for row in took_part.rows})
    return [
        *sections,
        _variant_section(measured),
        Section("Every verdict", (tables.verdict_table(verdicts),)),
        Section("How it was run", (took_part, info_table)),
    ]


def _ablation_section(cells: Cells, rows: Sequence[Row]) -> Section:
    """Return the ablations, or how to have them."""
    if not any(_has(rows, name) for name in ABLATIONS):
        return Section("Ablations", note="They were not run: turs benchmark FOLDER --ablations fills this section.")
    found = (tables.ablation_table(cells, rows), tables.simulation_table(rows))
    return Section("Ablations", found, _ablation_figures(cells, rows))


def _ablation_figures(cells: Cells, rows: Sequence[Row]) -> tuple[draw.Figure, ...]:
    """Return the figures of the ablations that were run."""
    found = [draw.patience_figure(cells, rows)] if _has(rows, NO_PATIENCE) else []
    paths = draw.simulation_paths(rows)
    title = "Second ablation: bits against coverage on simulated rows"
    return (*found, *([draw.path_figure("simulation_path", title, paths, relative=False)] if paths else []))


def _variant_section(measured: list[Tried]) -> Section:
    """Return what was tried for the default search, before and in this run."""
    more = (
        " The default took 4.1 times as long when these were measured (the cost of 'paper'), and 2.4 times in a later"
        " run of all folds, so that a variant may hardly take longer. What was measured is the first fold of every"
        " seed: --variants --first-fold."
    )
    recorded = tables.variant_table("variants", "Measured when the default was chosen", recorded_variants(), more)
    fresh = tables.variant_table("variants_measured", "Variants measured in this run", measured)
    return Section("Search variants tried", (recorded, fresh) if measured else (recorded,))


def _info_table(info: dict[str, Any], leave_out: Collection[Value] = ()) -> Table:
    """Return versions and options, without the learners that have a table of their own."""
    rows: list[tuple[Value, ...]] = [(name, str(value)) for name, value in info.items() if name not in leave_out]
    return Table("info", "Versions and options", ("what", "value"), rows)
