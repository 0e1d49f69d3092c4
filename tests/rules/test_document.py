"""The model document: saving and loading is the identity, and every fault is named with its place."""

from __future__ import annotations

import copy
import json
import math
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import models, plain_values
from turs.errors import ModelError
from turs.rules import (
    Feature,
    Interval,
    Kind,
    LevelSet,
    Missingness,
    Model,
    Pattern,
    Rule,
    RuleSet,
    Schema,
    dumps,
    from_document,
    load,
    loads,
    save,
    to_document,
)

JAN_5 = 1_704_412_800.0
SCHEMA = Schema(
    "readmitted",
    ("no", "yes"),
    (
        Feature("age", Kind.NUMERIC, cuts=(60.0, 74.5)),
        Feature("admitted", Kind.DATE, cuts=(JAN_5, JAN_5 + 0.5)),
        Feature("größe", Kind.CATEGORICAL, levels=("A", "B 2"), has_missing=True),
    ),
)
RULES = (
    Rule("r1", (Interval("age", 60.0, 74.5), Interval("admitted", high=JAN_5 + 0.5))),
    Rule("r3", (LevelSet("größe", ("A", "B 2")),)),
    Rule("r4", (Missingness("größe", True), Interval("admitted", low=JAN_5))),
)
PATTERNS = (Pattern((), (10, 2)), Pattern(("r1",), (3, 4)), Pattern(("r1", "r3"), (0, 7)))
MODEL = Model(RuleSet(SCHEMA, RULES), PATTERNS, {"total_bits": 12.25, "settings": {"search": "paper"}})

TEXT = """{
  "format": "turs-model",
  "version": 1,
  "target": "readmitted",
  "classes": ["no", "yes"],
  "features": [
    {
      "name": "age",
      "kind": "numeric",
      "cuts": [60.0, 74.5],
      "has_missing": false
    },
    {
      "name": "admitted",
      "kind": "date",
      "cuts": ["2024-01-05", "2024-01-05T00:00:00.5"],
      "has_missing": false
    },
    {
      "name": "größe",
      "kind": "categorical",
      "levels": ["A", "B 2"],
      "has_missing": true
    }
  ],
  "rules": [
    {
      "id": "r1",
      "literals": [
        {"feature": "age", "low": 60.0, "high": 74.5},
        {"feature": "admitted", "high": "2024-01-05T00:00:00.5"}
      ]
    },
    {
      "id": "r3",
      "literals": [
        {"feature": "größe", "levels": ["A", "B 2"]}
      ]
    },
    {
      "id": "r4",
      "literals": [
        {"feature": "größe", "missing": true},
        {"feature": "admitted", "low": "2024-01-05"}
      ]
    }
  ],
  "patterns": [
    {"rules": [], "counts": [10, 2]},
    {"rules": ["r1"], "counts": [3, 4]},
    {"rules": ["r1", "r3"], "counts": [0, 7]}
  ],
  "info": {
    "total_bits": 12.25,
    "settings": {
      "search": "paper"
    }
  }
}
"""


def changed(path: str, value: object) -> dict[str, Any]:
    """Return the document of MODEL with one value replaced; `path` is like rules.0.id."""
    document = to_document(MODEL)
    *way, last = [int(step) if step.isdecimal() else step for step in path.split(".")]
    inner: Any = document
    for step in way:
        inner = inner[step]
    inner[last] = value
    return document


def message(document: object) -> str:
    """Return what loading `document` complains about."""
    with pytest.raises(ModelError) as caught:
        from_document(document, "model.json")
    return str(caught.value)


def same(first: Model, second: Model) -> bool:
    """Whether two models are the same, their information included."""
    return first == second and first.info == second.info


