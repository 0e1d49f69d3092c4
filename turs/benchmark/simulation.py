"""The simulated rows of the paper's second ablation: one true rule among fifty binary features."""

from __future__ import annotations

import numpy as np

from turs.data.dataset import DataSet
from turs.rules.schema import Feature, Kind, Schema

N_ROWS = 5_000
N_FEATURES = 50
REPETITIONS = 100
_TRUE_SHARE = 0.2
_OTHER_SHARE = 0.5
_CHANCE_INSIDE = 0.7
_CHANCE_OUTSIDE = 0.95


def simulated(seed: int, repetition: int, n_rows: int = N_ROWS, n_features: int = N_FEATURES) -> DataSet:
    """Return simulated rows: X1 ~ Ber(0.2), the others Ber(0.5), Y | X1 = 1 ~ Ber(0.7), Y | X1 = 0 ~ Ber(0.95).

    Parameters
    ----------
    seed, repetition : int
        Together they seed the generator.
    n_rows, n_features : int
        Size of the table.
    """
    rng = np.random.default_rng([seed, repetition])
    chance = np.full(n_features, _OTHER_SHARE)
    chance[0] = _TRUE_SHARE
    bins = (rng.random((n_features, n_rows)) < chance[:, None]).astype(np.uint8)
    labels = (rng.random(n_rows) < np.where(bins[0] == 1, _CHANCE_INSIDE, _CHANCE_OUTSIDE)).astype(np.int16)
    features = tuple(Feature(f"x{j + 1}", Kind.NUMERIC, cuts=(0.5,)) for j in range(n_features))
    return DataSet(Schema("y", ("0", "1"), features), bins, labels, (), np.arange(n_rows, dtype=np.int64))
