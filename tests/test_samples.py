"""The sample tables: what the script writes, what the README says, and the story of the table with known rules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from turs.data import labelled_data, learning_data, read_table
from turs.evaluate.summary import summarise
from turs.learn.learner import learn
from turs.rules import format_condition, parse_rule

SAMPLES = Path(__file__).parents[1] / "sample_data"


def test_the_script_writes_the_same_bytes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, SAMPLES / "make_samples.py", tmp_path], check=True)
    committed = {path.name: path.read_bytes() for path in SAMPLES.glob("*.csv")}
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == committed


def test_the_readme_describes_every_table() -> None:
    described = {}
    for line in (SAMPLES / "README.md").read_text().splitlines():
        if line.startswith("| `") and ".csv" in line:
            name, rows, _, target, _ = (cell.strip(" `") for cell in line.strip("|").split("|"))
            described[name] = (int(rows.replace(",", "")), target)
    tables = {path.name: pd.read_csv(path) for path in SAMPLES.glob("*.csv")}
    assert described == {name: (len(table), table.columns[-1]) for name, table in tables.items()}


def test_known_rules_are_found_and_one_edit_repairs_a_threshold() -> None:
    frame = read_table(SAMPLES / "readmission.csv").frame
    data = learning_data(frame, "readmitted")
    learned = learn(data).rule_set
    assert {format_condition(rule.literals, learned.schema) for rule in learned.rules} == {
        "creatinine >= 1.55",
        'age >= 65.5 AND "earlier admissions" >= 1.5',
        'ward in {oncology} AND "lives alone" in {yes}',
    }
    before = summarise(learned, data)
    wrong = next(rule for rule in learned.rules if rule.literals[0].feature == "age")
    text = 'age >= 65 AND "earlier admissions" >= 2'
    edited = learned.replace_rule(parse_rule(text, learned.schema, wrong.id))
    after = summarise(edited, labelled_data(frame, edited.schema))
    assert (round(before.total_bits), round(before.total_bits - after.total_bits)) == (622, 39)
    assert (before.auc, after.auc) == (pytest.approx(0.924, abs=5e-4), pytest.approx(0.933, abs=5e-4))
    assert before.overlap_share > 0.05