class TestWriting:
    def test_text(self) -> None:
        assert dumps(MODEL) == TEXT

    def test_long_lists_are_one_item_a_line(self) -> None:
        cuts = tuple(map(float, range(200)))
        model = Model(RuleSet(Schema("y", ("a",), (Feature("x", Kind.NUMERIC, cuts=cuts),))), ())
        assert '      "cuts": [\n        0.0,\n        1.0,\n' in dumps(model)
        assert loads(dumps(model)) == model

    def test_empty_model(self) -> None:
        model = Model(RuleSet(Schema("y", ("a",), ())), ())
        assert same(loads(dumps(model)), model)
        assert '"rules": [],\n  "patterns": [],\n  "info": {}\n}\n' in dumps(model)

    def test_lone_surrogates_can_be_encoded(self) -> None:
        model = Model(RuleSet(Schema("y\ud800", ("a",), ())), ())
        assert dumps(model).encode()
        assert loads(dumps(model)) == model

    def test_document_shares_nothing_with_the_model(self) -> None:
        to_document(MODEL)["info"]["settings"]["search"] = "other"
        assert MODEL.info["settings"]["search"] == "paper"

    @pytest.mark.parametrize(
        ("info", "complaint"),
        [
            ({"bits": math.nan}, "info.bits is NaN: a finite number was expected"),
            ({"bits": [1.0, math.inf]}, "info.bits[1] is Infinity: a finite number was expected"),
            ({"seen": {1, 2}}, "info.seen is a Python set: a plain JSON value was expected"),
            ({"by": {1: 2}}, "info.by has the key 1: a text was expected"),
        ],
    )
    def test_information_has_to_be_plain(self, info: dict[str, Any], complaint: str) -> None:
        with pytest.raises(ModelError) as caught:
            dumps(Model(MODEL.rule_set, PATTERNS, info))
        assert complaint in str(caught.value)

    def test_information_nested_too_deeply(self) -> None:
        info: dict[str, Any] = {}
        for _ in range(5000):
            info = {"inner": info}
        with pytest.raises(ModelError, match="nested too deeply"):
            dumps(Model(MODEL.rule_set, PATTERNS, info))

    def test_what_could_not_be_read_is_not_written(self) -> None:
        features = (Feature("x", Kind.NUMERIC, cuts=(1.0, math.inf)),)
        with pytest.raises(ModelError, match=r"features\[0\]\.cuts\[1\] is Infinity: a finite number was expected"):
            dumps(Model(RuleSet(Schema("y", ("a",), features)), ()))


class TestRoundTrip:
    @given(models())
    def test_dumps_then_loads_is_the_identity(self, model: Model) -> None:
        assert same(loads(dumps(model)), model)
        assert dumps(loads(dumps(model))) == dumps(model)

    @given(models())
    def test_layout_is_the_same_json(self, model: Model) -> None:
        document = to_document(model)
        assert json.loads(dumps(model)) == document
        assert list(json.loads(dumps(model))) == list(document)

    def test_save_then_load_is_the_identity(self, tmp_path: Path) -> None:
        path = tmp_path / "model.json"
        save(MODEL, path)
        assert path.read_bytes() == TEXT.encode()
        assert same(load(path), MODEL)
        assert same(load(str(path)), MODEL)

    @given(st.data())
    def test_any_change_loads_or_says_why(self, data: st.DataObject) -> None:
        document = to_document(MODEL)
        holder: Any = document
        while True:
            key = data.draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else range(len(holder))))
            if not isinstance(holder[key], dict | list) or not holder[key] or data.draw(st.booleans()):
                break
            holder = holder[key]
        holder[key] = data.draw(st.one_of(plain_values, st.floats(), st.just(copy.deepcopy(holder))))
        complaint, model = "", None
        try:
            model = from_document(document, "model.json")
        except ModelError as error:
            complaint = str(error)
        assert complaint.startswith("model.json: ") if model is None else same(loads(dumps(model)), model)


class TestTolerance:
    def test_unknown_keys_are_ignored(self) -> None:
        document = changed("comment", "mine")
        document["rules"][0]["note"] = "checked"
        document["rules"][0]["literals"][0]["unit"] = "years"
        assert same(from_document(document), MODEL)

    def test_information_may_be_absent(self) -> None:
        document = to_document(MODEL)
        del document["info"]
        assert from_document(document).info == {}

    def test_whole_numbers_are_numbers(self) -> None:
        model = from_document(changed("features.0.cuts", [60, 74.5]))
        assert same(model, MODEL)
        assert isinstance(model.rule_set.schema.features[0].cuts[0], float)

    def test_levels_and_pattern_ids_are_put_in_order(self) -> None:
        assert same(from_document(changed("rules.1.literals.0.levels", ["B 2", "A"])), MODEL)
        assert same(from_document(changed("patterns.2.rules", ["r3", "r1"])), MODEL)

    def test_byte_order_mark(self, tmp_path: Path) -> None:
        path = tmp_path / "model.json"
        path.write_bytes(TEXT.encode("utf-8-sig"))
        assert same(load(path), MODEL)


