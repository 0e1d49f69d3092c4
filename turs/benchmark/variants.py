"""Variants of the default search that were tried, with what came of them: the reasons behind the default.

`variants.csv` holds the measurements that decided, also of variants whose code is gone; `VARIANTS` are searches that
can be measured again. Where the reason is not in the numbers: without a bound, random picks move the AUC by 0.02 on
`waveform`, and exponents of 0.5 alone need more bits than the paper's search on `backnote` and `anuran`. Differences
are paired by data set, seed and fold, variant less default; bits and literals are taken relative to the default (in per
cent), because data sets differ in size by four orders of magnitude. The standard error is that over data sets.
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
_POLISHED = replace(_DEFAULT, polish=True)
_FOUR = (*_DEFAULT.exponents, Exponents(rule=0.5), Exponents(rule=0.375))
_HALF_RULE, _HALF = (Exponents(rule=0.5),), (Exponents(rule=0.5, beam=0.5),)

VARIANTS: dict[str, tuple[str, Search]] = {
    "paper": ("the paper's exponents alone, no second look", SEARCHES["paper"]),
    "polish": ("rules shortened and cut anew in the end, while bits fall", _POLISHED),
    "wide start": ("polish, and the first level twice as wide", replace(_POLISHED, first_width=20)),
    "no second look": ("polish instead of the second look", replace(_POLISHED, looks=0)),
    "two looks": ("polish, and two second looks", replace(_POLISHED, looks=2)),
    "unbounded": ("polish, no bound on random picks", replace(_POLISHED, most_gap=math.inf)),
    "four searches": (
        "polish, exponents 0.5 and 0.375 at the choice of a rule too",
        replace(_POLISHED, exponents=_FOUR),
    ),
    "a = 0.5": ("polish, exponent 0.5 at the choice of a rule only", replace(_POLISHED, exponents=_HALF_RULE)),
    "a = b = 0.5": ("polish, exponents 0.5 alone", replace(_POLISHED, exponents=_HALF)),
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
    mean_bits, mean_auc, mean_literals : float
        Means over data sets.
    bits_difference, bits_error, literals_difference, literals_error : float or None
        Paired difference to the default in per cent of the default, and its standard error.
    auc_difference, auc_error : float or None
        Paired difference to the default, and its standard error.
    kept : str
        "yes" where it became the default, "no" where not, empty where nobody has decided.
    """

    variant: str
    what: str
    datasets: int
    seeds: str
    mean_bits: float | None
    mean_auc: float | None
    mean_literals: float | None
    bits_difference: float | None
    bits_error: float | None
    auc_difference: float | None
    auc_error: float | None
    literals_difference: float | None
    literals_error: float | None
    kept: str


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
    return [tried for tried in found if tried is not None]


def _measured(rows: Sequence[Row], default: str, name: str, what: str, seeds: Sequence[int]) -> Tried | None:
    """Return one variant beside the default; None where no data set has both."""
    means: dict[str, list[float]] = {"auc": [], "total_bits": [], "n_literals": []}
    differences: dict[str, list[float]] = {"auc": [], "total_bits": [], "n_literals": []}
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
    if not means["total_bits"] or not all(differences.values()):
        return None
    of = {metric: mean_and_error(values) for metric, values in differences.items()}
    return Tried(
        name,
        what,
        len(means["total_bits"]),
        " ".join(map(str, seeds)),
        statistics.fmean(means["total_bits"]),
        statistics.fmean(means["auc"]),
        statistics.fmean(means["n_literals"]),
        *of["total_bits"],
        *of["auc"],
        *of["n_literals"],
        kept="",
    )


def _tried(line: dict[str, str]) -> Tried:
    """Return one line of the table."""
    if line["kept"] not in ("yes", "no", ""):
        raise ValueError(f"kept is '{line['kept']}', it is yes or no")
    texts = ("variant", "what", "seeds", "kept")
    values: dict[str, Any] = {
        name: float(value) if value else None for name, value in line.items() if name not in texts
    }
    return Tried(**{**values, **{name: line[name] for name in texts}, "datasets": int(line["datasets"])})
