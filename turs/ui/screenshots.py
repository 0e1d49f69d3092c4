"""Take a picture of the application: `python -m turs.ui.screenshots`.

It starts the application on a free port, learns on the breast cancer sample in a headless browser and writes the page.
"""

from __future__ import annotations

import argparse
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

from playwright.sync_api import Browser, Page, Playwright, sync_playwright

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


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description="Take a picture of the application.")
    parser.add_argument("--out", type=Path, default=ROOT / ".assets" / "rules.png")
    parser.add_argument("--width", type=int, default=1440)
    parser.add_argument("--height", type=int, default=900)
    parser.add_argument("--dark", action="store_true")
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with running_app() as address, opened(address, options.width, options.height, options.dark) as page:
        learn_sample(page, "breast_cancer")
        page.screenshot(path=options.out)


if __name__ == "__main__":
    main()
