"""The draft: what is about to change and what that does in short, with the buttons that keep or drop it.

The bar has its place also where nothing is changed yet, so that nothing moves under a hand that drags a cut.
"""

from __future__ import annotations

from functools import partial
from html import escape

import streamlit as st

from turs.editing import Edit, Impact
from turs.errors import TursError
from turs.ui import numbers, state
from turs.ui.busy import busy
from turs.ui.opened import OpenModel
from turs.ui.places import go
from turs.ui.theme import plain


def draw_draft(model: OpenModel, idle: str, hindrance: str = "") -> None:
    """Draw the bar.

    Parameters
    ----------
    model : OpenModel
        The model.
    idle : str
        What it says where nothing is changed.
    hindrance : str
        Why the draft cannot be kept as it is; empty where it can be.
    """
    draft = state.studio().draft
    with st.container(key="draft"):
        fault = hindrance
        if draft is None:
            st.html(f'<div class="t-idle">{escape(idle)}</div>')
        else:
            fault = _draw_words(model, draft) or hindrance
        if hindrance:
            st.html(f'<div class="t-line" role="status">{escape(hindrance)}</div>')
        _draw_buttons(model, draft, can_keep=draft is not None and not fault)


def draw_pending() -> None:
    """Draw in one line, on any page, that a change is not kept yet; it leads to it."""
    model, draft = state.model(), state.studio().draft
    if model is None or draft is None:
        return
    words = f"Not kept yet: {_described(model, draft)}"
    if st.button(plain(words), key="pending", icon=":material/edit:", type="tertiary"):
        state.go_to_draft()
        go("Rules")


def is_elsewhere(draft: Edit | None, rule: str, feature: str = "") -> bool:
    """Say whether a draft is made at another place than the one that is looked at."""
    if draft is None:
        return False
    place = state.place_of(draft)
    return place.rule != rule or bool(feature and place.feature and place.feature != feature)


def _draw_words(model: OpenModel, draft: Edit) -> str:
    """Draw what the draft is and does, and return why it cannot be made; empty where it can be."""
    try:
        with busy(model, "Working out what this change does …"):
            impact = model.impact(draft)
    except TursError as error:
        st.error(plain(numbers.with_signs(str(error))))
        return str(error)
    st.html(
        f'<div class="t-draft"><b>Not kept yet</b> · {escape(numbers.with_signs(impact.description))}'
        f'<div class="t-effect">{_effect(impact)}</div></div>'
    )
    return ""


def _described(model: OpenModel, draft: Edit) -> str:
    """Return what a draft does; where it cannot be made, why."""
    try:
        return numbers.with_signs(draft.describe(model.session.version))
    except TursError as error:
        return str(error)


def _effect(impact: Impact) -> str:
    """Return the effect in short: bits, and the AUC on validation rows, without such rows on training rows."""
    side, name = (impact.training, "training") if impact.validation is None else (impact.validation, "validation")
    bits, auc = impact.bits_change, side.after.auc - side.before.auc
    return _change(
        "total bits", numbers.bits(impact.score_after.total_bits), numbers.change(bits, numbers.bits(bits)), -bits
    ) + _change(f"AUC {name}", numbers.auc(side.after.auc), numbers.change(auc, numbers.auc(auc)), auc)


def _change(name: str, after: str, change: str, gain: float) -> str:
    """Return a number with its change, coloured where it is for the better or the worse."""
    tone = "" if not change else "t-good" if gain > 0 else "t-bad"
    return f'<span>{name} <b>{after}</b> <b class="{tone}">{change or "±0"}</b></span>'


def _draw_buttons(model: OpenModel, draft: Edit | None, *, can_keep: bool) -> None:
    """Draw what keeps or drops the draft, and what leads back to it."""
    why = f"why-{model.number}"
    now = state.studio().selection
    with st.container(horizontal=True, vertical_alignment="center", key="decide"):
        # Callbacks, because they run before the page is drawn, which a new click may end: no click on Keep is lost.
        st.button(
            "Keep",
            type="primary",
            icon=":material/check:",
            key="keep",
            disabled=not can_keep,
            on_click=partial(_keep, draft, why),
        )
        st.button("Drop", icon=":material/close:", key="drop", disabled=draft is None, on_click=_drop)
        if is_elsewhere(draft, now.rule, now.feature):
            st.button("Go to it", icon=":material/arrow_back:", key="go-to-draft", on_click=_go_back)
        st.text_input(
            "Why?",
            key=why,
            placeholder="Why? (kept in the history)",
            label_visibility="collapsed",
            disabled=draft is None,
        )


@state.guarded
def _go_back() -> None:
    """Look at the place of the draft, also in the list."""
    state.go_to_draft()
    state.refresh()


@state.guarded
def _drop() -> None:
    """Drop the draft; a feature without a literal is not looked at any more."""
    state.drop_draft()


@state.guarded
def _keep(draft: Edit | None, why: str) -> None:
    """Keep the draft, with the reason that was given, and have the whole page drawn again, also where it is refused.

    The second click of two finds that it is not open any more: it was kept.
    """
    reason = state.value_of(why) or ""
    if draft is not None and state.studio().draft == draft:
        state.refresh()
        state.keep(draft, reason)
