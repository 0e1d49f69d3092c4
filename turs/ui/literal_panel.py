"""One literal of a rule under the hands of a person: its form, its cut on a slider or as a number, its levels."""

from __future__ import annotations

from functools import partial

import streamlit as st

from turs.editing import AddLiteral, RemoveLiteral
from turs.rules.literal import Interval, LevelSet, Literal
from turs.rules.schema import Feature
from turs.rules.text import parse_number
from turs.ui import numbers, state
from turs.ui.busy import busy, n_many
from turs.ui.component import cut_slider, level_boxes
from turs.ui.literal_edit import drafted, edit_for, form_of, forms, sets_literal, with_form
from turs.ui.opened import OpenModel
from turs.ui.scan_view import bar_table, best_literal, cut_data, cut_points, level_data, level_table, scan_table
from turs.ui.table import download

_SHORT_NUMBER = 9
"""Characters of a cut that a narrow field shows."""


def draw_literal(model: OpenModel, rule_id: str, name: str) -> None:
    """Draw the literal of a rule on a feature; it cannot be changed while another change is not kept."""
    version, feature = model.session.version, model.study.schema.feature(name)
    draft = state.studio().draft
    literal = drafted(version, rule_id, name, draft)
    if literal is None:
        return
    aside = draft is not None and not sets_literal(draft, rule_id, name)
    locked = aside or rule_id in version.locked
    place = f"{rule_id}-{model.study.schema.index(name)}-{model.number}"
    _draw_form(model, rule_id, literal, feature, place, locked)
    if isinstance(literal, Interval):
        side = _side(literal)
        if n_many(model) and state.chosen("scan") != place:
            _draw_offer(n_many(model), place)
            return
        with busy(model, "Trying every cut …"):
            data = cut_data(model, rule_id, literal, side, locked=locked, aside=aside)
        cut_slider(data, f"cut-{place}-{side}", partial(_move, model, rule_id, literal, side))
    elif isinstance(literal, LevelSet):
        data = level_data(model, rule_id, literal, locked=locked)
        level_boxes(data, f"levels-{place}", partial(_choose_levels, model, rule_id, name))


def _draw_offer(n_patterns: int, place: str) -> None:
    """Draw that the scan is to be had, where it would keep somebody waiting who did not ask for it."""
    st.html(
        f'<div class="t-line">The rules overlap in {n_patterns:,} combinations, so trying every cut takes several '
        "seconds. A cut that is typed above needs no trial.</div>"
    )
    st.button(
        "Try every cut", key="try-cuts", icon=":material/show_chart:", on_click=partial(state.choose, "scan", place)
    )


def begin_literal(model: OpenModel, rule_id: str, name: str) -> None:
    """Make the best literal on a feature the draft where a rule has none and nothing else is about to change."""
    version, draft = model.session.version, state.studio().draft
    if draft is None and rule_id not in version.locked and drafted(version, rule_id, name, draft) is None:
        state.show_draft(AddLiteral(rule_id, best_literal(model, rule_id, model.study.schema.feature(name))))


def draw_tables(model: OpenModel, rule_id: str, name: str) -> None:
    """Draw the figure of the literal as tables, which are made where somebody opens them."""
    literal = drafted(model.session.version, rule_id, name, state.studio().draft)
    if not isinstance(literal, Interval | LevelSet):
        return
    box = st.expander("The figure as tables", key="figure-tables", on_change="rerun")
    if not box.open:
        return
    place = f"{rule_id}-{model.study.schema.index(name)}"
    with box:
        if isinstance(literal, LevelSet):
            table = level_table(level_data(model, rule_id, literal, locked=True))
            st.dataframe(table, hide_index=True, height=220, alt="Rows by class and bits of each level")
            download(table, "levels.csv", f"levels-csv-{place}")
        else:
            _draw_cut_tables(model, rule_id, literal, place)


def _draw_cut_tables(model: OpenModel, rule_id: str, literal: Interval, place: str) -> None:
    """Draw the scan and the bars of a cut as tables."""
    side = _side(literal)
    points = cut_points(model, rule_id, literal, side)
    table = scan_table(points, side)
    st.dataframe(table, hide_index=True, height=220, alt="Bits and AUC of every cut")
    download(table, "scan.csv", f"scan-{place}-{side}", "The scan as CSV")
    table = bar_table(model, rule_id, literal, points)
    st.dataframe(table, hide_index=True, height=220, alt="Training rows by value and class")
    download(table, "rows.csv", f"bars-{place}-{side}", "The rows as CSV")


