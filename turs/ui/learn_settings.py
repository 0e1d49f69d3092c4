"""What the learner is told: features not to use, directions, options; and the button that starts it.

Every choice is taken over and stored when it is made: the fields begin with what the session has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from html import escape

import streamlit as st

from turs.learn.settings import Constraints, Settings
from turs.ui import numbers, state
from turs.ui.choices import fitting
from turs.ui.study import Study

_SEARCHES = {"portfolio": "Let the bits choose between two searches", "paper": "The paper's algorithm as written"}


def draw_settings(study: Study, *, is_busy: bool) -> None:
    """Draw what the learner is told, and the button that starts it."""
    st.html(
        f'<div class="t-title">{escape(study.name)}<small>learn to predict {escape(study.plan.target)} from '
        f"{numbers.rows(study.training.n_rows, 'training')}</small></div>"
    )
    _draw_constraints(study, fitting(state.studio().constraints, study.schema))
    with st.expander("More settings: the defaults are good"):
        _draw_options(state.studio().settings)
    if st.button("Learn rules", type="primary", icon=":material/play_arrow:", key="learn", disabled=is_busy):
        state.start_learning()
        st.rerun()


def _draw_constraints(study: Study, now: Constraints) -> None:
    """Draw what is demanded of the rules."""
    names = [feature.name for feature in study.schema.features]
    numeric = [feature.name for feature in study.schema.features if not feature.is_categorical]
    lower, upper = ([name for name in numeric if now.directions.get(name) == sign] for sign in (">=", "<"))
    _draw_features(
        "unused",
        "Features that no rule may use",
        names,
        now.unused,
        "For instance what is not known at the time of a decision, or must not matter.",
    )
    _draw_features(
        "only-lower",
        "Only high values count (only ≥)",
        numeric,
        lower,
        "Rules may ask for values from a cut on, never for values below one.",
    )
    _draw_features(
        "only-upper",
        "Only low values count (only <)",
        [name for name in numeric if name not in lower],
        upper,
        "Rules may ask for values below a cut, never for values from one on.",
    )


def _draw_features(name: str, label: str, options: Sequence[str], chosen: Sequence[str], told: str) -> None:
    """Draw the choice of features that a demand is about."""
    key = _key(name)
    st.multiselect(
        label, options, default=list(chosen), key=key, help=told, on_change=partial(_change_constraints, name, key)
    )


def _draw_options(now: Settings) -> None:
    """Draw the options of the learner; the defaults are good."""
    key = _key("search")
    st.radio(
        "Search",
        list(_SEARCHES),
        index=list(_SEARCHES).index(now.search),
        format_func=_SEARCHES.__getitem__,
        key=key,
        on_change=partial(_change_settings, "search", key),
    )
    left, right = st.columns(2)
    with left:
        _draw_number("most_rules", "At most so many rules", now.most_rules)
        _draw_number("least_coverage", "A rule covers at least so many rows", now.least_coverage)
        _draw_number(
            "beam_width",
            "Beam width",
            now.beam_width,
            100,
            "Candidates that are followed at each step; more is slower and rarely better.",
        )
    with right:
        _draw_number("most_literals", "At most so many literals a rule", now.most_literals)
        _draw_number("time_budget", "Stop after so many seconds", now.time_budget)
        _draw_number(
            "patience",
            "Patience",
            now.patience,
            20,
            "How many steps without a better rule before the growth of a rule ends.",
        )


def _draw_number(name: str, label: str, now: float | None, most: int | None = None, told: str | None = None) -> None:
    """Draw an option that is a number; it may be left empty where there need not be a limit."""
    key = _key(name)
    st.number_input(
        label,
        min_value=1,
        max_value=most,
        value=None if now is None else int(now),
        placeholder="no limit",
        key=key,
        help=told,
        on_change=partial(_change_settings, name, key),
    )


def _key(name: str) -> str:
    """Return the key of a field; with another table or model all fields begin anew."""
    return f"{name.replace('_', '-')}-{state.studio().n_tables}"


@state.guarded
def _change_settings(name: str, key: str) -> None:
    """Take over an option."""
    value = state.value_of(key)
    if value is not None or getattr(Settings, name) is None:
        state.use_settings(replace(state.studio().settings, **{name: value}))


@state.guarded
def _change_constraints(name: str, key: str) -> None:
    """Take over the features that a demand is about; a feature has one direction."""
    now, chosen = state.studio().constraints, state.value_of(key)
    if chosen is None:
        return
    if name == "unused":
        state.use_constraints(replace(now, unused=tuple(chosen)))
        return
    sign = ">=" if name == "only-lower" else "<"
    others = {feature: other for feature, other in now.directions.items() if other != sign}
    state.use_constraints(replace(now, directions=others | dict.fromkeys(chosen, sign)))
