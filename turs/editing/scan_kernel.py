"""The kernels behind a scan: bits and AUC of many versions of one literal, in one walk over its bins.

Rows that satisfy the other literals of the rule are sorted by the bin of the feature. Going from one version of the
literal to the next adds or takes away the rows of a few bins; everything else is carried along.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from turs.kernel import kernel


class Sorted(NamedTuple):
    """Rows by bin: those of bin v are code[start[v] : start[v + 1]], each its group times C plus its class."""

    start: NDArray[np.int64]
    code: NDArray[np.int32]


class Groups(NamedTuple):
    """Patterns of the other rules, as far as the scanned rule can meet them; the first one is the else rule.

    `words` [words, R] are their rules as bits: two share a rule where they have a bit in common, which is looked at
    when it matters: a table of all pairs would not fit where there are very many. `unions` [R, C] are class counts of
    training rows in the union of their rules; `training` and `validation` [R, C] count all rows of the pattern, inside
    or outside of the scanned rule.
    """

    words: NDArray[np.uint64]
    unions: NDArray[np.int64]
    training: NDArray[np.int64]
    validation: NDArray[np.int64]


class Fixed(NamedTuple):
    """The other patterns, which nothing changes: probabilities and class counts [G, C], and the shares of all rows."""

    probabilities: NDArray[np.float64]
    training: NDArray[np.int64]
    validation: NDArray[np.int64]
    prior: NDArray[np.float64]


@kernel
def sort_by_bin(column, covered, row_pattern, group, labels, n_classes):  # type: ignore[no-untyped-def]
    """Return the `Sorted` rows of a cover; `group` [P] is the group of each pattern."""
    start = np.zeros(257, dtype=np.int64)
    for i in range(column.size):
        start[column[i] + 1] += covered[i]
    for v in range(256):
        start[v + 1] += start[v]
    free = start[:256].copy()
    code = np.empty(start[256], dtype=np.int32)
    for i in range(column.size):
        if covered[i]:
            v = column[i]
            code[free[v]] = group[row_pattern[i]] * n_classes + labels[i]
            free[v] += 1
    return Sorted(start, code)


@kernel
def ranges_by_bin(column, other, n_known, covered, low, high):  # type: ignore[no-untyped-def]
    """Write for each bin of `column` the range of the known bins of `other` over the covered rows: low 255, high 0."""
    low[:] = 255
    high[:] = 0
    for i in range(column.size):
        if covered[i] and other[i] < n_known:
            v = column[i]
            low[v] = min(low[v], other[i])
            high[v] = max(high[v], other[i])


@kernel
def _add(rows, v, sign, weight, touched):  # type: ignore[no-untyped-def]
    """Collect the rows of a bin by code; return how many codes were touched. `weight` is all 0 before."""
    n_touched = 0
    for e in range(rows.start[v], rows.start[v + 1]):
        code = rows.code[e]
        if weight[code] == 0:
            touched[n_touched] = code
            n_touched += 1
        weight[code] += sign
    return n_touched


@kernel
def _write_shares(counts, prior, out):  # type: ignore[no-untyped-def]
    """Write the class shares of counts to `out`, or the prior where there are none."""
    total = counts.sum()
    for c in range(counts.size):
        out[c] = counts[c] / total if total > 0 else prior[c]


@kernel
def _roc_auc(order, scores, positive, total):  # type: ignore[no-untyped-def]
    """Return the AUC of groups in ascending `order` of scores, from their positive rows and all rows; NaN if none."""
    beaten, pairs, at = 0.0, 0.0, 0
    n_positive, n_negative = 0, 0
    while at < order.size:
        above, below = 0, 0
        value = scores[order[at]]
        while at < order.size and scores[order[at]] == value:
            above += positive[order[at]]
            below += total[order[at]] - positive[order[at]]
            at += 1
        beaten += above * (n_negative + 0.5 * below)
        n_positive += above
        n_negative += below
    pairs = float(n_positive) * float(n_negative)
    return beaten / pairs if pairs > 0 else np.nan


@kernel
def _aucs(scores, training, validation, results):  # type: ignore[no-untyped-def]
    """Write the macro AUC of groups on training and on validation rows: the last class of two, else the mean."""
    n_classes = scores.shape[1]
    first = 1 if n_classes == 2 else 0
    in_training, in_validation = training.sum(axis=1), validation.sum(axis=1)
    there = np.flatnonzero(in_training + in_validation)  # groups without rows make no pairs
    known = np.zeros(2, dtype=np.int64)
    results[:] = 0.0
    for c in range(first, n_classes):
        own = scores[:, c].copy()
        order = there[np.argsort(own[there])]
        for side in range(2):
            if side == 0:
                auc = _roc_auc(order, own, training[:, c].copy(), in_training)
            else:
                auc = _roc_auc(order, own, validation[:, c].copy(), in_validation)
            if not np.isnan(auc):
                results[side] += auc
                known[side] += 1
    for side in range(2):
        results[side] = results[side] / known[side] if known[side] > 0 else np.nan


@kernel
def _add_met(words, r, weight, shared):  # type: ignore[no-untyped-def]
    """Add a weight to all groups of `shared` [R] that share a rule with group r; one word a group vectorises."""
    if words.shape[0] == 1:
        own, others = words[0, r], words[0]
        for s in range(1, shared.size):
            shared[s] += weight * ((own & others[s]) != 0)
        return
    for s in range(1, shared.size):
        common = np.uint64(0)
        for w in range(words.shape[0]):
            common |= words[w, r] & words[w, s]
        shared[s] += weight * (common != 0)


@kernel
def scan_masks(masks, training, validation, groups, fixed, log2s, nll_bits, inside, outside, aucs):  # type: ignore[no-untyped-def]
    """Evaluate versions of a literal, given as sets of bins.

    Parameters
    ----------
    masks : bool [N, 256]
        Bins that satisfy the literal, version by version; neighbours should differ in few bins.
    training, validation : Sorted
        Rows that satisfy the other literals of the rule.
    groups, fixed
        See the named tuples.
    log2s : float64
        log2 of 0, 1, ..., number of training rows.
    nll_bits : float64 [N], written
        Likelihood bits of the training rows in `groups`.
    inside, outside : int64 [N, C], written
        Class counts of the training rows of the rule, and of the else rule.
    aucs : float64 [N, 2], written
        Macro AUC of training and validation rows.
    """
    n_groups, n_classes = groups.unions.shape
    here, there = np.zeros((n_groups, n_classes), dtype=np.int64), np.zeros((n_groups, n_classes), dtype=np.int64)
    shared = np.zeros((n_classes, n_groups), dtype=np.int64)
    within = np.zeros(n_classes, dtype=np.int64)
    weight = np.zeros(n_groups * n_classes, dtype=np.int64)
    touched = np.empty(n_groups * n_classes, dtype=np.int64)
    n_all = 2 * n_groups + fixed.probabilities.shape[0]
    scores = np.empty((n_all, n_classes))
    of_training, of_validation = np.empty((n_all, n_classes), np.int64), np.empty((n_all, n_classes), np.int64)
    scores[2 * n_groups :] = fixed.probabilities
    of_training[2 * n_groups :], of_validation[2 * n_groups :] = fixed.training, fixed.validation
    joined = np.empty(n_classes, dtype=np.int64)
    for n in range(masks.shape[0]):
        for v in range(256):
            before = n > 0 and masks[n - 1, v]
            if masks[n, v] == before:
                continue
            sign = -1 if before else 1
            for k in range(_add(training, v, sign, weight, touched)):
                code = touched[k]
                r, c = code // n_classes, code % n_classes
                here[r, c] += weight[code]
                within[c] += weight[code]
                if r > 0:
                    _add_met(groups.words, r, weight[code], shared[c])
                weight[code] = 0
            for k in range(_add(validation, v, sign, weight, touched)):
                code = touched[k]
                there[code // n_classes, code % n_classes] += weight[code]
                weight[code] = 0
        bits = 0.0
        for r in range(n_groups):
            for c in range(n_classes):
                of_training[r, c] = groups.training[r, c] - here[r, c]
                of_validation[r, c] = groups.validation[r, c] - there[r, c]
                of_training[n_groups + r, c] = here[r, c]
                of_validation[n_groups + r, c] = there[r, c]
                joined[c] = within[c] if r == 0 else groups.unions[r, c] + within[c] - shared[c, r]
            left = of_training[0] if r == 0 else groups.unions[r]
            left_total, joined_total = left.sum(), joined.sum()
            for c in range(n_classes):
                if of_training[r, c] > 0:
                    bits += of_training[r, c] * (log2s[left_total] - log2s[left[c]])
                if here[r, c] > 0:
                    bits += here[r, c] * (log2s[joined_total] - log2s[joined[c]])
            _write_shares(left, fixed.prior, scores[r])
            _write_shares(joined, fixed.prior, scores[n_groups + r])
        nll_bits[n] = bits
        inside[n] = within
        outside[n] = of_training[0]
        _aucs(scores, of_training, of_validation, aucs[n])
