"""The History page: the log, versions, branches, the sealed test part and the files."""

from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.cases import KIND, edited, overlapping, shown
from tests.ui.driving import assert_whole, markup, model, on_page, studio
from turs.data import labelled_data
from turs.editing import DeleteRule
from turs.evaluate.evaluation import evaluate
from turs.export.content import content_of
from turs.export.form import Form
from turs.mdl.score import patterns_on
from turs.storage import Store
from turs.ui import numbers
from turs.ui.history_view import log_data, log_of, log_table, rules_markup, version_names
from turs.ui.library import first_workspace, saved_models
from turs.ui.opened import OpenModel


def branched() -> OpenModel:
    """Return rules with two branches and a checkpoint."""
    found = edited()
    found.session.apply(DeleteRule("r5"))
    found.session.checkpoint("<b>before</b> the meeting")
    found.session.undo()
    found.session.apply(DeleteRule("r2"))
    return found


def test_the_log_tells_what_each_edit_did() -> None:
    found = branched()
    lines = log_of(found, ())
    assert [line.number for line in lines][-1] == 0
    by_number = {line.number: line for line in lines}
    assert [by_number[number].place for number in (0, 1, 2, 3)] == ["path", "path", "aside", "now"]
    for number, before in ((1, 0), (2, 1), (3, 1)):
        impact = found.session.compare(before, number)
        assert by_number[number].bits_change == pytest.approx(impact.bits_change, abs=1e-9)
        assert impact.validation is not None
        change = impact.validation.after.auc - impact.validation.before.auc
        assert by_number[number].auc_change == pytest.approx(change, abs=1e-12)
    assert by_number[2].names == ("<b>before</b> the meeting",)
    shown_lines = {line["number"]: line for line in log_data(lines)["lines"]}
    assert shown_lines[1]["note"] == "*the* clinical one"
    assert shown_lines[1]["who"].startswith("<i>Ada</i> · ")
    bits = numbers.bits(by_number[3].bits_change)
    assert shown_lines[3]["bits"].removeprefix("+") == f"{bits} bits"
    assert log_table(lines)["in force"].tolist() == [line.place in ("now", "path") for line in lines]


def test_the_list_of_models_counts_what_the_log_counts() -> None:
    found = branched()
    found.session.undo()
    store = Store.open()
    [saved] = saved_models(store, first_workspace(store))
    n_edits = len(found.session.history.entries)
    assert saved.label == f"cases · {n_edits} edits"
    assert saved.record.version > n_edits == saved.record.n_edits


def test_the_log_reads_like_the_cards() -> None:
    found = overlapping()
    found.session.apply(DeleteRule("r3"))
    found.session.apply(DeleteRule("r4"))
    by_number = {line.number: line for line in log_of(found, ())}
    assert by_number[1].words == f"Delete r3: IF {KIND} in {{<i>q</i>, =SUM(A1)}}"
    assert by_number[2].words == "Delete r4: IF 30 ≤ age < 70 AND dose is known"


def test_who_learned_the_rules_stands_at_the_start() -> None:
    found = edited()
    record = Store.open().model_record(found.session.record.model)
    start = log_of(found, (), replace(record, author="<i>Bo</i>"))[-1]
    assert (start.author, start.time) == ("<i>Bo</i>", record.created)
    assert log_data([start])["lines"][0]["who"].startswith("<i>Bo</i> · ")


def test_a_name_without_sign_in_stands_beside_the_edits(app: AppTest) -> None:
    found = overlapping()
    shown(app, found, "3_Rules.py")
    app.text_input(key="your-name-").set_value(" Ada  <i>L.</i>").run()
    assert_whole(app)
    assert app.text_input(key="your-name-Ada <i>L.</i>").value == "Ada <i>L.</i>"
    app.session_state["seat"].studio = replace(studio(app), draft=DeleteRule("r5"))
    app.run()
    app.button(key="keep").click().run()
    assert_whole(app)
    store = Store.open()
    steps = store.open_session(store.session_record(found.id)).history.entries
    assert steps[-1].author == "Ada <i>L.</i>"


