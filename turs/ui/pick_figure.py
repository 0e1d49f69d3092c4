"""The AUCs of sampled random picks as a figure: the rules as they are, and as they were learned."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go  # type: ignore[import-untyped]  # plotly ships no types
import streamlit as st

from turs.evaluate.random_pick import PickDistribution
from turs.ui.table import download

_NOW, _LEARNED, _UNION = "#3B82D0", "#9AA5B1", "#E0602F"  # each stands out from a light and from a dark page


def draw_picks(now: PickDistribution, learned: PickDistribution | None, union: float, key: str) -> None:
    """Draw how the AUC spreads over picks, with the AUC of the union as a line.

    Parameters
    ----------
    now, learned : PickDistribution
        Of the rules as they are, and as they were learned (None where nothing was edited).
    union : float
        AUC of the union of the rules as they are.
    key : str
        Of the figure.
    """
    figure = go.Figure()
    for picks, name, colour in ((learned, "after learning", _LEARNED), (now, "now", _NOW)):
        if picks is not None:
            figure.add_histogram(
                x=picks.values,
                name=name,
                marker={"color": colour},
                opacity=0.75,
                nbinsx=40,
                hovertemplate="AUC %{x}: %{y} picks<extra></extra>",
            )
    figure.add_vline(
        x=union,
        line={"color": _UNION, "width": 3, "dash": "dash"},
        annotation={
            "text": "union" if learned is None else "union now",
            "font": {"size": 12},
            "y": 1,
            "yanchor": "bottom",
        },
    )
    figure.update_layout(
        barmode="overlay",
        height=230,
        margin={"l": 10, "r": 10, "t": 24, "b": 10},
        showlegend=learned is not None,
        legend={"orientation": "h", "y": 1.2},
        xaxis={"title": "AUC of a pick", "tickformat": ".3f"},
        yaxis={"title": "sampled picks"},
    )
    st.plotly_chart(figure, key=key, config={"displayModeBar": False}, alt="AUC of sampled random picks")
    columns = {"AUC now": now.values} | ({} if learned is None else {"AUC after learning": learned.values})
    download(pd.DataFrame(columns), "picks.csv", f"{key}-csv", "Sampled picks as CSV")
