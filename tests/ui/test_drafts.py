"""A change that is not kept yet: it stays until it is kept or dropped, and every part of the screen says the same."""

from __future__ import annotations

import html

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.cases import overlapping, shown
from tests.ui.driving import PAGES, assert_whole, button_keys, learned, markup, model, on_page, studio
from turs.editing import AddLiteral, AddRule, AttachNote, DeleteRule, LockRule, MoveCut
from turs.rules.literal import Interval, LevelSet
from turs.ui import numbers
from turs.ui.state import memory, workbench
from turs.ui.studio import Selection

MOVE = MoveCut("r1", "age", low=47.5)


@pytest.fixture
def pending(app: AppTest) -> AppTest:
    """A cut of r1 that is moved and not kept."""
    shown(app, overlapping(), "3_Rules.py")
    chosen(app, "r1", "age")
    next(field for field in app.text_input if field.key.startswith("exact-")).set_value("47.5").run()
    assert studio(app).draft == MOVE
    return app


def chosen(app: AppTest, rule: str, feature: str = "") -> AppTest:
    """Choose a card, as the list does: its part runs in the browser."""
    place = app.session_state["seat"]
    token = memory._held.set(place)
    try:
        workbench.select(rule, feature)
    finally:
        memory._held.reset(token)
    app.run()
    assert_whole(app)
    return app


def pills(app: AppTest) -> list[str]:
    group = next(part for part in app.get("button_group") if part.key.startswith("literal-"))
    return [option.content.replace("\\", "") for option in group.proto.options]


def bar(app: AppTest) -> str:
    return html.unescape(markup(app).split('<div class="t-draft">')[1].split("</div></div>")[0])


def test_another_card_leaves_the_draft_as_it_is(pending: AppTest) -> None:
    chosen(pending, "r3")
    assert studio(pending).draft == MOVE
    assert "In r1, move the lower cut of age" in bar(pending)
    for key in ("delete", "duplicate"):
        assert pending.button(key=key).disabled  # nothing else can take its place
    pending.button(key="go-to-draft").click().run()
    assert_whole(pending)
    assert studio(pending).selection == Selection("r1", "age")
    assert "go-to-draft" not in button_keys(pending)
    assert not chosen(pending, "r3").button(key="keep").disabled
    pending.button(key="keep").click().run()
    assert model(pending).session.history.entry(1).edit == MOVE
    assert studio(pending).selection.rule == "r3"
    assert not pending.button(key="delete").disabled


def test_a_new_rule_waits_for_the_draft(pending: AppTest) -> None:
    pending.button(key="new-rule").click().run()
    assert_whole(pending)
    assert studio(pending).draft == MOVE
    assert not [box for box in pending.selectbox if box.label == "Condition on"]
    pending.button(key="drop").click().run()
    assert studio(pending).draft is None
    assert [box for box in pending.selectbox if box.label == "Condition on"]


@pytest.mark.parametrize("page", [page for page in PAGES if "Rules" not in page])
def test_other_pages_say_that_a_change_is_not_kept(pending: AppTest, page: str) -> None:
    on_page(pending, page)
    assert "In r1, move the lower cut of age" in pending.button(key="pending").label.replace("\\", "")
    assert studio(pending).draft == MOVE


def test_a_draft_on_another_rule_is_not_put_in_its_place(pending: AppTest) -> None:
    token = memory._held.set(pending.session_state["seat"])
    try:
        workbench.show_draft(DeleteRule("r2"))
        assert studio(pending).draft == MOVE
        assert "not kept yet" in str(memory.studio().message)
    finally:
        memory._held.reset(token)


def test_a_note_and_the_history_leave_the_draft(pending: AppTest) -> None:
    next(field for field in pending.text_input if field.key.startswith("note-")).set_value("ask").run()
    assert isinstance(model(pending).session.history.entry(1).edit, AttachNote)
    assert studio(pending).draft == MOVE
    pending.button(key="undo").click().run()
    assert_whole(pending)
    assert studio(pending).draft == MOVE


