"""A small table with its rules, and stores to put them into."""

from __future__ import annotations

import uuid
from pathlib import Path

import numpy as np
import pandas as pd
import psycopg

from turs.data.dataset import labelled_data, learning_data
from turs.editing import DeleteRule, MoveCut
from turs.learn.learner import learn
from turs.learn.progress import Learned
from turs.learn.settings import Constraints, Settings
from turs.mdl.score import patterns_on
from turs.predict import model_of
from turs.rules import Interval, Rule, RuleSet
from turs.storage import DataSetRecord, ModelRecord, Preparation, SessionRecord, Store, Workspace, split_rows

AWKWARD = '\'; DROP TABLE turs_journal; -- "größe" 😀 \x00 %s :name'
SETTINGS = Settings(search="paper", most_rules=3)
CONSTRAINTS = Constraints(unused=("blood pressure",), directions={"age": ">="})


def table() -> pd.DataFrame:
    """Return 120 patients."""
    generator = np.random.default_rng(3)
    age = generator.integers(20, 90, 120)
    frame = pd.DataFrame(
        {
            "age": age,
            "blood pressure": generator.normal(120, 15, 120).round(1),
            "ward": pd.Categorical(generator.choice(["A", "B", "C"], 120), categories=["C", "B", "A", "none"]),
            AWKWARD: generator.choice(["yes", "no"], 120),
            "admitted": pd.Timestamp("2020-01-01") + pd.to_timedelta(generator.integers(0, 900, 120), "D"),
            "ill": np.where((age >= 60) ^ (generator.random(120) < 0.05), "yes", "no"),
        }
    )
    frame.loc[generator.choice(120, 9, replace=False), "blood pressure"] = np.nan
    return frame


def new_url(server: str) -> str:
    """Return the URL of a new database on a PostgreSQL server."""
    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return server.replace("/postgres?", f"/{name}?")


def add_data(store: Store, workspace: Workspace, name: str = "patients") -> DataSetRecord:
    """Add the table."""
    frame = table()
    split = split_rows(frame["ill"], seed=1)
    return store.add_data_set(workspace, name, frame, "ill", split, kinds={"age": "numeric"}, ignored=["admitted"])


CHOICES = {"target": "ill", AWKWARD: [1.5, None, {"kinds": "numeric"}]}


def add_preparation(store: Store, workspace: Workspace, name: str = "patients") -> Preparation:
    """Add the table with what was decided about it so far."""
    frame = table()
    split = split_rows(frame["ill"], seed=1)
    return store.preparations.add(workspace, name, frame, CHOICES, split, notes=["a note"], author="Ada")


def learned_from(store: Store, data_set: DataSetRecord) -> Learned:
    """Learn from the training rows."""
    frame = store.frame(data_set).iloc[store.split(data_set).training].drop(columns=list(data_set.ignored))
    return learn(learning_data(frame, data_set.target), SETTINGS, constraints=CONSTRAINTS)


def add_model(store: Store, data_set: DataSetRecord, name: str = "model") -> ModelRecord:
    """Add two rules on age that anybody can edit."""
    frame = store.frame(data_set).iloc[store.split(data_set).training].drop(columns=list(data_set.ignored))
    rules = RuleSet(learning_data(frame, data_set.target).schema)
    rules = rules.with_rule(Rule("r1", (Interval("age", low=60.0),))).with_rule(
        Rule("r2", (Interval("age", high=40.0),))
    )
    model = model_of(rules, patterns_on(rules, labelled_data(frame, rules.schema)))
    return store.add_model(data_set, name, model, author="Ada")


def add_session(store: Store, name: str = "first look") -> SessionRecord:
    """Add a workspace with everything that a session needs."""
    model = add_model(store, add_data(store, store.add_workspace(f"hospital of {name}")))
    return store.add_session(model, name, author="Ada")


def cut(low: float, rule: str = "r1") -> MoveCut:
    """Return an edit."""
    return MoveCut(rule, "age", low=low)


def deletion(rule: str = "r2") -> DeleteRule:
    """Return an edit."""
    return DeleteRule(rule)


def sqlite_path(folder: Path) -> str:
    """Return the path of a new SQLite store."""
    return str(folder / f"{uuid.uuid4().hex}.sqlite")
