"""The report of hand-made rows: every table, every figure, and nothing fetched from anywhere."""

from __future__ import annotations

import csv
import json
import re

import pytest

from turs.benchmark import figures, outcome, report
from turs.benchmark.figures import COLOURS, comparative_literals, ecdf, gap_to_best, path_figure, patience_figure
from turs.benchmark.learners import DEFAULT, NO_LOCAL_TEST, NO_PATIENCE, PAPER, peer_learner
from turs.benchmark.outcome import run_info, write_experiment, write_scale
from turs.benchmark.report import NO_PLOTLY
from turs.benchmark.summary import AHEAD, BEHIND, LEVEL, Verdict, cells_of
from turs.benchmark.table import Table, shown
from turs.benchmark.tables import (
    metric_table,
    overview_table,
    random_pick_table,
    simulation_table,
    speed_table,
    verdict_table,
)
from turs.benchmark.undone import learner_table, omission_table, problem_table


def _row(dataset, learner, fold, **more):
    size = {"n_rules": 2, "n_literals": 3, "rows": 100, "path": [[0, 150.0, "start"], [60, 100.0, "added"]]}
    more_numbers = {"fit_cpu_s": 0.5, "fit_s": 0.5, "total_bits": 100.0, "g": 0.02, "g_with_else": 0.01}
    numbers = {"auc": 0.9 + 0.01 * fold, "random_pick_auc": 0.9, "overlap_share": 0.1, **size, **more_numbers}
    place = {"key": f"{dataset}{learner}{fold}", "dataset": dataset, "learner": learner, "fold": fold, "seed": 2}
    return {**place, "status": "ok", **numbers, **more}


def _rows():
    learners = (DEFAULT, PAPER, NO_PATIENCE, NO_LOCAL_TEST, "CN2")
    rows = [_row(name, learner, fold) for name in ("iris", "wine") for learner in learners for fold in range(2)]
    rows += [_row("simulation", learner, fold) for learner in (PAPER, NO_LOCAL_TEST) for fold in range(2)]
    rows.append(
        {
            "key": "x",
            "dataset": "<odd>",
            "learner": "J48",
            "fold": 0,
            "seed": 2,
            "status": "crashed",
            "reason": "a </script> b",
        }
    )
    return rows


TABLES = (
    "overview", "counts", "problems", "omissions", "auc", "verdicts", "random_pick", "g", "g_with_else", "literals",
    "rules", "bits", "ablations",
    "simulation", "time", "speed", "variants", "learners", "info",
)  # fmt: skip
FIGURES = (
    "gap", "gap_paper", "g_ecdf", "literals_ecdf", "literals_ecdf_paper", "patience", "simulation_path", "paths",
    "run_time",
)  # fmt: skip


def _fetches(text: str) -> list[str]:
    """Return the addresses that a browser would load; those within the report are none."""
    markup = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    return re.findall(r"""(?:src|href)\s*=(?!"#)|@import|url\(""", markup)


def test_everything_is_written_and_nothing_is_fetched(tmp_path, monkeypatch):
    monkeypatch.setattr(outcome, "plotly_script", lambda: "var Plotly;")
    tables = write_experiment(tmp_path, _rows(), run_info({"folds": 2}), [2])
    assert [table.key for table in tables] == ["overview", "counts", "problems", "omissions"]
    text = (tmp_path / "report.html").read_text()
    assert _fetches(text) == []
    assert not re.search(r"<(script|link|img|iframe)[^>]+(src|href)", text)
    for key in TABLES:
        assert f'id="table-{key}"' in text
    for key in FIGURES:
        assert f'id="figure-{key}"' in text
    ids = re.findall(r'id="([^"]+)"', text)
    assert len(set(ids)) == len(ids)
    links = re.findall(r'href="#([^"]+)"', text)
    assert links
    assert set(links) <= set(ids)
    assert text.count("var Plotly;") == 1
    assert NO_PLOTLY not in text
    assert "&lt;odd&gt;" in text
    assert text.count("<script>") == text.count("</script>") == 1 + len(FIGURES)


