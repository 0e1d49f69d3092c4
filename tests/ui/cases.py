"""A small study with rules that overlap, in a store: numbers with gaps, hostile names, three classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

from tests.ui.driving import assert_whole
from turs.data import Table
from turs.editing import MoveCut
from turs.mdl.score import patterns_on
from turs.predict import model_of
from turs.rules.rule import Rule, RuleSet
from turs.rules.text import parse_condition
from turs.storage import Store
from turs.ui.library import first_workspace
from turs.ui.opened import OpenModel
from turs.ui.studio import Studio
from turs.ui.study import Plan, study_of

KIND = "<b>kind</b>"
CONDITIONS = (
    "age >= 40",
    "age < 60 AND dose < 0",
    f'"{KIND}" in {{"=SUM(A1)", "<i>q</i>"}}',
    "30 <= age < 70 AND dose is known",
    "dose is missing",
)


def table() -> pd.DataFrame:
    draw = np.random.default_rng(7)
    n = 300
    age = draw.integers(20, 90, n).astype(float)
    dose = np.round(draw.normal(0, 2, n), 2)
    dose[draw.random(n) < 0.1] = np.nan
    kind = draw.choice(["=SUM(A1)", "<i>q</i>", "plain"], n)
    score = (age - 50) / 15 + np.nan_to_num(dose) + draw.normal(0, 1, n)
    label = np.where(score > 1, "*high*", np.where(score < -1, "<u>low</u>", "mid"))
    return pd.DataFrame({"age": age, "dose": dose, KIND: kind, "class": label})


def overlapping(conditions: tuple[str, ...] = CONDITIONS, frame: pd.DataFrame | None = None) -> OpenModel:
    """Return rules that overlap on a study, open in the store of the test."""
    study = study_of("cases", Table(table() if frame is None else frame), Plan("class"))
    rules = RuleSet(study.schema)
    for number, text in enumerate(conditions, start=1):
        rules = rules.with_rule(Rule(f"r{number}", parse_condition(text, study.schema)))
    store = Store.open()
    place = first_workspace(store)
    data_set = store.add_data_set(place, study.name, study.table.frame, "class", study.split)
    record = store.add_model(data_set, "cases", model_of(rules, patterns_on(rules, study.training.data)))
    session = store.open_session(
        store.add_session(record, "cases"), training=study.training, validation=study.validation
    )
    return OpenModel("cases", study, session, store.learning(record), place.id)


def edited() -> OpenModel:
    """Return the rules after an edit."""
    model = overlapping()
    model.session.apply(MoveCut("r1", "age", low=45.5), author="<i>Ada</i>", note="*the* clinical one")
    return model


def shown(app: AppTest, model: OpenModel, page: str) -> AppTest:
    """Show a page about this model."""
    study = model.study
    app.session_state["seat"].studio = Studio("cases", study.table, study.plan, study, model=model)
    app.switch_page(f"pages/{page}").run()
    assert_whole(app)
    return app
