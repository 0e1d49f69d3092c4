"""The Data page without a browser: tables of all kinds, tables at fault, targets, shares."""

from __future__ import annotations

import gzip
import io
import threading
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.driving import PATIENCE, assert_whole, button_keys, markup, model, on_page, studio
from turs.data import read_table

FRAME = pd.DataFrame({"x": [i % 23 for i in range(120)], "y": ["a" if i % 23 < 9 else "b" for i in range(120)]})


def _csv() -> bytes:
    return FRAME.to_csv(index=False).encode()


def _excel() -> bytes:
    file = io.BytesIO()
    FRAME.to_excel(file, index=False)
    return file.getvalue()


def _parquet() -> bytes:
    file = io.BytesIO()
    FRAME.to_parquet(file, index=False)
    return file.getvalue()


def uploaded(app: AppTest, name: str, content: bytes) -> AppTest:
    app.file_uploader(key="file").upload(name, content, "application/octet-stream").run()
    assert_whole(app)
    return app


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", _csv()),
        ("t.tsv", _csv().replace(b",", b"\t")),
        ("t.csv.gz", gzip.compress(_csv())),
        ("t.xlsx", _excel()),
        ("t.parquet", _parquet()),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_format_is_read(name: str, content: bytes, start: Callable[..., AppTest]) -> None:
    app = uploaded(start("1_Data.py"), name, content)
    study = studio(app).study
    assert study is not None
    assert study.schema.classes == ("a", "b")
    assert [study.n_rows(part) for part in ("training", "validation", "test")] == [72, 24, 24]
    assert "120 rows" in markup(app)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("program.csv", b"MZ\x90\x00\x03\x00\x00\x00" + bytes(range(256)) * 8),
        ("cut.csv.gz", gzip.compress(_csv())[:60]),
        ("broken.xlsx", b"PK\x03\x04 not a workbook"),
        ("empty.csv", b""),
        ("header.csv", b"a,b\n"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_at_fault_is_told_and_the_rules_stay(name: str, content: bytes, iris: AppTest) -> None:
    before = model(iris)
    on_page(iris, "1_Data.py")
    uploaded(iris, name, content)
    assert iris.error
    assert model(iris) is before
    assert studio(iris).name == "Iris"


def test_a_target_at_fault_is_told_and_another_one_can_be_chosen(start: Callable[..., AppTest]) -> None:
    table = FRAME[["y", "x"]].assign(z="same")
    app = uploaded(start("1_Data.py"), "t.csv", table.to_csv(index=False).encode())
    next(box for box in app.selectbox if box.key.startswith("target-")).set_value("z").run()
    assert "one class only" in app.error[0].value
    assert app.button(key="to-learn").disabled
    box = next(box for box in app.selectbox if box.key.startswith("target-"))
    box.set_value("y").run()
    assert_whole(app)
    assert not app.error
    assert not app.button(key="to-learn").disabled


def test_shares_and_seed_divide_the_rows(start: Callable[..., AppTest]) -> None:
    app = uploaded(start("1_Data.py"), "t.csv", _csv())
    first = studio(app).study
    next(box for box in app.number_input if box.key.startswith("share-test")).set_value(0).run()
    next(box for box in app.number_input if box.key.startswith("share-validation")).set_value(50).run()
    next(box for box in app.number_input if box.key.startswith("seed")).set_value(4).run()
    assert_whole(app)
    study = studio(app).study
    assert study is not None
    assert first is not None
    assert (study.plan.seed, study.plan.test, study.plan.validation) == (4, 0.0, 0.5)
    assert abs(study.n_rows("validation") - 60) <= 1
    assert study.n_rows("test") == 0


def test_without_validation_rows_rules_are_learned_and_edited(start: Callable[..., AppTest]) -> None:
    app = uploaded(start("1_Data.py"), "t.csv", _csv())
    for name in ("share-test", "share-validation"):
        next(box for box in app.number_input if box.key.startswith(name)).set_value(0).run()
    on_page(app, "2_Learn.py")
    app.button(key="learn").click().run()
    job = studio(app).job
    if job is not None:
        assert job.wait(120)
        app.run()
    on_page(app, "3_Rules.py")
    app.button(key="delete").click().run()
    assert_whole(app)
    assert "keep" in button_keys(app)


def test_too_few_rows_to_put_aside_have_a_way_on(start: Callable[..., AppTest]) -> None:
    app = uploaded(start("1_Data.py"), "few.csv", b"x,y\n1,a\n2,a\n3,b\n4,b\n5,a\n6,b\n")
    assert studio(app).study is None
    assert app.error
    app.button(key="whole").click().run()
    assert_whole(app)
    study = studio(app).study
    assert study is not None
    assert study.n_rows("training") == 6


def test_a_last_column_of_identifiers_is_not_taken_for_the_target(start: Callable[..., AppTest]) -> None:
    rows = "".join(f"{k % 7},{'sick' if k % 7 > 3 else 'well'},p{k}\n" for k in range(70))
    app = uploaded(start("1_Data.py"), "ids.csv", f"x,state,patient id\n{rows}".encode())
    assert_whole(app)
    plan = studio(app).plan
    assert plan is not None
    assert (plan.target, plan.validation, plan.test) == ("state", 0.2, 0.2)
    target = next(box for box in app.selectbox if box.key.startswith("target-"))
    target.set_value("patient id").run()
    assert "identifier" in app.error[0].value
    assert "whole" not in button_keys(app)  # it would only lead to the next error


def test_a_large_file_is_read_in_the_background_and_can_be_dropped(
    iris: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def held(*args: Any, **kwargs: Any) -> object:
        go_on.wait(PATIENCE)
        return read_table(*args, **kwargs)

    monkeypatch.setattr("turs.ui.state.table.read_table", held)
    monkeypatch.setattr("turs.ui.state.table._AT_ONCE_SECONDS", 0.0)
    on_page(iris, "1_Data.py")
    iris.file_uploader(key="file").upload("slow.csv", b"a,class\n1,x\n2,y\n3,x\n4,y\n", "text/csv").run()
    assert_whole(iris)
    assert "slow.csv</b> is being read" in markup(iris)
    assert studio(iris).name == "Iris"
    iris.button(key="cancel-reading").click().run()
    assert "is being read" not in markup(iris)
    iris.file_uploader(key="file").upload("other.csv", b"a,class\n1,x\n2,y\n3,x\n4,y\n", "text/csv").run()
    go_on.set()
    reading = studio(iris).reading
    assert reading is not None
    assert reading.wait(PATIENCE)
    iris.run()
    assert_whole(iris)
    assert studio(iris).name == "other"
