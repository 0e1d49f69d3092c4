"""Pictures of every page in every state, for the eye: `python -m turs.ui.gallery FOLDER`.

Widths, colour schemes and studies that strain a page: nothing open, rules as learned, rules after edits, 200 rules,
four rows, long names, many classes. One picture is as tall as its page.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from turs.data import Table, read_table
from turs.editing import DeleteRule
from turs.storage import Store
from turs.storage.location import FILE_NAME
from turs.ui.library import first_workspace, save_learned
from turs.ui.made_model import store_made_model
from turs.ui.places import PLACES
from turs.ui.screenshots import rest
from turs.ui.serving import launched, running_app
from turs.ui.start_page import SAMPLE_TABLES
from turs.ui.study import Plan, study_of
from turs.ui.worker import Job

WIDTHS = (1440, 1024)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
_TALLEST = 4_000
_HEIGHT = "document.querySelector('[data-testid=\"stMainBlockContainer\"]').scrollHeight"


def learned(place: Path, *, n_deleted: int = 0) -> str:
    """Learn from a sample and return the id of the session; some rules are deleted then."""
    table = read_table(next(sample.path for sample in SAMPLE_TABLES if sample.name == "Machines"))
    return _stored(place, table, Plan(str(table.frame.columns[-1])), n_deleted)


def four_rows(place: Path) -> str:
    """Return rules of a table of four rows, all of them for training: fewer would be refused."""
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": ["x", "y", "x", "y"], "class": ["no", "no", "yes", "yes"]})
    return _stored(place, Table(frame), Plan("class", validation=0.0, test=0.0))


def long_names(place: Path) -> str:
    """Return rules with names that no column of a page can hold."""
    draw = np.random.default_rng(1)
    words = "the concentration of something that has a very long name, measured in the morning before breakfast"
    frame = pd.DataFrame({f"{words} ({k})": draw.random(600).round(3) for k in range(6)})
    frame["Höhe_ohne_irgendeine_Stelle_an_der_man_umbrechen_könnte"] = draw.choice(["level " + words, "b", "c"], 600)
    high = (frame.iloc[:, 0] > 0.5) ^ (draw.random(600) < 0.1)
    label = np.where(high, "the patient has to come back within thirty days of the operation", "no")
    return _stored(place, Table(frame.assign(outcome=label)), Plan("outcome"))


def many_classes(place: Path) -> str:
    """Return rules for 26 classes."""
    draw = np.random.default_rng(2)
    frame = pd.DataFrame({"x": draw.random(4_000).round(4), "y": draw.random(4_000).round(4)})
    label = np.array([f"class {chr(65 + k)}" for k in range(26)])[(frame["x"].to_numpy() * 25.99).astype(int)]
    return _stored(place, Table(frame.assign(**{"class": label})), Plan("class"))


STATES: dict[str, Callable[[Path], str]] = {
    "empty": lambda place: "",
    "learned": learned,
    "edited": lambda place: learned(place, n_deleted=1),
    "rules200": lambda place: store_made_model(place, 20_000, 200),
    "rows4": four_rows,
    "long": long_names,
    "classes26": many_classes,
}
"""What is open: each puts a model into a store and returns the id of its session."""


def _stored(place: Path, table: Table, plan: Plan, n_deleted: int = 0) -> str:
    """Learn, and keep what came of it."""
    job = Job(study_of("gallery", table, plan))
    job.wait(None)
    if job.learned is None:
        raise SystemExit(f"Nothing could be learned: {job.error}")
    with Store.open(place) as store:
        model = save_learned(store, first_workspace(store), job, job.learned, "analyst")
        for rule in model.session.version.rules[:n_deleted]:
            model.session.apply(DeleteRule(rule.id), author="analyst", note="not plausible")
        return model.id


def pictures(browser: Browser, address: str, model: str, pages: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the picture of every page in every width and scheme."""
    for width in WIDTHS:
        for scheme in SCHEMES:
            size = ViewportSize(width=width, height=900)
            with browser.new_context(viewport=size, color_scheme=scheme) as context:
                page = context.new_page()
                for name in pages:
                    page.set_viewport_size(size)
                    query = f"?model={model}" if model else ""
                    page.goto(f"{address}/{'' if name == 'Start' else name}{query}")
                    page.locator(".st-key-navigation").wait_for()
                    rest(page)
                    yield f"{name.lower()}-{width}-{scheme}", _whole(page, width)


def _whole(page: Page, width: int) -> bytes:
    """Return a picture that is as tall as the page."""
    height = min(int(page.evaluate(_HEIGHT)) + 40, _TALLEST)
    page.set_viewport_size({"width": width, "height": max(height, 900)})
    rest(page)
    return page.screenshot()


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(description="Take pictures of every page in every state.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--states", nargs="*", choices=list(STATES), default=list(STATES))
    parser.add_argument("--pages", nargs="*", default=["Start", *(place.name for place in PLACES)])
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as driver, launched(driver) as browser:
        for state in options.states:
            with running_app() as server:
                model = STATES[state](server.folder / FILE_NAME)
                for name, picture in pictures(browser, server.address, model, tuple(options.pages)):
                    (options.folder / f"{state}-{name}.png").write_bytes(picture)


if __name__ == "__main__":
    main()
