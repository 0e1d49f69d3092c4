"""Bits of the model: the integer code, and the codes of literals, rules and the rule set (paper, section 4.3).

The readings that the paper leaves open are pinned here. A literal is one variable: an interval is one literal with
two cuts. `n_values` (K_value) counts the candidate cuts of the variable that split the rows covered by the preceding
literals of the rule; below 1 it counts as 1.
"""

from __future__ import annotations

import math
from functools import lru_cache

from turs.mdl.logs import log2_binomial, log2_of
from turs.rules.literal import Interval, LevelSet, Literal
from turs.rules.schema import Feature

_INTEGER_CODE_CONSTANT = 2.865064
_INTEGER_CODE_PRECISION = 1e-5
MISSINGNESS_BITS = 1.0
"""Spent by every literal on a feature with missing values: about missingness, or about the value?"""


def integer_bits(k: int) -> float:
    """Return the bits of Rissanen's universal code of a positive integer; 0 costs nothing."""
    if k == 0:
        return 0.0
    terms = [log2_of(_INTEGER_CODE_CONSTANT)]
    term = log2_of(k)
    while term > _INTEGER_CODE_PRECISION:
        terms.append(term)
        term = log2_of(term)
    return math.fsum(terms)


@lru_cache(maxsize=4096)
def cut_bits(n_cuts: int, n_values: int) -> tuple[float, float]:
    """Return the bits of a numeric literal with one cut and with two cuts.

    Parameters
    ----------
    n_cuts : int
        Candidate cuts of the feature; with a single one there is only a side to name, 1 bit.
    n_values : int
        Those of them that split the rows covered by the preceding literals.
    """
    if n_cuts <= 1:
        return 1.0, 1.0
    return 2.0 + log2_of(max(n_values, 1)), 1.0 + log2_binomial(n_values, 2)


@lru_cache(maxsize=4096)
def level_bits(n_levels: int, n_chosen: int) -> float:
    """Return the bits of a set of `n_chosen` out of `n_levels` levels."""
    if n_levels == 2:
        return 1.0
    bits: float = log2_of(n_levels) + log2_binomial(n_levels, n_chosen)
    return bits


def literal_bits(literal: Literal, feature: Feature, n_values: int) -> float:
    """Return the bits of operator and value of a literal."""
    about_missing = MISSINGNESS_BITS if feature.has_missing else 0.0
    if isinstance(literal, Interval):
        one_cut, two_cuts = cut_bits(len(feature.cuts), n_values)
        return about_missing + (one_cut if literal.low is None or literal.high is None else two_cuts)
    if isinstance(literal, LevelSet):
        return about_missing + level_bits(len(feature.levels), len(literal.levels))
    return about_missing + MISSINGNESS_BITS


@lru_cache(maxsize=4096)
def variables_bits(n_columns: int, n_literals: int) -> float:
    """Return the bits that say how many and which variables a rule uses."""
    bits: float = log2_of(n_columns) + log2_binomial(n_columns, n_literals)
    return bits


@lru_cache(maxsize=4096)
def set_bits(n_rules: int) -> float:
    """Return the bits of the number of rules, less those saved because their order says nothing."""
    return integer_bits(n_rules) - math.fsum(log2_of(k) for k in range(2, n_rules + 1))