class TestFaults:
    @pytest.mark.parametrize(
        ("path", "value", "complaint"),
        [
            ("format", "other", 'format is "other": this is not a model document, whose format is "turs-model".'),
            ("format", 1, "format is 1: a text was expected."),
            ("version", 3, "made by a newer version of TURS (version 3; this one reads up to 1): update TURS."),
            ("version", 0, "version is 0: a version from 1 to 1 was expected."),
            ("version", True, "version is true: a whole number was expected."),
            ("version", "1", 'version is "1": a whole number was expected.'),
            ("target", None, "target is null: a text was expected."),
            ("classes", "no", 'classes is "no": a list was expected.'),
            ("classes", [], "classes is empty: a model has at least one class."),
            ("classes", ["no", 1], "classes[1] is 1: a text was expected."),
            ("classes", ["no", "no"], 'classes[1] is "no" a second time: it may be there only once.'),
            ("features", {}, "features is an object: a list was expected."),
            ("features.1", [], "features[1] is a list: an object was expected."),
            ("features.1.name", "age", 'features[1].name is "age" a second time: it may be there only once.'),
            ("features.0.name", 5, "features[0].name is 5: a text was expected."),
            (
                "features.0.kind",
                "number",
                'features[0].kind is "number": "numeric" or "date" or "categorical" was expected.',
            ),
            ("features.0.has_missing", 0, "features[0].has_missing is 0: true or false was expected."),
            ("features.0.cuts", 60, "features[0].cuts is 60: a list was expected."),
            ("features.0.cuts.1", "many", 'features[0].cuts[1] is "many": a number was expected.'),
            ("features.0.cuts.1", True, "features[0].cuts[1] is true: a number was expected."),
            ("features.0.cuts.1", math.nan, "features[0].cuts[1] is NaN: a finite number was expected."),
            ("features.0.cuts.1", 10**400, "a finite number was expected."),
            ("features.0.cuts.1", 60.0, "features[0].cuts[1] is 60.0, which is not above the cut before it"),
            ("features.0.cuts", list(range(254)), "features[0] has 255 bins: a feature has at most 254."),
            ("features.1.cuts.0", 5.0, 'features[1].cuts[0] is 5.0: a date such as "2024-01-05" or'),
            ("features.1.cuts.0", "2024-02-30", 'features[1].cuts[0] is "2024-02-30": a date such as'),
            ("features.1.cuts.0", "2025-01-05", "features[1].cuts[1] is"),
            ("features.2.levels.0", 7, "features[2].levels[0] is 7: a text was expected."),
            ("features.2.levels.1", "A", 'features[2].levels[1] is "A" a second time'),
            ("rules", None, "rules is null: a list was expected."),
            ("rules.2", "r4", 'rules[2] is "r4": an object was expected.'),
            ("rules.2.id", "r1", 'rules[2].id is "r1" a second time: it may be there only once.'),
            ("rules.2.id", 4, "rules[2].id is 4: a text was expected."),
            ("rules.2.id", "r 4", 'rules[2].id is "r 4": a word such as r1 was expected.'),
            ("rules.2.literals", [], "rules[2].literals: Rule r4 has no literal"),
            ("rules.2.literals.0", None, "rules[2].literals[0] is null: an object was expected."),
            (
                "rules.2.literals.0",
                {"feature": "admitted", "missing": True},
                "rules[2].literals: Rule r4 has two literals on 'admitted'",
            ),
            (
                "rules.0.literals.0.feature",
                "aged",
                "rules[0].literals[0].feature is \"aged\": there is no such feature. Did you mean 'age'?",
            ),
            (
                "rules.0.literals.0.feature",
                "xyz",
                'rules[0].literals[0].feature is "xyz": there is no such feature.',
            ),
            ("rules.0.literals.0.low", "sixty", 'rules[0].literals[0].low is "sixty": a number was expected.'),
            ("rules.0.literals.0.low", None, "rules[0].literals[0].low is null: a number was expected."),
            (
                "rules.0.literals.0.low",
                61.0,
                'rules[0].literals[0].low is 61.0, which is not among the cuts of "age": add it there.',
            ),
            ("rules.0.literals.0.low", 74.5, "rules[0].literals[0]: The interval 74.5 <= age < 74.5 is empty"),
            ("rules.0.literals.1.high", 5, "rules[0].literals[1].high is 5: a date such as"),
            (
                "rules.0.literals.1.high",
                "2024-01-06",
                'rules[0].literals[1].high is "2024-01-06", which is not among the cuts of "admitted"',
            ),
            ("rules.0.literals.0", {"feature": "age"}, "rules[0].literals[0] has to say one thing"),
            (
                "rules.0.literals.0",
                {"feature": "age", "low": 60.0, "missing": True},
                "rules[0].literals[0] has to say one thing",
            ),
            ("rules.0.literals.0", {"feature": "age", "levels": ["A"]}, "rules[0].literals[0]: 'age' is numeric"),
            (
                "rules.1.literals.0",
                {"feature": "größe", "low": 1.0},
                'rules[1].literals[0] compares "größe" with a cut, but the feature is categorical: give "levels".',
            ),
            ("rules.1.literals.0.levels", ["A", "D"], "rules[1].literals[0]: 'größe' has no level 'D'"),
            ("rules.1.literals.0.levels", [], "rules[1].literals[0]: The set of levels of 'größe' is empty"),
            ("rules.1.literals.0.levels", ["A", "A"], 'rules[1].literals[0].levels[1] is "A" a second time'),
            ("rules.1.literals.0.levels", "A", 'rules[1].literals[0].levels is "A": a list was expected.'),
            ("rules.2.literals.0.missing", "yes", 'rules[2].literals[0].missing is "yes": true or false was expected.'),
            ("patterns", {}, "patterns is an object: a list was expected."),
            ("patterns.0", 5, "patterns[0] is 5: an object was expected."),
            ("patterns.1.rules", "r1", 'patterns[1].rules is "r1": a list was expected.'),
            (
                "patterns.1.rules",
                ["r2"],
                'patterns[1].rules[0] is "r2": there is no such rule. Rules: r1, r3, r4.',
            ),
            ("patterns.1.rules", [1], "patterns[1].rules[0] is 1: a text was expected."),
            ("patterns.1.rules", ["r1", "r1"], 'patterns[1].rules[1] is "r1" a second time'),
            ("patterns.1.rules", [], "patterns[1] has the same rules as an earlier pattern (none): add the counts."),
            ("patterns.1.rules", ["r3", "r1"], "patterns[2] has the same rules as an earlier pattern (r1 r3)"),
            ("patterns.1.counts", [1], "patterns[1].counts has 1 counts, but there are 2 classes: give one a class."),
            ("patterns.1.counts", None, "patterns[1].counts is null: a list was expected."),
            (
                "patterns.1.counts.0",
                -1,
                "patterns[1].counts[0] is -1: 0 or more rows was expected.",
            ),
            ("patterns.1.counts.0", True, "patterns[1].counts[0] is true: a whole number was expected."),
            ("patterns.1.counts.0", 3.0, "patterns[1].counts[0] is 3.0: a whole number was expected."),
            ("patterns.1.counts.0", 2**63, "a smaller number of rows was expected."),
            ("patterns.1.counts.0", 2**63 - 1, "more rows in all than can be counted: check the counts."),
            ("info", [], "info is a list: an object was expected."),
            ("info.total_bits", -math.inf, "info.total_bits is -Infinity: a finite number was expected."),
        ],
    )
    def test_wrong_values(self, path: str, value: object, complaint: str) -> None:
        told = message(changed(path, value))
        assert told.startswith("model.json: ")
        assert complaint in told

    @pytest.mark.parametrize("key", ["format", "version", "target", "classes", "features", "rules", "patterns"])
    def test_missing_keys(self, key: str) -> None:
        document = to_document(MODEL)
        del document[key]
        assert message(document) == f'model.json: the document has no key "{key}".'

    @pytest.mark.parametrize(
        ("path", "key"),
        [
            ("features.0", "name"),
            ("features.0", "kind"),
            ("features.0", "cuts"),
            ("features.2", "levels"),
            ("features.0", "has_missing"),
            ("rules.0", "id"),
            ("rules.0", "literals"),
            ("patterns.0", "rules"),
            ("patterns.0", "counts"),
        ],
    )
    def test_missing_inner_keys(self, path: str, key: str) -> None:
        document = to_document(MODEL)
        section, index = path.split(".")
        del document[section][int(index)][key]
        assert message(document) == f'model.json: {section}[{index}] has no key "{key}".'

    def test_literal_without_feature(self) -> None:
        told = message(changed("rules.0.literals.0", {"low": 60.0}))
        assert told == 'model.json: rules[0].literals[0] has no key "feature".'

    @pytest.mark.parametrize("document", [None, [], "turs-model", 5, True])
    def test_not_an_object(self, document: object) -> None:
        assert "the document is " in message(document)
        assert "an object was expected" in message(document)

    def test_long_values_are_cut(self) -> None:
        assert len(message(changed("features.0.cuts.0", "x" * 10_000))) < 150

    def test_where_is_a_model_unless_said(self) -> None:
        with pytest.raises(ModelError, match=r"^model: the document is null"):
            from_document(None)

    def test_deeply_nested_information(self) -> None:
        info: dict[str, Any] = {}
        for _ in range(5000):
            info = {"inner": info}
        document = to_document(MODEL)
        document["info"] = info
        assert message(document) == "model.json: the document is nested too deeply for a model."


