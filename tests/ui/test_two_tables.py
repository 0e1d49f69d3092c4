"""Rules of one table on screen while another is prepared and learned from: whose numbers they are, and the way on."""

from __future__ import annotations

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.driving import button_keys, finished, learned, markup, model, on_page, studio
from turs.storage import Store
from turs.ui.library import first_workspace, saved_models

OTHER = pd.DataFrame({"dose": [i * 7 % 31 for i in range(200)], "ill": [i * 7 % 31 > 14 for i in range(200)]})


def with_another_table(app: AppTest) -> AppTest:
    """Choose another table."""
    on_page(app, "1_Data.py").file_uploader[0].upload("doses.csv", OTHER.to_csv(index=False).encode(), "text/csv").run()
    return app


def test_numbers_say_of_which_rules_they_are(app: AppTest) -> None:
    learned(app, "iris")
    assert "not of the new table" not in markup(on_page(app, "1_Data.py"))
    name = model(with_another_table(app)).name
    for page in ("1_Data.py", "2_Learn.py"):
        text = markup(on_page(app, page))
        assert f"<b>{name}</b>, not of the new table" in text
    assert "No rules yet" in text
    assert "open-rules" not in button_keys(app)


def test_rules_learned_meanwhile_wait_until_they_are_opened(app: AppTest, request: pytest.FixtureRequest) -> None:
    before = model(learned(app, "iris")).id
    held = request.getfixturevalue("held")  # after the rules on screen were learned
    on_page(with_another_table(app), "2_Learn.py").button(key="learn").click().run()
    on_page(app, "3_Rules.py")
    held.set()
    finished(app)
    for page in ("4_Overlaps.py", "2_Learn.py", "3_Rules.py"):
        on_page(app, page)
        assert model(app).id == before
        assert "New rules were learned: doses" in markup(app)
    app.button(key="open-waiting").click().run()
    assert model(app).id not in ("", before)
    assert studio(app).table is model(app).study.table
    assert "open-waiting" not in button_keys(app)
    assert "New rules were learned" not in markup(on_page(app, "5_Stability.py"))


def test_a_branch_begins_with_its_own_name(app: AppTest) -> None:
    name = model(learned(app, "iris")).name
    store = Store.open()
    place = first_workspace(store)
    [first] = saved_models(store, place)
    store.open_session(first.record).branch("second opinion")
    assert {part.label for part in saved_models(store, place)} == {name, f"second opinion, branch of {name}"}
