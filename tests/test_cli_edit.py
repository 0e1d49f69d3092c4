"""`turs edit`: changes in the order given, their impact, and what is written."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from turs.cli import app
from turs.cli.editing import changes_in
from turs.errors import ModelError
from turs.rules import Interval, load

SAMPLES = Path(__file__).parents[1] / "sample_data"
TABLE = SAMPLES / "breast_cancer.csv"


def turs(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "model.json"
    assert turs("learn", TABLE, "--target", "diagnosis", "--test-size", 0.3, "--out", path).exit_code == 0
    return path


def test_changes_keep_the_order_of_the_command_line() -> None:
    given = ["m.json", "--delete", "r4", "t.csv", "--set=r2: a >= 1", "--out", "x", "--delete", "r1", "--add"]
    assert changes_in(given) == (("delete", "r4"), ("set", "r2: a >= 1"), ("delete", "r1"), ("add", ""))


def test_steps_are_told_and_written(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "edited.json"
    before = load(model).rule_set
    first = before.rules[0]
    literal = first.literals[0]
    result = turs(
        "edit", model, TABLE, "--test-size", 0.3, "--add", "IF mean radius >= 15.1", "--remove",
        f"{first.id}: {literal.feature}", "--delete", "r4", "--lock", first.id, "--note", f"{first.id}: seen",
        "--out", out,
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert "1. Add r4: IF mean radius ≥ 15.1" in result.stdout
    assert f"2. In {first.id}, remove" in result.stdout
    assert "validation AUC" in result.stdout
    assert "The edited model was written" in result.stderr
    edited = load(out)
    assert edited.rule_set.rules[0].literals == first.literals[1:]
    assert "r4" not in [rule.id for rule in edited.rule_set.rules]
    assert edited.info["editing"]["locked"] == [first.id]
    assert edited.info["editing"]["last_id"] == 4
    scored = json.loads(turs("score", out, TABLE, "--json").stdout)
    assert edited.info["training"]["n_rules"] == scored["n_rules"]
    assert [edit["kind"] for edit in edited.info["editing"]["edits"]] == [
        "add_rule", "remove_literal", "delete_rule", "lock_rule", "attach_note",
    ]  # fmt: skip


def test_findings_that_a_step_causes_are_told_with_a_repair(model: Path) -> None:
    rule = load(model).rule_set.rules[0]
    steps = ("--duplicate", rule.id, "--note", f"{rule.id}: seen", "--add", "IF mean radius >= 0.5")
    result = turs("edit", model, TABLE, *steps, "--dry-run")
    assert result.exit_code == 0, result.stderr
    first, second, third = (part.splitlines() for part in re.split(r"^\d\. ", result.stdout, flags=re.M)[1:])
    told = [line.strip() for line in first if "finding:" in line]
    assert any(
        re.fullmatch(
            rf"finding: {rule.id} and r\d cover the same .* rows; repair: delete r\d \([+-][0-9.]+ bits\)", line
        )
        for line in told
    )
    assert len(second) == 1  # what was odd before is not told again
    assert "   finding: r5 covers every training row; repair: delete r5" in third
    assert re.fullmatch(r"   and \d+ more; --json lists all findings", third[-1])
    found = json.loads(turs("edit", model, TABLE, *steps, "--dry-run", "--json").stdout)["findings"]
    assert len(found) > 4
    everything = next(finding for finding in found if finding["text"] == "r5 covers every training row")
    assert everything["fixes"] == [{"name": "delete r5", "edit": {"kind": "delete_rule", "rule": "r5"}}]


def test_locks_last_from_one_call_to_the_next(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "locked.json"
    assert turs("edit", model, TABLE, "--lock", "r1", "--out", out).exit_code == 0
    refused = turs("edit", out, TABLE, "--delete", "r1", "--dry-run")
    assert refused.exit_code == 1
    assert refused.stderr.strip().splitlines()[-1] == "turs: Rule r1 is locked: unlock it first."
    assert turs("edit", out, TABLE, "--unlock", "r1", "--delete", "r1", "--dry-run").exit_code == 0


def test_bits_of_the_listing_are_those_of_a_score(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "edited.json"
    rule = load(model).rule_set.rules[0]
    literal = next(part for part in rule.literals if isinstance(part, Interval))
    side, cut = (">=", literal.low) if literal.low is not None else ("<", literal.high)
    assert cut is not None
    change = f'{rule.id}: "{literal.feature}" {side} {cut * 1.013!r}'
    result = turs("edit", model, TABLE, "--set", change, "--test-size", 0, "--out", out, "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)["steps"][0]["after"]
    scored = json.loads(turs("score", out, TABLE, "--json").stdout)
    assert told["total_bits"] == scored["total_bits"]
    assert told["training"]["auc"] == scored["auc"]


def test_a_dry_run_writes_nothing(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "never.json"
    result = turs("edit", model, TABLE, "--delete", "r1", "--out", out, "--dry-run")
    assert result.exit_code == 0
    assert "dry run" in result.stderr
    assert not out.exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ((), "Nothing is to be changed"),
        (("--delete", "r77"), "There is no rule 'r77'"),
        (("--set", "age >= 60"), 'name the rule first, such as "r2: age >= 60"'),
        (("--set", "r1: mean radiuss >= 6"), "There is no feature 'mean radiuss'. Did you mean 'mean radius'"),
        (("--set", "r1: mean radius >= six"), "at character"),
        (("--split", "r1: mean radius x"), "Expected a number, found x"),
        (("--split", "r1: radius"), 'name a feature and a cut, such as "r1: age 60"'),
        (("--remove", 'r1: "mean radiuss"'), "There is no feature 'mean radiuss'. Did you mean 'mean radius'"),
        (("--set", "r1: 20 <= mean radius < 10"), "its lower cut is not below its upper"),
        (("--merge", "r1 r1"), "cannot be merged with itself"),
        (("--delete", "r1", "--delete", "r1"), "Rule r1 is not there any more"),
        (("--merge", "r1"), 'name two rules, such as "r1 r3"'),
    ],
)
def test_bad_requests_are_one_line(model: Path, changes: tuple[str, ...], message: str) -> None:
    result = turs("edit", model, TABLE, *changes, "--dry-run")
    assert result.exit_code == 1
    line = result.stderr.strip().splitlines()[-1]
    assert line.startswith("turs: ")
    assert message in line


def test_a_place_to_write_is_needed(model: Path) -> None:
    result = turs("edit", model, TABLE, "--delete", "r1")
    assert result.exit_code == 1
    assert "--dry-run" in result.stderr


NOTE = "its rules are counted anew"


def test_the_split_is_that_of_learning_unless_given(tmp_path: Path) -> None:
    model, out, again = (tmp_path / name for name in ("m.json", "e.json", "e2.json"))
    learned = turs("learn", TABLE, "--target", "diagnosis", "--test-size", 0.25, "--seed", 7, "--out", model)
    assert learned.exit_code == 0
    result = turs("edit", model, TABLE, "--lock", "r1", "--out", out)
    assert NOTE not in result.stderr
    edited = load(out)
    assert edited.patterns == load(model).patterns
    split = {"test_size": 0.25, "seed": 7}
    assert edited.info["editing"]["rows"] == {"table": TABLE.name, "split": split, "learned_from": True}
    assert edited.info["validation"]["auc"] == load(model).info["test"]["auc"]
    # an explicit option wins, and what follows from that stays in the document
    other = turs("edit", out, TABLE, "--seed", 3, "--note", "r1: seen", "--out", again)
    assert other.exit_code == 0
    assert NOTE in other.stderr
    assert load(again).info["editing"]["rows"] == {
        "table": TABLE.name, "split": {"test_size": 0.25, "seed": 3}, "learned_from": False,
    }  # fmt: skip
    same = turs("edit", again, TABLE, "--note", "r1: seen again", "--out", again)
    assert NOTE not in same.stderr
    assert load(again).info["editing"]["rows"]["learned_from"] is False


def test_other_rows_are_noted(model: Path, tmp_path: Path) -> None:
    all_rows = turs("edit", model, TABLE, "--delete", "r1", "--test-size", 0, "--dry-run")
    assert "note: The model holds the counts of 398 rows" in all_rows.stderr
    assert "counted anew on these 569." in all_rows.stderr
    assert "validation" not in all_rows.stderr
    lines = TABLE.read_text(encoding="utf-8").splitlines(keepends=True)
    part = tmp_path / "part.csv"
    part.write_text("".join(lines[:400]), encoding="utf-8")
    result = turs("edit", model, part, "--delete", "r1", "--dry-run")
    assert result.exit_code == 0
    assert "may have been learned from some of the validation rows" in result.stderr


def test_score_takes_the_rows_put_aside_of_the_own_table_only(model: Path, tmp_path: Path) -> None:
    own = turs("score", model, TABLE, "--json")
    assert json.loads(own.stdout)["auc"] == load(model).info["test"]["auc"]
    assert "--test-size 0 scores all rows" in own.stderr
    assert json.loads(turs("score", model, TABLE, "--test-size", 0, "--json").stdout)["n_rows"] == 569
    part = tmp_path / "part.csv"
    part.write_text("".join(TABLE.read_text(encoding="utf-8").splitlines(keepends=True)[:401]), encoding="utf-8")
    other = turs("score", model, part, "--json")
    assert json.loads(other.stdout)["n_rows"] == 400
    assert "put aside" not in other.stderr


def test_the_edited_model_is_written_although_the_screen_breaks_off(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "edited.json"
    for screen in ("| true", "> /dev/full"):
        line = f"'{sys.executable}' -m turs edit '{model}' '{TABLE}' --delete r1 --out '{out}' {screen}"
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=120, check=False)
        assert "r1" not in [rule.id for rule in load(out).rule_set.rules], done.stderr
        out.unlink()


def test_steps_are_told_although_they_cannot_be_written(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ModelError("edited.json cannot be written: No space left on device.")

    monkeypatch.setattr("turs.cli.editing.save", fail)
    result = turs("edit", model, TABLE, "--delete", "r1", "--out", tmp_path / "edited.json")
    assert result.exit_code == 1
    assert result.stdout.startswith("1. Delete r1")
    assert result.stderr.splitlines()[-1] == "turs: edited.json cannot be written: No space left on device."
