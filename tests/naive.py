"""Slow, obvious twins of the compiled kernels and of the score, in plain Python straight from the formulas.

Everything is about rows: a table is `bins` [d, n] and `labels` [n], a cover is a set of row numbers, and nothing is
carried over from one candidate to the next. Rules are scored with and without a candidate from scratch.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from turs.data.dataset import DataSet
from turs.learn.arrays import Limits
from turs.rules.literal import Interval, LevelSet, Literal, Missingness
from turs.rules.rule import Rule
from turs.rules.schema import Feature, Schema

OTHER = object()
"""The value of a level that the schema does not know."""


# --- literals and covers -----------------------------------------------------------------------------------------


def value_of(feature: Feature, code: int) -> object:
    """Return a value that falls into a bin: a number (the lower end), a level, OTHER, or None for missing."""
    if code == feature.missing_bin:
        return None
    if code == feature.other_bin:
        return OTHER
    if feature.is_categorical:
        return feature.levels[code]
    return -math.inf if code == 0 else feature.cuts[code - 1]


def satisfies(literal: Literal, value: object) -> bool:
    """Return whether a value satisfies a literal."""
    if isinstance(literal, Missingness):
        return (value is None) == literal.missing
    if value is None or value is OTHER:
        return False
    if isinstance(literal, LevelSet):
        return value in literal.levels
    return (literal.low is None or value >= literal.low) and (literal.high is None or value < literal.high)


def literal_cover(literal: Literal, schema: Schema, bins: np.ndarray) -> set[int]:
    """Return the rows that satisfy a literal."""
    feature = schema.feature(literal.feature)
    values = [value_of(feature, code) for code in bins[schema.index(literal.feature)].tolist()]
    return {i for i, value in enumerate(values) if satisfies(literal, value)}


def literals_cover(literals: Iterable[Literal], schema: Schema, bins: np.ndarray) -> set[int]:
    """Return the rows that satisfy all literals."""
    rows = set(range(bins.shape[1]))
    for literal in literals:
        rows &= literal_cover(literal, schema, bins)
    return rows


def rule_covers(rules: Iterable[Rule], schema: Schema, bins: np.ndarray) -> list[set[int]]:
    """Return the rows that each rule covers."""
    return [literals_cover(rule.literals, schema, bins) for rule in rules]


def splitting_cuts(feature: Feature, codes: Iterable[int]) -> int:
    """Return how many candidate cuts have known values on both sides (K_value); a level has no cuts."""
    values = [value for value in (value_of(feature, code) for code in codes) if value is not None]
    if feature.is_categorical:
        return 0
    return sum(any(v < cut for v in values) and any(v >= cut for v in values) for cut in feature.cuts)


def value_counts(rule: Rule, schema: Schema, bins: np.ndarray) -> tuple[int, ...]:
    """Return K_value of each literal of a rule, over the rows covered by the literals before it."""
    counts = []
    for place, literal in enumerate(rule.literals):
        before = sorted(literals_cover(rule.literals[:place], schema, bins))
        column = bins[schema.index(literal.feature)]
        counts.append(splitting_cuts(schema.feature(literal.feature), set(column[before].tolist())))
    return tuple(counts)


def bin_range(feature: Feature, codes: Iterable[int]) -> tuple[int, int]:
    """Return the lowest and the highest known bin among codes, 255 and 0 where there is none."""
    known = [code for code in codes if code < feature.n_bins]
    return (min(known), max(known)) if known else (255, 0)


# --- patterns and class counts -----------------------------------------------------------------------------------


def pattern_rows(covers: Sequence[set[int]], n_rows: int) -> dict[frozenset[int], list[int]]:
    """Return the rows of each observed pattern, a pattern being the set of rules (by number) that covers a row."""
    found: dict[frozenset[int], list[int]] = {}
    for i in range(n_rows):
        found.setdefault(frozenset(k for k, cover in enumerate(covers) if i in cover), []).append(i)
    return found


def class_counts(rows: Iterable[int], labels: Sequence[int], n_classes: int) -> list[int]:
    """Return the class counts of rows."""
    counts = [0] * n_classes
    for i in rows:
        counts[labels[i]] += 1
    return counts


def union_rows(covers: Sequence[set[int]], pattern: Iterable[int], n_rows: int) -> set[int]:
    """Return the rows of the union of a pattern's rules; for no rule, the rows that no rule covers."""
    chosen = [covers[k] for k in pattern]
    return set().union(*chosen) if chosen else set(range(n_rows)).difference(*covers)


