"""The AUC of each class under random picks, and how far it spreads over sampled ones: progress, and a way to stop."""

from __future__ import annotations

from functools import partial

import streamlit as st

from turs.editing import LEARNED
from turs.evaluate.random_pick import RandomPick
from turs.ui import state
from turs.ui.guard import fragment, run_guarded
from turs.ui.opened import OpenModel
from turs.ui.pick_figure import draw_picks
from turs.ui.stability_view import (
    N_SAMPLES,
    Picked,
    class_lines,
    class_table,
    is_quick,
    is_sampled,
    sampling_of,
)
from turs.ui.table import download, table_markup
from turs.ui.theme import plain

_QUICK_SECONDS = 5.0  # far above what a quick sampling takes, so that a busy machine shows no bar for it


def draw_classes(model: OpenModel, learned: RandomPick, now: RandomPick, part: str) -> None:
    """Draw the AUCs of each class, and how far they spread over picks, where that was sampled."""
    has_choice = bool(now.n_overlap_rows)
    if has_choice and is_quick(model, part):
        sampling_of(model, part).wait(_QUICK_SECONDS)
    with st.container(border=True, key="stability-classes"):
        of_two = len(model.study.schema.classes) == 2
        title = "Spread over picks" if of_two else "By class"
        words = (
            "how far the AUC spreads over sampled picks; it is the same for both classes"
            if of_two
            else "the AUC of each class against the rest, and how far it spreads over sampled picks"
        )
        st.html(f'<div class="t-title">{title}<small>{words}</small></div>')
        if not has_choice:
            st.html('<div class="t-line">No row has a choice: the AUC is the same for every pick.</div>')
        elif not is_sampled(model, part):
            st.button(
                f"Sample {N_SAMPLES:,} picks",
                icon=":material/casino:",
                key="sample-picks",
                help="With rules that overlap a lot it takes some seconds; it can be stopped",
                on_click=partial(_begin, model, part),
            )
        elif not sampling_of(model, part).done:
            _draw_sampling(model, part)
        _draw_spread(model, learned, now, part)


@state.guarded
def _begin(model: OpenModel, part: str) -> None:
    """Begin to sample."""
    sampling_of(model, part)


@st.fragment(run_every=0.5)
def _draw_sampling(model: OpenModel, part: str) -> None:
    """Draw how far sampling is, and the page with its result at the end."""
    if sampling_of(model, part).done:
        st.rerun()
    run_guarded(lambda: _draw_progress(model, part), "sampling")


def _draw_progress(model: OpenModel, part: str) -> None:
    """Draw how far sampling is, and the way to stop it."""
    sampling = sampling_of(model, part)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(min(sampling.share, 1.0), text="Picks are being sampled …")
        label = "Stopping …" if sampling.stopping else "Stop and keep what was sampled"
        st.button(
            label, icon=":material/stop:", key="stop-sampling", disabled=sampling.stopping, on_click=sampling.stop
        )


@fragment
def _draw_spread(model: OpenModel, learned: RandomPick, now: RandomPick, part: str) -> None:
    """Draw the table, beside the figure of the samples where there are some."""
    versions = _versions(model, learned, now, part)
    table = class_table(versions, model.study.schema.classes)
    header, lines = class_lines(table, versions)
    found, before = versions["now"].spread, versions.get("learned")
    left, right = st.columns((7, 5), gap="medium") if found is not None else (st.container(), st.container())
    with left:
        st.html(f'<div class="t-numbers t-wide">{table_markup(header, lines)}</div>')
        download(table, "auc_by_class.csv", "class-csv", "AUC by class as CSV")
    if found is not None:
        with right:
            draw_picks(found, before.spread if before is not None else None, now.union.value, f"picks-{part}")
            st.caption(f"{len(found.values):,} sampled picks")


def _versions(model: OpenModel, learned: RandomPick, now: RandomPick, part: str) -> dict[str, Picked]:
    """Return the picks of the rules as they are and, where they were edited, as they were learned."""
    spreads = []
    if now.n_overlap_rows and is_sampled(model, part) and sampling_of(model, part).done:
        sampling = sampling_of(model, part)
        spreads = list(sampling.found)
        if sampling.error is not None:
            st.error(f"Sampling failed: {plain(str(sampling.error))}")
    found = {"now": Picked(now, spreads[0] if spreads else None)}
    if model.number != LEARNED:
        found["learned"] = Picked(learned, spreads[1] if len(spreads) > 1 else None)
    return found
