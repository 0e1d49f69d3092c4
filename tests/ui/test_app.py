"""The application without a browser: what is drawn after each click, and that the numbers are the engine's."""

from __future__ import annotations

import html
import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from turs.mdl.score import score
from turs.rules.text import format_condition
from turs.ui.data_page import UPLOAD
from turs.ui.state import Studio
from turs.ui.versions import Version

ROOT = Path(__file__).parents[2]
PATIENCE = 60  # seconds; the first learning on a machine compiles


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.chdir(ROOT)
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE).run()


@pytest.fixture
def iris(app: AppTest) -> AppTest:
    app.selectbox(key="data").set_value("Iris").run()
    return learned(app)


def studio(app: AppTest) -> Studio:
    return app.session_state["studio"]


def version(app: AppTest) -> Version:
    return studio(app).versions[-1]


def markup(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


def bits_on_screen(app: AppTest) -> str:
    return markup(app).split('Total bits</div><div class="value">')[1].split("<")[0]


def learned(app: AppTest) -> AppTest:
    app.button(key="learn").click().run()
    job = studio(app).job
    if job is not None:
        assert job.wait(PATIENCE)
        app.run()
    assert not app.exception
    assert studio(app).job is None
    return app


def typed(app: AppTest, rule_id: str, text: str) -> AppTest:
    field = next(field for field in app.text_area if field.key.startswith(f"text-{rule_id}-"))
    field.set_value(text)
    return app.button(key=f"save-{rule_id}").click().run()


def test_a_first_visit_says_what_to_do(app: AppTest) -> None:
    assert not app.exception
    assert "Choose data" in app.markdown[0].value
    assert app.selectbox(key="data").options == ["Breast cancer", "Iris", "Machines", "Readmission", "Wine", UPLOAD]
    assert not app.button


def test_learning_shows_every_rule_with_its_numbers(iris: AppTest) -> None:
    now = version(iris)
    assert now.rule_set.rules
    shown = markup(iris)
    for rule in now.rule_set.rules:
        assert f'<span class="id">{rule.id}</span>' in shown
        assert iris.button(key=f"delete-{rule.id}")
    saved = [c.bits_saved for c in sorted(now.evaluation.contributions, key=lambda c: -c.bits_saved)]
    assert [shown.index(f"{bits:,.1f} bits") for bits in saved] == sorted(shown.index(f"{b:,.1f} bits") for b in saved)
    assert bits_on_screen(iris) == f"{score(now.rule_set, now.training).total_bits:,.1f}"
    assert now.training.n_rows == 105
    assert now.validation.n_rows == 45


def test_an_edit_by_text_shows_the_bits_of_the_edited_rules(iris: AppTest) -> None:
    before = version(iris)
    rule = before.rule_set.rules[0]
    typed(iris, rule.id, "petal length >= 2.123 AND petal width < 1.7")  # the first cut is not on the grid
    after = version(iris)
    assert not iris.error
    assert format_condition(after.rule_set.rule(rule.id).literals, after.rule_set.schema) == (
        '"petal length" >= 2.123 AND "petal width" < 1.7'
    )
    assert 2.123 in after.rule_set.schema.feature("petal length").cuts
    assert (
        bits_on_screen(iris) == f"{score(after.rule_set, after.training).total_bits:,.1f}" != bits_on_screen_of(before)
    )
    assert "since learning" in markup(iris)


def bits_on_screen_of(past: Version) -> str:
    return f"{score(past.rule_set, past.training).total_bits:,.1f}"


@pytest.mark.parametrize(("text", "told"), [("petal lenth >= 2", "petal length"), ("petal length >=", "end"), ("", "")])
def test_wrong_text_is_an_error_and_changes_nothing(iris: AppTest, text: str, told: str) -> None:
    before = studio(iris)
    typed(iris, before.versions[-1].rule_set.rules[0].id, text)
    assert told in iris.error[0].value.replace("\\", "")
    assert not iris.exception
    assert studio(iris) is before


def test_undo_after_a_deletion_restores_the_version_exactly(iris: AppTest) -> None:
    before, shown = version(iris), markup(iris)
    rule = before.rule_set.rules[-1]
    iris.button(key=f"delete-{rule.id}").click().run()
    assert rule.id not in [left.id for left in version(iris).rule_set.rules]
    assert bits_on_screen(iris) == bits_on_screen_of(version(iris)) != bits_on_screen_of(before)
    iris.button(key="undo").click().run()
    assert version(iris) is before
    assert markup(iris) == shown


def test_a_new_rule_is_added_and_the_last_one_can_go(iris: AppTest) -> None:
    next_id = version(iris).rule_set.next_id()
    iris.text_area(key=f"new-{next_id}").set_value("sepal width >= 3")
    iris.button(key="add-rule").click().run()
    assert version(iris).rule_set.rules[-1].id == next_id
    for rule in version(iris).rule_set.rules:
        iris.button(key=f"delete-{rule.id}").click().run()
        assert not iris.exception
    assert not version(iris).rule_set.rules
    assert bits_on_screen(iris) == bits_on_screen_of(version(iris))


def test_the_model_document_is_that_of_the_rules_on_screen(iris: AppTest) -> None:
    document = json.loads(version(iris).document())
    assert document["format"] == "turs-model"
    assert [rule["id"] for rule in document["rules"]] == [rule.id for rule in version(iris).rule_set.rules]


def test_names_from_a_file_are_never_markup(app: AppTest) -> None:
    lines = [f"{value},{'<b>x</b>' if value > 20 else 'y & z'}" for value in range(40)]
    table = "\n".join(["<script>alert(1)</script>,<img src=x>", *lines])
    app.selectbox(key="data").set_value(UPLOAD).run()
    app.file_uploader(key="file").upload("<i>.csv", table.encode(), "text/csv").run()
    learned(app)
    shown = markup(app)
    assert html.escape("<script>alert(1)</script>") in shown
    for raw in ("<script", "<img", "<b>x", "<i>."):
        assert raw not in shown
    assert "<script" not in "".join(element.value for element in app.markdown)


def test_a_table_at_fault_is_told_and_the_rules_stay(iris: AppTest) -> None:
    before = version(iris)
    iris.selectbox(key="data").set_value(UPLOAD).run()
    iris.file_uploader(key="file").upload("one.csv", b"a,b\n1,x\n2,x\n3,x\n", "text/csv").run()
    assert not iris.exception
    assert iris.error
    assert version(iris) is before


def test_stopping_keeps_what_was_found(app: AppTest) -> None:
    app.selectbox(key="data").set_value("Breast cancer").run()
    app.button(key="learn").click().run()
    job = studio(app).job
    if job is not None:
        job.stop()
        assert job.wait(PATIENCE)
        app.run()
    assert not app.exception
    assert len(studio(app).versions) == 1


def test_a_failed_search_is_told_and_the_rules_stay(iris: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError("no room")

    before = version(iris)
    monkeypatch.setattr("turs.ui.worker.learn", fail)
    learned(iris)
    assert "no room" in iris.error[0].value
    assert version(iris) is before