def test_versions_have_names_and_any_two_can_be_compared() -> None:
    found = branched()
    names = version_names(found)
    assert list(names) == [3, 0, 2, 1]
    assert names[2].startswith("edit 2 · <b>before</b> the meeting: Delete r5")
    assert names[3].startswith("edit 3 · now: Delete r2")
    assert names[0] == "learned rules"
    text = rules_markup(found.session.compare(2, 3))
    assert ">added<" in text  # r5 is there again
    assert ">removed<" in text  # r2 is not
    assert "3 rules are the same" in text
    text = rules_markup(found.session.compare(0, 1))
    assert ">changed<" in text
    assert "<b>40</b>" in text
    assert "<b>45.5</b>" in text


def test_names_in_a_comparison_are_text() -> None:
    found = overlapping()
    found.session.apply(DeleteRule("r3"))
    text = rules_markup(found.session.compare(0, 1))
    assert KIND not in text
    assert "&lt;b&gt;kind" in text


def test_the_page_names_and_compares(app: AppTest) -> None:
    found = branched()
    shown(app, found, "7_History.py")
    impact = found.session.compare(0)
    assert numbers.bits(impact.score_after.total_bits) in markup(app)
    app.text_input(key="checkpoint-name").set_value("after <i>it</i>")
    next(button for button in app.button if button.label == "Name it").click().run()
    assert_whole(app)
    assert found.session.history.checkpoints["after <i>it</i>"] == 3
    boxes = {box.label: box for box in app.selectbox}
    boxes["Before"].set_value(2).run()
    assert_whole(app)
    other = found.session.compare(2, 3)
    change = numbers.bits(other.bits_change)
    assert (change if other.bits_change < 0 else f"+{change}") in markup(app)
    app.toggle(key="compare-rows").set_value(True).run()
    assert_whole(app)
    assert len(app.dataframe[0].value) == min(other.training.n_probability_changed, 200)
    boxes = {box.label: box for box in app.selectbox}
    boxes["Before"].set_value(3).run()
    assert "Both are the same version" in markup(app)


def test_without_a_name_nothing_is_named_and_no_branch_is_made(app: AppTest) -> None:
    found = branched()
    shown(app, found, "7_History.py")
    steps = found.session.history.n_steps
    for label in ("Name it", "Branch"):
        next(button for button in app.button if button.label == label).click().run()
        assert_whole(app)
        assert not app.error  # the field is empty after Enter, and a click on the button then does no harm
        assert "Write a name into the field first" in app.info[0].value
    assert model(app).id == found.id
    assert found.session.history.n_steps == steps


def test_a_branch_goes_on_beside_the_session_it_came_from(app: AppTest) -> None:
    found = branched()
    shown(app, found, "7_History.py")
    app.text_input(key="branch-name").set_value("mine")
    next(button for button in app.button if button.label == "Branch").click().run()
    assert_whole(app)
    here = model(app)
    assert here.id != found.id
    assert here.session.version.rules == found.session.version.rules
    assert here.session.history == found.session.history
    here.session.apply(DeleteRule("r4"))
    store = Store.open()
    again = store.open_session(store.session_record(found.id))
    assert "r4" in again.version.ids
    assert "r4" not in store.open_session(store.session_record(here.id)).version.ids


def test_what_is_put_away_is_called_as_in_the_picker_and_the_others_are_offered(app: AppTest) -> None:
    found = branched()
    shown(app, found, "7_History.py")
    app.text_input(key="branch-name").set_value("br2")
    next(button for button in app.button if button.label == "Branch").click().run()
    assert model(app).label == "br2, branch of cases"
    app.button(key="put-away").click().run()
    assert_whole(app)
    assert "'br2, branch of cases' is put away" in app.info[0].value.replace("\\", "")
    assert "There are no rules yet" not in markup(app)
    app.button(key=f"open-{found.id}").click().run()
    assert_whole(app)
    assert model(app).id == found.id
    assert model(app).label == "cases"


