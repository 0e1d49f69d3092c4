"""Measure the application as a person meets it: `python -m turs.ui.latency`.

It starts the application and a headless browser and prints, in milliseconds, how long it takes from the start of the
process to the first usable page, from a moved cut to its full effect on screen, and from one page to another. Times in
the browser are taken by the browser, from the event to the last change of what it shows.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from turs.storage.location import FILE_NAME
from turs.ui.made_model import store_made_model
from turs.ui.places import PLACES
from turs.ui.screenshots import rest
from turs.ui.serving import Server, launched, running_app
from turs.ui.warming import prepare

LIMITS = {"start": 5_000, "cut": 300, "page": 500}
"""Milliseconds."""
_REPEATS = {"start": 5, "cut": 20, "page": 3}
_COMPILE_MILLISECONDS = 180_000
_SETTLED = '[data-testid="stApp"][data-test-script-state="notRunning"]'
_AT_REST = "document.querySelector('[data-testid=\"stApp\"]').dataset.testScriptState === 'notRunning'"
_MOVED = """
(slider, key) => new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error("the effect of a moved cut did not come")), 30000);
  const shown = () => [...document.querySelectorAll(".st-key-bench .t-draft, .st-key-bench .t-table")].map(
    (part) => part.textContent);
  const [draft, table] = shown(), began = performance.now();
  const watch = new MutationObserver(() => {
    const now = shown();
    if (now.length < 2 || now[0] === draft || now[1] === table) return;
    watch.disconnect();
    requestAnimationFrame(() => resolve(performance.now() - began));
  });
  watch.observe(document.body, { subtree: true, childList: true, characterData: true });
  slider.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
})
"""
_CHANGED = f"""
(link, name) => new Promise((resolve, reject) => {{
  setTimeout(() => reject(new Error(`the page ${{name}} did not come`)), 30000);
  const began = performance.now();
  const look = () => {{
    const there = document.querySelector(`.st-key-page-${{name}}`);
    if (there && there.getClientRects().length && {_AT_REST}) return resolve(performance.now() - began);
    requestAnimationFrame(look);
  }};
  link.click();
  requestAnimationFrame(look);
}})
"""


def starts(browser: Browser, repeats: int) -> Iterator[float]:
    """Yield the times from the start of the process to a first page on which everything can be clicked."""
    prepare()
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder, browser.new_context() as context:
            page, server = context.new_page(), Server(Path(folder))
            began = time.perf_counter()
            server.start()
            try:
                server.wait()
                page.goto(server.address, wait_until="commit")
                page.locator(".st-key-sample-iris button").wait_for()
                page.locator(_SETTLED).wait_for()
                yield 1000 * (time.perf_counter() - began)
            finally:
                server.stop()


def cuts(page: Page, repeats: int) -> Iterator[float]:
    """Yield the times from a moved cut to its full effect, on the Rules page."""
    slider = page.locator(".st-key-bench input[type=range]")
    for number in range(-3, repeats):  # the first ones load and fill what later ones find
        ahead = number < 0 or number % 8 < 4  # back and forth, never where the cut was
        took = float(slider.evaluate(_MOVED, "ArrowRight" if ahead else "ArrowLeft"))
        rest(page)
        if number >= 0:
            yield took


def page_changes(page: Page, repeats: int) -> Iterator[tuple[str, float]]:
    """Yield the page that was gone to and the time that it took, each page once before they count."""
    for turn in range(repeats + 1):
        for place in PLACES:
            link = page.locator(".st-key-navigation").get_by_role("link", name=place.name)
            took = float(link.evaluate(_CHANGED, place.name))
            rest(page)
            if turn:
                yield place.name, took


def measured(
    browser: Browser, what: tuple[str, ...], n_rows: int, n_rules: int
) -> Iterator[tuple[str, str, list[float]]]:
    """Yield what was measured: its limit, its name and its times."""
    if "start" in what:
        yield "start", "start to first usable page", list(starts(browser, _REPEATS["start"]))
    if not {"cut", "page"} & set(what):
        return
    with running_app() as server, browser.new_context(viewport={"width": 1440, "height": 960}) as context:
        model = store_made_model(server.folder / FILE_NAME, n_rows, n_rules)
        page = context.new_page()
        page.goto(f"{server.address}/Rules?model={model}")
        page.locator(".st-key-bench input[type=range]").wait_for(timeout=_COMPILE_MILLISECONDS)
        rest(page)
        if "cut" in what:
            yield (
                "cut",
                f"moved cut to full effect ({n_rows:,} rows, {n_rules} rules)",
                list(cuts(page, _REPEATS["cut"])),
            )
        if "page" in what:
            times: dict[str, list[float]] = {}
            for name, took in page_changes(page, _REPEATS["page"]):
                times.setdefault(name, []).append(took)
            yield from (("page", f"to the page {name}", found) for name, found in times.items())


def main() -> None:
    """Measure and print one line each."""
    parser = argparse.ArgumentParser(description="Measure the application in a browser.")
    parser.add_argument("what", nargs="*", help="start, cut, page; all unless given")
    parser.add_argument("--rows", type=int, default=100_000, help="training rows of the open model")
    parser.add_argument("--rules", type=int, default=30)
    options = parser.parse_args()
    unknown = set(options.what) - set(LIMITS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(LIMITS)}")
    with sync_playwright() as driver, launched(driver) as browser:
        for limit, name, times in measured(browser, tuple(options.what) or tuple(LIMITS), options.rows, options.rules):
            told = f"median {statistics.median(times):,.0f} ms, slowest {max(times):,.0f} of {len(times)}"
            sys.stdout.write(f"{name}: {told} (limit {LIMITS[limit]:,})\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
