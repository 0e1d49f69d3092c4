"""The command line: what it prints where, what it writes, and how it refuses."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from turs import TursClassifier, __version__
from turs.cli import app
from turs.data import read_table
from turs.errors import ModelError

SAMPLES = Path(__file__).parents[1] / "sample_data"
IRIS = SAMPLES / "iris.csv"


def turs(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def turs_process(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "turs", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)


def turs_shell(line: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-c", f"'{sys.executable}' -m turs {line}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def iris_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "iris.json"
    assert turs("learn", IRIS, "--target", "species", "--out", path).exit_code == 0
    return path


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    generator = np.random.default_rng(5)
    n = 200
    frame = pd.DataFrame(
        {
            "code": [f"{i % 7:03d}" for i in range(n)],
            "age": generator.integers(20, 90, n),
            "ward": generator.choice(["A", "B 2", "NA"], n),
            "note": ["=1+2", " x ", "n/a", "007"] * (n // 4),
        }
    )
    frame["ill"] = np.where(frame["age"] >= 60, "yes", "no")
    path = tmp_path / "patients.csv"
    frame.to_csv(path, index=False)
    return path


class TestLearn:
    def test_listing_goes_to_standard_output_and_notes_to_standard_error(self, tmp_path: Path) -> None:
        result = turs("learn", IRIS, "--target", "species", "--out", tmp_path / "model.json")
        assert result.exit_code == 0
        assert 'IF "petal ' in result.stdout
        assert "ELSE" in result.stdout
        assert "bits = " in result.stdout
        assert "note: The model was written" in result.stderr
        assert "note" not in result.stdout
        assert [path.name for path in tmp_path.iterdir()] == ["model.json"]

    def test_json_is_pure_and_agrees_with_score(self, tmp_path: Path) -> None:
        model = tmp_path / "model.json"
        learned = json.loads(turs("learn", IRIS, "--target", "species", "--out", model, "--json").stdout)
        scored = json.loads(turs("score", model, IRIS, "--json").stdout)
        assert {key: learned[key] for key in scored} == scored
        assert learned["model"] == str(model)
        assert set(scored) >= {
            *("total_bits", "nll_bits", "regret_bits", "model_bits", "auc", "random_pick_auc", "overlap_share"),
            *("n_rules", "n_literals", "coverage", "rules"),
        }
        assert set(scored["rules"][0]) == {
            *("id", "text", "coverage", "counts", "probabilities", "model_bits", "bits_saved"),
        }
        assert scored["total_bits"] == pytest.approx(
            scored["nll_bits"] + scored["regret_bits"] + scored["model_bits"], abs=1e-9
        )

    def test_an_identifier_is_left_out_and_said(self, tmp_path: Path) -> None:
        frame = pd.read_csv(IRIS)
        frame.insert(0, "id", np.arange(1, 151))
        path = tmp_path / "with id.csv"
        frame.to_csv(path, index=False)
        result = turs("learn", path, "--target", "species", "--out", tmp_path / "model.json")
        assert result.exit_code == 0
        assert "note: Left out 'id'" in result.stderr
        assert "id" not in [feature["name"] for feature in _document(tmp_path / "model.json")["features"]]

    def test_columns_kinds_and_constraints(self, patients: Path, tmp_path: Path) -> None:
        model = tmp_path / "model.json"
        options = ("--ignore", "note", "--kind", "code=categorical", "--direction", "age <", "--cuts", 5)
        limits = ("--most-rules", 2, "--most-literals", 1, "--search", "paper", "--threads", 1, "--beam-width", 3)
        result = turs("learn", patients, "--target", "ill", "--out", model, *options, *limits)
        assert result.exit_code == 0, result.stderr
        features = {feature["name"]: feature for feature in _document(model)["features"]}
        assert list(features) == ["code", "age", "ward"]
        assert features["code"]["levels"][1] == "001"
        assert len(features["age"]["cuts"]) <= 5
        assert "age >=" not in result.stdout
        assert _document(model)["info"]["settings"]["directions"] == {"age": "<"}
        unused = turs("learn", patients, "--target", "ill", "--not-use", "age", "--feature", "age", "--feature", "ward")
        assert unused.exit_code == 0
        assert "age" not in unused.stdout

    def test_split_is_stratified_seeded_and_scored_again(self, tmp_path: Path) -> None:
        model = tmp_path / "model.json"
        split = ("--test-size", 0.2, "--seed", 7)
        learned = json.loads(turs("learn", IRIS, "--target", "species", "--out", model, "--json", *split).stdout)
        assert learned["n_rows"] == 120
        assert learned["test"]["n_rows"] == 30
        scored = json.loads(turs("score", model, IRIS, "--json", *split).stdout)
        assert {key: scored[key] for key in learned["test"]} == learned["test"]
        assert "test rows" in turs("learn", IRIS, "--target", "species", *split).stdout

    def test_a_time_budget_keeps_what_was_found(self, tmp_path: Path) -> None:
        model = tmp_path / "model.json"
        result = turs("learn", IRIS, "--target", "species", "--time-budget", 1e-6, "--out", model)
        assert result.exit_code == 0
        assert "stopped before it was done" in result.stderr
        assert model.exists()

    def test_the_estimator_loads_the_model(self, iris_model: Path) -> None:
        frame = pd.read_csv(IRIS)
        estimator = TursClassifier.load(iris_model)
        assert estimator.score(frame.drop(columns="species"), frame["species"]) > 0.9
        assert estimator.code_length_ > 0


class TestShow:
    def test_listing(self, iris_model: Path) -> None:
        result = turs("show", iris_model)
        assert result.exit_code == 0
        assert result.stdout.startswith("species: ")
        assert "ELSE" in result.stdout
        assert "saves" in result.stdout

    def test_json(self, iris_model: Path) -> None:
        shown = json.loads(turs("show", iris_model, "--json").stdout)
        scored = json.loads(turs("score", iris_model, IRIS, "--json").stdout)
        assert [rule["text"] for rule in shown["rules"]] == [rule["text"] for rule in scored["rules"]]
        assert [rule["counts"] for rule in shown["rules"]] == [rule["counts"] for rule in scored["rules"]]
        assert shown["else"]["probabilities"] == scored["else_probabilities"]


class TestHarmfulNames:
    """Names, levels and classes that break lines and steer a terminal, as a table may hold them."""

    COLUMN, LEVEL, CLASS, TARGET = "wa\x1b[2Jrd", "A\n\x9b31m\u2003B", "y\x1b]0;title\x07e\ns", "il\x1b[1m\nl"
    LINES = (
        r'r1  IF "wa\u001b[2Jrd" in {"A\n\u009b31m\u2003B"}',
        r"    no 0.000, y\x1b]0;title\x07e\ns 1.000  (100 rows",
        "    ELSE",
        r"    no 1.000, y\x1b]0;title\x07e\ns 0.000  (100 rows)",
    )

    @pytest.fixture
    def table(self, tmp_path: Path) -> Path:
        levels, classes = [self.LEVEL, "C"] * 100, [self.CLASS, "no"] * 100
        same = ["\x1b[8mx"] * 200
        columns = {self.COLUMN: levels, "same\x1b[8m": same, self.TARGET: classes}
        pd.DataFrame(columns).to_csv(tmp_path / "table.csv", index=False)
        return tmp_path / "table.csv"

    def assert_listed(self, result: Result, *, first: int) -> None:
        assert result.exit_code == 0, result.stderr
        assert all(char.isprintable() or char == "\n" for char in result.stdout + result.stderr)
        lines = result.stdout.splitlines()[first : first + 4]
        assert [line[: len(start)] for line, start in zip(lines, self.LINES, strict=True)] == list(self.LINES)

    def test_they_are_escaped(self, table: Path, tmp_path: Path) -> None:
        model = tmp_path / "model.json"
        learned = turs("learn", table, "--target", self.TARGET, "--out", model)
        self.assert_listed(learned, first=0)
        assert "note: Left out 'same\\x1b[8m'" in learned.stderr
        shown = turs("show", model)
        self.assert_listed(shown, first=2)
        assert shown.stdout.startswith("il\\x1b[1m\\nl: 1 rule learned from 200 rows, 1 feature\n\n")
        self.assert_listed(turs("score", model, table), first=0)

    def test_json_keeps_them(self, table: Path, tmp_path: Path) -> None:
        model = tmp_path / "model.json"
        assert turs("learn", table, "--target", self.TARGET, "--out", model).exit_code == 0
        shown = turs("show", model, "--json").stdout
        assert "\x1b" not in shown
        assert json.loads(shown)["target"] == self.TARGET
        assert json.loads(shown)["classes"] == ["no", self.CLASS]


class TestScore:
    def test_the_target_may_have_another_name(self, iris_model: Path, tmp_path: Path) -> None:
        path = tmp_path / "other.csv"
        pd.read_csv(IRIS).rename(columns={"species": "kind"}).to_csv(path, index=False)
        assert turs("score", iris_model, path).exit_code == 1
        result = turs("score", iris_model, path, "--target", "kind")
        assert result.exit_code == 0
        assert "bits = " in result.stdout


class TestPredict:
    def test_columns_of_the_input_stay_untouched(self, patients: Path, tmp_path: Path) -> None:
        model = tmp_path / "model.json"
        assert turs("learn", patients, "--target", "ill", "--out", model).exit_code == 0
        result = turs("predict", model, patients)
        assert result.exit_code == 0
        before = pd.read_csv(patients, dtype=str, keep_default_na=False)
        after = pd.read_csv(io.StringIO(result.stdout), dtype=str, keep_default_na=False)
        added = list(after.columns[before.shape[1] :])
        assert added == ["predicted", "p(no)", "p(yes)", "rules"]
        pd.testing.assert_frame_equal(after[before.columns], before)
        assert (after["predicted"] == before["ill"]).mean() > 0.95
        assert set(" ".join(after["rules"]).split()) <= {rule["id"] for rule in _document(model)["rules"]}
        assert (after[["p(no)", "p(yes)"]].astype(float).sum(axis="columns") == 1).all()

    @pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "xlsx", "csv.gz", "xlsx.gz"])
    def test_output_by_ending(self, ending: str, patients: Path, tmp_path: Path) -> None:
        model, out = tmp_path / "model.json", tmp_path / f"out.{ending}"
        assert turs("learn", patients, "--target", "ill", "--out", model).exit_code == 0
        result = turs("predict", model, patients, "--out", out)
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
        frame = read_table(out, text=["code", "note"]).frame
        assert len(frame) == 200
        assert frame["code"].tolist()[:2] == ["000", "001"]
        assert frame["note"].iloc[0] == "=1+2"
        if ending.endswith(".gz"):
            assert gzip.decompress(out.read_bytes())

    @pytest.mark.parametrize("ending", ["xlsx", "parquet"])
    def test_other_inputs(self, ending: str, patients: Path, tmp_path: Path) -> None:
        model, table = tmp_path / "model.json", tmp_path / f"in.{ending}"
        frame = pd.read_csv(patients, dtype={"code": str, "note": str}, keep_default_na=False)
        frame.to_excel(table, index=False) if ending == "xlsx" else frame.to_parquet(table, index=False)
        assert turs("learn", table, "--target", "ill", "--out", model).exit_code == 0
        result = turs("predict", model, table)
        after = pd.read_csv(io.StringIO(result.stdout), dtype=str, keep_default_na=False)
        expected = pd.read_csv(patients, dtype=str, keep_default_na=False)
        if ending == "xlsx":
            expected["note"] = expected["note"].replace("=1+2", "")  # a formula without a stored value
        pd.testing.assert_frame_equal(after[expected.columns], expected)

    def test_names_that_are_taken(self, iris_model: Path, tmp_path: Path) -> None:
        path = tmp_path / "taken.csv"
        pd.read_csv(IRIS).assign(predicted="?", rules="none").to_csv(path, index=False)
        result = turs("predict", iris_model, path)
        assert result.stdout.splitlines()[0].endswith(
            "predicted,rules,predicted (2),p(setosa),p(versicolor),p(virginica),rules (2)"
        )
        assert "'predicted (2)', 'rules (2)'" in result.stderr

    def test_the_class_column_is_not_needed_and_the_feature_columns_are(self, iris_model: Path, tmp_path: Path) -> None:
        path = tmp_path / "new.csv"
        pd.read_csv(IRIS).drop(columns="species").to_csv(path, index=False)
        assert turs("predict", iris_model, path).exit_code == 0
        pd.read_csv(IRIS).drop(columns="sepal width").to_csv(path, index=False)
        result = turs("predict", iris_model, path, "--out", tmp_path / "out.csv")
        assert_refused(result, "sepal width")
        assert not (tmp_path / "out.csv").exists()


def assert_refused(result: Result, *parts: str) -> None:
    """One clear line on standard error, nothing on standard output, exit code 1, no traceback."""
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    last = result.stderr.splitlines()[-1]
    assert last.startswith("turs: ")
    assert all(line.startswith("note: ") for line in result.stderr.splitlines()[:-1])
    for part in parts:
        assert part in last


def _document(path: Path) -> dict:
    return json.loads(path.read_text())


def _iris_text(**columns: object) -> bytes:
    return pd.read_csv(IRIS).assign(**columns).to_csv(index=False).encode()


BAD_TABLES = {
    "empty": ("t.csv", b"", ["empty"]),
    "blank": ("t.csv", b"\n\n", ["empty"]),
    "header only": ("t.csv", b"a,species\n", ["no rows"]),
    "one class": ("t.csv", _iris_text(species="setosa"), ["one class"]),
    "as many classes as rows": (
        "t.csv",
        _iris_text(species=[f"s{i}" for i in range(150)]),
        ["as many classes as rows"],
    ),
    "no label": ("t.csv", _iris_text(species=""), ["no known label"]),
    "all constant": ("t.csv", b"a,species\n" + b"1,x\n1,y\n" * 10, ["no usable feature", "'a'"]),
    "only an identifier": (
        "t.csv",
        b"id,species\n" + b"".join(b"%d,%s\n" % (i, b"xy"[i % 2 : i % 2 + 1]) for i in range(40)),
        ["no usable feature", "'id'"],
    ),
    "infinite": ("t.csv", _iris_text(**{"petal width": [np.inf, *[1.0] * 149]}), ["petal width", "infinite"]),
    "mixed types": (
        "t.csv",
        _iris_text(**{"petal width": ["about 3", *map(str, np.arange(149) / 7)]}),
        ["petal width", "about 3"],
    ),
    "broken workbook": ("t.xlsx", b"PK\x03\x04 not a workbook", ["t.xlsx"]),
    "broken parquet": ("t.parquet", b"PAR1 not parquet", ["t.parquet"]),
    "broken gzip": ("t.csv.gz", b"\x1f\x8b\x08 broken", ["gzip"]),
    "binary": ("t.csv", bytes(range(256)) * 4, ["t.csv"]),
    "ragged": ("t.csv", b"a,species\n1,x\n2,y,z\n", ["line 3"]),
    "unknown ending": ("t.doc", b"a,species\n1,x\n", [".doc"]),
}


@pytest.mark.parametrize("case", BAD_TABLES, ids=BAD_TABLES)
def test_bad_tables_get_one_clear_line(case: str, tmp_path: Path) -> None:
    name, content, parts = BAD_TABLES[case]
    (tmp_path / name).write_bytes(content)
    result = turs("learn", tmp_path / name, "--target", "species", "--out", tmp_path / "model.json")
    assert_refused(result, *parts)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_tables_that_are_unusual_but_fine(tmp_path: Path) -> None:
    frame = pd.read_csv(IRIS)
    many = pd.DataFrame({"big": [f"v{i}" for i in range(70_000)], "x": np.arange(70_000) % 9})
    many["species"] = np.where(many["x"] > 4, "a", "b")
    many.to_csv(tmp_path / "many.csv", index=False)
    result = turs("learn", tmp_path / "many.csv", "--target", "species")
    assert result.exit_code == 0
    assert "note: Left out 'big'" in result.stderr
    (tmp_path / "latin.csv").write_bytes(
        frame.rename(columns={"species": "größe"}).to_csv(index=False).encode("cp1252")
    )
    result = turs("learn", tmp_path / "latin.csv", "--target", "größe")
    assert result.exit_code == 0
    assert "not in UTF-8" in result.stderr
    frame.set_axis(["a", "a", "b", "c", "species"], axis="columns").to_csv(tmp_path / "repeated.csv", index=False)
    result = turs("learn", tmp_path / "repeated.csv", "--target", "species")
    assert result.exit_code == 0
    assert "'a (2)'" in result.stderr


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--target", "specis"), "'species'"),
        (("--target", "species", "--search", "best"), "portfolio"),
        (("--target", "species", "--beam-width", 0), "--beam-width is 0"),
        (("--target", "species", "--cuts", 0), "--cuts is 0"),
        (("--target", "species", "--kind", "petal width"), "zip=categorical"),
        (("--target", "species", "--kind", "petal width=number"), "numeric"),
        (("--target", "species", "--time-budget", -1), "--time-budget is -1"),
        (("--target", "species", "--most-rules", -1), "--most-rules is -1"),
        (("--target", "species", "--kind", "petal width=numerc"), "Did you mean 'numeric'?"),
        (("--target", "species", "--kind", "species=numeric"), "always classes"),
        (("--target", "species", "--kind", "petal with=numeric"), "'petal width'"),
        (("--target", "species", "--ignore", "petal with"), "'petal width'"),
        (("--target", "species", "--ignore", "species"), "target"),
        (("--target", "species", "--feature", "nothing"), "nothing"),
        (("--target", "species", "--not-use", "petal with"), "'petal width'"),
        (("--target", "species", "--direction", "petal width"), "direction"),
        (("--target", "species", "--test-size", 1.5), "test size"),
        (("--target", "species", "--test-size", 0.5, "--seed", -1), "seed"),
        (("--target", "species", "--out", "no/such/folder/model.json"), "no folder"),
        (("--target", "species", "--out", "."), "folder"),
    ],
)
def test_bad_options_get_one_clear_line(options: tuple[object, ...], part: str) -> None:
    assert_refused(turs("learn", IRIS, *options), part)


def test_bad_models_get_one_clear_line(iris_model: Path, tmp_path: Path) -> None:
    path, out = tmp_path / "model.json", tmp_path / "out.csv"
    text = iris_model.read_text()
    cases = {
        "truncated": (text[: len(text) // 2], "complete"),
        "newer": (text.replace('"version": 1', '"version": 99'), "newer version"),
        "not a model": ("{}", "format"),
        "other columns": (text.replace("petal width", "wingspan"), "wingspan"),
    }
    for content, part in cases.values():
        path.write_text(content)
        assert_refused(turs("predict", path, IRIS, "--out", out), part)
        assert_refused(turs("score", path, IRIS), part)
        assert not out.exists()
    assert_refused(turs("show", tmp_path / "none.json"), "none.json")
    assert_refused(turs("predict", iris_model, IRIS, "--out", tmp_path / "out.doc"), ".csv")
    assert_refused(turs("predict", iris_model, IRIS, "--out", tmp_path / "none" / "out.csv"), "cannot be written")
    other_classes = tmp_path / "other.csv"
    other_classes.write_bytes(_iris_text(species="rosa"))
    assert_refused(turs("score", iris_model, other_classes), "rosa", "setosa")


def test_wrong_usage_is_exit_code_2() -> None:
    assert turs("learn", IRIS, "--out").exit_code == 2
    assert turs("nothing").exit_code == 2
    assert turs("learn", IRIS, "--target", "species", "--cuts", "many").exit_code == 2


def test_without_a_target_the_columns_are_named(tmp_path: Path) -> None:
    result = turs("learn", IRIS)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "with --target COLUMN" in result.stderr
    assert all(f"'{name}'" in result.stderr for name in pd.read_csv(IRIS).columns)
    wide = pd.DataFrame(np.zeros((2, 100))).add_prefix("x" * 100)
    wide.to_csv(tmp_path / "wide.csv", index=False)
    assert "and 70 more" in turs("learn", tmp_path / "wide.csv").stderr
    assert_refused(turs("learn", tmp_path / "none.csv"), "There is no file")


def test_spaces_and_letter_case_do_not_matter(tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    options = ("--ignore", "sepal width ", "--kind", "petal width=Numeric", "--not-use", " petal length")
    result = turs("learn", IRIS, "--target", "species ", *options, "--test-size", 0, "--out", model)
    assert result.exit_code == 0, result.stderr
    assert "split" not in _document(model)["info"]
    assert "test rows" not in result.stdout
    assert turs("score", model, IRIS, "--target", " species").exit_code == 0


def test_a_column_of_which_the_model_knows_no_value_is_told(patients: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(patients, keep_default_na=False)
    frame["smokes"] = np.where(frame["ill"] == "yes", "true", "false")
    frame.to_csv(patients, index=False)
    model, other = tmp_path / "model.json", tmp_path / "other.csv"
    assert turs("learn", patients, "--target", "ill", "--feature", "smokes", "--out", model).exit_code == 0
    frame.assign(smokes=(frame["smokes"] == "true").astype(int)).to_csv(other, index=False)
    for command in ("score", "predict"):
        assert "knows no value" not in turs(command, model, patients).stderr
        told = turs(command, model, other)
        assert told.exit_code == 0
        assert "note: The model knows no value of 'smokes' in this table" in told.stderr
        assert "'false', 'true'" in told.stderr


def test_version_and_help() -> None:
    assert turs("--version").stdout == f"turs {__version__}\n"
    for command in ("learn", "show", "score", "predict"):
        assert turs(command, "--help").exit_code == 0


class TestProcess:
    """Real processes: pipes, a terminal, Ctrl-C."""

    def test_a_pipe_gets_no_progress_and_no_colour(self, tmp_path: Path) -> None:
        done = turs_process("learn", IRIS, "--target", "species", "--out", tmp_path / "model.json")
        assert done.returncode == 0
        assert "\x1b" not in done.stdout + done.stderr
        assert done.stderr.count("\n") == 1

    def test_an_error_is_one_line_without_traceback(self, tmp_path: Path) -> None:
        done = turs_process("learn", tmp_path / "none.csv", "--target", "species")
        assert done.returncode == 1
        assert done.stdout == ""
        assert done.stderr == f"turs: There is no file '{tmp_path / 'none.csv'}'.\n"

    def test_scikit_learn_is_not_loaded(self) -> None:
        code = (
            "import sys; from turs.cli import app;"
            f"app(['learn', {str(IRIS)!r}, '--target', 'species'], standalone_mode=False);"
            "assert 'sklearn' not in sys.modules and 'openpyxl' not in sys.modules"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr

    @pytest.mark.parametrize("reader", ["| head -1", "| true", "2>&1 | true", "> /dev/full", ">&-", ">&- 2>&-"])
    def test_the_model_is_written_whatever_happens_to_the_screen(self, reader: str, tmp_path: Path) -> None:
        model = tmp_path / "model.json"
        done = turs_shell(f"learn '{IRIS}' --target species --out '{model}' {reader}")
        assert "Traceback" not in done.stderr
        assert len(_document(model)["rules"]) > 0

    @pytest.mark.parametrize("command", ["predict", "score", "show", "--version"])
    @pytest.mark.parametrize(("screen", "reason"), [(">&-", "closed"), ("> /dev/full", "No space left")])
    def test_no_standard_output_is_one_clear_line(
        self, command: str, screen: str, reason: str, iris_model: Path
    ) -> None:
        names = {"predict": f"'{iris_model}' '{IRIS}'", "score": f"'{iris_model}' '{IRIS}'", "show": f"'{iris_model}'"}
        done = turs_shell(f"{command} {names.get(command, '')} {screen}")
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1].startswith("turs: standard output: ")
        assert command == "--version" or reason in done.stderr
        assert "Traceback" not in done.stderr

    def test_tables_come_through_pipes(self, iris_model: Path) -> None:
        plain = turs("predict", iris_model, IRIS).stdout
        assert turs_shell(f"learn <(cat '{IRIS}') --target species").stdout.startswith("r1 ")
        assert turs_shell(f"predict '{iris_model}' /dev/stdin < <(cat '{IRIS}')").stdout == plain
        assert turs_shell(f"predict '{iris_model}' <(gzip -c '{IRIS}')").stdout == plain
        assert "bits = " in turs_shell(f"score '{iris_model}' <(cat '{IRIS}')").stdout

    def test_letters_that_the_screen_lacks(self, tmp_path: Path) -> None:
        table, model = tmp_path / "table.csv", tmp_path / "model.json"
        pd.read_csv(IRIS).rename(columns={"petal width": "bl\xfcte", "petal length": "b"}).to_csv(table, index=False)
        ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
        done = turs_process(
            "learn", table, "--target", "species", "--out", model, "--feature", "bl\xfcte", env=ascii_only
        )
        assert done.returncode == 0, done.stderr
        assert "bl\\xfcte" in done.stdout
        shown = turs_process("show", model, "--json", env=ascii_only)
        assert "bl\xfcte" in json.loads(shown.stdout)["rules"][0]["text"]
        for refused in (
            turs_process("predict", model, table, env=ascii_only),
            turs_process("export", model, "--format", "sql", env=ascii_only),
        ):
            assert (refused.returncode, refused.stdout) == (1, "")  # never other letters than those of the table
            assert refused.stderr.startswith("turs: Standard output is in ascii")

    def test_a_terminal_gets_progress_and_ctrl_c_keeps_what_was_found(self, tmp_path: Path) -> None:
        generator = np.random.default_rng(0)
        table = pd.DataFrame(generator.normal(size=(20_000, 40)).round(3)).add_prefix("x")
        table["y"] = table.iloc[:, :8].sum(axis="columns") + generator.normal(size=len(table)) > 0
        table.to_parquet(tmp_path / "table.parquet")
        model = tmp_path / "model.json"
        arguments = ("learn", tmp_path / "table.parquet", "--target", "y", "--out", model)
        inside, outside = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "turs", *map(str, arguments)],
            stdout=subprocess.DEVNULL,
            stderr=outside,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
        )
        os.close(outside)
        shown = b""
        until = time.monotonic() + 120
        with contextlib.suppress(OSError):  # the terminal ends with the process
            while time.monotonic() < until and (piece := os.read(inside, 65536)):
                if b"growing rule 2" in shown and process.poll() is None and b"pressed" not in shown:
                    process.send_signal(signal.SIGINT)
                    shown += b"pressed"
                shown += piece
        os.close(inside)
        assert process.wait(timeout=60) == 0
        assert b"stopped before it was done; what it had found is kept" in shown
        assert b"bits" in shown
        assert len(_document(model)["rules"]) >= 1


class TestSheets:
    @pytest.fixture
    def book(self, tmp_path: Path) -> Path:
        path = tmp_path / "book.xlsx"
        with pd.ExcelWriter(path) as book:
            pd.DataFrame({"note": ["made by hand"]}).to_excel(book, sheet_name="Info", index=False)
            pd.read_csv(IRIS).to_excel(book, sheet_name="Flowers", index=False)
        return path

    def test_what_the_reader_noted_is_told_before_an_error(self, book: Path, iris_model: Path) -> None:
        for arguments in (
            ("learn", book, "--target", "species"),
            ("score", iris_model, book),
            ("predict", iris_model, book),
            ("edit", iris_model, book, "--delete", "r1", "--dry-run"),
        ):
            result = turs(*arguments)
            assert_refused(result, "There is no")
            assert result.stderr.count("2 sheets; 'Info' was read. Other sheets: 'Flowers'.") == 1
        assert "'Info' was read" in turs("learn", book).stderr

    def test_another_sheet_is_read(self, book: Path, tmp_path: Path) -> None:
        model, sheet = tmp_path / "model.json", ("--sheet", "Flowers")
        assert turs("learn", book, "--target", "species", *sheet, "--out", model).exit_code == 0
        for arguments in (
            ("score", model, book),
            ("predict", model, book),
            ("edit", model, book, "--delete", "r1", "--dry-run"),
            ("report", model, book, "--out", tmp_path / "report.html"),
        ):
            result = turs(*arguments, *sheet)
            assert result.exit_code == 0, result.stderr
            assert "was read" not in result.stderr
        assert_refused(turs("score", model, book, "--sheet", "flower"), "no sheet 'flower'", "'Flowers'")
        assert_refused(turs("score", model, IRIS, *sheet), "only an Excel workbook has sheets")


def test_the_model_comes_first(iris_model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    assert_refused(turs("score", IRIS, iris_model), "the model comes first")
    assert_refused(turs("predict", IRIS, iris_model), "the model comes first")
    assert_refused(turs("edit", IRIS, iris_model, "--delete", "r1", "--dry-run"), "the model comes first")
    assert_refused(turs("report", IRIS, iris_model, "--out", out), "the model comes first")
    assert_refused(turs("score", IRIS, IRIS), "is not JSON")


class TestWriting:
    def test_nothing_takes_the_place_of_what_it_is_made_from(self, iris_model: Path, tmp_path: Path) -> None:
        table = tmp_path / "iris.csv"
        table.write_bytes(IRIS.read_bytes())
        link = tmp_path / "link.csv"
        link.symlink_to(table)
        before = iris_model.read_bytes()
        for arguments in (
            ("learn", table, "--target", "species", "--out", table),
            ("learn", table, "--target", "species", "--out", link),
            ("predict", iris_model, table, "--out", table),
            ("export", iris_model, "--format", "text", "--out", iris_model),
            ("report", iris_model, table, "--out", iris_model),
        ):
            assert_refused(turs(*arguments), "would be lost")
        assert table.read_bytes() == IRIS.read_bytes()
        assert iris_model.read_bytes() == before

    def test_a_place_that_cannot_be_written_is_refused_before_learning(self) -> None:
        assert_refused(turs("learn", IRIS, "--target", "species", "--out", "/proc/model.json"), "cannot be written")

    def test_rules_are_shown_although_they_cannot_be_saved(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object) -> None:
            raise ModelError("model.json cannot be written: No space left on device.")

        monkeypatch.setattr("turs.cli.learning.save", fail)
        result = turs("learn", IRIS, "--target", "species", "--out", tmp_path / "model.json")
        assert result.exit_code == 1
        assert "petal width" in result.stdout
        assert "No space left" in result.stderr.splitlines()[-1]

    def test_a_column_cannot_be_used_and_left_out(self) -> None:
        name = "petal width"
        result = turs("learn", IRIS, "--target", "species", "--feature", name, "--ignore", name)
        assert_refused(result, "both name", name)

    def test_classes_without_rows_are_said(self, iris_model: Path, tmp_path: Path) -> None:
        path = tmp_path / "two.csv"
        frame = pd.read_csv(IRIS)
        frame[frame["species"] != "setosa"].to_csv(path, index=False)
        assert "without setosa, of which there is no row" in turs("score", iris_model, path).stdout
        assert json.loads(turs("score", iris_model, path, "--json").stdout)["absent_classes"] == ["setosa"]
