"""Colours of classes: readers with every kind of colour blindness tell them apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from turs.page import MANY_CLASSES, OTHER_CLASS, TWO_CLASSES, class_paint, colour_key, share_bar

SEEN_BY = {
    "most": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
"""What a colour looks like to whom, on linear RGB (Machado, Oliveira and Fernandes 2009)."""
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])
LEAST_DISTANCE = 16  # of CIELAB; a difference of 2 is just seen side by side


def lab(colour: str, seen: np.ndarray) -> np.ndarray:
    """Return a colour as it is seen, in CIELAB."""
    parts = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    ratio = TO_XYZ @ np.clip(seen @ linear, 0, 1) / WHITE
    x, y, z = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("who", SEEN_BY)
@pytest.mark.parametrize("colours", [TWO_CLASSES, MANY_CLASSES], ids=["two", "many"])
def test_colours_of_classes_are_told_apart(colours: tuple[str, ...], who: str) -> None:
    for one, other in combinations(colours, 2):
        distance = np.linalg.norm(lab(one, SEEN_BY[who]) - lab(other, SEEN_BY[who]))
        assert distance > LEAST_DISTANCE, (one, other)


def test_beyond_the_last_colour_classes_are_striped_and_at_last_grey() -> None:
    n = len(MANY_CLASSES)
    paints = [class_paint(index, 100) for index in range(100)]
    assert [paint.background for paint in paints[:n]] == list(MANY_CLASSES)
    assert len({paint.background for paint in paints[: 5 * n]}) == 5 * n
    assert all(paint.colour == MANY_CLASSES[index % n] for index, paint in enumerate(paints[: 5 * n]))
    assert {paint.background for paint in paints[5 * n :]} == {OTHER_CLASS}
    for paint in paints[n : 5 * n]:
        for seen in SEEN_BY.values():
            assert np.linalg.norm(lab(paint.colour, seen) - lab(paint.stripe, seen)) > LEAST_DISTANCE


def test_a_bar_of_many_classes_has_a_pattern_for_each_striped_one() -> None:
    labels = [f"class {index}" for index in range(14)]
    bar = share_bar([1 / 14] * 14, labels).markup
    assert bar.count("<pattern") == 2
    assert 'fill="url(#class-13)"' in bar
    assert "repeating-linear-gradient" in colour_key(labels).markup
    assert "<pattern" not in share_bar([0.5, 0.5], ["a", "b"]).markup