def union_shares(covers: Sequence[set[int]], pattern: Iterable[int], labels: Sequence[int], n_classes: int) -> list:
    """Return the class shares that a row covered by exactly these rules is given (all rows where there is none)."""
    counts = class_counts(union_rows(covers, pattern, len(labels)), labels, n_classes)
    if sum(counts) == 0:
        counts = class_counts(range(len(labels)), labels, n_classes)
    return [count / max(sum(counts), 1) for count in counts]


# --- bits --------------------------------------------------------------------------------------------------------


def label_counts(n: int, n_classes: int) -> Iterator[tuple[int, ...]]:
    """Return every way to divide n rows among the classes."""
    for head in product(range(n + 1), repeat=n_classes - 1):
        if sum(head) <= n:
            yield (*head, n - sum(head))


def regret_by_enumeration(n: int, n_classes: int) -> Fraction:
    """Return R(n, C), exactly: the sum of the maximum likelihoods of all label sequences, by their class counts."""
    total = Fraction(0)
    for counts in label_counts(n, n_classes):
        sequences, left = 1, n
        for count in counts:
            sequences *= math.comb(left, count)
            left -= count
        total += sequences * math.prod((Fraction(count, n) ** count for count in counts if count), start=Fraction(1))
    return total


@cache
def regret(n: int, n_classes: int) -> float:
    """Return R(n, C) by the same sum, taken one class at a time."""
    if n == 0 or n_classes == 1:
        return 1.0
    return math.fsum(
        math.comb(n, h) * (h / n) ** h * ((n - h) / n) ** (n - h) * regret(n - h, n_classes - 1) for h in range(n + 1)
    )


def integer_bits(k: int) -> float:
    """Return the bits of Rissanen's code of k; none for 0."""
    if k == 0:
        return 0.0
    bits, term = math.log2(2.865064), math.log2(k)
    while term > 1e-5:
        bits += term
        term = math.log2(term)
    return bits


def literal_bits(literal: Literal, feature: Feature, n_values: int) -> float:
    """Return the bits of a literal, given its K_value."""
    bits = 1.0 if feature.has_missing else 0.0
    if isinstance(literal, Missingness):
        return bits + 1.0
    if isinstance(literal, LevelSet):
        n_levels = len(feature.levels)
        chosen = math.comb(n_levels, len(literal.levels))
        return bits + (1.0 if n_levels == 2 else math.log2(n_levels) + math.log2(chosen))
    if len(feature.cuts) == 1:
        return bits + 1.0
    if literal.low is None or literal.high is None:
        return bits + 2.0 + math.log2(max(n_values, 1))
    return bits + 1.0 + math.log2(max(math.comb(n_values, 2), 1))


def rule_bits(rule: Rule, schema: Schema, bins: np.ndarray) -> float:
    """Return the bits of a rule's condition."""
    n_columns, n_literals = len(schema.features), len(rule.literals)
    bits = math.log2(n_columns) + math.log2(math.comb(n_columns, n_literals))
    for literal, n_values in zip(rule.literals, value_counts(rule, schema, bins), strict=True):
        bits += literal_bits(literal, schema.feature(literal.feature), n_values)
    return bits


def own_bits(rows: Iterable[int], labels: Sequence[int], n_classes: int) -> float:
    """Return the bits of the labels of rows as a model of their own: likelihood and regret (equation 11)."""
    counts = class_counts(rows, labels, n_classes)
    n = sum(counts)
    return math.log2(regret(n, n_classes)) - math.fsum(count * math.log2(count / n) for count in counts if count)


class Bits(NamedTuple):
    """The score, split."""

    nll: float
    regret: float
    model: float

    @property
    def total(self) -> float:
        """The MDL score."""
        return math.fsum(self)


def score_covers(
    covers: Sequence[set[int]], condition_bits: Sequence[float], labels: Sequence[int], n_classes: int
) -> Bits:
    """Return the score of rules given by the rows that they cover and the bits of their conditions."""
    n_rows, n_rules = len(labels), len(covers)
    nll = regret_bits = 0.0
    for pattern, rows in pattern_rows(covers, n_rows).items():
        union = class_counts(union_rows(covers, pattern, n_rows), labels, n_classes)
        nll -= math.fsum(math.log2(union[labels[i]] / sum(union)) for i in rows)
    for rows in (*covers, union_rows(covers, (), n_rows)):
        regret_bits += math.log2(regret(len(rows), n_classes))
    model = integer_bits(n_rules) + math.fsum(condition_bits) - math.log2(math.factorial(n_rules))
    return Bits(nll, regret_bits, model)


