"""What a report does not show: what was not done, what a number leaves out; and who took part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from turs.benchmark.experiment import SIMULATION
from turs.benchmark.journal import Row
from turs.benchmark.table import Table, Value


def problem_table(rows: Sequence[Row]) -> Table:
    """Return everything that was not done, with its reason.

    A peer that is missing is one line, and so is a data set that nobody could read. Folds of a learner that ended for
    one reason are one line too; reasons that differ in their numbers only count as one.
    """
    undone = [row for row in rows if row["status"] != "ok"]
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in sorted(undone, key=lambda row: _FIRST.get(row["status"], len(_FIRST))):
        found.setdefault(_problem(row), []).append(row)
    datasets, learners = ({row[name] for row in rows if row[name]} for name in ("dataset", "learner"))
    running = learners - {row["learner"] for row in undone if row["status"] == "missing"}
    lines = [
        (
            _all_or_names([row["learner"] for row in group], running, "learners"),
            group[0]["status"],
            len({(row.get("seed"), row["fold"], row["dataset"]) for row in group if row["fold"] is not None}) or None,
            _all_or_names([row["dataset"] for row in group], datasets - {SIMULATION}, "data sets"),
            _reasons(group),
        )
        for group in found.values()
    ]
    columns = ("learner", "status", "folds", "data sets", "reason")
    note = "A missing peer was not tried on any fold; folds of a data set that cannot be read count once."
    return Table("problems", "What was not done", columns, list(lines), note, empty="Everything was done.")


_MEASURED = {"auc": "AUC", "g": "g score", "g_with_else": "g score with the else rule"}
"""Numbers that a fold may not have although it was done."""


def omission_table(rows: Sequence[Row]) -> Table:
    """Return what the numbers of folds that were done leave out: rows, classes, and folds without a number."""
    done = [row for row in rows if row["status"] == "ok" and row["dataset"] != SIMULATION]
    lines: list[tuple[Value, ...]] = []
    for dataset in dict.fromkeys(row["dataset"] for row in done):
        own = [row for row in done if row["dataset"] == dataset]
        dropped = max(row.get("unlabelled_rows") or 0 for row in own)
        if dropped:
            lines.append((dataset, "all", f"{dropped:,} rows without a class label are in no fold", None))
        absent = Counter(label for row in _one_a_fold(own) for label in row.get("absent_classes") or ())
        lines += [
            (dataset, "all", f"class '{label}' has no test row: the AUC leaves it out", folds)
            for label, folds in absent.items()
        ]
        for learner in dict.fromkeys(row["learner"] for row in own):
            for metric, name in _MEASURED.items():
                values = [row[metric] for row in own if row["learner"] == learner and metric in row]
                without = values.count(None)
                if without:
                    lines.append((dataset, learner, f"no {name}: means and errors are of the other folds", without))
    note = "Means, errors and verdicts count the folds that have the number; tables say of how many folds a mean is."
    empty = "Nothing: every row has a class, every fold has test rows of every class, and every number exists."
    return Table(
        "omissions", "What the numbers leave out", ("data set", "learner", "what", "folds"), lines, note, None, empty
    )


def _one_a_fold(rows: Sequence[Row]) -> Collection[Row]:
    """Return one row of each fold: learners have the same test rows."""
    return {(row["seed"], row["fold"]): row for row in rows}.values()


_FIRST = {"missing": 0, "unreadable": 1}
"""What comes first among the problems: it takes a whole peer, or a whole data set."""

_NOT_TRIED = "not tried:"


def _problem(row: Row) -> tuple[str, ...]:
    """Return what rows of one problem have in common."""
    status, reason = row["status"], row.get("reason") or ""
    if status == "unreadable":
        return status, row["dataset"], reason
    if status == "timeout":
        return status, row["learner"] or ""
    return status, row["learner"] or "", re.sub(r"\d+", "0", reason)


def _reasons(group: Sequence[Row]) -> str:
    """Return the reason of a problem, and how many more there are."""
    reasons = Counter(row.get("reason") or "" for row in group)
    told = [reason for reason in reasons if not reason.startswith(_NOT_TRIED)] or list(reasons)
    untried = sum(count for reason, count in reasons.items() if reason not in told)
    more = [f"{untried} of these folds were not tried after that"] if untried else []
    if len(told) > 1:
        more.insert(0, f"{len(told) - 1} more with other numbers")
    return told[0] + (f" ({'; '.join(more)})" if more else "")


def _all_or_names(names: Sequence[str], everything: Collection[str], what: str) -> str:
    """Return names, or that it is all of them."""
    once = [name or "all" for name in dict.fromkeys(names)]
    return f"all {len(once)} {what}" if len(once) > 1 and set(once) >= set(everything) else ", ".join(once)


def learner_table(rows: Sequence[Row]) -> Table:
    """Return the learners that took part, each with its version and how much of it was done."""
    lines: list[tuple[Value, ...]] = []
    for learner in dict.fromkeys(row["learner"] for row in rows if row["learner"] and row["status"] != "missing"):
        own = [row for row in rows if row["learner"] == learner and row["status"] != "missing"]
        versions = ", ".join(dict.fromkeys(row["version"] for row in own if row.get("version")))
        done = [row for row in own if row["status"] == "ok"]
        lines.append(
            (learner, versions or None, len({row["dataset"] for row in done}), len(done), len(own) - len(done))
        )
    columns = ("learner", "version", "data sets", "folds done", "folds not done")
    return Table("learners", "Learners that took part", columns, lines, "The simulation counts as a data set.")
