"""Signing in where the server's secrets name a provider; the name of the person stands beside their edits."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.driving import assert_whole, markup
from turs.ui import state


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turs.ui.sign_in._is_configured", lambda: True)
    monkeypatch.setattr("turs.ui.sign_in._is_installed", lambda: True)


def test_without_a_provider_everybody_is_let_in(app: AppTest) -> None:
    keys = [str(button.key) for button in app.button]
    assert "sign-in-button" not in keys
    assert len(keys) > 2


@pytest.mark.usefixtures("provider")
def test_nothing_is_shown_to_a_stranger(start: Callable[..., AppTest]) -> None:
    app = start("3_Rules.py")
    assert [button.key for button in app.button] == ["sign-in-button"]
    assert not app.exception


@pytest.mark.usefixtures("provider")
def test_without_authlib_it_is_said_what_to_install(
    start: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turs.ui.sign_in._is_installed", lambda: False)
    app = start("3_Rules.py")
    assert not app.button
    assert [error.value for error in app.error] == ["Sign-in needs authlib: pip install 'streamlit[auth]'"]


CLAIMS = {"name": "Ada", "preferred_username": "ada.l", "email": "ada@example.org", "sub": "248289761001"}


@pytest.mark.parametrize("known", range(len(CLAIMS)))
def test_the_name_of_the_person(known: int, monkeypatch: pytest.MonkeyPatch) -> None:
    claims = dict(list(CLAIMS.items())[known:])
    monkeypatch.setattr("streamlit.user", {"is_logged_in": True, "name": None, **claims})
    assert state.author() == next(iter(claims.values()))
    monkeypatch.setattr("streamlit.user", {"is_logged_in": False, **claims})
    assert state.author() == ""


@pytest.mark.usefixtures("provider")
def test_who_is_signed_in_stands_in_the_side_bar(
    start: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streamlit.user", {"is_logged_in": True, "name": "<i>Ada</i>"})
    app = start()
    assert_whole(app)
    assert "Signed in as &lt;i&gt;Ada&lt;/i&gt;" in markup(app)
    assert app.button(key="sign-out").label == "Sign out"
