"""Before rules are learned, in a real browser: what was chosen survives a reload, a closed tab and another server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

from turs.learn.settings import Constraints
from turs.storage import Preparation, Store
from turs.storage.location import FILE_NAME
from turs.ui.choices import read_choices
from turs.ui.library import first_workspace
from turs.ui.screenshots import rest, visit
from turs.ui.serving import Server

PATIENCE = 180_000  # milliseconds; the first run on a machine compiles


@pytest.fixture
def own_page(browser: Browser) -> Iterator[Page]:
    """A page whose server may go away."""
    with browser.new_context(viewport={"width": 1440, "height": 1000}) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        yield page


def patients(folder: Path) -> Path:
    """Write a table whose target is not its last column."""
    draw = np.random.default_rng(5)
    age = draw.integers(20, 90, 400)
    frame = pd.DataFrame(
        {
            "age": age,
            "ward": draw.integers(1, 4, 400),
            "dose": draw.normal(10, 2, 400).round(1),
            "pulse": draw.integers(50, 120, 400),
            "ill": np.where((age >= 60) ^ (draw.random(400) < 0.1), "yes", "no"),
            "cohort": draw.choice(["a", "b"], 400),
        }
    )
    path = folder / "patients.csv"
    frame.to_csv(path, index=False)
    return path


def choose(page: Page, label: str, *options: str) -> None:
    """Choose features in a box, one after the other."""
    box = page.get_by_role("combobox", name=label)
    for option in options:
        box.click()
        page.get_by_role("option", name=option, exact=True).click()
        rest(page)
    page.keyboard.press("Escape")


def fill(page: Page, label: str, value: int) -> None:
    page.get_by_role("spinbutton", name=label).fill(str(value))
    page.keyboard.press("Enter")
    rest(page)


def prepare(page: Page) -> None:
    """Decide something of every kind."""
    page.get_by_role("combobox", name="Target").click()
    page.get_by_role("option", name="ill", exact=True).click()
    rest(page)
    page.get_by_label("Kind of ward").select_option("categorical")
    rest(page)
    page.get_by_label("Use pulse").uncheck()
    rest(page)
    for label, value in (("Validation %", 30), ("Test %", 10), ("Seed", 7)):
        fill(page, label, value)
    visit(page, "Learn")
    choose(page, "Features that no rule may use", "dose", "cohort")
    choose(page, "Only high values count (only ≥)", "age")
    page.get_by_text("More settings: the defaults are good").click()
    page.get_by_text("The paper's algorithm as written").click()
    rest(page)
    fill(page, "At most so many rules", 4)


def expect_prepared(page: Page, address: str) -> None:
    """Expect all that was decided on both pages, from the page Learn on."""
    page.goto(address)
    told = "learn to predict ill from 240 training rows"
    expect(page.locator(".st-key-page-Learn")).to_contain_text(told, timeout=PATIENCE)
    boxes = page.get_by_test_id("stMultiSelect")
    expect(boxes.nth(0)).to_contain_text("dose")
    expect(boxes.nth(0)).to_contain_text("cohort")
    expect(boxes.nth(1)).to_contain_text("age")
    page.get_by_text("More settings: the defaults are good").click()
    expect(page.get_by_role("radio", name="The paper's algorithm as written")).to_be_checked()
    expect(page.get_by_role("spinbutton", name="At most so many rules")).to_have_value("4")
    rest(page)
    visit(page, "Data")
    expect(page.locator(".st-key-page-Data")).to_contain_text("patients400 rows, 6 columns")
    expect(page.get_by_label("Kind of ward")).to_have_value("categorical")
    expect(page.get_by_label("Kind of age")).to_have_value("numeric")
    expect(page.get_by_label("Use pulse")).not_to_be_checked()
    expect(page.get_by_label("Use dose")).to_be_checked()
    for label, value in (("Validation %", "30"), ("Test %", "10"), ("Seed", "7")):
        expect(page.get_by_role("spinbutton", name=label)).to_have_value(value)
    assert not page.locator(".stException").count()


def stored(server: Server) -> tuple[Preparation, ...]:
    with Store.open(server.folder / FILE_NAME) as store:
        return store.preparations.of(first_workspace(store))


def test_what_was_decided_before_learning_survives(
    own_page: Page, browser: Browser, server: Server, tmp_path: Path
) -> None:
    own_page.goto(f"{server.address}/Data")
    own_page.locator("input[type=file]").set_input_files(patients(tmp_path))
    expect(own_page.locator(".st-key-to-learn button")).to_be_enabled(timeout=PATIENCE)
    rest(own_page)
    (record,) = stored(server)
    assert (record.name, record.n_rows, record.version) == ("patients", 400, 0)
    assert f"preparation={record.id}" in own_page.url
    prepare(own_page)
    (record,) = stored(server)
    choices = read_choices(record.choices)
    assert choices.constraints == Constraints(("dose", "cohort"), {"age": ">="})
    assert (choices.settings.search, choices.settings.most_rules) == ("paper", 4)
    assert (choices.plan.target, choices.plan.kinds, choices.plan.ignored) == (
        "ill",
        {"ward": "categorical"},
        ("pulse",),
    )
    assert (choices.plan.validation, choices.plan.test, choices.plan.seed) == (0.3, 0.1, 7)
    address = own_page.url
    assert address.startswith(f"{server.address}/Learn")
    own_page.reload()
    expect_prepared(own_page, address)
    server.stop(kill=True)
    server.start()
    server.wait()
    with browser.new_context(viewport={"width": 1440, "height": 1000}) as context:
        other = context.new_page()
        other.set_default_timeout(PATIENCE)
        expect_prepared(other, address)
        _go_on_from_the_first_page(other, server, record)
    assert stored(server) == ()


def _go_on_from_the_first_page(page: Page, server: Server, record: Preparation) -> None:
    """Go on from the bare address, and learn."""
    page.goto(server.address)
    button = page.locator(f".st-key-prepare-{record.id}").get_by_role("button")
    expect(button).to_contain_text("Go on preparing patients", timeout=PATIENCE)
    button.click()
    expect(page.locator(".st-key-page-Data")).to_contain_text("patients400 rows, 6 columns")
    rest(page)
    visit(page, "Learn")
    page.locator(".st-key-learn button").click()
    expect(page.locator(".st-key-open-rules button")).to_be_visible(timeout=PATIENCE)
    rest(page)
    assert "preparation=" not in page.url
    assert "model=" in page.url


def test_two_tabs_on_one_table_go_on_side_by_side(own_page: Page, browser: Browser, server: Server) -> None:
    own_page.goto(f"{server.address}/Data")
    own_page.get_by_role("button", name="Iris").click()
    expect(own_page.locator(".st-key-to-learn button")).to_be_enabled(timeout=PATIENCE)
    rest(own_page)
    with browser.new_context(viewport={"width": 1440, "height": 1000}) as context:
        other = context.new_page()
        other.goto(own_page.url)
        expect(other.get_by_role("spinbutton", name="Seed")).to_have_value("0", timeout=PATIENCE)
        rest(other)
        fill(own_page, "Seed", 3)
        fill(other, "Seed", 4)
        expect(other.get_by_test_id("stAlert")).to_contain_text("goes on as a copy of its own")
        assert not own_page.get_by_test_id("stAlert").count()
        assert {read_choices(record.choices).plan.seed for record in stored(server)} == {3, 4}
        for page, seed in ((own_page, "3"), (other, "4")):
            page.reload()
            expect(page.get_by_role("spinbutton", name="Seed")).to_have_value(seed, timeout=PATIENCE)