def test_a_draft_that_undo_makes_impossible_is_told(app: AppTest) -> None:
    opened = overlapping()
    opened.session.apply(AddRule((Interval("age", low=80.0),)))
    shown(app, opened, "3_Rules.py")
    chosen(app, "r6")
    app.button(key="delete").click().run()
    app.button(key="undo").click().run()
    assert_whole(app)
    assert studio(app).draft is None
    assert "cannot be done any more" in app.info[0].value


def test_the_condition_says_what_the_field_says(pending: AppTest) -> None:
    assert pills(pending) == ["age ≥ 47.5"]
    pending.button(key="drop").click().run()
    assert pills(pending) == ["age ≥ 40"]


def test_the_strip_of_a_cut_does_not_contradict_another_draft(app: AppTest) -> None:
    shown(app, overlapping(), "3_Rules.py")
    chosen(app, "r1")
    app.button(key="delete").click().run()
    impact = model(app).session.preview(DeleteRule("r1"))
    assert numbers.bits(impact.score_after.total_bits) in bar(app)
    data = next(part for part in app.get("bidi_component") if part.proto.component_name.endswith("cut"))
    assert '"aside": true' in data.proto.json.replace('"aside":true', '"aside": true')


def test_an_added_condition_can_be_gone_back_to(app: AppTest) -> None:
    shown(app, overlapping(), "3_Rules.py")
    chosen(app, "r1", "dose")
    assert isinstance(studio(app).draft, AddLiteral)
    chosen(app, "r1", "age")
    assert isinstance(studio(app).draft, AddLiteral)
    assert len(pills(app)) == 2
    assert "go-to-draft" in button_keys(app)


def test_a_locked_rule_says_how_it_is_changed(app: AppTest) -> None:
    opened = overlapping()
    opened.session.apply(LockRule("r1"))
    shown(app, opened, "3_Rules.py")
    chosen(app, "r1")
    assert "Unlock it under More" in markup(app)
    assert "Change something" not in markup(app)


def test_signs_are_those_of_print(app: AppTest) -> None:
    shown(app, overlapping(("dose >= -0.889", "age >= 40")), "3_Rules.py")
    chosen(app, "r1")
    assert pills(app) == [f"dose ≥ {numbers.MINUS}0.889"]
    app.button(key="delete").click().run()
    assert f"dose ≥ {numbers.MINUS}0.889" in bar(app)
    assert numbers.with_signs('In r1, replace "a >= -1" in {-1} by -1 <= b < 2') == (
        f'In r1, replace "a >= -1" in {{-1}} by {numbers.MINUS}1 ≤ b < 2'
    )


@pytest.mark.parametrize("way", ["add", "keep"])
def test_the_condition_that_is_being_chosen_is_part_of_the_new_rule(app: AppTest, way: str) -> None:
    learned(app, "readmission")
    session = model(app).session
    app.button(key="new-rule").click().run()
    next(box for box in app.selectbox if box.label == "Condition on").set_value("age").run()
    next(field for field in app.text_input if field.key.startswith("new-cut-")).set_value("70").run()
    next(button for button in app.button if button.key.startswith("new-add-")).click().run()
    next(box for box in app.selectbox if box.label == "Condition on").set_value("ward").run()
    assert app.button(key="keep").disabled  # no level yet: what would be kept is not what is being made
    assert "at least one level" in markup(app)
    next(box for box in app.multiselect if box.label == "Levels").set_value(["surgery"]).run()
    assert_whole(app)
    literals = (Interval("age", low=70.0), LevelSet("ward", ("surgery",)))
    change = session.preview(AddRule(literals)).rules[0]
    assert change.after is not None
    assert f"{change.id}: {change.after.coverage} training rows" in markup(app)
    if way == "add":
        next(button for button in app.button if button.key.startswith("new-add-")).click().run()
    app.button(key="keep").click().run()
    assert_whole(app)
    assert session.version.rules[-1].literals == literals


def test_another_model_says_what_was_dropped(pending: AppTest) -> None:
    other = overlapping()
    pending.run()
    box = next(part for part in pending.selectbox if part.label == "Model")
    box.set_value(other.id).run()
    assert_whole(pending)
    assert studio(pending).draft is None
    assert "was not kept is dropped" in pending.info[0].value
