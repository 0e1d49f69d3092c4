"""Files that do harm, uploaded in a real browser: each ends in one clear message, and the server goes on."""

from __future__ import annotations

import gzip
import io
import sys
import zipfile
from pathlib import Path

import pandas as pd
from openpyxl import Workbook
from playwright.sync_api import Page, expect

from tests.ui.driving import ROOT
from turs.ui.screenshots import rest, visit
from turs.ui.serving import Server

PATIENCE = 180_000  # milliseconds; the first run on a machine compiles
MOST_MEMORY = 700 << 20  # bytes beyond those before; the files would take many times as much


def harmful(folder: Path) -> dict[Path, str]:
    """Write files, and return what has to be said about each."""
    packed = gzip.compress(bytes(16 << 20))
    book = io.BytesIO()
    Workbook().save(book)
    with zipfile.ZipFile(book, "a", zipfile.ZIP_DEFLATED) as archive:
        for number in range(40):
            archive.writestr(f"xl/media/{number}", bytes(16 << 20))
    numbers = io.BytesIO()
    zeros = pd.DataFrame({name: pd.Series(0, index=range(100_000)) for name in "abc"})
    zeros.to_parquet(numbers, index=False)
    contents = {
        "program.csv": (Path(sys.executable).resolve().read_bytes()[:1_000_000], "not a text file with a table"),
        "bomb.csv.gz": (packed * 200, "unpacks to more than"),
        "bomb.xlsx": (book.getvalue(), "unpacks to more than"),
        "cut.parquet": (numbers.getvalue()[:-100], "broken or cut off"),
    }
    for name, (content, _) in contents.items():
        (folder / name).write_bytes(content)
    return {folder / name: told for name, (_, told) in contents.items()}


def upload(page: Page, path: Path) -> None:
    page.locator("input[type=file]").set_input_files(path)


def test_harmful_files_end_in_one_message_and_the_server_goes_on(page: Page, server: Server, tmp_path: Path) -> None:
    visit(page, "Data")
    before = server.memory
    uploader = page.get_by_test_id("stFileUploader")
    expect(uploader).to_contain_text("200")  # the limit is said before
    too_large = tmp_path / "large.csv"
    with too_large.open("wb") as file:
        file.truncate(300 << 20)
    upload(page, too_large)
    expect(uploader).to_contain_text("File must be 200.0MB or smaller", timeout=PATIENCE)
    for path, told in harmful(tmp_path).items():
        rest(page)
        upload(page, path)
        message = page.get_by_test_id("stAlert").filter(has_text=path.name)
        expect(message).to_contain_text(told, timeout=PATIENCE)
        expect(page.get_by_test_id("stAlert")).to_have_count(1)
        assert not page.locator(".stException").count()
    assert server.is_running
    assert server.peak_memory - before < MOST_MEMORY
    rest(page)
    upload(page, ROOT / "sample_data" / "iris.csv")
    expect(page.locator(".st-key-to-learn button")).to_be_enabled(timeout=PATIENCE)
