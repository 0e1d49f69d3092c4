"""Variants of the default search that were tried, with what came of them: the reasons behind the default.

`variants.csv` holds the measurements that decided, also of variants whose code is gone; `VARIANTS` are searches that
can be measured again. A run takes the first fold of every data set and seed before the second of any, so that one that
is interrupted has all data sets. Differences are paired by data set, seed and fold, variant less default; bits and
literals are taken relative to the default (in per cent), because data sets differ in size by four orders of magnitude.
The standard error is that over data sets. The first line is the default itself, against which the means are to be read.
"""

from __future__ import annotations

import csv
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from importlib import resources
from typing import Any

from turs.benchmark.journal import Row
from turs.benchmark.summary import mean_and_error, paired_values
from turs.errors import ModelError
from turs.learn.settings import SEARCHES, Exponents, Search

_DEFAULT = SEARCHES["portfolio"]
_THREE = (*_DEFAULT.exponents, Exponents(rule=0.5))

VARIANTS: dict[str, tuple[str, Search]] = {
    "paper": ("the paper's exponents alone, no second look, no polish", SEARCHES["paper"]),
    "no polish": ("no polish", replace(_DEFAULT, polish=(0, 0))),
    "late polish": ("polish of the winner in the end only", replace(_DEFAULT, polish=(0, 2))),
    "early polish": ("polish before bits choose only", replace(_DEFAULT, polish=(2, 0))),
    "long polish": ("each rule up to four times in both polishes", replace(_DEFAULT, polish=(4, 4))),
    "no second look": ("no second look", replace(_DEFAULT, looks=0)),
    "two looks": ("two second looks", replace(_DEFAULT, looks=2)),
    "wide start": (
        "the first level of a rule's growth twice as wide: candidates that differ in more than one literal, more pairs"
        " of them",
        replace(_DEFAULT, first_width=20),
    ),
    "unbounded": ("no bound on random picks", replace(_DEFAULT, most_gap=math.inf)),
    "tight bound": ("random picks bounded by 0.005 instead of 0.008", replace(_DEFAULT, most_gap=0.005)),
    "three searches": ("exponent 0.5 at the choice of a rule only, too", replace(_DEFAULT, exponents=_THREE)),
    "a = b = 1": ("the paper's exponents alone", replace(_DEFAULT, exponents=_DEFAULT.exponents[:1])),
    "a = b = 0.5": ("exponents 0.5 alone", replace(_DEFAULT, exponents=_DEFAULT.exponents[1:])),
}
"""Searches to measure against the default, with what they are."""


@dataclass(frozen=True)
class Tried:
    """A variant that was measured.

    Parameters
    ----------
    variant, what : str
        Its name, and what it changes.
    datasets : int
        Data sets that both the variant and the default have done.
    seeds : str
        Seeds of the folds, separated by spaces.
    folds : int or None
        Folds that both have done, of all data sets and seeds.
    mean_bits, mean_auc, mean_literals : float
        Means over data sets.
    bits_difference, bits_error, literals_difference, literals_error : float or None
        Paired difference to the default in per cent of the default, and its standard error.
    auc_difference, auc_error : float or None
        Paired difference to the default, and its standard error.
    cost : float or None
        CPU seconds of learning, over those of the default.
    largest_gap : float or None
        The largest difference of AUC and random-pick AUC on a data set.
    kept : str
        "yes" where it became the default, "no" where not, empty where nobody has decided.
    reason : str
        Why.
    """

    variant: str
    what: str
    datasets: int
    seeds: str
    folds: int | None
    mean_bits: float | None
    mean_auc: float | None
    mean_literals: float | None
    bits_difference: float | None
    bits_error: float | None
    auc_difference: float | None
    auc_error: float | None
    literals_difference: float | None
    literals_error: float | None
    cost: float | None
    largest_gap: float | None
    kept: str
    reason: str


