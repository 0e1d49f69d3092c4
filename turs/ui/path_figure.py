"""The path of learning: total bits against the rows that the rules cover, one line for each search."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd
import plotly.graph_objects as go  # type: ignore[import-untyped]  # plotly ships no types
import streamlit as st

from turs.ui.table import download
from turs.ui.worker import Point

_COLOURS = ("#3B82D6", "#C8502F", "#009E73", "#8A8F98")


def draw_path(points: tuple[Point, ...], n_rows: int, key: str, *, is_done: bool) -> None:
    """Draw the path, and offer it as a table once it has its end.

    Parameters
    ----------
    points : tuple of Point
        Rule sets on the way.
    n_rows : int
        Number of training rows.
    key : str
        Of the figure.
    is_done : bool
        Whether the path has its end.
    """
    if len(points) < 2:
        return
    figure = go.Figure()
    searches = sorted({point.search for point in points})
    for search in searches:
        own = [point for point in points if point.search == search]
        colour = _COLOURS[(search - 1) % len(_COLOURS)]
        figure.add_scatter(
            x=[100 * point.covered / max(n_rows, 1) for point in own],
            y=[point.total_bits for point in own],
            customdata=[point.n_rules for point in own],
            hovertemplate="%{customdata} rules cover %{x:.1f} %: %{y:,.1f} bits<extra></extra>",
            mode="lines+markers",
            name=f"search {search}",
            line={"color": colour, "width": 2},
            marker={"size": 6},
        )
    figure.update_layout(
        height=230,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        showlegend=len(searches) > 1,
        legend={"orientation": "h", "y": 1.15},
        xaxis={"title": "training rows covered", "tickformat": ".0f", "ticksuffix": " %"},
        yaxis={"title": "total bits", "tickformat": ",.0f"},
    )
    st.plotly_chart(figure, key=key, config={"displayModeBar": False}, alt="Bits against covered rows while learning")
    if not is_done:
        return
    if any(later.covered < point.covered for point, later in pairwise(points) if later.search == point.search):
        told = "Rules that were found get a second look: some are replaced, cut anew or removed, and cover fewer rows."
        st.html(f'<div class="t-line">{told}</div>')
    table = pd.DataFrame(
        [(point.search, point.n_rules, point.covered, point.total_bits, point.seconds) for point in points],
        columns=["search", "rules", "rows covered", "total bits", "seconds"],
    )
    download(table, "path.csv", f"{key}-csv", "Path as CSV")
