"""Signing in where the server's secrets name a provider; the name of the person stands beside their edits."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from turs.ui import state


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turs.ui.sign_in._is_configured", lambda: True)


def test_without_a_provider_everybody_is_let_in(app: AppTest) -> None:
    keys = [str(button.key) for button in app.button]
    assert "sign-in-button" not in keys
    assert len(keys) > 2


@pytest.mark.usefixtures("provider")
def test_nothing_is_shown_to_a_stranger(start: Callable[..., AppTest]) -> None:
    app = start("3_Rules.py")
    assert [button.key for button in app.button] == ["sign-in-button"]
    assert not app.exception


def test_the_name_of_the_person(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamlit.user", {"is_logged_in": True, "name": "Ada", "email": "ada@example.org"})
    assert state.author() == "Ada"
    monkeypatch.setattr("streamlit.user", {"is_logged_in": False})
    assert state.author() == ""
