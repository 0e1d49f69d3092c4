"""What is odd about a rule, beside it, with the edits that put it right as buttons; each is shown before it is kept."""

from __future__ import annotations

from functools import partial
from html import escape

import streamlit as st

from turs.editing import Finding, repairs
from turs.ui import numbers, state
from turs.ui.opened import OpenModel
from turs.ui.theme import plain

_MOST = 3


def draw_findings(model: OpenModel, rule_id: str) -> None:
    """Draw the findings about a rule: the first few, and all on request."""
    own = [(number, finding) for number, finding in enumerate(model.findings) if rule_id in finding.rules]
    if len(own) > _MOST and not st.toggle(f"All {len(own)} findings about {plain(rule_id)}", key="all-findings"):
        own = own[:_MOST]
    for number, finding in own:
        with st.container(key=f"finding-{number}", horizontal=True, vertical_alignment="center"):
            _draw_finding(model, finding, number)


def _draw_finding(model: OpenModel, finding: Finding, number: int) -> None:
    """Draw one finding with its fixes; the repairs of a disagreement are worked out when asked for."""
    text = escape(numbers.with_signs(finding.text))
    st.html(f'<div class="t-finding"><b>{escape(finding.kind)}</b> · {text}</div>')
    busy = state.studio().draft is not None
    for fix in finding.fixes:
        name = fix.name[:1].upper() + fix.name[1:]
        if fix.bits_change is not None:
            name += f" ({_bits_words(fix.bits_change)})"
        key = f"fix-{model.number}-{number}-{fix.name}"
        show = partial(state.show_draft, fix.edit)
        st.button(plain(name), key=key, icon=":material/build:", disabled=busy, on_click=show)
    if finding.kind != "disagreement" or not st.toggle("What could be done", key=f"repairs-{model.number}-{number}"):
        return
    first, second = finding.rules
    place = ("repairs", model.number, first, second)
    found = model.kept(place, lambda: repairs(model.session.state, first, second))
    now = model.session.state.score.total_bits
    if not found:
        st.html('<div class="t-line">No single edit ends it.</div>')
    for repair in found:
        label = f"{repair.name.capitalize()} ({_bits_words(repair.total_bits - now)})"
        st.button(
            plain(label),
            key=f"repair-{number}-{repair.name}",
            help=plain(numbers.with_signs(repair.description)),
            disabled=busy,
            on_click=partial(state.show_draft, repair.edit),
        )


def _bits_words(change: float) -> str:
    """Return a change of the total bits in words."""
    return f"{numbers.change(change, numbers.bits(change)) or '±0'} bits"
