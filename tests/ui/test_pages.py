"""Every page in every state: nothing breaks, and where a page has nothing to show it leads on."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.driving import (
    PAGES,
    assert_whole,
    button_keys,
    finished,
    learned,
    markup,
    model,
    on_page,
    studio,
)
from turs.editing import DeleteRule, MoveCut
from turs.storage import Store
from turs.ui.cards import literal_words

RULE_PAGES = [page for page in PAGES if page[0] not in "12"]


@pytest.mark.parametrize("page", PAGES)
def test_alone_without_data_it_leads_on(page: str, start: Callable[..., AppTest]) -> None:
    app = start(page)
    assert_whole(app)
    if page != "1_Data.py":
        assert "There is no table" in markup(app)
        app.button(key="way-on").click().run()
        assert_whole(app)
    assert app.get("file_uploader")
    assert "use-iris.csv" in button_keys(app)


@pytest.mark.parametrize("page", PAGES)
def test_alone_with_models_from_before_it_offers_them(page: str, iris: AppTest, start: Callable[..., AppTest]) -> None:
    before = model(iris)
    session = before.session
    session.apply(DeleteRule(session.version.rules[0].id))
    app = start(page)
    assert_whole(app)
    app.button(key=f"open-{before.id}").click().run()
    assert_whole(app)
    assert model(app).id == before.id
    assert model(app).session.version == session.version


def test_a_new_tab_begins_in_the_workspace_that_was_worked_in_last(
    iris: AppTest, start: Callable[..., AppTest]
) -> None:
    first = model(iris).id
    Store.open().add_workspace("A second one")
    iris.run()
    next(box for box in iris.selectbox if box.label == "Workspace").select("A second one").run()
    assert f"open-{first}" in button_keys(start())
    on_page(iris, "2_Learn.py")
    iris.button(key="learn").click().run()
    finished(iris)
    app = start()
    assert [key for key in button_keys(app) if key.startswith("open-")] == [f"open-{model(iris).id}"]


@pytest.mark.parametrize("page", PAGES)
def test_with_data_and_no_model_it_leads_to_learning(page: str, start: Callable[..., AppTest]) -> None:
    app = start("1_Data.py")
    app.button(key="use-iris.csv").click().run()
    assert_whole(app)
    on_page(app, page)
    way = {"1_Data.py": "to-learn", "2_Learn.py": "learn"}.get(page, "way-on")
    assert way in button_keys(app)


def test_every_page_while_learning_and_after_coming_back(app: AppTest, held: threading.Event) -> None:
    app.button(key="learn-iris.csv").click().run()
    assert "stop" in button_keys(app)
    for page in PAGES:
        on_page(app, page)
        assert studio(app).job is not None
        if page in RULE_PAGES:
            assert "being learned" in markup(app)
    on_page(app, "2_Learn.py")
    assert "stop" in button_keys(app)
    held.set()
    finished(app)
    assert_whole(app)
    assert "open-rules" in button_keys(app)
    assert model(app).session.version.rules


def test_rules_that_are_learned_meanwhile_do_not_replace_those_under_edit(iris: AppTest, held: threading.Event) -> None:
    before = model(iris)
    on_page(iris, "2_Learn.py")
    iris.button(key="learn").click().run()
    on_page(iris, "3_Rules.py")
    held.set()
    finished(iris)
    assert_whole(iris)
    assert model(iris).id == before.id
    picker = next(box for box in iris.selectbox if box.label == "Model")
    assert len(picker.options) == 2


@pytest.mark.parametrize("page", PAGES)
def test_with_edited_rules(page: str, app: AppTest) -> None:
    learned(app, "breast_cancer")
    session = model(app).session
    rule = session.version.rules[0]
    literal = rule.literals[0]
    side = "low" if literal.low is not None else "high"
    session.apply(MoveCut(rule.id, literal.feature, **{side: getattr(literal, side) * 1.01}))
    session.apply(DeleteRule(session.version.rules[-1].id))
    session.undo()
    on_page(app, page)
    assert "since learning" in markup(app)
    assert "last edit" in markup(app)
    assert not app.button(key="undo").disabled
    assert not app.button(key="redo").disabled


@pytest.mark.parametrize("page", PAGES)
def test_without_any_rule_left(page: str, iris: AppTest) -> None:
    session = model(iris).session
    for rule in session.version.rules:
        session.apply(DeleteRule(rule.id))
    on_page(iris, page)


def test_an_unexpected_error_is_told_with_a_way_on(iris: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a *broken* [part]")

    with monkeypatch.context() as patched:
        patched.setattr("turs.ui.rule_list.rule_lines", fail)
        iris.run()
    assert not iris.exception
    assert "broken" in iris.error[0].value
    assert " *broken*" not in iris.error[0].value
    assert "Nothing is lost" in markup(iris)
    next(button for button in iris.button if button.key.startswith("again-")).click().run()
    assert_whole(iris)


@pytest.mark.parametrize(
    "part",
    [
        "turs.ui.frame.headline_markup",
        "turs.ui.frame.state.store_trouble",
        "turs.ui.frame.state.come_back",
        "turs.ui.side_bar.state.news",
        "turs.ui.side_bar.state.models",
    ],
)
@pytest.mark.parametrize("page", PAGES)
def test_an_error_in_the_frame_leaves_the_page_and_a_way_on(
    page: str, part: str, iris: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a broken part")

    with monkeypatch.context() as patched:
        patched.setattr(part, fail)
        iris.switch_page(f"pages/{page}").run()
        assert not iris.exception
        assert "a broken part" in iris.error[0].value
        assert "Nothing is lost" in markup(iris)
        assert not any(key == "again-page" for key in button_keys(iris))
    on_page(iris, page)


def test_failed_learning_is_told_and_the_rules_stay(iris: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError("no room")

    before = model(iris)
    monkeypatch.setattr("turs.ui.worker.learn", fail)
    on_page(iris, "2_Learn.py")
    iris.button(key="learn").click().run()
    finished(iris)
    assert "no room" in iris.error[0].value
    assert model(iris) is before


def test_stopping_keeps_what_was_found(app: AppTest) -> None:
    app.button(key="learn-breast_cancer.csv").click().run()
    job = studio(app).job
    if job is not None:
        job.stop()
    finished(app)
    assert_whole(app)
    assert studio(app).job is None
    assert model(app).study.name == "Breast cancer"


def test_constraints_hold(iris: AppTest) -> None:
    unused = model(iris).session.version.rules[0].literals[0].feature
    on_page(iris, "2_Learn.py")
    next(box for box in iris.multiselect if box.key.startswith("unused")).set_value([unused]).run()
    iris.button(key="learn").click().run()
    finished(iris)
    rules = model(iris).session.version.rules
    assert rules
    assert unused not in {literal.feature for rule in rules for literal in rule.literals}
    assert literal_words(rules[0].literals[0], model(iris).study.schema).replace("<", "&lt;") in markup(iris)
