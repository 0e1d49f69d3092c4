"""Class counts of unions of rules where there are very many patterns, as rules that overlap freely make them.

To look at every pair of patterns would take a table of their number squared. Here the patterns of a rule are the bits
of a long number and a union is an or of a few of them; the counts are divided into their binary digits, a long number
each, so that a sum is a few counts of common bits. All are whole numbers: the sums are exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from turs.kernel import kernel


def bit_sums(wanted: NDArray[np.uint64], known: NDArray[np.uint64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each set of rules [Q, words] the sum of the counts [P, C] of the patterns [P, words] that it meets.

    Sets and patterns are 64-bit numbers (`turs.cover.patterns.packed`); the empty set meets nothing.
    """
    holders, digits, label, weight = _long_numbers(known, counts)
    sums = np.zeros((len(wanted), counts.shape[1]), dtype=np.int64)
    add_unions(_members(wanted), holders, digits, label, weight, sums)
    return sums


def exclusive_bit_sums(
    starts: NDArray[np.int64], rules: NDArray[np.int64], known: NDArray[np.uint64], counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return for each rule of each set the sum of the counts [P, C] of the patterns with no other rule of the set.

    The rules of set p are `rules[starts[p] : starts[p + 1]]`; the sums are [number of rules, C].
    """
    holders, digits, label, weight = _long_numbers(known, counts)
    sums = np.zeros((len(rules), counts.shape[1]), dtype=np.int64)
    add_exclusive(starts, rules, holders, digits, label, weight, sums)
    return sums


def _long_numbers(
    known: NDArray[np.uint64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the patterns of each rule and of each digit as bits, and the class and the weight of each digit."""
    covered = (known != 0).any(axis=1)[:, np.newaxis]  # the else rule meets nothing: its count needs no digits
    digits, label, weight = _digits(np.where(covered, counts, 0))
    return _bits(_members(known).T), _bits(digits), label, weight


def _members(words: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Undo `packed`, but for the rules that fill the last word [P, 64 * words]."""
    return np.unpackbits(words.astype(">u8").view(np.uint8), axis=1).astype(np.bool_)


def _digits(counts: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """Return the binary digits of counts [P, C] as [D, P], and the class and the weight of each."""
    lengths = [int(most).bit_length() for most in counts.max(axis=0, initial=0)]
    label = np.repeat(np.arange(len(lengths)), lengths)
    place = np.concatenate([np.arange(length) for length in lengths]).astype(np.int64)
    digits = (counts.T[label] >> place[:, None]) & 1
    return digits.astype(np.bool_), label, np.int64(1) << place


def _bits(flags: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return each line of flags [R, P] as a long number [R, ceil(P / 64)]."""
    wide = np.zeros((len(flags), -(-flags.shape[1] // 64) * 64), dtype=np.bool_)
    wide[:, : flags.shape[1]] = flags
    return np.packbits(wide, axis=1).view(np.uint64)


@kernel
def add_unions(sets, holders, digits, label, weight, sums):  # type: ignore[no-untyped-def]
    """Add to `sums` [Q, C] the counts of the patterns that each set of rules [Q, K] meets.

    Parameters
    ----------
    sets : bool [Q, K]
        The rules of each set.
    holders : uint64 [K, W]
        Patterns of each rule, as bits.
    digits : uint64 [D, W]
        Patterns that have a binary digit of their count, as bits.
    label, weight : int64 [D]
        Class of the count, and worth of the digit.
    sums : int64 [Q, C], changed
        The counts.
    """
    union = np.empty(holders.shape[1], dtype=np.uint64)
    for q in range(sets.shape[0]):
        union[:] = 0
        for k in range(sets.shape[1]):
            if sets[q, k]:
                for w in range(union.size):
                    union[w] |= holders[k, w]
        for d in range(digits.shape[0]):
            sums[q, label[d]] += weight[d] * _n_common(union, digits[d])


@kernel
def add_exclusive(starts, rules, holders, digits, label, weight, sums):  # type: ignore[no-untyped-def]
    """Add to `sums` [E, C] the counts of the patterns that hold rules[e] and no other rule of its set.

    The other arguments are those of `exclusive_bit_sums` and `add_unions`.
    """
    once, twice = np.empty(holders.shape[1], dtype=np.uint64), np.empty(holders.shape[1], dtype=np.uint64)
    own = np.empty(holders.shape[1], dtype=np.uint64)
    for p in range(starts.size - 1):
        once[:] = 0
        twice[:] = 0
        for e in range(starts[p], starts[p + 1]):
            for w in range(once.size):
                twice[w] |= once[w] & holders[rules[e], w]
                once[w] |= holders[rules[e], w]
        for e in range(starts[p], starts[p + 1]):
            for w in range(once.size):
                own[w] = holders[rules[e], w] & ~twice[w]
            for d in range(digits.shape[0]):
                sums[e, label[d]] += weight[d] * _n_common(own, digits[d])


@kernel
def _n_common(left, right):  # type: ignore[no-untyped-def]
    """Return the number of bits that two long numbers have in common: in pairs, in fours, in eights, then all."""
    total = np.uint64(0)
    pairs, fours = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
    eights, ones = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
    for w in range(left.size):
        bits = left[w] & right[w]
        bits -= (bits >> np.uint64(1)) & pairs
        bits = (bits & fours) + ((bits >> np.uint64(2)) & fours)
        bits = (bits + (bits >> np.uint64(4))) & eights
        total += (bits * ones) >> np.uint64(56)
    return np.int64(total)
