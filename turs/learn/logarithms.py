"""Logarithms and regrets of numbers of rows, as the kernels look them up.

Tables answer for up to `TABLE_ROWS` rows. Beyond, where a search counts so many rows that it hardly matters, they are
computed, to the same digits: tables for a million rows would take 16 MB.
"""

from __future__ import annotations

from turs.kernel import kernel
from turs.mdl.logs import log2_alone
from turs.mdl.regret import regret_alone

TABLE_ROWS = 1 << 17
"""Most rows that tables are made for; not below those that `turs.mdl.regret` sums up term by term."""


@kernel
def log2_of(log2s, m):  # type: ignore[no-untyped-def]
    """Return log2 m, given the table; 0 for no rows."""
    return log2s[m] if m < log2s.size else log2_alone(float(m))


@kernel
def regret_of(regrets, m, n_classes):  # type: ignore[no-untyped-def]
    """Return the regret of m rows, given the table."""
    return regrets[m] if m < regrets.size else regret_alone(m, n_classes)
