"""The application without a browser: what tests press, and what they read off the screen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from streamlit.testing.v1 import AppTest

from turs.ui.opened import OpenModel
from turs.ui.studio import Selection, Studio

ROOT = Path(__file__).parents[2]
PATIENCE = 120  # seconds; the first learning on a machine compiles
PAGES = sorted(path.name for path in (ROOT / "pages").glob("*.py"))


def learned(app: AppTest, sample: str) -> AppTest:
    """Learn from a sample of the first page and go to the rules."""
    app.button(key=f"learn-{sample}.csv").click().run()
    return on_page(finished(app), "3_Rules.py")


def finished(app: AppTest) -> AppTest:
    """Wait for the end of learning."""
    job = studio(app).job
    if job is not None:
        assert job.wait(PATIENCE)
        app.run()
    return app


def on_page(app: AppTest, page: str) -> AppTest:
    app.switch_page(f"pages/{page}").run()
    assert_whole(app)
    return app


def studio(app: AppTest) -> Studio:
    return app.session_state["seat"].studio


def model(app: AppTest) -> OpenModel:
    found = studio(app).model
    assert found is not None
    return found


def selected(app: AppTest, rule: str, feature: str = "") -> AppTest:
    """Select a rule and a literal, as a click on its card does."""
    app.session_state["seat"].studio = replace(studio(app), selection=Selection(rule, feature), draft=None)
    return app.run()


def markup(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


def number_on_screen(app: AppTest, name: str) -> str:
    return markup(app).split(f'{name}</div><div class="value">')[1].split("<")[0]


def button_keys(app: AppTest) -> list[str]:
    return [button.key for button in app.button]


def assert_whole(app: AppTest) -> None:
    """No exception box, and no part that failed behind the guard."""
    assert not app.exception
    faults = [key for key in button_keys(app) if key.startswith("again-")]
    assert not faults, [error.value for error in app.error]


def is_there(app: AppTest, key: str) -> bool:
    """Say whether a container with a key is on the screen."""
    blocks = [*app.main.children.values()]
    for block in blocks:
        if str(getattr(block.proto, "id", "")).endswith(f"-{key}"):
            return True
        blocks += getattr(block, "children", {}).values()
    return False
