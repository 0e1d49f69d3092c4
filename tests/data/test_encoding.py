"""The paper encoding: numeric and 0/1 columns only."""

import numpy as np
import pandas as pd

from turs.data import learning_data, paper_encoding


def test_paper_encoding():
    n = 50
    frame = pd.DataFrame(
        {
            "class": ["p", "q"] * 25,
            "size": np.arange(n) % 3 / 2,
            "age": np.arange(n) % 25,
            "rooms": np.arange(n) % 3 + 1,
            "sex": ["m", "f"] * 25,
            "member": [True, False] * 25,
            "colour": ["red", "blue", None, "green", "red"] * 10,
            "constant": ["c"] * n,
        }
    )
    encoded = paper_encoding(frame, "class")
    assert list(encoded.columns) == [
        "size",
        "age",
        "rooms=1",
        "rooms=2",
        "rooms=3",
        "sex=m",
        "member=true",
        "colour=blue",
        "colour=green",
        "colour=red",
        "colour=?",
        "class",
    ]
    assert encoded["sex=m"].tolist()[:2] == [1, 0]
    assert encoded["member=true"].tolist()[:2] == [1, 0]
    assert encoded.loc[2, ["colour=blue", "colour=green", "colour=red"]].tolist() == [0, 0, 0]
    assert encoded["age"].tolist() == frame["age"].tolist()
    assert encoded["class"].tolist() == frame["class"].tolist()
    data = learning_data(encoded, "class")
    for feature in data.schema.features[2:]:
        assert feature.cuts == (0.5,)
        assert not feature.is_categorical


def test_integers_at_the_limit():
    frame = pd.DataFrame({"a": np.arange(42) % 20, "b": np.arange(42) % 21, "class": [0, 1] * 21})
    names = list(paper_encoding(frame, "class").columns)
    assert "b" in names
    assert "a" not in names
    assert sum(name.startswith("a=") for name in names) == 20
