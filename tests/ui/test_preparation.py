"""Before rules are learned: what was chosen and decided is there again in a new session at the same address."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.driving import (
    PAGES,
    PATIENCE,
    assert_whole,
    button_keys,
    finished,
    learned,
    markup,
    model,
    on_page,
    studio,
)
from turs.errors import StorageError
from turs.learn.settings import Constraints, Settings
from turs.rules.schema import Kind
from turs.storage import Preparation, Store
from turs.storage.preparations import Preparations
from turs.ui.choices import Choices, choices_document, read_choices
from turs.ui.library import first_workspace
from turs.ui.prepared import taken_back
from turs.ui.study import Plan

FRAME = pd.DataFrame(
    {
        "age": [20 + i % 61 for i in range(240)],
        "ward": [i % 4 for i in range(240)],
        "dose": [i * 7 % 31 for i in range(240)],
        "ill": ["yes" if i % 61 > 30 else "no" for i in range(240)],
        "cohort": ["a" if i % 3 else "b" for i in range(240)],
    }
)


def uploaded(app: AppTest, name: str = "patients.csv", frame: pd.DataFrame = FRAME) -> AppTest:
    app.file_uploader(key="file").upload(name, frame.to_csv(index=False).encode(), "text/csv").run()
    assert_whole(app)
    return app


def field(app: AppTest, kind: str, name: str) -> Any:
    return next(box for box in getattr(app, kind) if box.key.startswith(name))


def address(app: AppTest) -> dict[str, str]:
    """Return the parameters of the address, which a test may have set as a text or the page as a list."""
    return {name: value if isinstance(value, str) else value[0] for name, value in app.query_params.items()}


def stored() -> tuple[Preparation, ...]:
    store = Store.open()
    return store.preparations.of(first_workspace(store))


def prepared(app: AppTest) -> AppTest:
    """Decide all that can be decided about a table."""
    uploaded(app)
    field(app, "selectbox", "target-").set_value("ill").run()
    field(app, "number_input", "share-test").set_value(10).run()
    field(app, "number_input", "share-validation").set_value(30).run()
    field(app, "number_input", "seed").set_value(7).run()
    on_page(app, "2_Learn.py")
    field(app, "multiselect", "unused").set_value(["ward", "cohort"]).run()
    field(app, "multiselect", "only-lower").set_value(["age"]).run()
    field(app, "multiselect", "only-upper").set_value(["dose"]).run()
    field(app, "radio", "search").set_value("paper").run()
    field(app, "number_input", "most-rules").set_value(4).run()
    field(app, "number_input", "least-coverage").set_value(3).run()
    field(app, "number_input", "time-budget").set_value(60).run()
    assert_whole(app)
    return app


@pytest.mark.parametrize("page", PAGES)
def test_a_table_without_choices_is_back_at_its_address(page: str, start: Callable[..., AppTest]) -> None:
    app = uploaded(start("1_Data.py"))
    (record,) = stored()
    assert address(app)["preparation"] == record.id
    again = start(page, preparation=record.id)
    assert_whole(again)
    found = studio(again)
    assert found.table is not None
    pd.testing.assert_frame_equal(found.table.frame, FRAME, check_dtype=False)
    assert (found.name, found.plan) == ("patients", studio(app).plan)
    assert address(again)["preparation"] == record.id
    if page == "1_Data.py":
        assert "patients<small>240 rows, 5 columns" in markup(again)


def test_all_choices_are_back_in_the_fields(start: Callable[..., AppTest]) -> None:
    app = prepared(start("1_Data.py"))
    (record,) = stored()
    expected = studio(app)
    again = start("1_Data.py", preparation=record.id)
    assert field(again, "selectbox", "target-").value == "ill"
    assert field(again, "number_input", "share-test").value == 10
    assert field(again, "number_input", "share-validation").value == 30
    assert field(again, "number_input", "seed").value == 7
    on_page(again, "2_Learn.py")
    assert field(again, "multiselect", "unused").value == ["ward", "cohort"]
    assert field(again, "multiselect", "only-lower").value == ["age"]
    assert field(again, "multiselect", "only-upper").value == ["dose"]
    assert field(again, "radio", "search").value == "paper"
    assert field(again, "number_input", "most-rules").value == 4
    assert field(again, "number_input", "least-coverage").value == 3
    assert field(again, "number_input", "time-budget").value == 60
    assert field(again, "number_input", "most-literals").value is None
    found = studio(again)
    assert (found.plan, found.settings, found.constraints) == (expected.plan, expected.settings, expected.constraints)
    assert found.study is not None
    assert expected.study is not None
    assert found.study.split.test.tolist() == expected.study.split.test.tolist()
    again.button(key="learn").click().run()
    finished(again)
    learning = model(again).learning
    assert learning.constraints == Constraints(("ward", "cohort"), {"age": ">=", "dose": "<"})
    assert (learning.settings.search, learning.settings.most_rules, learning.settings.least_coverage) == ("paper", 4, 3)


def test_choices_stay_on_a_way_through_other_pages(start: Callable[..., AppTest]) -> None:
    app = prepared(start("1_Data.py"))
    for page in PAGES:
        on_page(app, page)
    on_page(app, "2_Learn.py")
    assert field(app, "radio", "search").value == "paper"
    assert field(app, "number_input", "most-rules").value == 4
    assert field(app, "multiselect", "only-lower").value == ["age"]


def test_a_plan_at_fault_is_back_with_its_fault(start: Callable[..., AppTest]) -> None:
    app = uploaded(start("1_Data.py"), frame=FRAME.assign(same="x"))
    field(app, "selectbox", "target-").set_value("same").run()
    (record,) = stored()
    assert record.split_content is None
    again = start("1_Data.py", preparation=record.id)
    assert_whole(again)
    assert "one class only" in again.error[0].value
    assert "one class only" in app.error[0].value
    field(again, "selectbox", "target-").set_value("ill").run()
    assert not again.error
    assert studio(start("1_Data.py", preparation=record.id)).study is not None


@pytest.mark.parametrize("page", ["", *PAGES])
def test_tables_from_before_are_offered(page: str, start: Callable[..., AppTest]) -> None:
    before = prepared(start("1_Data.py"))
    (record,) = stored()
    app = start(page)
    assert_whole(app)
    button = app.button(key=f"prepare-{record.id}")
    assert button.label.startswith("Go on preparing patients")
    assert "240 rows" in button.help
    button.click().run()
    assert_whole(app)
    assert studio(app).settings == studio(before).settings
    assert studio(app).plan == studio(before).plan


def test_models_and_tables_are_offered_side_by_side(iris: AppTest, start: Callable[..., AppTest]) -> None:
    on_page(iris, "1_Data.py")
    uploaded(iris)
    app = start()
    (record,) = stored()
    keys = button_keys(app)
    assert f"prepare-{record.id}" in keys
    assert f"open-{model(iris).id}" in keys


def test_a_preparation_ends_when_rules_are_learned(start: Callable[..., AppTest]) -> None:
    app = prepared(start("1_Data.py"))
    (record,) = stored()
    app.button(key="learn").click().run()
    finished(app)
    assert_whole(app)
    assert stored() == ()
    assert studio(app).preparation is None
    assert "preparation" not in app.query_params
    store = Store.open()
    assert store.data_set(store.model_record(model(app).session.record.model).data_set).content == record.content
    again = start("2_Learn.py", model=model(app).id)
    assert field(again, "multiselect", "unused").value == ["ward", "cohort"]
    assert field(again, "number_input", "most-rules").value == 4
    assert Store.open().check() == ()


def test_what_is_decided_while_learning_is_kept(held: threading.Event, start: Callable[..., AppTest]) -> None:
    app = prepared(start("1_Data.py"))
    app.button(key="learn").click().run()
    field(app, "number_input", "most-rules").set_value(9).run()
    held.set()
    finished(app)
    assert model(app).learning.settings.most_rules == 4
    (record,) = stored()
    assert studio(app).preparation == record
    again = start("2_Learn.py", model=model(app).id, preparation=record.id)
    assert_whole(again)
    assert model(again).id == model(app).id
    assert field(again, "number_input", "most-rules").value == 9


def test_what_is_decided_about_the_table_of_a_model_is_kept(iris: AppTest, start: Callable[..., AppTest]) -> None:
    assert stored() == ()
    before = studio(iris).study
    assert before is not None
    on_page(iris, "2_Learn.py")
    feature = before.schema.features[0].name
    field(iris, "multiselect", "unused").set_value([feature]).run()
    (record,) = stored()
    assert (record.name, record.n_rows) == ("Iris", 150)
    again = start("2_Learn.py", model=model(iris).id, preparation=record.id)
    assert field(again, "multiselect", "unused").value == [feature]
    found = studio(again).study
    assert found is not None
    assert found.split.test.tolist() == before.split.test.tolist()  # sealed rows stay sealed


def test_a_stored_division_shows_no_seed_and_stays(iris: AppTest, start: Callable[..., AppTest]) -> None:
    again = start("1_Data.py", model=model(iris).id)
    assert field(again, "number_input", "seed").value is None
    before = model(again).study.split
    field(again, "selectbox", "target").set_value("petal length").run()
    field(again, "selectbox", "target").set_value("species").run()
    assert_whole(again)
    now = studio(again).study
    assert now is not None
    assert now.split.test.tolist() == before.test.tolist()  # sealed rows stay sealed
    field(again, "number_input", "seed").set_value(5).run()
    now = studio(again).study
    assert now is not None
    assert now.split.test.tolist() != before.test.tolist()
    assert field(again, "number_input", "seed").value == 5


def test_another_table_beside_a_model_is_back_with_it(iris: AppTest, start: Callable[..., AppTest]) -> None:
    on_page(iris, "1_Data.py")
    uploaded(iris)
    again = start("1_Data.py", **address(iris))
    assert_whole(again)
    assert studio(again).name == "patients"
    assert model(again).study.name == "Iris"


def test_a_table_that_was_exchanged_untouched_goes_and_a_touched_one_stays(start: Callable[..., AppTest]) -> None:
    app = start("1_Data.py")
    app.button(key="use-iris.csv").click().run()
    app.button(key="use-wine.csv").click().run()
    assert [record.name for record in stored()] == ["Wine"]
    field(app, "number_input", "seed").set_value(3).run()
    uploaded(app)
    assert [record.name for record in stored()] == ["Wine", "patients"]
    assert Store.open().check() == ()


def test_two_windows_do_not_overwrite_each_other(start: Callable[..., AppTest]) -> None:
    first = prepared(start("1_Data.py"))
    (record,) = stored()
    second = start("2_Learn.py", preparation=record.id)
    field(first, "number_input", "most-rules").set_value(5).run()
    assert not first.info
    field(second, "number_input", "most-rules").set_value(6).run()
    assert_whole(second)
    assert "goes on as a copy" in second.info[0].value
    limits = {part.id: read_choices(part.choices).settings.most_rules for part in stored()}
    assert limits == {record.id: 5, address(second)["preparation"]: 6}
    field(second, "number_input", "most-rules").set_value(8).run()
    assert not second.info
    assert len(stored()) == 2
    again = start("2_Learn.py", preparation=record.id)
    assert field(again, "number_input", "most-rules").value == 5


def test_a_window_goes_on_where_another_learned_from_its_table(start: Callable[..., AppTest]) -> None:
    first = prepared(start("1_Data.py"))
    (record,) = stored()
    second = start("2_Learn.py", preparation=record.id)
    first.button(key="learn").click().run()
    finished(first)
    assert stored() == ()
    field(second, "number_input", "most-rules").set_value(6).run()
    assert_whole(second)
    assert "learned from it" in second.info[0].value
    (copy,) = stored()
    assert read_choices(copy.choices).settings.most_rules == 6


def test_a_store_that_does_not_answer_leaves_the_choices_on_screen(
    start: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise StorageError("The disk is full.")

    app = prepared(start("1_Data.py"))
    with monkeypatch.context() as patch:
        patch.setattr(Preparations, "change", fail)
        field(app, "number_input", "most-rules").set_value(7).run()
    assert_whole(app)
    assert "The disk is full" in app.error[0].value
    assert "holds on this page" in app.error[0].value
    assert studio(app).settings.most_rules == 7
    field(app, "number_input", "most-literals").set_value(2).run()
    assert not app.error
    (record,) = stored()
    settings = read_choices(record.choices).settings
    assert (settings.most_rules, settings.most_literals) == (7, 2)
    with monkeypatch.context() as patch:
        patch.setattr(Preparations, "add", fail)
        on_page(app, "1_Data.py")
        app.button(key="use-iris.csv").click().run()
    assert_whole(app)
    assert "a reload of this page would lose it" in app.error[0].value.replace("\\", "")
    assert studio(app).name == "Iris"
    assert studio(app).preparation is None


def test_an_address_of_nothing_is_told_once(start: Callable[..., AppTest]) -> None:
    app = start("1_Data.py", preparation="gone")
    assert_whole(app)
    assert "The table in the address cannot be opened" in app.error[0].value
    assert "preparation" not in app.query_params
    assert not app.run().error


def test_choices_that_cannot_be_read_are_told(start: Callable[..., AppTest]) -> None:
    uploaded(start("1_Data.py"))
    (record,) = stored()
    Store.open().preparations.change(record, {"plan": {"unknown": 1}})
    app = start("1_Data.py", preparation=record.id)
    assert_whole(app)
    assert "cannot be read" in app.error[0].value


@pytest.mark.parametrize("page", PAGES)
def test_a_large_table_comes_back_in_the_background(
    page: str, start: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    uploaded(start("1_Data.py"))
    (record,) = stored()
    go_on = threading.Event()

    def slow(*args: Any) -> object:
        go_on.wait(PATIENCE)
        return taken_back(*args)

    monkeypatch.setattr("turs.ui.state.table.taken_back", slow)
    monkeypatch.setattr("turs.ui.state.table._AT_ONCE_SECONDS", 0.0)
    app = start(page, preparation=record.id)
    assert_whole(app)
    assert "patients</b> is being read" in markup(app)
    assert address(app)["preparation"] == record.id
    go_on.set()
    reading = studio(app).reading
    assert reading is not None
    assert reading.wait(PATIENCE)
    app.run()
    assert_whole(app)
    assert studio(app).preparation == record


def test_a_large_table_that_is_not_wanted_any_more(
    start: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    uploaded(start("1_Data.py"))
    (record,) = stored()
    go_on = threading.Event()
    monkeypatch.setattr("turs.ui.state.table.taken_back", lambda *_: go_on.wait(PATIENCE))
    monkeypatch.setattr("turs.ui.state.table._AT_ONCE_SECONDS", 0.0)
    app = start("1_Data.py", preparation=record.id)
    app.button(key="cancel-reading").click().run()
    go_on.set()
    assert_whole(app)
    assert "is being read" not in markup(app)
    assert f"prepare-{record.id}" in button_keys(app)


def test_a_table_goes_along_to_another_workspace(start: Callable[..., AppTest]) -> None:
    app = prepared(start("1_Data.py"))
    before = studio(app)
    (record,) = stored()
    Store.open().add_workspace("A second one")
    app.run()
    field(app, "selectbox", "workspace-").set_value("A second one").run()
    assert_whole(app)
    store = Store.open()
    (copy,) = store.preparations.of(store.workspace("A second one"))
    assert copy.choices == record.choices
    assert address(app)["preparation"] == copy.id
    assert studio(app).settings == before.settings
    assert store.preparations.find(record.id) == record


def test_a_sample_that_is_learned_leaves_nothing_behind(app: AppTest) -> None:
    learned(app, "iris")
    assert stored() == ()


def test_choices_are_read_as_they_were_written() -> None:
    choices = Choices(
        Plan("y", {"a": str(Kind.CATEGORICAL)}, ("b",), 0.1, 0.3, 5),
        Settings(search="paper", most_rules=3, time_budget=2.5),
        Constraints(("c",), {"d": "<"}),
    )
    assert read_choices(choices_document(choices)) == choices
    document = choices_document(choices)
    document["plan"]["of a later version"] = 1
    document["settings"]["of a later version"] = 1
    assert read_choices(document) == choices
    for wrong in ({}, {"plan": {}}, {"plan": 5}, {**document, "settings": None}):
        with pytest.raises(StorageError, match="cannot be read"):
            read_choices(wrong)