def recorded_variants(text: str | None = None) -> list[Tried]:
    """Return the variants in `variants.csv`, or in the text of such a file.

    Raises
    ------
    ModelError
        The file does not have the columns of `Tried`, or a number is none.
    """
    if text is None:
        text = (resources.files("turs.benchmark") / "variants.csv").read_text(encoding="utf-8")
    lines = csv.DictReader(text.splitlines())
    names = [field.name for field in fields(Tried)]
    if list(lines.fieldnames or ()) != names:
        raise ModelError(f"The table of variants has to have the columns {', '.join(names)}.")
    try:
        return [_tried(line) for line in lines]
    except (ValueError, TypeError) as error:
        raise ModelError(f"The table of variants, line {lines.line_num}: {error}.") from error


def measured_variants(rows: Sequence[Row], default: str, variants: Sequence[str], seeds: Sequence[int]) -> list[Tried]:
    """Return the variants of a run beside its default.

    Parameters
    ----------
    rows : sequence of dict
        Rows of the run.
    default : str
        The learner that the variants are compared with.
    variants : sequence of str
        Names of learners, keys of `VARIANTS`.
    seeds : sequence of int
        Seeds of the folds.
    """
    found = [_measured(rows, default, name, VARIANTS[name][0], seeds) for name in variants]
    tried = [one for one in found if one is not None]
    itself = _measured(rows, default, default, "the default itself", seeds) if tried else None
    if itself is None:
        return tried
    return [replace(itself, bits_error=None, auc_error=None, literals_error=None, kept="yes"), *tried]


def _measured(rows: Sequence[Row], default: str, name: str, what: str, seeds: Sequence[int]) -> Tried | None:
    """Return one variant beside the default; None where no data set has both."""
    means: dict[str, list[float]] = {"auc": [], "total_bits": [], "n_literals": []}
    differences: dict[str, list[float]] = {"auc": [], "total_bits": [], "n_literals": []}
    seconds: list[tuple[float, float]] = []
    gaps: list[float] = []
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        for metric in means:
            pairs = paired_values(rows, dataset, name, default, metric)
            if not pairs:
                continue
            ours, theirs = (statistics.fmean(side) for side in zip(*pairs, strict=True))
            means[metric].append(ours)
            if metric == "auc":
                differences[metric].append(ours - theirs)
            elif theirs:
                differences[metric].append(100 * (ours - theirs) / theirs)
        seconds += paired_values(rows, dataset, name, default, "fit_cpu_s")
        picks = [pick for pick, _ in paired_values(rows, dataset, name, default, "random_pick_auc")]
        if picks:
            gaps.append(abs(means["auc"][-1] - statistics.fmean(picks)))
    if not means["total_bits"] or not all(differences.values()):
        return None
    of = {metric: mean_and_error(values) for metric, values in differences.items()}
    return Tried(
        name,
        what,
        len(means["total_bits"]),
        " ".join(map(str, seeds)),
        len(seconds),
        statistics.fmean(means["total_bits"]),
        statistics.fmean(means["auc"]),
        statistics.fmean(means["n_literals"]),
        *of["total_bits"],
        *of["auc"],
        *of["n_literals"],
        cost=sum(ours for ours, _ in seconds) / sum(theirs for _, theirs in seconds) if seconds else None,
        largest_gap=max(gaps, default=None),
        kept="",
        reason="",
    )


def _tried(line: dict[str, str]) -> Tried:
    """Return one line of the table."""
    if line["kept"] not in ("yes", "no", ""):
        raise ValueError(f"kept is '{line['kept']}', it is yes or no")
    texts = ("variant", "what", "seeds", "kept", "reason")
    values: dict[str, Any] = {
        name: float(value) if value else None for name, value in line.items() if name not in texts
    }
    counts = {name: int(line[name]) if line[name] else None for name in ("datasets", "folds")}
    return Tried(**{**values, **{name: line[name] for name in texts}, **counts})