def score(rules: Sequence[Rule], data: DataSet) -> Bits:
    """Return the score of a rule set on rows, from the formulas."""
    return score_covers(
        rule_covers(rules, data.schema, data.bins),
        [rule_bits(rule, data.schema, data.bins) for rule in rules],
        data.labels.tolist(),
        len(data.schema.classes),
    )


# --- growing a rule ----------------------------------------------------------------------------------------------


class Growth(NamedTuple):
    """A literal that a base rule can get: its place among all candidates, its bins, and the rule that it makes.

    `prefix` is the literal of the first side of the same split, `added` the bins that the split before it has not.
    """

    number: int
    feature: int
    sweep: int
    position: int
    side: int
    bins: frozenset[int]
    added: frozenset[int]
    prefix: Literal
    rule: Rule


class Split(NamedTuple):
    """One way to divide a base rule: the bins of a prefix of a sweep, and the rest."""

    sweep: int
    position: int
    prefix: frozenset[int]
    rest: frozenset[int]
    added: frozenset[int]


def prefixes(sweep: int, order: Sequence[int]) -> Iterator[Split]:
    """Return every split of bins in an order into a prefix and a rest that are not empty."""
    for t in range(len(order) - 1):
        yield Split(sweep, t, frozenset(order[: t + 1]), frozenset(order[t + 1 :]), frozenset({order[t]}))


def literal_of(feature: Feature, bins: Iterable[int]) -> Literal:
    """Return the literal that lets exactly these bins through."""
    bins = sorted(bins)
    if feature.missing_bin in bins:
        return Missingness(feature.name, missing=True)
    if feature.other_bin in bins:
        return Missingness(feature.name, missing=False)
    if feature.is_categorical:
        return LevelSet(feature.name, tuple(feature.levels[code] for code in bins))
    low = None if bins[0] == 0 else feature.cuts[bins[0] - 1]
    high = None if bins[-1] == len(feature.cuts) else feature.cuts[bins[-1]]
    return Interval(feature.name, low, high)


