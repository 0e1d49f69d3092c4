"""Parts of a self-contained HTML page: every text is escaped, figures are SVG inside of the page, nothing is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

TWO_CLASSES = ("#9DB8D2", "#C8502F")
MANY_CLASSES = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00",
    "#E7DD81", "#553F72", "#8F1E4A", "#B9DBF1", "#6E4420", "#F5B5B7",
)  # fmt: skip
"""Colours of classes that readers with every kind of colour blindness tell apart; the first six are Okabe and Ito's."""

OTHER_CLASS = "#8A8F98"
_STRIPES = (45, 135, 0, 90)
"""Directions of stripes, in degrees: after the last colour the first one comes again, striped, then the other way."""
_LIGHT, _DARK = "#FFFFFF", "#1D232B"
_STRIPE_STEP = 6
"""Pixels from one stripe to the next; a stripe takes a third of them."""

_LONGEST_WORD = 24
"""Characters of a word that the heading of a column shows in one piece."""

_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1000px; padding: 1.5rem 2rem; color: #1d232b;
  overflow-wrap: anywhere; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
h1, h2, h3 { break-after: avoid; }
h1 { font-size: 1.7rem; margin: 0 0 .2rem; } h2 { margin: 2.4rem 0 .6rem; border-bottom: 2px solid #1d232b; }
h3 { margin: 1.2rem 0 .3rem; } p { margin: .4rem 0; } .quiet { color: #59626e; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; margin: .6rem 0; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #dde1e6; text-align: left; vertical-align: top; }
th { overflow-wrap: normal; } th.long { overflow-wrap: anywhere; }
thead th { background: #f2f4f6; } td.number { text-align: right; white-space: nowrap; }
.card { border: 1px solid #cfd5dc; border-radius: 6px; padding: .7rem 1rem; margin: .7rem 0; break-inside: avoid; }
.card h3 { margin: 0 0 .2rem; }
.chip { background: #eef1f4; border-radius: 4px; padding: .1rem .5rem; margin-right: .3rem; display: inline-block; }
.key i { display: inline-block; width: .8em; height: .8em; margin: 0 .35em 0 .8em; }
svg { max-width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; fill: #1d232b; }
section { break-inside: auto; } tr, svg { break-inside: avoid; }
@page { margin: 16mm; }
@media print { body { padding: 0; max-width: none; font-size: 11pt; } }
"""


@dataclass(frozen=True)
class Html:
    """Markup; a plain text that stands where markup is expected is escaped."""

    markup: str


@dataclass(frozen=True)
class Paint:
    """How a class is painted: plain, or with stripes of another colour where all plain colours are taken.

    Parameters
    ----------
    colour : str
        The colour.
    stripe : str
        Colour of the stripes; empty where it is plain.
    angle : int
        Direction of the stripes, in degrees.
    """

    colour: str
    stripe: str = ""
    angle: int = 0

    @property
    def background(self) -> str:
        """The paint as a background of a style sheet."""
        if not self.stripe:
            return self.colour
        own = 2 * _STRIPE_STEP // 3
        return (
            f"repeating-linear-gradient({self.angle}deg, {self.colour} 0 {own}px,"
            f" {self.stripe} {own}px {_STRIPE_STEP}px)"
        )

    def pattern(self, name: str) -> str:
        """Return the paint as a pattern of an SVG figure, which is filled with it by its name."""
        step = _STRIPE_STEP
        return (
            f'<pattern id="{name}" patternUnits="userSpaceOnUse" width="{step}" height="{step}"'
            f' patternTransform="rotate({self.angle})"><rect width="{step}" height="{step}" fill="{self.colour}"/>'
            f'<rect width="{step}" height="{step // 3}" fill="{self.stripe}"/></pattern>'
        )


def class_paint(index: int, n_classes: int) -> Paint:
    """Return the paint of a class: after twelve, colours come again in stripes; after sixty, classes are grey."""
    if n_classes == 2:
        return Paint(TWO_CLASSES[index])
    turn, place = divmod(index, len(MANY_CLASSES))
    colour = MANY_CLASSES[place]
    if turn == 0:
        return Paint(colour)
    if turn > len(_STRIPES):
        return Paint(OTHER_CLASS)
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    is_light = 0.299 * red + 0.587 * green + 0.114 * blue > 150
    return Paint(colour, _DARK if is_light else _LIGHT, _STRIPES[turn - 1])


def markup(part: Html | str) -> str:
    """Return markup as it is, and text escaped; characters that cannot be shown become a question mark."""
    if isinstance(part, Html):
        return part.markup
    return escape(
        "".join(char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}" for char in part)
    )


def element(tag: str, *parts: Html | str, **attributes: str) -> Html:
    """Return an element; `class_` stands for the attribute class."""
    told = "".join(f' {name.rstrip("_")}="{escape(value)}"' for name, value in attributes.items())
    return Html(f"<{tag}{told}>{''.join(map(markup, parts))}</{tag}>")


def table(columns: Sequence[str], rows: Iterable[Sequence[Html | str | float | None]]) -> Html:
    """Return a table; numbers are given as texts that look like numbers, and stand on the right."""
    head = element("tr", *(_heading(column) for column in columns))
    body = [element("tr", *(_cell(value) for value in row)) for row in rows]
    return element("table", element("thead", head), element("tbody", *body))


def section(title: str, *parts: Html | str) -> Html:
    """Return a section; plain texts become paragraphs."""
    return element("section", element("h2", title), *(_block(part) for part in parts))


def page(title: str, *parts: Html | str) -> str:
    """Return the whole page."""
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    body = "\n".join(markup(_block(part)) for part in parts)
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>{head}</head>\n<body>\n{body}\n</body>\n</html>\n'


def share_bar(shares: Sequence[float], labels: Sequence[str], width: int = 420, height: int = 14) -> Html:
    """Return class shares as one bar."""
    parts, at = [], 0.0
    for index, (share, label) in enumerate(zip(shares, labels, strict=True)):
        if share > 0:
            paint = class_paint(index, len(labels))
            if paint.stripe:
                parts.append(paint.pattern(f"class-{index}"))
            fill = f"url(#class-{index})" if paint.stripe else paint.colour
            parts.append(
                f'<rect x="{at * width:.2f}" width="{share * width:.2f}" height="{height}" fill="{fill}">'
                f"<title>{markup(label)} {share:.3f}</title></rect>"
            )
            at += share
    told = ", ".join(f"{label} {share:.3f}" for label, share in zip(labels, shares, strict=True))
    return Html(
        f'<svg role="img" aria-label="{markup(told)}" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}">{"".join(parts)}</svg>'
    )


def colour_key(labels: Sequence[str]) -> Html:
    """Return which colour stands for which class."""
    parts = [
        f'<i style="background:{class_paint(index, len(labels)).background}"></i>{markup(label)}'
        for index, label in enumerate(labels)
    ]
    return Html(f'<p class="key quiet">Classes:{"".join(parts)}</p>')


def diagonal_plot(points: Sequence[tuple[float, float, float, float]], x: str, y: str, size: int = 300) -> Html:
    """Return points with vertical intervals (x, y, low, high), all in [0, 1], against the diagonal."""
    left, top = 46, 8

    def place(horizontal: float, vertical: float) -> tuple[float, float]:
        return left + horizontal * size, top + (1 - vertical) * size

    (x0, y0), (x1, y1) = place(0, 0), place(1, 1)
    parts = [
        f'<rect x="{x0}" y="{y1}" width="{size}" height="{size}" fill="none" stroke="#8A8F98"/>',
        f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" stroke="#8A8F98" stroke-dasharray="4 4"/>',
    ]
    for tick in (0.0, 0.5, 1.0):
        (tx, _), (_, ty) = place(tick, 0), place(0, tick)
        parts.append(f'<text x="{tx}" y="{y0 + 16}" text-anchor="middle">{tick:g}</text>')
        parts.append(f'<text x="{x0 - 6}" y="{ty + 4}" text-anchor="end">{tick:g}</text>')
    for horizontal, vertical, low, high in points:
        (px, py), (_, bottom), (_, upper) = place(horizontal, vertical), place(0, low), place(0, high)
        parts.append(f'<line x1="{px:.1f}" y1="{bottom:.1f}" x2="{px:.1f}" y2="{upper:.1f}" stroke="#0072B2"/>')
        parts.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="4" fill="#0072B2"/>')
    parts.append(f'<text x="{x0 + size / 2}" y="{y0 + 34}" text-anchor="middle">{markup(x)}</text>')
    parts.append(
        f'<text transform="translate(12 {top + size / 2}) rotate(-90)" text-anchor="middle">{markup(y)}</text>'
    )
    width, height = left + size + 10, top + size + 42
    return Html(
        f'<svg role="img" aria-label="{markup(y)} against {markup(x)}" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}">{"".join(parts)}</svg>'
    )


def _heading(text: str) -> Html:
    """Return the heading of a column; only a word that is too long for a page is broken."""
    more = {"class_": "long"} if any(len(word) > _LONGEST_WORD for word in text.split()) else {}
    return element("th", text, scope="col", **more)


def _cell(value: Html | str | float | None) -> Html:
    """Return a cell of a table."""
    if isinstance(value, Html):
        return element("td", value)
    text = "" if value is None else value if isinstance(value, str) else f"{value:,}"
    is_number = (
        isinstance(value, int | float) or (text[:1] in "+-.0123456789" and text[-1:].isdigit()) or text.endswith("%")
    )
    return element("td", text, class_="number") if is_number and text else element("td", text)


def _block(part: Html | str) -> Html:
    """Return markup, and a text as a paragraph."""
    return part if isinstance(part, Html) else element("p", part)
