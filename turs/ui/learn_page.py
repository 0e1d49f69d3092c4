"""The Learn page: settings and constraints, learning as it happens, and what came of it."""

from __future__ import annotations

from html import escape

import streamlit as st

from turs.evaluate.shares import ClassShares
from turs.ui import numbers, state
from turs.ui.found_rules import found_markup
from turs.ui.frame import draw_no_table
from turs.ui.guard import run_guarded
from turs.ui.learn_settings import draw_settings
from turs.ui.opened import OpenModel
from turs.ui.path_figure import draw_path
from turs.ui.places import go
from turs.ui.table_choice import draw_reading
from turs.ui.worker import Job, points_of


def draw_learn() -> None:
    """Draw the page."""
    now = state.studio()
    if now.reading is not None:
        draw_reading()
    if now.study is None:
        if now.reading is None:
            draw_no_table("Learn")
        return
    left, right = st.columns((5, 7), gap="medium")
    with left:
        draw_settings(now.study, is_busy=now.job is not None)
    with right.container(border=True, key="outcome"):
        if now.job is not None:
            _draw_progress()
        elif now.model is not None and not now.is_of_another_table:
            _draw_outcome(now.model)
        else:
            st.html(
                '<div class="t-title">No rules yet</div><div class="t-line">Rules appear here as they are found. The '
                "score decides how many there are: a rule stays only where it saves more bits than it costs.</div>"
            )


@st.fragment(run_every=0.5)
def _draw_progress() -> None:
    """Draw how far learning is, and take over the result at its end."""
    job = state.studio().job
    if job is None:
        return
    if job.done:
        state.finish_learning(show=True)
        st.rerun()
    run_guarded(lambda: _draw_job(job))


def _draw_job(job: Job) -> None:
    """Draw a search under way."""
    progress = job.progress
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.html('<div class="t-title">Learning …</div>')
        label = "Stopping …" if job.stopping else "Stop and keep what was found"
        st.button(label, icon=":material/stop:", key="stop", disabled=job.stopping, on_click=job.stop)
    if progress is None:
        st.html('<div class="t-line">The search begins.</div>')
        return
    where = f"second look at {progress.looking_at}" if progress.looking_at else f"growing rule {len(job.rules) + 1}"
    st.progress(progress.covered / max(progress.n_rows, 1))
    st.html(
        f'<div class="t-line">Search {progress.search} of {progress.n_searches}, {escape(where)} · '
        f"<b>{len(job.rules)}</b> rules cover <b>{progress.covered:,}</b> of {progress.n_rows:,} rows · "
        f"<b>{numbers.bits(progress.total_bits)}</b> bits · {numbers.seconds(progress.seconds)}</div>"
    )
    draw_path(job.path, progress.n_rows, "path-learning", is_done=False)
    if job.rules:
        rules = job.rules
        st.html(found_markup(rules, [job.shares_of(rule) for rule in rules], job.study.schema))


def _draw_outcome(model: OpenModel) -> None:
    """Draw what learning gave."""
    learning, n_rules = model.learning, len(model.session.learned.version.rules)
    edited = model.session.version.rules != model.session.learned.version.rules
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.html(
            f'<div class="t-title">{numbers.things(n_rules, "rule")}{" as learned" if edited else ""}'
            f"<small>{escape(model.label)}</small></div>"
        )
        if st.button("Read and edit the rules", type="primary", icon=":material/arrow_forward:", key="open-rules"):
            go("Rules")
    if learning.total_bits is not None and learning.seconds is not None:
        told = f"{numbers.bits(learning.total_bits)} bits in {numbers.seconds(learning.seconds)}"
        told += "; stopped before the search was done" if learning.stopped else ""
        told += "; edited since: the line above has the rules as they are now" if edited else ""
        st.html(f'<div class="t-line">{told}</div>')
    draw_path(points_of(learning), model.study.training.n_rows, "path-learned", is_done=True)
    if n_rules:
        learned = model.session.learned
        counts = learned.evaluation.training.training.rule_counts.tolist()
        st.html(found_markup(learned.version.rules, [ClassShares(tuple(own)) for own in counts], model.study.schema))