@dataclass(frozen=True)
class Base:
    """A base rule on a table with a rule set: what the search may do with it.

    `exponent` is that of the newly covered rows in the scores.
    """

    data: DataSet
    rules: tuple[Rule, ...]
    literals: tuple[Literal, ...]
    limits: Limits
    exponent: float = 1.0
    unused: tuple[str, ...] = ()
    directions: dict[str, str] = field(default_factory=dict)

    @cached_property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.data.schema.classes)

    @cached_property
    def labels(self) -> list[int]:
        """The classes of all rows."""
        return self.data.labels.tolist()

    @cached_property
    def rows(self) -> set[int]:
        """Rows that the base rule covers."""
        return literals_cover(self.literals, self.data.schema, self.data.bins)

    @cached_property
    def rule_covers(self) -> list[set[int]]:
        """Rows that each rule of the rule set covers."""
        return rule_covers(self.rules, self.data.schema, self.data.bins)

    @cached_property
    def rule_bits(self) -> list[float]:
        """Bits of the conditions of the rule set."""
        return [rule_bits(rule, self.data.schema, self.data.bins) for rule in self.rules]

    @cached_property
    def taken(self) -> set[int]:
        """Rows that the rule set covers."""
        return set().union(*self.rule_covers)

    @cached_property
    def bits_before(self) -> float:
        """The score of the rule set."""
        return score_covers(self.rule_covers, self.rule_bits, self.labels, self.n_classes).total

    def bits_of(self, rows: set[int]) -> float:
        """Return the bits of the labels of rows as a model of their own."""
        return own_bits(rows, self.labels, self.n_classes)

    def codes(self, f: int) -> list[int]:
        """Return the bins of the base rule's rows on a feature."""
        return self.data.bins[f][sorted(self.rows)].tolist()

    def allowed(self, f: int) -> set[int]:
        """Return the bins that the base rule's literal on a feature lets through; all where there is none."""
        feature = self.data.schema.features[f]
        own = [literal for literal in self.literals if literal.feature == feature.name]
        every = range(feature.n_bins + 2)
        return {code for code in every if all(satisfies(literal, value_of(feature, code)) for literal in own)}

    def orders(self, f: int) -> list[list[int]]:
        """Return the levels that the base rule's rows have, in ascending order of each class's share."""
        column = self.data.bins[f]
        levels = sorted({code for code in self.codes(f) if code < self.data.schema.features[f].n_bins})
        counts = {
            v: class_counts((i for i in self.rows if column[i] == v), self.labels, self.n_classes) for v in levels
        }
        classes = range(self.n_classes) if self.n_classes > 2 else (1,)
        return [sorted(levels, key=lambda v: (Fraction(counts[v][c], sum(counts[v])), v)) for c in classes]

    def splits(self, f: int) -> Iterator[Split]:
        """Return every way to split the base rule on a feature."""
        feature = self.data.schema.features[f]
        allowed = frozenset(self.allowed(f))
        known = frozenset(code for code in allowed if code < feature.n_bins)
        alone: list[int] = []
        orders = [sorted(known)] if len(known) > 1 else []
        if feature.is_categorical:
            orders = self.orders(f)
            alone = sorted(orders[0])
            orders = orders if len(alone) > 2 else []
            alone = alone[:1] if len(alone) == 2 == feature.n_bins else alone
        for sweep, level in enumerate(alone):
            yield Split(sweep, 0, frozenset({level}), known - {level}, frozenset({level}))
        for sweep, order in enumerate(orders, start=len(alone)):
            yield from prefixes(sweep, order)
        if feature.has_missing and {0, feature.missing_bin} <= allowed:
            missing = frozenset({feature.missing_bin})
            yield Split(len(alone) + len(orders), 0, missing, allowed - missing, missing)

    def grown(self, f: int, bins: Iterable[int]) -> Rule:
        """Return the base rule with these bins as its literal on a feature."""
        literal = literal_of(self.data.schema.features[f], bins)
        literals = tuple(literal if old.feature == literal.feature else old for old in self.literals)
        return Rule("grown", literals if literal in literals else (*literals, literal))

    def growths(self, candidate_start: Sequence[int]) -> Iterator[Growth]:
        """Return every candidate with a literal that says something; `candidate_start` numbers them."""
        for f, feature in enumerate(self.data.schema.features):
            for at, split in enumerate(self.splits(f)):
                for side, bins in enumerate((split.prefix, split.rest)):
                    if bins:
                        yield Growth(
                            number=int(candidate_start[f]) + 2 * at + side,
                            feature=f,
                            sweep=split.sweep,
                            position=split.position,
                            side=side,
                            bins=bins,
                            added=split.added,
                            prefix=literal_of(feature, split.prefix),
                            rule=self.grown(f, bins),
                        )

    def may_try(self, growth: Growth) -> bool:
        """Return whether the settings let the search look at a candidate.

        A split that divides the rows like the one before it in its sweep is left out.
        """
        feature = self.data.schema.features[growth.feature]
        rows = self.cover(growth)
        wanted = self.directions.get(feature.name)
        wrong_way = isinstance(growth.prefix, Interval) and wanted is not None and wanted != ("<", ">=")[growth.side]
        return (
            feature.name not in self.unused
            and len(growth.rule.literals) <= max(self.limits.most_literals, len(self.literals))
            and not wrong_way
            and not growth.added.isdisjoint(self.codes(growth.feature))
            and self.limits.least_coverage <= len(rows) < len(self.rows)
            and len(rows - self.taken) > 0
        )

    def cover(self, growth: Growth) -> set[int]:
        """Return the rows that a candidate covers."""
        return literals_cover(growth.rule.literals, self.data.schema, self.data.bins)

    def split_bits(self, growth: Growth) -> float:
        """Return L_split: the bits of the variable and of the split as a literal with one cut (or of the prefix)."""
        feature = self.data.schema.features[growth.feature]
        literal = growth.prefix
        if isinstance(literal, Interval):
            literal = Interval(feature.name, high=literal.high)
        n_values = splitting_cuts(feature, set(self.codes(growth.feature)))
        return math.log2(len(self.data.schema.features)) + literal_bits(literal, feature, n_values)

    def test_bits(self, growth: Growth, *, without: Iterable[int] = ()) -> float:
        """Return what splitting saves locally (equation 22; 24 without the rows of the rule set): above 0 passes."""
        rows, inside = self.rows.difference(without), self.cover(growth).difference(without)
        split = self.bits_of(inside) + self.bits_of(rows - inside) + self.split_bits(growth)
        return self.bits_of(rows) - split

    def gain_bits(self, growth: Growth, *, without: Iterable[int] = ()) -> float:
        """Return L(D, M) - L(D, M + S), both from scratch; without the rows of the rule set for equation 23."""
        covers = [*self.rule_covers, self.cover(growth).difference(without)]
        bits = [*self.rule_bits, rule_bits(growth.rule, self.data.schema, self.data.bins)]
        return self.bits_before - score_covers(covers, bits, self.labels, self.n_classes).total

    def newly(self, growth: Growth) -> int:
        """Return how many rows a candidate newly covers."""
        return len(self.cover(growth) - self.taken)

    def speed(self, growth: Growth, *, without: Iterable[int] = ()) -> float:
        """Return the learning speed (equation 20), or the complementary one (equation 23)."""
        return self.gain_bits(growth, without=without) / self.newly(growth) ** self.exponent

    def cluster(self, growth: Growth, width: int, *, without: Iterable[int] = ()) -> int:
        """Return the patience cluster of a candidate: where its share of the base rule's rows lies."""
        share = Fraction(len(self.cover(growth).difference(without)), len(self.rows.difference(without)))
        return next(w for w in range(width) if Fraction(w, width) <= share < Fraction(w + 1, width))


