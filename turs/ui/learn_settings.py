"""What the learner is told: features not to use, directions, options; and the button that starts it."""

from __future__ import annotations

from html import escape

import streamlit as st

from turs.learn.settings import Constraints, Settings
from turs.ui import numbers, state
from turs.ui.study import Study

_SEARCHES = {"portfolio": "Let the bits choose between two searches", "paper": "The paper's algorithm as written"}


def draw_settings(study: Study, *, is_busy: bool) -> None:
    """Draw what the learner is told, and the button that starts it."""
    st.html(
        f'<div class="t-title">{escape(study.name)}<small>learn to predict {escape(study.plan.target)} from '
        f"{numbers.rows(study.training.n_rows, 'training')}</small></div>"
    )
    names = [feature.name for feature in study.schema.features]
    numeric = [feature.name for feature in study.schema.features if not feature.is_categorical]
    unused = st.multiselect(
        "Features that no rule may use",
        names,
        key="unused",
        persist_state="session",
        help="For instance what is not known at the time of a decision, or must not matter.",
    )
    lower = st.multiselect(
        "Only high values count (only ≥)",
        numeric,
        key="only-lower",
        persist_state="session",
        help="Rules may ask for values from a cut on, never for values below one.",
    )
    upper = st.multiselect(
        "Only low values count (only <)",
        [name for name in numeric if name not in lower],
        key="only-upper",
        persist_state="session",
        help="Rules may ask for values below a cut, never for values from one on.",
    )
    settings = _draw_options()
    if st.button("Learn rules", type="primary", icon=":material/play_arrow:", key="learn", disabled=is_busy):
        directions = dict.fromkeys(lower, ">=") | dict.fromkeys((name for name in upper if name not in lower), "<")
        state.start_learning(settings, Constraints(tuple(unused), directions))
        st.rerun()


def _draw_options() -> Settings:
    """Draw the options of the learner; the defaults are good."""
    with st.expander("More settings: the defaults are good"):
        search = st.radio("Search", list(_SEARCHES), format_func=_SEARCHES.__getitem__, key="search")
        left, right = st.columns(2)
        most_rules = left.number_input(
            "At most so many rules", min_value=1, value=None, placeholder="no limit", key="most-rules"
        )
        most_literals = right.number_input(
            "At most so many literals a rule", min_value=1, value=None, placeholder="no limit", key="most-literals"
        )
        least = left.number_input(
            "A rule covers at least so many rows", min_value=1, value=Settings.least_coverage, key="least-coverage"
        )
        budget = right.number_input(
            "Stop after so many seconds", min_value=1, value=None, placeholder="no limit", key="time-budget"
        )
        width = left.number_input(
            "Beam width",
            min_value=1,
            max_value=100,
            value=Settings.beam_width,
            key="beam-width",
            help="Candidates that are followed at each step; more is slower and rarely better.",
        )
        patience = right.number_input(
            "Patience",
            min_value=1,
            max_value=20,
            value=Settings.patience,
            key="patience",
            help="How many steps without a better rule before the growth of a rule ends.",
        )
    return Settings(
        search=search,
        most_rules=most_rules,
        most_literals=most_literals,
        least_coverage=int(least),
        time_budget=budget,
        beam_width=int(width),
        patience=int(patience),
    )
