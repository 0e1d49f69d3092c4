"""Who somebody is: signed in through the provider that the server's secrets name, or by the name that they give.

Without a provider everybody on this machine is let in; the browser remembers the name, so that a reload does not ask.
"""

from __future__ import annotations

from functools import partial
from html import escape
from importlib.util import find_spec

import streamlit as st

from turs.ui import state
from turs.ui.component import remembered_name


def require_sign_in() -> None:
    """Draw the way to sign in, and nothing else, where the server wants to know who somebody is."""
    if not _is_configured() or st.user.get("is_logged_in"):
        return
    if not _is_installed():
        st.error("Sign-in needs authlib: pip install 'streamlit[auth]'")
        st.stop()
    with st.container(border=True, key="sign-in"):
        st.html('<div class="t-title">TURS Studio</div><div class="t-line">Please sign in: your name stands beside the'
                " edits that you make.</div>")  # fmt: skip
        st.button("Sign in", type="primary", icon=":material/login:", key="sign-in-button", on_click=st.login)
    st.stop()


def draw_sign_out() -> None:
    """Draw who is signed in, and the way out; without a provider, the place to say who one is."""
    if not _is_configured():
        _draw_name()
    elif st.user.get("is_logged_in"):
        who = state.author()
        st.html(f'<div class="t-facts">Signed in{f" as {escape(who)}" if who else ""}</div>')
        st.button("Sign out", icon=":material/logout:", key="sign-out", on_click=st.logout)


def _draw_name() -> None:
    """Draw the field for a name."""
    now = state.author()
    remembered_name({"name": now}, "remembered-name", state.give_name)
    key = f"your-name-{now}"
    st.text_input(
        "Your name",
        now,
        key=key,
        max_chars=80,
        placeholder="stands beside your edits",
        help="It is written into the history beside what you do from now on. This browser remembers it.",
        on_change=partial(_take_name, key),
    )


@state.guarded
def _take_name(key: str) -> None:
    """Take over the name that was typed."""
    state.give_name(str(state.value_of(key) or ""))


def _is_configured() -> bool:
    """Return whether the secrets of the server name a provider."""
    return st.secrets.load_if_toml_exists() and "auth" in st.secrets


def _is_installed() -> bool:
    """Return whether the part that Streamlit signs people in with is there; the click would fail without it."""
    return find_spec("authlib") is not None