def test_a_model_that_is_put_away_can_be_brought_back(iris: AppTest) -> None:
    found = model(iris)
    found.session.apply(DeleteRule(found.session.version.ids[0]))
    on_page(iris, "7_History.py").button(key="put-away").click().run()
    assert_whole(iris)
    assert studio(iris).model is None
    assert "is put away" in iris.info[0].value
    assert [box.label for box in iris.sidebar.selectbox] == ["Workspace"]
    iris.switch_page("app.py").run()
    assert_whole(iris)
    assert "all models are put away" in markup(iris)
    iris.button(key="bring-back").click().run()
    assert_whole(iris)
    assert model(iris).id == found.id
    assert model(iris).session.version.ids == found.session.version.ids
    assert "Put away" not in str([part.label for part in iris.switch_page("app.py").run().expander])


def test_the_test_part_is_measured_as_the_engine_does_and_every_look_is_recorded(app: AppTest) -> None:
    found = branched()
    shown(app, found, "7_History.py")
    assert "never opened" in markup(app)
    assert app.button(key="open-test").disabled
    app.checkbox(key="unseal-0").set_value(True).run()
    app.button(key="open-test").click().run()
    assert_whole(app)
    study, rules = found.study, found.session.state.rule_set
    learned, sealed = (labelled_data(study.frame_of(part), rules.schema) for part in ("training", "test"))
    engine = evaluate(rules, patterns_on(rules, learned), patterns_on(rules, sealed))
    side = engine.headline.evaluation
    assert side is not None
    text = markup(app)
    assert "opened 1 time" in text
    assert f"AUC</th><td>{numbers.auc(found.headline.evaluation.auc)}</td><td>{numbers.auc(side.auc)}" in text
    (opening,) = Store.open().openings(Store.open().model_record(found.session.record.model))
    assert opening.result["auc"] == side.auc
    assert opening.result["random_pick_auc"] == side.random_pick_auc
    assert opening.result["entry"] == 3
    assert opening.result["rows"] == len(study.frame_of("test"))
    line = next(line for line in log_of(found, (opening,)) if line.number is None)
    assert numbers.auc(side.auc) in line.words
    assert app.button(key="open-test").disabled  # the next look is asked for again
    found.session.undo()
    app.run()
    assert "have changed since" in app.caption[-1].value


def test_without_a_test_part_there_is_no_seal(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.ui.cases.Plan", lambda target: _plan(target))
    shown(app, overlapping(), "7_History.py")
    assert "No rows were put aside" in markup(app)
    assert not [button for button in app.button if button.key == "open-test"]


def _plan(target: str):  # type: ignore[no-untyped-def]
    from turs.ui.study import Plan

    return Plan(target, test=0.0)


@pytest.mark.parametrize("form", list(Form))
def test_every_form_of_export(form: Form, app: AppTest) -> None:
    found = branched()
    shown(app, found, "7_History.py")
    app.session_state["export-form"] = form
    app.run()
    assert_whole(app)
    labels = [button.proto.label for button in app.get("download_button")]
    assert len(set(labels)) == len(labels)  # those who hear the page tell buttons apart by their names
    kept = studio(app).model
    assert kept is not None
    content = kept.kept(("export", found.number, form), lambda: b"")
    if form is Form.XLSX:  # a workbook holds the time at which it was made
        assert content[:2] == b"PK"
    else:
        assert content == content_of(found.session.model(), form)


def test_a_report_is_made_on_request(app: AppTest) -> None:
    found = branched()
    shown(app, found, "7_History.py")
    assert not [button for button in app.get("download_button") if "report" in str(button.proto).lower()]
    app.toggle(key="report-wanted").set_value(True).run()
    assert_whole(app)
    assert [button for button in app.get("download_button") if "report" in str(button.proto).lower()]
