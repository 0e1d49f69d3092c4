"""One level of the search: grow every base rule by one literal and keep the best in two beams."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from turs.cover.covers import N_CODES
from turs.learn.arrays import COVERAGE, FEATURE, GAIN, N_INTEGERS, NEWLY, Batch, Chosen, Features, Limits, Present
from turs.learn.candidate import Candidate, batch_of
from turs.learn.counting import PatternCounts, Rows
from turs.learn.local_test import run_local_tests
from turs.learn.ranking import keep_best
from turs.learn.speed import gain_bits, score_speeds
from turs.learn.sweeps import write_batch

_BATCH_CELLS = 1_000_000
"""Rows that the base rules of one batch may cover together: bounds the memory of their covers."""

_WORK_OF_A_BASE = 400
"""Work of a base rule that shares no row with the rule set, in shared rows."""

_SIZES = (COVERAGE, NEWLY)
"""What the clusters of the main and of the auxiliary beam go by."""

_WORTH_THREADS = 200_000
"""Cells of the base rules of a level (`_cells`) from which on threads gain more than they cost."""


@dataclass(frozen=True)
class Level:
    """The two beams after one level, each in descending order of score."""

    main: tuple[Candidate, ...]
    auxiliary: tuple[Candidate, ...] = ()


@dataclass(frozen=True)
class _Grown:
    """What the kernels chose for a batch, and what `write_batch` says of it; `order` are the base rules' places.

    The first dimension of all arrays are the beams: the main one and, where there is one, the auxiliary one.
    """

    bases: Sequence[Candidate]
    order: Sequence[int]
    chosen: Chosen
    holds: NDArray[np.bool_]
    own: NDArray[np.int64]
    key: NDArray[np.uint64]

    def candidates(self, beam: int, places: NDArray[np.int64]) -> tuple[Candidate, ...]:
        """Return some of the chosen candidates of a beam, counted over base rules and their places."""
        chosen, n_each = self.chosen, self.chosen.score.shape[2]
        found = []
        for place, integers, own, holds, score, numbers, key in zip(
            places.tolist(),
            chosen.integers[beam].reshape(-1, N_INTEGERS)[places].tolist(),
            self.own[beam].ravel()[places].tolist(),
            self.holds[beam].reshape(-1, N_CODES)[places],
            chosen.score[beam].ravel()[places].tolist(),
            chosen.numbers[beam].reshape(-1, 2)[places].tolist(),
            self.key[beam].ravel()[places].tolist(),
            strict=True,
        ):
            features, stack = self.bases[place // n_each].with_literal(integers[FEATURE], own, holds)
            found.append(Candidate(features, stack, score, numbers[GAIN], integers[NEWLY], integers[COVERAGE], key))
        return tuple(found)


def _empty(*shape: int) -> Chosen:
    """Return room for candidates."""
    return Chosen(np.full(shape, -np.inf), np.zeros((*shape, N_INTEGERS), dtype=np.int64), np.zeros((*shape, 2)))


def _beam(chosen: Chosen, number: int) -> Chosen:
    """Return the candidates of one beam."""
    return Chosen(chosen.score[number], chosen.integers[number], chosen.numbers[number])


@dataclass(frozen=True)
class _Tested:
    """A batch after the local tests; any thread may work out scores, those of the next `pieces` (base rules) each.

    `grown` holds what was chosen once all pieces are done.
    """

    features: Features
    limits: Limits
    present: Present
    bases: Sequence[Candidate]
    order: Sequence[int]
    batch: Batch
    by_pattern: PatternCounts
    passes: NDArray[np.bool_]
    chosen: Chosen
    least: float
    grown: list[_Grown]
    pieces: deque[tuple[int, int]]
    pieces_left: Iterator[int]

    def score(self) -> None:
        """Work out scores until every piece is taken; the thread that is done last writes down what was chosen."""
        found, main = self.by_pattern, _beam(self.chosen, 0)
        while self.pieces:
            try:
                first, last = self.pieces.popleft()
            except IndexError:  # another thread was faster
                return
            score_speeds(
                self.features,
                self.limits,
                self.present,
                self.batch,
                found.start,
                found.pattern,
                found.counts,
                found.entry_start,
                found.entry,
                found.weight,
                self.passes,
                first,
                last,
                main,
            )
            if next(self.pieces_left) == 0:
                main.score[main.score <= self.least] = -np.inf
                self.grown.append(_written(self.features, self.batch, self.bases, self.order, self.chosen))


def _test_batch(
    rows: Rows,
    features: Features,
    limits: Limits,
    present: Present,
    every: Sequence[Candidate],
    order: Sequence[int],
    width: int,
    least: float,
    threads: int,
) -> _Tested:
    """Count and test what one literal more makes of some base rules; the auxiliary candidates are then chosen."""
    bases = [every[at] for at in order]
    arrays = batch_of(bases)
    counts = rows.count(arrays, features.usable)
    batch = Batch(arrays.start, arrays.feature, arrays.holds, counts.ranges, counts.in_all, counts.by_bin)
    chosen = _empty(2 if limits.auxiliary else 1, len(bases), width)
    chosen.score[0] = least
    auxiliary = _beam(chosen, 1) if limits.auxiliary else _empty(len(bases), 0)
    passes = np.empty((len(bases), int(features.candidate_start[-1])), dtype=np.bool_)
    wanted = np.empty((len(bases), features.kind.size), dtype=np.bool_)
    run_local_tests(features, limits, present, batch, passes, wanted, auxiliary)
    by_pattern = rows.count_patterns(counts, wanted)
    pieces = _pieces(len(bases), threads)
    left = iter(range(len(pieces) - 1, -1, -1))
    return _Tested(
        features, limits, present, bases, order, batch, by_pattern, passes, chosen, least, [], deque(pieces), left
    )


def _pieces(n_bases: int, threads: int) -> list[tuple[int, int]]:
    """Divide base rules into one piece for one thread, for several into ever smaller ones that they can share out.

    How long the scores take is known only after the local tests (by candidates and patterns), and varies much.
    """
    pieces, first = [], 0
    while first < n_bases:
        last = n_bases if threads == 1 else first + max((n_bases - first) // 3, 1)
        pieces.append((first, last))
        first = last
    return pieces


def _written(
    features: Features, batch: Batch, bases: Sequence[Candidate], order: Sequence[int], chosen: Chosen
) -> _Grown:
    """Return the chosen candidates with the bins of their literals."""
    holds = np.zeros((*chosen.score.shape, N_CODES), dtype=np.bool_)
    own = np.full(chosen.score.shape, -1, dtype=np.int64)
    key = np.zeros(chosen.score.shape, dtype=np.uint64)
    write_batch(features, batch, chosen, holds, own, key)
    return _Grown(bases, order, chosen, holds, own, key)


def _joined(parts: Sequence[_Grown]) -> _Grown:
    """Return several batches as one."""
    if len(parts) == 1:
        return parts[0]
    return _Grown(
        [base for part in parts for base in part.bases],
        [place for part in parts for place in part.order],
        Chosen(*(np.concatenate(some, axis=1) for some in zip(*(part.chosen for part in parts), strict=True))),
        np.concatenate([part.holds for part in parts], axis=1),
        np.concatenate([part.own for part in parts], axis=1),
        np.concatenate([part.key for part in parts], axis=1),
    )


def _best_of(parts: Sequence[_Grown]) -> _Grown:
    """Return what one base rule offers with all features, given what it offers with some of them each.

    The best of each patience cluster stays; of two equal ones that of the earlier feature, as within one part.
    """
    best = parts[0]
    for part in parts[1:]:
        better = part.chosen.score > best.chosen.score
        arrays: list[tuple[NDArray[Any], NDArray[Any]]] = [*zip(best.chosen, part.chosen, strict=True)]
        for mine, other in (*arrays, (best.holds, part.holds), (best.own, part.own), (best.key, part.key)):
            mine[better] = other[better]
    return best


def _best(grown: _Grown, beam: int, width: int, diverse: bool) -> tuple[Candidate, ...]:
    """Return the candidates of a beam that `keep_best` keeps of all base rules."""
    score, integers = grown.chosen.score[beam].ravel(), grown.chosen.integers[beam].reshape(-1, N_INTEGERS)
    places = np.array(grown.order, dtype=np.int64)
    kept = keep_best(score, integers, grown.key[beam].ravel(), places, width, diverse, _SIZES[beam])
    return grown.candidates(beam, kept)


def own_gains(rows: Rows, features: Features, present: Present, rules: Sequence[Candidate]) -> list[float]:
    """Return the bits that the rule set would save by each of these rules as they are."""
    gains = np.empty(len(rules))
    n_each = max(min(_BATCH_CELLS // rows.n_rows, len(rules)), 1)
    none = np.zeros((n_each, features.kind.size), dtype=np.bool_)
    for first in range(0, len(rules), n_each):
        arrays = batch_of(rules[first : first + n_each])
        counts = rows.count(arrays, none[0])
        by_pattern = rows.count_patterns(counts, none)
        batch = Batch(arrays.start, arrays.feature, arrays.holds, counts.ranges, counts.in_all, counts.by_bin)
        here = gains[first : first + n_each]
        gain_bits(features, present, batch, by_pattern.start, by_pattern.pattern, by_pattern.counts, here)
    return [float(gain) for gain in gains]


def grow_level(
    rows: Rows,
    features: Features,
    limits: Limits,
    present: Present,
    bases: Sequence[Candidate],
    width: int,
    threads: int = 1,
    executor: Executor | None = None,
    least: float = -np.inf,
) -> Level:
    """Grow every base rule by one literal and return the `width` best of each beam, in the main one above `least`.

    With an executor, batches of base rules are spread over its threads, or the features of a single one; the result
    does not depend on it.
    """
    if executor and _cells(rows, features, present, bases) < _WORTH_THREADS:
        threads, executor = 1, None
    is_one = executor is not None and len(bases) == 1 and limits.diverse
    if is_one:
        parts = [(some, [0]) for some in _even_features(features, threads)]
    else:
        n_batches = min(len(bases), max(threads, -(-len(bases) * rows.n_rows // _BATCH_CELLS)))
        parts = [(features, order) for order in _even_batches(bases, n_batches)]
    tested: dict[int, _Tested] = {}
    waiting = iter(enumerate(parts))

    def work() -> None:
        for number, (some, order) in waiting:
            tested[number] = _test_batch(rows, some, limits, present, bases, order, width, least, threads)
            tested[number].score()
        # No batch is left to begin: none of the arrays that a thread keeps for its batches is written any more.
        for other in list(tested.values()):
            other.score()

    # This thread works too: it would only wait, and one thread fewer has to be woken for every level.
    helpers = [executor.submit(work) for _ in range(min(threads, len(parts)) - 1)] if executor else []
    work()
    for helper in helpers:
        helper.result()
    written = [tested[number].grown[0] for number in range(len(parts))]
    grown = _best_of(written) if is_one else _joined(written)
    return Level(*(_best(grown, beam, width, limits.diverse) for beam in range(len(grown.key))))


def _cells(rows: Rows, features: Features, present: Present, bases: Sequence[Candidate]) -> int:
    """Return how many numbers base rules are found, counted and scored on, at the most: of rows, and of patterns."""
    n_counted = sum(base.coverage or rows.n_rows for base in bases) * features.kind.size
    n_scored = int(features.candidate_start[-1]) // 2 * present.union_counts.size
    return n_counted + len(bases) * (rows.n_rows + n_scored)


def _even_features(features: Features, n_parts: int) -> list[Features]:
    """Divide the usable features, in their order, into parts with about as many candidates each."""
    n_candidates = np.diff(features.candidate_start) * features.usable
    part = (np.cumsum(n_candidates) - n_candidates) * n_parts // max(int(n_candidates.sum()), 1)
    return [features._replace(usable=features.usable & (part == number)) for number in range(n_parts)]


def _even_batches(bases: Sequence[Candidate], n_batches: int) -> list[list[int]]:
    """Divide base rules into batches of about equal work, those with most work first.

    Every batch costs time of its own, so there are only as many as have to be. Most of the time goes into the rows
    that a base rule shares with the rule set: on the large data sets they explain 65 to 90 % of how it varies.
    """
    if n_batches == 1:
        return [list(range(len(bases)))]
    work = [_WORK_OF_A_BASE + base.coverage - base.newly for base in bases]
    batches: list[list[int]] = [[] for _ in range(n_batches)]
    loads = [0] * n_batches
    for at in sorted(range(len(bases)), key=lambda at: -work[at]):
        lightest = loads.index(min(loads))
        batches[lightest].append(at)
        loads[lightest] += work[at]
    return batches
