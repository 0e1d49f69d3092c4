"""Take pictures of the application: `python -m turs.ui.screenshots`.

It starts the application on a free port, walks through it in a headless browser on the breast cancer sample and writes
a picture of each page. The tests in a browser use the same steps.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from turs.ui.places import PLACES
from turs.ui.serving import ROOT, launched, running_app

LEARN_MILLISECONDS = 120_000
_COLOURS = 256


@contextmanager
def opened(address: str, width: int, height: int, dark: bool) -> Iterator[Page]:
    """Open the application in a browser; fonts and requests never leave this machine."""
    with sync_playwright() as driver:
        browser = launched(driver)
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light")
        page.goto(address)
        yield page
        browser.close()


def learn_sample(page: Page, sample: str) -> None:
    """Learn rules from a sample of the first page and open the workbench."""
    page.locator(f".st-key-sample-{sample}").get_by_role("button").click()
    page.locator(".st-key-open-rules button").click(timeout=LEARN_MILLISECONDS)
    page.locator(".st-key-bench").wait_for()
    rest(page)


def visit(page: Page, name: str) -> None:
    """Go to a page by its link in the navigation."""
    page.locator(".st-key-navigation").get_by_role("link", name=name).click()
    page.locator(f".st-key-page-{name}").wait_for()
    rest(page)


def rest(page: Page) -> None:
    """Wait until the page has come to rest."""
    page.wait_for_timeout(300)
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    page.wait_for_timeout(700)


def move_cut(page: Page, steps: int) -> None:
    """Move the cut on the slider by some candidates; its effect shows and is not kept."""
    page.locator(".st-key-bench input[type=range]").focus()
    for _ in range(abs(steps)):
        page.keyboard.press("ArrowRight" if steps > 0 else "ArrowLeft")
    page.locator(".t-draft").wait_for()
    page.evaluate("document.activeElement.blur()")
    page.mouse.move(0, 0)
    rest(page)


def keep(page: Page, why: str) -> None:
    """Keep the change that is shown, with a reason."""
    page.get_by_role("textbox", name="Why?").fill(why)
    page.keyboard.press("Enter")
    rest(page)
    page.locator(".st-key-keep button").click()
    page.locator(".t-draft").wait_for(state="detached")
    rest(page)


def take(page: Page, folder: Path, name: str) -> None:
    """Write a picture of the page, with few colours, because it is text and plain areas."""
    with Image.open(io.BytesIO(page.screenshot())) as picture:
        picture.convert("RGB").quantize(_COLOURS).save(folder / f"{name}.png", optimize=True)


def take_all(page: Page, folder: Path) -> None:
    """Walk through the application on the breast cancer sample and take a picture of each page."""
    learn_sample(page, "breast_cancer")
    move_cut(page, -8)
    take(page, folder, "rules")
    keep(page, "miss fewer malignant ones")
    for name in [place.name for place in PLACES if place.name != "Rules"]:
        visit(page, name)
        take(page, folder, name.lower())


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(description="Take pictures of the application.")
    parser.add_argument("--out", type=Path, default=ROOT / ".assets", help="folder of the pictures")
    parser.add_argument("--width", type=int, default=1440)
    parser.add_argument("--height", type=int, default=960)
    parser.add_argument("--dark", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with running_app() as server, opened(server.address, options.width, options.height, options.dark) as page:
        take_all(page, options.out)


if __name__ == "__main__":
    main()