def test_without_plotly_the_tables_stand_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(outcome, "plotly_script", lambda: None)
    write_experiment(tmp_path, _rows(), run_info({"folds": 2}), [2])
    text = (tmp_path / "report.html").read_text()
    assert "Plotly is not installed" in text
    assert "<script" not in text
    assert 'id="table-g_ecdf"' in text


def test_csv_and_json_hold_every_row(tmp_path):
    write_experiment(tmp_path, _rows(), run_info({"folds": 2}), [2])
    with (tmp_path / "results.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(_rows())
    assert "path" not in lines[0]
    document = json.loads((tmp_path / "results.json").read_text())
    assert document["rows"] == _rows()
    assert document["info"]["folds"] == 2
    with (tmp_path / "summary.csv").open(newline="") as file:
        iris = next(line for line in csv.DictReader(file) if (line["dataset"], line["learner"]) == ("iris", DEFAULT))
    assert float(iris["auc_mean"]) == pytest.approx(0.905)
    assert (iris["statuses"], iris["paper_auc"], iris["against_paper"]) == ("ok:2", "0.981", "behind")
    with (tmp_path / "verdicts.csv").open(newline="") as file:
        opponents = {line["opponent"] for line in csv.DictReader(file)}
    assert {"TURS (paper)", "CN2", "CN2 (paper)", "RIPPER (paper)"} <= opponents


def test_a_run_in_which_nothing_worked_has_a_report(tmp_path):
    rows = [{"key": "", "dataset": "a", "learner": "CN2", "fold": None, "status": "missing", "reason": "not installed"}]
    write_experiment(tmp_path, rows, run_info({"folds": 2}), [2])
    assert "not installed" in (tmp_path / "report.html").read_text()


def test_speed_names_the_data_sets_on_which_turs_is_slower():
    rows = [
        _row("iris", DEFAULT, 0, fit_cpu_s=1.0), _row("iris", "CN2", 0, fit_cpu_s=4.0),
        _row("wine", DEFAULT, 0, fit_cpu_s=3.0), _row("wine", "CN2", 0, fit_cpu_s=1.5),
    ]  # fmt: skip
    assert speed_table(cells_of(rows)).rows == [(DEFAULT, "CN2", 1, 1, 2.25, "wine")]


def test_scale_report(tmp_path, monkeypatch):
    monkeypatch.setattr(outcome, "plotly_script", lambda: "var Plotly;")
    size = {"features": 5, "classes": 2, "rules": 3}
    rows = [
        {"varied": "rows", "learner": PAPER, "rows": n, **size, "status": "ok", "total_bits": 1.0, **numbers}
        for n, numbers in (
            (1_000, {"fit_s": 0.1, "learning_mb": 1.0, "edit_s": 0.01}),
            (10_000, {"fit_s": 1.0, "learning_mb": 1.0, "edit_s": 0.1}),
        )
    ]
    rows[1]["learning_mb"] += 1e-12
    tables = write_scale(tmp_path, rows, [], run_info({}))
    exponents = next(table for table in tables if table.key == "exponents")
    assert exponents.rows[0][3:6] == pytest.approx((1.0, 0.0, 1.0))
    text = (tmp_path / "report.html").read_text()
    assert _fetches(text) == []
    assert 'id="figure-fit_s"' in text
    line = text.partition('id="table-exponents"')[2].partition("</tr>\n")[0].rpartition("<tr>")[2]
    assert re.findall(r'<td class="number">([^<]*)</td>', line)[:4] == ["2", "1.00", "0.00", "1.00"]


def test_gap_to_best_and_ecdf_show_their_numbers():
    numbers = {"A": {"x": 0.9, "y": 0.8}, "B": {"x": 0.7, "y": 1.0}}
    gap = gap_to_best("gap", "Gap", numbers)
    assert gap.table.rows == [("x", 0.0, pytest.approx(-0.2)), ("y", pytest.approx(-0.2), 0.0)]
    curve = ecdf("e", "E", {**numbers, "none": {}}, "AUC")
    first, *_, last = curve.spec["data"]
    assert (first["x"], first["y"], first["text"]) == (
        [0.8, 0.8, 0.9, 1.02], [0.0, 0.5, 1.0, 1.0], ["y", "y", "x", "x"],
    )  # fmt: skip
    assert curve.spec["layout"]["xaxis"]["range"] == [0, 1.02]
    assert (first["name"], last["name"], last["x"], last["y"]) == ("A (2)", "none (0)", [], [])
    assert "number of data sets" in curve.note


def test_comparative_literals_leave_out_models_that_are_much_worse():
    literals = {"TURS": {"x": 4.0, "y": 6.0}, "big": {"x": 8.0, "y": 3.0}, "poor": {"x": 1.0, "y": 0.0}}
    aucs = {"TURS": {"x": 0.9, "y": 0.9}, "big": {"x": 0.85, "y": 0.9}, "poor": {"x": 0.7, "y": 0.9}}
    assert comparative_literals(literals, aucs, "TURS") == {
        "TURS": {"x": 1.0, "y": 0.5}, "big": {"x": 0.5, "y": 1.0}, "poor": {},
    }  # fmt: skip


def test_figures_are_valid_for_plotly(tmp_path, monkeypatch):
    objects = pytest.importorskip("plotly.graph_objects", reason="Plotly is in the app extra")
    seen = []
    monkeypatch.setattr(report, "_figure_html", lambda figure, drawn: seen.append(figure) or "")
    write_experiment(tmp_path, _rows(), run_info({"folds": 2}), [2])
    assert {figure.key for figure in seen} == set(FIGURES)
    for figure in seen:
        drawn = objects.Figure(figure.spec)
        assert drawn.layout.yaxis.title.text
    assert len(set(COLOURS)) == len(COLOURS)


def test_numbers_as_people_read_them():
    assert [shown(value) for value in (None, "a", 12345, 0.12345, 12.345, 1234.5, 0.00012, 0.0)] == [
        "-", "a", "12,345", "0.123", "12.3", "1,234", "0.00012", "0.000",
    ]  # fmt: skip
    assert [shown(value) for value in (2.6e-16, -7.5e-07, 1.3e-05)] == ["0.000", "0.000", "0.00001"]
    assert [shown(value, 2) for value in (-2.6e-16, 1.046, 3)] == ["0.00", "1.05", "3"]
    assert '<td class="number">0.00</td>' in Table("k", "T", ("a",), [(2.6e-16,)], decimals=2).to_html()


def _undone(dataset, learner, fold, status, reason):
    place = {"key": "", "dataset": dataset, "learner": learner, "fold": fold}
    return {**place, "status": status, "reason": reason, **({} if fold is None else {"seed": 2})}


def test_a_missing_peer_and_an_unreadable_data_set_take_one_line_each():
    rows = [_row(name, learner, fold) for name in ("iris", "wine") for learner in (DEFAULT, "CN2") for fold in range(2)]
    rows += [
        _undone("bad", learner, fold, "unreadable", "no rows") for learner in (DEFAULT, "CN2") for fold in range(3)
    ]
    rows += [_undone(name, "J48", None, "missing", "no Java") for name in ("iris", "wine", "bad")]
    rows += [_undone("big", "CN2", 0, "timeout", "not done after 9 s")]
    rows += [_undone("big", "CN2", fold, "timeout", "not tried: fold 0 was not done after 9 s") for fold in (1, 2)]
    rows += [_undone(name, "BRS", 0, "failed", f"there are {n} classes") for n, name in enumerate(("iris", "wine"), 3)]
    rows += [_undone("wine", "BRS", 1, "failed", "out of memory")]
    assert problem_table(rows).rows == [
        ("J48", "missing", None, "iris, wine, bad", "no Java"),
        (f"{DEFAULT}, CN2", "unreadable", 3, "bad", "no rows"),
        ("CN2", "timeout", 3, "big", "not done after 9 s (2 of these folds were not tried after that)"),
        ("BRS", "failed", 2, "iris, wine", "there are 3 classes (1 more with other numbers)"),
        ("BRS", "failed", 1, "wine", "out of memory"),
    ]
    without = [row for row in rows if row["learner"] != "BRS" and row["dataset"] != "big"]
    assert [(line[0], line[3]) for line in problem_table(without).rows] == [
        ("J48", "all 3 data sets"), ("all 2 learners", "bad"),
    ]  # fmt: skip


def test_what_the_numbers_leave_out_is_told():
    rows = [_row("iris", learner, fold, unlabelled_rows=3) for learner in (DEFAULT, "CN2") for fold in range(3)]
    rows[1] |= {"auc": None, "random_pick_auc": None, "absent_classes": ["b"]}
    rows[4] |= {"absent_classes": ["b"]}
    rows[3] |= {"g": None}
    assert omission_table(rows).rows == [
        ("iris", "all", "3 rows without a class label are in no fold", None),
        ("iris", "all", "class 'b' has no test row: the AUC leaves it out", 1),
        ("iris", DEFAULT, "no AUC: means and errors are of the other folds", 1),
        ("iris", "CN2", "no g score: means and errors are of the other folds", 1),
    ]
    line, _ = metric_table("auc", "AUC", cells_of(rows), "auc").rows
    assert line[1:] == ("0.910 ± 0.014 (of 2 folds, 1 without a value)", "0.910 ± 0.010")
    assert random_pick_table(cells_of(rows)).rows[0][2] == 2
    assert omission_table([_row("iris", DEFAULT, 0)]).rows == []


def test_a_column_has_the_same_number_of_decimals():
    rows = [_row(name, DEFAULT, fold, g=g) for fold in (0, 1) for name, g in (("a", 0.2), ("b", 2e-4))]
    table = metric_table("g", "g", cells_of(rows), "g")
    assert [line[1] for line in table.rows] == ["0.2000 ± 0.0000", "0.0002 ± 0.0000", "0.1001"]
    assert "standard deviation over folds" in table.note
    verdicts = [Verdict("a", DEFAULT, "CN2", 0.95, 0.9496, 0.0004, None, 1, LEVEL)]
    assert verdict_table(verdicts).texts()[0][3:7] == ["0.9500", "0.9496", "0.0004", "-"]


def test_the_sign_of_the_random_picks_is_told():
    table = random_pick_table(cells_of([_row("iris", DEFAULT, 0, auc=0.9, random_pick_auc=0.9004)]))
    assert table.columns[5] == "AUC less random pick"
    assert table.texts()[0][2:7] == ["1", "0.900", "0.900", "-0.0004", "10.0"]
    assert "random picks rank the rows worse" in table.note
    overview = overview_table(cells_of([_row("x", DEFAULT, 0, auc=0.9, random_pick_auc=0.9004)]), [])
    assert overview.rows[-1][1:] == (
        "AUC less random-pick AUC, largest difference (x: random picks are higher)", "-0.0004",
    )  # fmt: skip


def test_random_picks_that_change_nothing_are_neither_lower_nor_higher():
    overview = overview_table(cells_of([_row("x", DEFAULT, 0, auc=0.9, random_pick_auc=0.90001)]), [])
    assert overview.rows[-1][1:] == (
        "AUC less random-pick AUC, largest difference (x: random picks are the same)",
        "0.0000",
    )


def test_figures_of_the_paper_that_are_not_there_are_not_compared_with():
    statements = [line[1] for line in overview_table(cells_of([_row("mine", DEFAULT, 0)]), []).rows]
    assert not any("paper's literals" in statement for statement in statements)


def test_the_simulation_is_compared_by_the_g_score_of_the_paper():
    table = simulation_table([_row("simulation", PAPER, fold, g=0.5, g_with_else=0.006) for fold in (0, 1)])
    assert table.rows[0][-1] == "0.0060 ± 0.0000"
    assert table.rows[-1][2:] == ("1.00 ± 0.00", "1.000 ± 0.000", "0.724 ± 0.010", "2,050.1 ± 68.9", "0.0070 ± 0.0000")
    assert "counts the else rule" in table.note


def test_sections_that_were_not_asked_for_say_how_to_have_them(tmp_path, monkeypatch):
    monkeypatch.setattr(outcome, "plotly_script", lambda: None)
    write_experiment(tmp_path, [_row("iris", DEFAULT, fold) for fold in range(2)], run_info({"folds": 2}), [2])
    text = (tmp_path / "report.html").read_text()
    assert "--ablations fills this section" in text
    assert 'id="table-ablations"' not in text
    assert "Everything was done." in text


def test_ties_of_the_patience_figure_are_neutral():
    rows = [_row("iris", name, fold) for name in (PAPER, NO_PATIENCE) for fold in range(2)]
    figure = patience_figure(cells_of(rows), rows)
    assert figure.spec["data"][0]["marker"]["color"] == [figures._GREY]
    assert "the same, in grey, on 1" in figure.note


def test_paths_say_that_the_polish_is_part_of_them():
    steps = [[0, 9.0, "start"], [5, 8.0, "added"], [4, 7.0, "replaced"]]
    assert "polish" in path_figure("p", "P", [_row("iris", DEFAULT, 0, path=steps)], relative=True).note
    assert path_figure("p", "P", [_row("iris", DEFAULT, 0)], relative=True).note == ""


def test_what_is_behind_comes_first():
    found = [Verdict(name, DEFAULT, "CN2", 0.9, 0.9, 0.0, None, 1, name) for name in (AHEAD, BEHIND, LEVEL, BEHIND)]
    assert [line[-1] for line in verdict_table(found).rows] == [BEHIND, BEHIND, LEVEL, AHEAD]


def test_tables_are_not_cut(tmp_path, monkeypatch):
    """A height limit is for the numbers of a figure only, which are folded away."""
    monkeypatch.setattr(outcome, "plotly_script", lambda: None)
    write_experiment(tmp_path, _rows(), run_info({"folds": 2}), [2])
    style = (tmp_path / "report.html").read_text().partition("<style>")[2].partition("</style>")[0]
    cutting = [rule for rule in style.splitlines() if "max-height" in rule or "overflow" in rule]
    assert all(rule.startswith("details ") for rule in cutting)


def test_every_learner_is_named_with_its_version(tmp_path):
    rows = [_row("iris", DEFAULT, 0, version="turs 9"), _row("iris", "CART", 0, version="scikit-learn 1.2")]
    rows += [_row("wine", "CART", 0, version="scikit-learn 1.3"), _undone("wine", "J48", None, "missing", "no Java")]
    rows += [{**_undone("wine", DEFAULT, 0, "failed", "?"), "version": "turs 9"}]
    assert learner_table(rows).rows == [
        (DEFAULT, "turs 9", 1, 1, 1),
        ("CART", "scikit-learn 1.2, scikit-learn 1.3", 2, 2, 0),
    ]
    info = run_info({"folds": 2}, [peer_learner("CART")])
    assert info["CART"].startswith("scikit-learn ")
    assert {"python", "numpy", "numba", "CPUs"} <= info.keys()
    write_experiment(tmp_path, rows, info, [2])
    text = (tmp_path / "report.html").read_text()
    assert "scikit-learn 1.2, scikit-learn 1.3" in text
    assert '<td class="text">CPUs</td>' in text


def test_error_bars_have_one_colour():
    """Plotly takes the colours of the markers for them otherwise, and cannot use a list."""
    rows = _rows()
    trace = patience_figure(cells_of(rows), rows).spec["data"][0]
    assert isinstance(trace["marker"]["color"], list)
    assert isinstance(trace["error_y"]["color"], str)


def test_the_papers_literals_are_drawn_beside_ours(tmp_path, monkeypatch):
    seen = {}
    monkeypatch.setattr(report, "_figure_html", lambda figure, drawn: seen.update({figure.key: figure}) or "")
    write_experiment(tmp_path, _rows(), run_info({"folds": 2}), [2])
    names = [trace["name"] for trace in seen["literals_ecdf_paper"].spec["data"]]
    assert names[:3] == [f"{DEFAULT} (2)", f"{PAPER} (2)", "TURS (paper) (2)"]
    assert any(name.startswith("CN2 (paper)") for name in names)
    for key in ("literals_ecdf", "literals_ecdf_paper"):
        assert "by more than 0.1" in seen[key].note