def best_by_cluster(scores: Iterable[tuple[int, float]]) -> dict[int, float]:
    """Return the highest score of each cluster."""
    best: dict[int, float] = {}
    for cluster, value in scores:
        best[cluster] = max(best.get(cluster, -math.inf), value)
    return best


class Offer(NamedTuple):
    """A candidate that wants a place in a beam: what it is ranked by, what clusters it, and what it says."""

    score: float
    coverage: int
    size: int
    condition: frozenset


def keep_best(offers: Sequence[Offer], width: int, *, diverse: bool) -> list[int]:
    """Return which candidates a beam keeps, best first: the best of all, or of each of `width` clusters by size."""
    ranked: list[int] = []
    for i in sorted(range(len(offers)), key=lambda i: (-offers[i].score, -offers[i].coverage, i)):
        if offers[i].condition not in {offers[k].condition for k in ranked}:
            ranked.append(i)
    if not diverse or len(ranked) <= width:
        return ranked[:width]
    by_size = sorted(ranked, key=lambda i: (offers[i].size, ranked.index(i)))
    edges = [w * len(ranked) // width for w in range(width + 1)]
    clusters = [by_size[low:high] for low, high in pairwise(edges)]
    return sorted((min(cluster, key=ranked.index) for cluster in clusters), key=ranked.index)


def counts_by_bin(base: Base) -> dict[tuple[int, int, int, int], int]:
    """Return the class counts of a base rule by (feature, bin, covered by the rule set, class)."""
    counts: dict[tuple[int, int, int, int], int] = {}
    for i in base.rows:
        for f, column in enumerate(base.data.bins):
            key = (f, int(column[i]), int(i in base.taken), base.labels[i])
            counts[key] = counts.get(key, 0) + 1
    return counts


def counts_by_pattern(base: Base) -> dict[tuple[int, int, frozenset[int], int], int]:
    """Return the class counts of a base rule's covered rows by (feature, bin, pattern, class)."""
    counts: dict[tuple[int, int, frozenset[int], int], int] = {}
    for pattern, rows in pattern_rows(base.rule_covers, len(base.labels)).items():
        for i in base.rows.intersection(rows if pattern else ()):
            for f, column in enumerate(base.data.bins):
                key = (f, int(column[i]), pattern, base.labels[i])
                counts[key] = counts.get(key, 0) + 1
    return counts


# --- prediction and AUC ------------------------------------------------------------------------------------------


def wins(left: float, right: float) -> float:
    """Return 1 where the left score is higher, one half where both are equal."""
    return 1.0 if left > right else 0.5 if left == right else 0.0


def pair_auc(picks: Sequence[Sequence[float]], positive: Sequence[bool]) -> float:
    """Return the expected AUC over all pairs of rows and all picks, where a row takes any of its scores alike."""
    above = [scores for scores, is_positive in zip(picks, positive, strict=True) if is_positive]
    below = [scores for scores, is_positive in zip(picks, positive, strict=True) if not is_positive]
    pairs = list(product(above, below))
    if not pairs:
        return math.nan
    return math.fsum(math.fsum(wins(x, y) for x in a for y in b) / (len(a) * len(b)) for a, b in pairs) / len(pairs)


def macro_auc(picks: Sequence[Sequence[Sequence[float]]], labels: Sequence[int], n_classes: int) -> float:
    """Return the expected AUC of rows that take one of their probability vectors each."""
    by_class = [
        pair_auc([[vector[c] for vector in row] for row in picks], [label == c for label in labels])
        for c in range(n_classes)
    ]
    if n_classes == 2:
        return by_class[1]
    known = [value for value in by_class if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan


def random_picks(
    covers: Sequence[set[int]], labels: Sequence[int], n_classes: int, new_covers: Sequence[set[int]], picks: np.ndarray
) -> list[list[float]]:
    """Return the probabilities of new rows: those of one of their rules, where `picks` in [0, 1) says which."""
    shares = []
    for i, pick in enumerate(picks):
        fired = [k for k, cover in enumerate(new_covers) if i in cover]
        chosen = [fired[int(pick * len(fired))]] if fired else []
        shares.append(union_shares(covers, chosen, labels, n_classes))
    return shares
