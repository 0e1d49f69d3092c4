"""What takes a while says so; what does not, does not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.driving import assert_whole, button_keys, model, on_page, selected


def spinners(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what will be said to be under way."""
    told: list[str] = []

    @contextmanager
    def spinner(words: str, *, show_time: bool) -> Iterator[None]:
        assert show_time
        told.append(words)
        yield

    monkeypatch.setattr("turs.ui.busy.st.spinner", spinner)
    return told


def test_very_many_patterns_are_announced(iris: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    told = spinners(monkeypatch)
    rule = model(iris).session.version.rules[0]
    selected(iris, rule.id, rule.literals[0].feature)
    iris.button(key="delete").click().run()
    assert not told
    monkeypatch.setattr("turs.ui.busy._MANY_PATTERNS", 0)
    on_page(iris, "3_Rules.py")
    assert_whole(iris)
    assert not any(words.startswith("Trying") for words in told)
    iris.button(key="try-cuts").click().run()
    assert_whole(iris)
    assert "try-cuts" not in button_keys(iris)
    assert {words.split()[0] for words in told} >= {"Working", "Trying"}
    assert "Working out what this change does …" in told


def test_a_large_table_is_announced(iris: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    told = spinners(monkeypatch)
    on_page(iris, "1_Data.py")
    seed = next(box for box in iris.number_input if box.key.startswith("seed"))
    seed.set_value(5).run()
    assert not told
    monkeypatch.setattr("turs.ui.busy._MANY_ROWS", 150)
    next(box for box in iris.number_input if box.key.startswith("seed")).set_value(6).run()
    assert_whole(iris)
    assert told == ["Putting 150 rows into bins …"]