def _side(literal: Interval) -> str:
    """Return the cut that is being moved."""
    if literal.low is None or literal.high is None:
        return "low" if literal.low is not None else "high"
    return state.studio().selection.side or "low"


def _draw_form(model: OpenModel, rule_id: str, literal: Literal, feature: Feature, place: str, locked: bool) -> None:
    """Draw the form of a literal, and its cuts as numbers."""
    now = form_of(literal)
    own = [part.feature for part in model.session.version.rule(rule_id).literals]
    with st.container(horizontal=True, vertical_alignment="center", key="form"):
        if len(forms(feature)) > 1:
            key = f"form-{place}-{now}"
            st.segmented_control(
                "Form",
                forms(feature),
                default=now,
                key=key,
                disabled=locked,
                required=True,
                label_visibility="collapsed",
                on_change=state.while_shown(model, partial(_change_form, model, rule_id, literal, feature, key)),
            )
        if isinstance(literal, Interval):
            _draw_cuts(model, rule_id, literal, feature, place, locked)
        if feature.name in own and len(own) > 1:
            st.button(
                "Remove this condition",
                icon=":material/remove:",
                key="remove",
                disabled=locked,
                on_click=partial(state.show_draft, RemoveLiteral(rule_id, feature.name)),
            )


def _draw_cuts(model: OpenModel, rule_id: str, literal: Interval, feature: Feature, place: str, locked: bool) -> None:
    """Draw the cuts of an interval as numbers; of two, which one is on the slider."""
    now = form_of(literal)
    if now == "between":
        key = f"side-{place}"
        st.segmented_control(
            "Cut on the slider",
            ["low", "high"],
            default=_side(literal),
            format_func=lambda side: "lower cut" if side == "low" else "upper cut",
            key=key,
            required=True,
            label_visibility="collapsed",
            on_change=state.while_shown(model, partial(_change_side, rule_id, feature.name, key)),
        )
    for side, label in (("low", "Exact lower cut"), ("high", "Exact upper cut")):
        cut = getattr(literal, side)
        if cut is None:
            continue
        text = numbers.cut(cut, feature)
        key = f"exact-{place}-{side}-{text}"
        st.text_input(
            label if now == "between" else "Exact cut",
            text,
            key=key,
            disabled=locked,
            width=170 if len(text) > _SHORT_NUMBER else 110,
            label_visibility="collapsed",
            on_change=state.while_shown(model, partial(_type, model, rule_id, literal, side, feature, key)),
        )


def _move(model: OpenModel, rule_id: str, literal: Interval, side: str, cut: float) -> None:
    """Show the literal with one cut moved."""
    moved = (
        Interval(literal.feature, cut, literal.high) if side == "low" else Interval(literal.feature, literal.low, cut)
    )
    state.show_draft(edit_for(model.session.version, rule_id, moved))


@state.guarded
def _type(model: OpenModel, rule_id: str, literal: Interval, side: str, feature: Feature, key: str) -> None:
    """Show the literal with the cut that was typed."""
    _move(model, rule_id, literal, side, parse_number(state.value_of(key), feature))


@state.guarded
def _change_form(model: OpenModel, rule_id: str, literal: Literal, feature: Feature, key: str) -> None:
    """Show the literal in another form."""
    form = state.value_of(key)
    if form is not None:
        state.show_draft(edit_for(model.session.version, rule_id, with_form(literal, form, feature)))


@state.guarded
def _change_side(rule_id: str, feature: str, key: str) -> None:
    """Put the other cut of an interval on the slider."""
    state.select(rule_id, feature, state.value_of(key) or "low")


def _choose_levels(model: OpenModel, rule_id: str, feature: str, levels: list[str]) -> None:
    """Show the literal with other levels, in the order of the feature."""
    chosen = tuple(level for level in model.study.schema.feature(feature).levels if level in levels)
    state.show_draft(edit_for(model.session.version, rule_id, LevelSet(feature, chosen)))
