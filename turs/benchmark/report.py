"""The report: one HTML file that needs no network, with every table and every figure of a run.

Figures are drawn by plotly.js, which is copied into the file from the Plotly package. Where Plotly is not installed
the tables stand alone, and the report says so.
"""

from __future__ import annotations

import csv
import html
import importlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from turs.benchmark.figures import Figure
from turs.benchmark.journal import Row
from turs.benchmark.table import Table
from turs.files import replacing

NO_PLOTLY = (
    "Plotly is not installed, so there are no figures: pip install '.[app]' in the clone. The tables have the numbers."
)

_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1360px; padding: 1rem 2rem; color: #222; }
h1, h2, h3 { line-height: 1.2; } h2 { border-top: 1px solid #ccc; padding-top: 1.2rem; margin-top: 2.5rem; }
.note { color: #555; } .warning { background: #fff3cd; padding: .5rem 1rem; }
details .scroll { overflow: auto; max-height: 36rem; }
nav a { margin-right: 1.2rem; white-space: nowrap; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #eee; text-align: left; vertical-align: top; }
th { position: sticky; top: 0; background: #f4f4f4; } td.number { text-align: right; }
td:first-child, #table-counts td:nth-child(2) { white-space: nowrap; }
td.ahead { color: #005a8d; font-weight: 600; } td.behind { color: #a84300; font-weight: 600; }
"""


@dataclass(frozen=True)
class Section:
    """A part of the report.

    Parameters
    ----------
    title : str
        Its heading.
    tables : tuple of Table
        Shown as they are.
    figures : tuple of Figure
        Each is followed by its numbers, folded away.
    note : str
        Said below the heading.
    """

    title: str
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    note: str = ""


def plotly_script() -> str | None:
    """Return the text of plotly.js, None where Plotly is not installed."""
    try:
        offline = importlib.import_module("plotly.offline")
    except ImportError:
        return None
    script: str = offline.get_plotlyjs()
    return script


def report_html(title: str, lead: str, sections: Sequence[Section], script: str | None) -> str:
    """Return the report.

    Parameters
    ----------
    title, lead : str
        Heading, and what was run.
    sections : sequence of Section
        In order; what is empty is left out.
    script : str or None
        plotly.js, where there is one.
    """
    head = f"<title>{html.escape(title)}</title>\n<style>{_STYLE}</style>"
    if script is not None:
        head += f"\n<script>{script}</script>"
    warning = "" if script is not None else f'<p class="warning">{html.escape(NO_PLOTLY)}</p>'
    body = "\n".join(_section_html(number, section, script is not None) for number, section in enumerate(sections))
    links = "".join(f'<a href="#part-{n}">{html.escape(section.title)}</a>' for n, section in enumerate(sections))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{head}\n</head>\n<body>\n'
        f"<h1>{html.escape(title)}</h1>\n<p>{html.escape(lead)}</p>\n<nav>{links}</nav>\n{warning}\n{body}\n</body>\n</html>\n"
    )


def _section_html(number: int, section: Section, drawn: bool) -> str:
    """Return the section of that number."""
    parts = [f'<h2 id="part-{number}">{html.escape(section.title)}</h2>']
    parts += [f'<p class="note">{html.escape(section.note)}</p>'] if section.note else []
    parts += [table.to_html() for table in section.tables]
    parts += [_figure_html(figure, drawn) for figure in section.figures]
    return "\n".join(parts)


def _figure_html(figure: Figure, drawn: bool) -> str:
    """Return a figure with its numbers below."""
    name = f"figure-{figure.key}"
    numbers = f"<details{'' if drawn else ' open'}><summary>Numbers</summary>{figure.table.to_html()}</details>"
    note = f'<p class="note">{html.escape(figure.note)}</p>' if figure.note else ""
    head = f"<h3>{html.escape(figure.title)}</h3>{note}"
    if not drawn:
        return f"{head}{numbers}"
    spec = json.dumps(figure.spec, allow_nan=False).replace("</", "<\\/")
    draw = f"const s = {spec}; Plotly.newPlot({json.dumps(name)}, s.data, s.layout, {{responsive: true}});"
    return f'{head}<div id="{name}"></div><script>{{{draw}}}</script>{numbers}'


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole or not at all."""
    with replacing(path) as file:
        file.write(text.encode("utf-8"))


def write_table(path: Path, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write a CSV file; what is unknown is an empty cell."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(columns)
    lines.writerows([["" if value is None else value for value in row] for row in rows])
    write_text(path, text.getvalue())


def write_rows(folder: Path, rows: Sequence[Row], info: dict[str, Any]) -> None:
    """Write the rows of a run as `results.csv` and, with paths and settings, as `results.json`."""
    hidden = {"path", "key"}
    columns = list(dict.fromkeys(name for row in rows for name in row if name not in hidden))
    write_table(folder / "results.csv", columns, [[row.get(name) for name in columns] for row in rows])
    document = {"format": "turs-benchmark", "version": 1, "info": info, "rows": list(rows)}
    write_text(folder / "results.json", json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
