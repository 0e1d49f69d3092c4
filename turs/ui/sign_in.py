"""Signing in through the provider that the server's secrets name; without any, everybody on this machine is let in."""

from __future__ import annotations

import streamlit as st

from turs.ui.theme import plain


def require_sign_in() -> None:
    """Draw the way to sign in, and nothing else, where the server wants to know who somebody is."""
    if not _is_configured() or st.user.get("is_logged_in"):
        return
    with st.container(border=True, key="sign-in"):
        st.html('<div class="t-title">TURS Studio</div><div class="t-line">Please sign in: your name stands beside the'
                " edits that you make.</div>")  # fmt: skip
        st.button("Sign in", type="primary", icon=":material/login:", key="sign-in-button", on_click=st.login)
    st.stop()


def draw_sign_out() -> None:
    """Draw who is signed in, and the way out."""
    if _is_configured() and st.user.get("is_logged_in"):
        who = str(st.user.get("name") or st.user.get("email") or "signed in")
        st.button("Sign out", icon=":material/logout:", key="sign-out", help=plain(who), on_click=st.logout)


def _is_configured() -> bool:
    """Return whether the secrets of the server name a provider."""
    return st.secrets.load_if_toml_exists() and "auth" in st.secrets
