"""The state of a session, and the only module that touches Streamlit's session state.

A change is one assignment of finished values, because a new click may end a script at any line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from turs.data import Table
from turs.ui.versions import Source, Version, first_version
from turs.ui.worker import Job

_KEY = "studio"
_MOST_VERSIONS = 200


@dataclass(frozen=True, eq=False)
class Studio:
    """What a session holds.

    Parameters
    ----------
    tables : dict of str to Table
        The table that was read last, by its content id: widgets forget files, this does not.
    sources : dict of str to Source
        The same for the split table, by content id and target.
    versions : tuple of Version
        All versions, the present one last.
    job : Job or None
        Learning under way.
    note, fault : str
        What the user should know about the last learning, and why it failed.
    """

    tables: dict[str, Table]
    sources: dict[str, Source]
    versions: tuple[Version, ...] = ()
    job: Job | None = None
    note: str = ""
    fault: str = ""


def studio() -> Studio:
    """Return the state of this session."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Studio({}, {})
    state: Studio = st.session_state[_KEY]
    return state


def present() -> Version | None:
    """Return the version on screen."""
    versions = studio().versions
    return versions[-1] if versions else None


def remember_table(content: str, table: Table) -> None:
    """Keep the table that was read last."""
    st.session_state[_KEY] = replace(studio(), tables={content: table})


def remember_source(content: str, source: Source) -> None:
    """Keep the table that was split last."""
    st.session_state[_KEY] = replace(studio(), sources={content: source})


def start_learning(source: Source) -> None:
    """Learn in the background; learning that is under way ends."""
    before = studio().job
    if before is not None:
        before.stop()
    st.session_state[_KEY] = replace(studio(), job=Job(source), note="", fault="")


def finish_learning() -> None:
    """Take over what learning gave; the rules before it stay one undo away."""
    job = studio().job
    if job is None or not job.done:
        return
    if job.error is not None or job.learned is None:
        st.session_state[_KEY] = replace(studio(), job=None, fault=f"Learning failed: {job.error}")
        return
    note = "The search was stopped before it was done; what it had found is kept." if job.learned.stopped else ""
    _push(first_version(job.source, job.learned.rule_set), note)


def keep(version: Version) -> None:
    """Make a version the present one; its numbers are computed first, so that a failure changes nothing."""
    _ = version.evaluation.headline, version.evaluation.contributions
    _push(version, studio().note)


def undo() -> None:
    """Go back to the version before."""
    st.session_state[_KEY] = replace(studio(), versions=studio().versions[:-1], note="")


def _push(version: Version, note: str) -> None:
    """Append a version; the job, if any, is done."""
    versions = (*studio().versions, version)[-_MOST_VERSIONS:]
    job = studio().job
    st.session_state[_KEY] = replace(
        studio(), versions=versions, job=None if job is None or job.done else job, note=note
    )