class TestText:
    @pytest.mark.parametrize(
        ("text", "place"),
        [
            ("", "line 1, column 1"),
            ("{,}", "line 1, column 2"),
            (TEXT[: TEXT.index('"kind"')], "line 9, column 7"),
            ("not json", "line 1, column 1"),
        ],
    )
    def test_not_json(self, text: str, place: str) -> None:
        with pytest.raises(ModelError) as caught:
            loads(text, "model.json")
        assert str(caught.value).startswith("model.json is not JSON (")
        assert str(caught.value).endswith(f" at {place}): is the file complete?")

    @given(st.integers(0, len(TEXT) - 3))
    def test_truncated(self, length: int) -> None:
        with pytest.raises(ModelError, match="is the file complete"):
            loads(TEXT[:length])

    @pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
    def test_numbers_that_are_not_finite(self, number: str) -> None:
        with pytest.raises(ModelError, match=r"features\[0\]\.cuts\[1\] is .*: a finite number was expected"):
            loads(TEXT.replace("74.5]", number + "]"))

    def test_endless_number(self) -> None:
        with pytest.raises(ModelError, match="has a number that cannot be read"):
            loads(TEXT.replace("74.5]", "1" * 10_000 + "]"))

    @pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 100_000 + "]" * 100_000])
    def test_nested_too_deeply(self, text: str) -> None:
        with pytest.raises(ModelError, match="nested too deeply"):
            loads(text)


