"""Whether everybody can use the pages: axe finds no fault, light and dark, and the keyboard reaches all controls."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from turs.storage.location import FILE_NAME
from turs.ui.made_model import store_made_model
from turs.ui.places import PLACES
from turs.ui.screenshots import move_cut, rest, visit
from turs.ui.serving import Server

PATIENCE = 180_000  # milliseconds; the first run on a machine compiles


def faults(page: Page) -> list[str]:
    """Return what axe says about the page, with the place."""
    found = Axe().run(page).response
    assert found["passes"]
    return [f"{rule['id']}: {node['html'][:160]}" for rule in found["violations"] for node in rule["nodes"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault(browser: Browser, server: Server, scheme: str) -> None:
    model = store_made_model(server.folder / FILE_NAME, 2_000, 6)
    told = {}
    with browser.new_context(viewport={"width": 1440, "height": 1000}, color_scheme=scheme) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(server.address)
        expect(page.locator(".st-key-sample-iris button")).to_be_visible(timeout=PATIENCE)
        rest(page)
        told["Start"] = faults(page)
        page.goto(f"{server.address}/Rules?model={model}")
        expect(page.locator(".st-key-bench input[type=range]")).to_be_visible(timeout=PATIENCE)
        move_cut(page, 3)
        told["Rules"] = faults(page)
        for place in PLACES:
            if place.name != "Rules":
                visit(page, place.name)
                told[place.name] = faults(page)
    assert not {name: found for name, found in told.items() if found}


_HELPERS = """
window.deepActive = () => {
  let found = document.activeElement;
  while (found && found.shadowRoot && found.shadowRoot.activeElement) found = found.shadowRoot.activeElement;
  return found;
};
window.up = (part) => part.parentElement || (part.getRootNode() instanceof ShadowRoot ? part.getRootNode().host : null);
window.looks = (part) => {
  let told = "";
  for (let at = part, level = 0; at && level < 8; at = window.up(at), level += 1) {
    for (const pseudo of [null, "::before", "::after"]) {
      const style = getComputedStyle(at, pseudo);
      told += [style.outlineStyle, style.outlineColor, style.boxShadow, style.borderColor, style.backgroundColor,
        style.textDecorationLine].join();
    }
    for (const child of level ? [] : at.parentElement ? at.parentElement.children : [])
      told += getComputedStyle(child).boxShadow + getComputedStyle(child).outlineStyle;
  }
  return told;
};
window.frames2 = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
window.nameOf = (part) => `${part.tagName} ${part.getAttribute("aria-label") || part.textContent.trim().slice(0, 40)}`;
window.controls = (root) => {
  const found = [];
  for (const part of root.querySelectorAll("*")) {
    if (part.shadowRoot) found.push(...window.controls(part.shadowRoot));
    const group = part.closest("[role=radiogroup]") || part.closest("[role=tablist]");  // arrow keys go inside of these
    const wanted = part.matches("button, a[href], input, select, textarea, summary") && !part.disabled;
    if (wanted && !group && part.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
        part.getClientRects().length && !part.closest("[aria-hidden=true], [inert]")) found.push(part);
  }
  return found;
};
null;
"""
_BEGIN = """
() => {
  const still = document.createElement("style");
  still.textContent = "* { transition: none !important; animation: none !important; }";
  document.head.append(still);
  document.activeElement.blur();
  return window.frames2().then(() => {
    const all = window.controls(document);
    all.forEach((part) => { part.resting = window.looks(part); });
    all[0].focus();
    all[0].reached = true;
  });
}
"""
_PRESSED = """
() => window.frames2().then(() => {
  const part = window.deepActive();
  if (!part || part === document.body) return ["", true];
  part.reached = true;
  return [window.nameOf(part), part.resting === undefined || part.resting !== window.looks(part)];
})
"""
_UNREACHED = """
() => window.controls(document).filter((part) => {
  if (part.reached) return false;
  // What is one stop for the keyboard may have several parts: steppers of a number, mirrored cells.
  const whole = part.tabIndex < 0 ? window.up(part).closest("[role=group], table, [data-testid^=st]") : null;
  return !(whole && [...whole.querySelectorAll("*")].some((other) => other.reached));
}).map(window.nameOf)
"""
MOST_STEPS = 250


def walk(page: Page) -> tuple[list[str], list[str]]:
    """Go through a page by Tab; return the controls that were not reached, and those that did not show it."""
    page.evaluate(_HELPERS)
    page.evaluate(_BEGIN)
    hidden = []
    for _ in range(MOST_STEPS):
        page.keyboard.press("Tab")
        name, seen = page.evaluate(_PRESSED)
        if not name:
            break
        if not seen:
            hidden.append(name)
    return page.evaluate(_UNREACHED), hidden


def test_the_keyboard_reaches_every_control_and_shows_where_it_is(browser: Browser, server: Server) -> None:
    model = store_made_model(server.folder / FILE_NAME, 2_000, 6)
    told = {}
    with browser.new_context(viewport={"width": 1440, "height": 1000}) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{server.address}/Rules?model={model}")
        expect(page.locator(".st-key-bench input[type=range]")).to_be_visible(timeout=PATIENCE)
        move_cut(page, 3)
        told["Rules"] = walk(page)
        for place in PLACES:
            if place.name != "Rules":
                visit(page, place.name)
                told[place.name] = walk(page)
    assert not [f"{name}: {control}" for name, (missed, _) in told.items() for control in missed]
    assert not [f"{name}: {control}" for name, (_, hidden) in told.items() for control in hidden]
