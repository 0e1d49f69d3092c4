"""Where things are kept: the store of the server, the workspace of the session, its models, and who works on them."""

from __future__ import annotations

import os

import streamlit as st

from turs.storage import Store, Workspace
from turs.storage.location import DATABASE_VARIABLE, FOLDER_VARIABLE
from turs.ui.library import Saved, first_workspace, open_store, saved_models
from turs.ui.prepared import Prepared, saved_preparations
from turs.ui.state.memory import change, choose, chosen, studio

_LONGEST_NAME = 80
_CLAIMS = ("name", "preferred_username", "email", "sub")
"""What a provider may call somebody, the most readable first; every provider gives the last."""


def author() -> str:
    """Return who is signed in; where nobody has to, the name that was given, or nothing."""
    user = st.user
    if not user.get("is_logged_in"):
        return str(chosen("name") or "")
    return next((str(user[claim]) for claim in _CLAIMS if user.get(claim)), "")


def give_name(name: str) -> None:
    """Say who works here, where nobody has to sign in: what is done from now on bears the name."""
    choose("name", " ".join(name.split())[:_LONGEST_NAME])
    now = studio().model
    if now is not None:
        now.session.author = author()


def store() -> Store:
    """Return the store of workspaces, one for all sessions of the server."""
    return _opened_store(os.environ.get(DATABASE_VARIABLE, ""), os.environ.get(FOLDER_VARIABLE, ""))[0]


def store_trouble() -> str:
    """Return what the user should know about the store; empty where all is well."""
    return _opened_store(os.environ.get(DATABASE_VARIABLE, ""), os.environ.get(FOLDER_VARIABLE, ""))[1]


@st.cache_resource(max_entries=4)
def _opened_store(database: str, folder: str) -> tuple[Store, str]:
    """Open the store that the environment names."""
    return open_store()


def workspace() -> Workspace:
    """Return the workspace that new models go to."""
    found = studio().workspace
    if found is None:
        found = first_workspace(store())
        change(workspace=found)
    return found


def models(*, archived: bool = False) -> list[Saved]:
    """Return the models of the workspace, or those of them that were put away."""
    return saved_models(store(), workspace(), archived=archived)


def preparations() -> list[Prepared]:
    """Return the tables of the workspace that rules are to be learned from."""
    return saved_preparations(store(), workspace())