class TestFiles:
    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match=r"There is no file .*model\.json\."):
            load(tmp_path / "model.json")

    def test_folder(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match="cannot be read: Is a directory"):
            load(tmp_path)
        with pytest.raises(ModelError, match="cannot be written: Is a directory"):
            save(MODEL, tmp_path)
        assert not list(tmp_path.iterdir())

    def test_impossible_names(self) -> None:
        with pytest.raises(ModelError, match="cannot be read: embedded null byte"):
            load("a\0b")
        with pytest.raises(ModelError, match="cannot be written: embedded null byte"):
            save(MODEL, "a\0b")

    def test_binary_junk(self, tmp_path: Path) -> None:
        path = tmp_path / "model.json"
        path.write_bytes(b"{\x80\x04\xff\x00")
        with pytest.raises(ModelError, match=r"is not a text file \(byte 2 is not UTF-8\): is it a model\?"):
            load(path)

    def test_faults_name_the_file(self, tmp_path: Path) -> None:
        path = tmp_path / "model.json"
        path.write_text("[]")
        with pytest.raises(ModelError) as caught:
            load(path)
        assert str(caught.value) == f"{path}: the document is a list: an object was expected."

    def test_no_folder(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match="cannot be written: No such file or directory"):
            save(MODEL, tmp_path / "none" / "model.json")

    def test_file_in_place_of_the_folder(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("mine")
        with pytest.raises(ModelError, match="cannot be written: Not a directory"):
            save(MODEL, tmp_path / "file" / "model.json")

    def test_failure_leaves_what_was_there(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "model.json"
        path.write_text("before")

        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(ModelError, match="cannot be written: No space left on device"):
            save(MODEL, path)
        assert [file.name for file in tmp_path.iterdir()] == ["model.json"]
        assert path.read_text() == "before"

    def test_interruption_leaves_what_was_there(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            save(MODEL, tmp_path / "model.json")
        assert not list(tmp_path.iterdir())

    def test_an_unsound_model_is_not_written(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match=r"patterns\[0\]\.rules\[0\] is \"r9\": there is no such rule"):
            save(Model(MODEL.rule_set, (Pattern(("r9",), (1, 1)),)), tmp_path / "model.json")
        assert not list(tmp_path.iterdir())

    def test_saving_again_replaces(self, tmp_path: Path) -> None:
        path = tmp_path / "model.json"
        save(Model(RuleSet(SCHEMA), ()), path)
        save(MODEL, path)
        assert same(load(path), MODEL)
        assert [file.name for file in tmp_path.iterdir()] == ["model.json"]

    def test_a_link_stays_a_link(self, tmp_path: Path) -> None:
        link = tmp_path / "link.json"
        link.symlink_to(tmp_path / "model.json")
        save(MODEL, link)
        assert link.is_symlink()
        assert same(load(tmp_path / "model.json"), MODEL)

    def test_permissions_follow_the_mask(self, tmp_path: Path) -> None:
        path = tmp_path / "model.json"
        (tmp_path / "plain").touch()
        save(MODEL, path)
        assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode
