"""Take pictures of the application: `python -m turs.ui.screenshots`.

It starts the application on a free port, walks through it in a headless browser on the breast cancer sample and writes
a picture of each page. The tests in a browser use the same steps.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from turs.ui.frame import PLACES

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
START_SECONDS = 30
LEARN_MILLISECONDS = 120_000
_COLOURS = 256


@contextmanager
def running_app() -> Iterator[str]:
    """Start the application on a store of its own and give its address; both end with the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=os.environ | {"TURS_DATA": folder},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _wait_for(f"{address}/_stcore/health")
            yield address
        finally:
            process.terminate()
            process.wait()


def launched(driver: Playwright) -> Browser:
    """Start a browser of this machine."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        raise SystemExit("No browser was found: install one, on Debian with apt-get install chromium libatomic1.")
    return driver.chromium.launch(executable_path=path, args=list(FLAGS))


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


def _wait_for(address: str) -> None:
    """Wait until the application answers."""
    for _ in range(10 * START_SECONDS):
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                if answer.read() == b"ok":
                    return
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"The application did not start within {START_SECONDS} seconds.")


def move_cut(page: Page, steps: int) -> None:
    """Move the cut on the slider by some candidates; its effect shows and is not kept."""
    page.locator(".st-key-bench input[type=range]").focus()
    for _ in range(abs(steps)):
        page.keyboard.press("ArrowRight" if steps > 0 else "ArrowLeft")
    page.locator(".t-draft").wait_for()
    page.evaluate("document.activeElement.blur()")
    page.mouse.move(0, 0)
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
    with running_app() as address, opened(address, options.width, options.height, options.dark) as page:
        take_all(page, options.out)


if __name__ == "__main__":
    main()
