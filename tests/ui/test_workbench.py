"""The workbench without a browser: every number is the engine's, nothing changes before it is kept, undo is exact."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.cases import overlapping, shown
from tests.ui.driving import (
    assert_whole,
    button_keys,
    finished,
    learned,
    markup,
    model,
    number_on_screen,
    on_page,
    selected,
    studio,
)
from turs.editing import AddRule, DeleteRule, LockRule, MoveCut, RemoveLiteral, ReplaceCondition
from turs.evaluate.evaluation import evaluate
from turs.rules.literal import Interval, LevelSet
from turs.rules.text import format_condition, parse_condition
from turs.ui import numbers


def exact(app: AppTest) -> str:
    return next(field.key for field in app.text_input if field.key.startswith("exact-"))


def typed(app: AppTest, text: str) -> AppTest:
    return app.text_input(key=exact(app)).set_value(text).run()


def cells(app: AppTest, name: str) -> list[str]:
    """Return the cells of a line of the table of effects."""
    line = markup(app).split(f'<th scope="row">{html.escape(name)}</th>')[1].split("</tr>")[0]
    return [html.unescape(part.split(">", 1)[1].split("</td>")[0]) for part in line.split("<td")[1:]]


def test_the_state_line_is_what_the_engine_computes_from_scratch(iris: AppTest) -> None:
    opened = model(iris)
    validation = opened.study.validation
    assert validation is not None
    line = evaluate(opened.session.state.rule_set, opened.study.training.data, validation.data).headline
    assert line.total_bits is not None
    assert line.evaluation is not None
    assert number_on_screen(iris, "Total bits") == numbers.bits(line.total_bits)
    assert number_on_screen(iris, "AUC training") == numbers.auc(line.training.auc)
    assert number_on_screen(iris, "AUC validation") == numbers.auc(line.evaluation.auc)
    assert number_on_screen(iris, "Random-pick AUC") == numbers.auc(line.evaluation.random_pick_auc)
    assert number_on_screen(iris, "Overlap") == numbers.share(line.training.overlap_share)
    assert number_on_screen(iris, "Rules") == str(line.n_rules)
    assert number_on_screen(iris, "Literals") == str(line.n_literals)


def test_a_typed_cut_is_shown_then_kept_then_undone(iris: AppTest) -> None:
    session = model(iris).session
    before, rule = session.version, session.version.rules[0]
    literal = rule.literals[0]
    assert isinstance(literal, Interval)
    shown = markup(iris)
    side = "low" if literal.low is not None else "high"
    typed(iris, "2.123")
    assert session.version is before
    impact = session.preview(MoveCut(rule.id, literal.feature, **{side: 2.123}))
    assert html.escape(impact.description) in markup(iris)
    assert cells(iris, "Total bits")[:2] == [
        numbers.bits(impact.score_before.total_bits),
        numbers.bits(impact.score_after.total_bits),
    ]
    assert impact.validation is not None
    assert cells(iris, "AUC validation")[1] == numbers.auc(impact.validation.after.auc)
    assert f"{impact.training.n_probability_changed} training" in cells(iris, "Rows with other probabilities")[-1]
    iris.text_input(key=f"why-{model(iris).number}").set_value("the clinical cut")
    iris.button(key="keep").click().run()
    assert_whole(iris)
    assert session.version.rules == impact.after.version.rules != before.rules
    assert session.history.entry(1).note == "the clinical cut"
    assert number_on_screen(iris, "Total bits") == numbers.bits(impact.score_after.total_bits)
    assert studio(iris).draft is None
    iris.button(key="undo").click().run()
    assert session.version.rules == before.rules
    assert markup(iris) == shown


def test_undo_and_redo_say_which_edit_and_lead_to_its_rule(app: AppTest) -> None:
    opened = overlapping()
    opened.session.apply(LockRule("r2"))
    opened.session.apply(DeleteRule("r5"))
    shown(app, opened, "3_Rules.py")
    assert plain_text(app.button(key="undo").help) == "Undo: Delete r5: IF dose is missing"
    assert app.button(key="redo").help == ""
    selected(app, "r1")
    app.button(key="undo").click().run()
    assert_whole(app)
    assert [plain_text(toast.value) for toast in app.toast] == ["Undone: Delete r5: IF dose is missing"]
    assert studio(app).selection.rule == "r5"
    assert plain_text(app.button(key="redo").help) == "Redo: Delete r5: IF dose is missing"
    app.button(key="undo").click().run()  # nothing else shows that a lock is gone
    assert [plain_text(toast.value) for toast in app.toast] == ["Undone: Lock r2"]
    assert studio(app).selection.rule == "r2"
    app.button(key="redo").click().run()
    assert [plain_text(toast.value) for toast in app.toast] == ["Redone: Lock r2"]
    app.run()
    assert not app.toast


def test_undo_leaves_the_rule_that_a_draft_is_made_on(app: AppTest) -> None:
    opened = overlapping()
    opened.session.apply(LockRule("r2"))
    shown(app, opened, "3_Rules.py")
    selected(app, "r1", "age")
    app.session_state["seat"].studio = replace(studio(app), draft=MoveCut("r1", "age", low=50.0))
    app.run()
    app.button(key="undo").click().run()
    assert_whole(app)
    assert studio(app).selection.rule == "r1"
    assert studio(app).draft is not None


def plain_text(text: str) -> str:
    return text.replace("\\", "")


def test_dropping_a_draft_changes_nothing(iris: AppTest) -> None:
    session, shown = model(iris).session, markup(iris)
    typed(iris, "2.123")
    iris.button(key="drop").click().run()
    assert not session.history.entries
    assert markup(iris) == shown


@pytest.mark.parametrize("text", ["two", "1e999", ""])
def test_what_is_no_cut_is_told_and_nothing_changes(iris: AppTest, text: str) -> None:
    typed(iris, text)
    assert_whole(iris)
    assert "number" in iris.error[0].value
    assert studio(iris).draft is None


def test_a_new_rule_from_text_shows_its_rows_while_it_is_built(iris: AppTest) -> None:
    session = model(iris).session
    iris.button(key="new-rule").click().run()
    text = "sepal width >= 3 AND petal length < 4.8"
    next(area for area in iris.text_area if area.key.startswith("new-text-")).set_value(text).run()
    assert_whole(iris)
    literals = parse_condition(text, session.version.grid)
    impact = session.preview(AddRule(literals))
    change = impact.rules[0]
    assert change.after is not None
    assert f"{change.id}: {change.after.coverage} training rows" in markup(iris)
    assert cells(iris, "Total bits")[1] == numbers.bits(impact.score_after.total_bits)
    iris.button(key="keep").click().run()
    assert_whole(iris)
    assert session.version.rules[-1].literals == literals
    assert number_on_screen(iris, "Rules") == str(len(session.version.rules))


def test_a_new_rule_is_clicked_together(iris: AppTest) -> None:
    iris.button(key="new-rule").click().run()
    for name in ("petal width", "sepal width"):
        next(box for box in iris.selectbox if box.label == "Condition on").set_value(name).run()
        next(button for button in iris.button if button.key.startswith("new-add-")).click().run()
        assert_whole(iris)
    draft = studio(iris).draft
    assert isinstance(draft, AddRule)
    assert [literal.feature for literal in draft.literals] == ["petal width", "sepal width"]
    next(button for button in iris.button if button.key.startswith("drop-")).click().run()
    draft = studio(iris).draft
    assert isinstance(draft, AddRule)
    assert [literal.feature for literal in draft.literals] == ["sepal width"]
    iris.button(key="cancel-new").click().run()
    assert studio(iris).draft is None


def test_levels_of_a_new_condition_are_chosen(app: AppTest) -> None:
    learned(app, "readmission")
    app.button(key="new-rule").click().run()
    next(box for box in app.selectbox if box.label == "Condition on").set_value("ward").run()
    add = next(button.key for button in app.button if button.key.startswith("new-add-"))
    app.button(key=add).click().run()
    assert "at least one level" in app.error[0].value
    next(box for box in app.multiselect if box.label == "Levels").set_value(["oncology", "surgery"]).run()
    app.button(key=add).click().run()
    assert_whole(app)
    draft = studio(app).draft
    assert isinstance(draft, AddRule)
    assert draft.literals == (LevelSet("ward", ("oncology", "surgery")),)


def test_a_decimal_comma_is_told_how_to_be_written(iris: AppTest) -> None:
    typed(iris, "1,9")
    assert_whole(iris)
    assert iris.error[0].value.replace("\\", "").startswith("Write 1.9 with a point")
    assert studio(iris).draft is None


@pytest.mark.parametrize(("text", "told"), [("petal lenth >= 2", "petal length"), ("petal length >=", "end")])
def test_wrong_text_is_told(iris: AppTest, text: str, told: str) -> None:
    iris.button(key="new-rule").click().run()
    next(area for area in iris.text_area if area.key.startswith("new-text-")).set_value(text).run()
    assert_whole(iris)
    assert told in iris.error[0].value.replace("\\", "")
    assert studio(iris).draft is None


def test_a_rule_is_not_kept_while_its_text_has_a_mistake(iris: AppTest) -> None:
    iris.button(key="new-rule").click().run()
    next(area for area in iris.text_area if area.key.startswith("new-text-")).set_value("petal length >= 2").run()
    assert not iris.button(key="keep").disabled
    wrong = "petal length >= 2 AND petal widht < 1"
    next(area for area in iris.text_area if area.key.startswith("new-text-")).set_value(wrong).run()
    assert iris.button(key="keep").disabled
    assert "cannot be read yet" in markup(iris)
    right = "petal length >= 2 AND petal width < 1"
    next(area for area in iris.text_area if area.key.startswith("new-text-")).set_value(right).run()
    iris.button(key="keep").click().run()
    assert_whole(iris)
    made = model(iris).session.version.rules[-1]
    assert made.literals == (Interval("petal length", low=2.0), Interval("petal width", high=1.0))


def test_levels_are_clicked_together_with_their_rows_in_sight(app: AppTest) -> None:
    learned(app, "readmission")
    app.button(key="new-rule").click().run()
    next(box for box in app.selectbox if box.label == "Condition on").set_value("ward").run()
    next(box for box in app.multiselect if box.key.startswith("new-levels-")).set_value(["surgery"]).run()
    assert_whole(app)
    n = int((model(app).study.frame_of("training")["ward"] == "surgery").sum())
    assert f"{n} training rows" in markup(app)
    next(button for button in app.button if button.key.startswith("new-add-")).click().run()
    assert_whole(app)
    assert studio(app).draft == AddRule((LevelSet("ward", ("surgery",)),))
    next(box for box in app.selectbox if box.label == "Condition on").set_value("age").run()
    next(field for field in app.text_input if field.key.startswith("new-cut-")).set_value("old").run()
    assert_whole(app)
    assert "number" in markup(app)


def as_text(app: AppTest) -> AppTest:
    app.toggle(key="as-text").set_value(True).run()
    assert_whole(app)
    return app


def rewritten(app: AppTest, text: str) -> AppTest:
    """Type another condition of the selected rule."""
    next(area for area in app.text_area if area.key.startswith("rule-text-")).set_value(text).run()
    assert_whole(app)
    return app


def test_a_rule_is_rewritten_as_text_shown_then_kept_then_undone(iris: AppTest) -> None:
    session = model(iris).session
    rule = session.version.rules[0]
    assert as_text(iris).text_area[0].value == format_condition(rule.literals, session.version.grid)
    text = 'IF "sepal width" >= 3.1 AND petal length < 4.8'
    rewritten(iris, text)
    edit = ReplaceCondition(rule.id, parse_condition(text, session.version.grid))
    assert studio(iris).draft == edit
    impact = session.preview(edit)
    assert html.escape(impact.description.replace(">=", "≥")) in markup(iris)
    assert cells(iris, "Total bits")[1] == numbers.bits(impact.score_after.total_bits)
    assert session.version.rule(rule.id) == rule
    iris.button(key="keep").click().run()
    assert_whole(iris)
    assert session.version.rule(rule.id).literals == edit.literals
    assert iris.text_area[0].value == format_condition(edit.literals, session.version.grid)
    iris.button(key="undo").click().run()
    assert session.version.rule(rule.id) == rule


def test_what_is_wrong_with_the_text_of_a_rule_is_marked_where_it_is(iris: AppTest) -> None:
    as_text(iris)
    rewritten(iris, "sepal width >= 3 AND <b>petal >= 2")
    assert "name of a feature" in iris.error[0].value
    assert "sepal width &gt;= 3 AND <mark>&lt;b&gt;petal</mark> &gt;= 2" in markup(iris)
    assert studio(iris).draft is None
    rewritten(iris, "sepal width >= 3 AND pedal width >= 2")
    assert "petal width" in iris.error[0].value
    rewritten(iris, "sepal width >=")
    assert "sepal width &gt;=<mark>…</mark>" in markup(iris)


def test_a_text_that_is_dropped_is_that_of_the_rule_again(iris: AppTest) -> None:
    before = as_text(iris).text_area[0].value
    rewritten(iris, "sepal width >= 3")
    iris.button(key="drop").click().run()
    assert studio(iris).draft is None
    assert iris.text_area[0].value == before


def test_deleting_shows_the_effect_first_and_all_rules_can_go(iris: AppTest) -> None:
    session = model(iris).session
    for left in reversed(range(len(session.version.rules))):
        iris.button(key="delete").click().run()
        assert isinstance(studio(iris).draft, DeleteRule)
        assert len(session.version.rules) == left + 1
        iris.button(key="keep").click().run()
        assert_whole(iris)
        assert len(session.version.rules) == left
    assert "first-rule" in button_keys(iris)
    assert number_on_screen(iris, "Total bits") == numbers.bits(session.state.score.total_bits)


def test_a_locked_rule_cannot_be_changed_until_it_is_unlocked(iris: AppTest) -> None:
    session = model(iris).session
    iris.button(key="lock").click().run()
    assert len(session.version.locked) == 1
    assert iris.button(key="delete").disabled
    assert iris.text_input(key=exact(iris)).disabled
    iris.button(key="lock").click().run()
    assert not session.version.locked
    assert not iris.button(key="delete").disabled


def test_note_duplicate_split_and_merge(iris: AppTest) -> None:
    session = model(iris).session
    rule = session.version.rules[0]
    literal = rule.literals[0]
    assert isinstance(literal, Interval)
    next(field for field in iris.text_input if field.key.startswith("note-")).set_value("<b>ask</b>").run()
    assert session.version.notes[-1].text == "<b>ask</b>"
    note = next(field for field in iris.text_input if field.key.startswith("note-"))
    assert note.value == "<b>ask</b>"  # to be changed or taken away
    note.set_value("").run()
    assert not session.version.notes
    iris.button(key="duplicate").click().run()
    iris.button(key="keep").click().run()
    assert session.version.rules[-1].literals == rule.literals
    inside = literal.high - 0.5 if literal.high is not None else (literal.low or 0.0) + 0.5
    next(field for field in iris.text_input if field.key.startswith("split-")).set_value(f"{inside:g}").run()
    assert_whole(iris)
    assert not iris.error
    iris.button(key="keep").click().run()
    other = session.version.rules[-2].id
    next(box for box in iris.selectbox if box.key.startswith("merge-")).set_value(other).run()
    assert_whole(iris)
    iris.button(key="keep").click().run()
    assert_whole(iris)
    assert len(session.history.entries) == 5
    assert other not in session.version.ids


def test_a_filter_outlasts_its_page_and_is_taken_away_with_one_click(iris: AppTest) -> None:
    def fields() -> list[Any]:
        return [box for box in iris.selectbox if box.key.startswith("filter-class-")]

    fields()[0].set_value("setosa").run()
    assert "filtered out" in markup(iris)
    on_page(iris, "6_Explain.py")
    on_page(iris, "3_Rules.py")
    assert "filtered out" in markup(iris)
    iris.button(key="show-all").click().run()
    assert_whole(iris)
    assert "filtered out" not in markup(iris)
    assert fields()[0].value == ""


def test_a_condition_is_added_at_its_best_cut_and_removed(iris: AppTest) -> None:
    session = model(iris).session
    rule = session.version.rules[0]
    next(box for box in iris.selectbox if box.key.startswith("add-")).set_value("sepal width").run()
    assert_whole(iris)
    iris.button(key="keep").click().run()
    assert [literal.feature for literal in session.version.rule(rule.id).literals][-1] == "sepal width"
    iris.button(key="remove").click().run()
    assert studio(iris).draft == RemoveLiteral(rule.id, "sepal width")
    iris.button(key="keep").click().run()
    assert_whole(iris)
    assert session.version.rule(rule.id).literals == rule.literals


def test_findings_stand_beside_their_rule_with_fixes(iris: AppTest) -> None:
    session = model(iris).session
    session.apply(AddRule((Interval("sepal width", low=-5.0),)))
    finding = next(found for found in model(iris).findings if found.kind == "excludes nothing")
    rule = finding.rules[0]
    selected(iris, rule)
    assert html.escape(finding.text) in markup(iris)
    next(button for button in iris.button if button.key.startswith("fix-")).click().run()
    assert studio(iris).draft is not None
    iris.button(key="keep").click().run()
    assert_whole(iris)
    assert rule not in session.version.ids


def test_after_a_reload_everything_is_there(iris: AppTest, start: Callable[..., AppTest]) -> None:
    typed(iris, "2.123")
    iris.button(key="keep").click().run()
    again = start("3_Rules.py", model=model(iris).id)
    assert_whole(again)
    assert number_on_screen(again, "Total bits") == number_on_screen(iris, "Total bits")
    assert model(again).session.history == model(iris).session.history
    assert model(again).session.version == model(iris).session.version


def test_two_sessions_on_one_model_meet_in_a_conflict_with_ways_on(
    iris: AppTest, start: Callable[..., AppTest]
) -> None:
    other = start("3_Rules.py", model=model(iris).id)
    typed(iris, "2.123")
    iris.button(key="keep").click().run()
    typed(other, "2.2")
    other.button(key="keep").click().run()
    assert not other.exception
    other.run()
    other.button(key="conflict-mine").click().run()
    assert_whole(other)
    entries = model(other).session.history.entries
    assert len(entries) == 2
    assert entries[0].edit == model(iris).session.history.entries[0].edit


def test_a_model_that_is_gone_is_told(start: Callable[..., AppTest]) -> None:
    app = start("3_Rules.py", model="nothing")
    assert_whole(app)
    assert "cannot be opened" in app.error[0].value


def test_names_from_a_file_are_never_markup(start: Callable[..., AppTest]) -> None:
    lines = [f"{value},{'<b>x</b>' if value > 20 else 'y & z'}" for value in range(60)]
    table = "\n".join(["<script>alert(1)</script>,<img src=x>", *lines])
    app = start("1_Data.py")
    app.file_uploader(key="file").upload("<i>x.csv", table.encode(), "text/csv").run()
    assert_whole(app)
    on_page(app, "2_Learn.py")
    app.button(key="learn").click().run()
    finished(app)
    assert html.escape("<script>alert(1)</script>") in markup(app)
    for page in ("1_Data.py", "2_Learn.py", "3_Rules.py"):
        on_page(app, page)
        for raw in ("<script", "<img", "<b>x", "<i>"):
            assert raw not in markup(app)
            assert raw not in "".join(element.value for element in app.markdown)


def test_every_figure_of_a_literal_is_there_as_tables(app: AppTest) -> None:
    learned(app, "readmission")
    for rule in model(app).session.version.rules:
        for literal in rule.literals:
            app.session_state["figure-tables"] = True
            assert_whole(selected(app, rule.id, literal.feature))
            columns = {name for frame in app.dataframe for name in frame.value.columns}
            assert {"rows of yes", "rows of no"} <= columns
            assert ("total bits" in columns) == isinstance(literal, Interval)


def test_every_literal_of_a_sample_can_be_looked_at(app: AppTest) -> None:
    learned(app, "breast_cancer")
    for rule in model(app).session.version.rules:
        for literal in rule.literals:
            assert_whole(selected(app, rule.id, literal.feature))


def test_models_of_the_same_name_are_not_mixed_up(iris: AppTest, start: Callable[..., AppTest]) -> None:
    other = learned(start(), "iris")
    assert model(other).id != model(iris).id
    for app in (other, iris, other):
        before = model(app).id
        app.button(key="delete").click().run()
        app.button(key="keep").click().run()
        assert_whole(app)
        assert not app.error
        assert model(app).id == before
    assert [len(model(app).session.history.entries) for app in (iris, other)] == [1, 2]
