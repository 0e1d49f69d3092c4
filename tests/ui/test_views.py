"""What the pages draw, as values: columns, notices, cards, scans, effects, files to take away."""

from __future__ import annotations

import io
import math
from dataclasses import replace
from html import escape

import numpy as np
import pandas as pd
import pytest

from tests.ui.cases import overlapping
from turs.data import Table, read_table
from turs.editing import (
    AddRule,
    AttachNote,
    ChangeLevels,
    DeleteRule,
    LockRule,
    MoveCut,
    RemoveLiteral,
    ReplaceLiteral,
    Session,
    UnlockRule,
)
from turs.evaluate.shares import ClassShares
from turs.learn.learner import learn
from turs.rules.literal import Interval, LevelSet, Missingness
from turs.rules.rule import Rule, RuleSet
from turs.rules.schema import Feature, Kind
from turs.shipped import shipped
from turs.storage import Learning, Store
from turs.ui import numbers
from turs.ui.cards import Wanted, list_data, literal_words, rule_lines, rules_table, share_words, top_words
from turs.ui.chips import Bar, bars_markup
from turs.ui.columns import column_views, distributions
from turs.ui.found_rules import found_markup
from turs.ui.headline import headline_markup
from turs.ui.impact_view import changed_rows, impact_markup
from turs.ui.library import FIRST_WORKSPACE, first_workspace, open_saved, save_learned, saved_models
from turs.ui.literal_edit import drafted, edit_for, form_of, forms, with_form
from turs.ui.noticed import notices
from turs.ui.opened import OpenModel
from turs.ui.scan_view import (
    _edges,
    _unit,
    bar_table,
    best_literal,
    cut_data,
    cut_points,
    level_data,
    level_points,
)
from turs.ui.study import PARTS, Plan, Study, study_of
from turs.ui.table import DIGITS, csv_of, table_markup
from turs.ui.theme import class_colours, class_fills, legend
from turs.ui.warming import warm
from turs.ui.worker import Job


@pytest.fixture(scope="module")
def study() -> Study:
    rng = np.random.default_rng(5)
    n = 400
    age = rng.normal(60, 12, n).round()
    ward = rng.choice(["A", "B", "C"], n, p=[0.5, 0.3, 0.2])
    potassium = np.where(rng.random(n) < 0.6, np.nan, rng.normal(4, 0.5, n).round(1))
    risk = 1 / (1 + np.exp(-(age - 65) / 6 - 1.5 * (ward == "B")))
    label = np.where(rng.random(n) < risk, "yes", "no")
    frame = pd.DataFrame(
        {
            "patient id": np.arange(n) + 1000,
            "age": age,
            "ward": ward,
            "potassium": potassium,
            "hospital": "here",
            "code": np.where(label == "yes", "Y1", "N1"),
            "outcome": label,
        }
    )
    return study_of("patients", Table(frame, ("A note of the reader.",)), Plan("outcome"))


@pytest.fixture
def opened(study: Study, tmp_path_factory: pytest.TempPathFactory) -> OpenModel:
    """Two overlapping rules on numbers and levels."""
    rules = RuleSet(study.schema)
    rules = rules.with_rule(Rule("r1", (Interval("age", low=66.5), LevelSet("ward", ("A", "B")))))
    rules = rules.with_rule(Rule("r2", (Interval("age", low=50.5, high=72.5),)))
    session = Session(rules, study.training, study.validation)
    return OpenModel("test", study, session, Learning(), "")  # type: ignore[arg-type]  # no store is needed here


def test_the_three_parts_are_disjoint_and_stratified(study: Study) -> None:
    parts = [getattr(study.split, part) for part in PARTS]
    everyone = np.concatenate(parts)
    assert sorted(everyone.tolist()) == list(range(400))
    shares = [(study.frame_of(part)["outcome"] == "yes").mean() for part in PARTS]
    assert max(shares) - min(shares) < 0.02


def test_columns_have_kind_role_and_rows_by_class(study: Study) -> None:
    views = {view.name: view for view in column_views(study)}
    assert views["outcome"].role == "target"
    assert {name for name, view in views.items() if view.role == "left out"} == {"patient id", "hospital"}
    assert views["ward"].kind == "categorical"
    assert views["age"].kind == "numeric"
    assert views["potassium"].missing == pytest.approx(study.frame_of("training")["potassium"].isna().mean())
    for view in views.values():
        known = round((1 - view.missing) * study.training.n_rows)
        assert view.bars.sum() == known
    by_ward = study.frame_of("training").groupby(["ward", "outcome"]).size()
    place = views["ward"].values.index("B")
    assert views["ward"].bars[place].tolist() == [by_ward["B", "no"], by_ward["B", "yes"]]
    assert set(distributions(study)["column"]) == set(views)


def test_what_is_odd_is_noticed_with_a_proposal_that_settles_it(study: Study) -> None:
    found = notices(study)
    texts = " ".join(notice.text for notice in found)
    for name in ("'code' alone tells 100.0 %", "'potassium' is missing", "'patient id'", "'hospital'", "A note"):
        assert name in texts
    leak = next(notice for notice in found if "'code'" in notice.text)
    assert leak.plan is not None
    after = study_of("patients", study.table, leak.plan)
    assert "code" not in [feature.name for feature in after.schema.features]
    assert not any("'code'" in notice.text for notice in notices(after))
    kept = next(notice for notice in found if "'patient id'" in notice.text)
    assert kept.plan is not None
    again = study_of("patients", study.table, kept.plan)
    assert "patient id" in [feature.name for feature in again.schema.features]


def test_rare_classes_are_noticed() -> None:
    frame = pd.DataFrame({"x": np.arange(200.0) % 17, "y": ["rare"] * 10 + ["often"] * 190})
    found = [notice for notice in notices(study_of("t", Table(frame), Plan("y"))) if "'rare'" in notice.text]
    assert len(found) == 1
    assert found[0].plan is not None
    assert found[0].plan.test == 0


def test_cards_hold_the_engines_numbers_in_the_order_that_is_wanted(opened: OpenModel) -> None:
    evaluation = opened.session.state.evaluation
    saved = {part.id: part.bits_saved for part in evaluation.contributions}
    lines = rule_lines(opened, Wanted())
    assert [line.rule.id for line in lines] == sorted(saved, key=lambda rule: -(saved[rule] or 0.0))
    data = list_data(opened, lines, "r1", "ward", "cards")
    card = next(card for card in data["cards"] if card["id"] == "r1")
    score = next(rule for rule in opened.session.state.score.rules if rule.id == "r1")
    assert card["coverage"] == str(score.coverage)
    assert card["shares"] == pytest.approx([count / score.coverage for count in score.counts])
    assert [part["selected"] for part in card["literals"]] == [False, True]
    assert data["cards"][-1]["otherwise"]
    top = int(np.argmax(card["shares"]))
    assert card["top"] == f"{opened.study.schema.classes[top]}: {card['shares'][top]:.2f}"
    assert [line.rule.id for line in rule_lines(opened, Wanted(feature="ward"))] == ["r1"]
    assert not rule_lines(opened, Wanted(least_rows=10_000))
    table = rules_table(opened, lines)
    assert table["rule"].tolist() == [*(line.rule.id for line in lines), "else"]
    label = opened.study.schema.classes[0]
    assert table[f"p({label}) training"].tolist()[:-1] == [line.training.probabilities[0] for line in lines]
    saved = [line.contribution.bits_saved for line in lines]
    assert [line.rule.id for line in rule_lines(opened, Wanted(least_saved=saved[0]))] == [lines[0].rule.id]
    apart = max(line.distance for line in lines)
    assert all(line.distance == apart for line in rule_lines(opened, Wanted(least_distance=apart)))
    assert not rule_lines(opened, Wanted(least_distance=apart + 1e-9))
    assert literal_words(Interval("age", 50.5, 72.5), opened.study.schema) == "50.5 ≤ age < 72.5"


@pytest.mark.parametrize(
    ("classes", "told", "short"),
    [
        (("6", "0"), "class 6", "class 6"),
        (("yes", "no"), "yes", "yes"),
        (("<i>a</i>", "b"), "<i>a</i>", "<i>a</i>"),
        ((f"{'x' * 70}01", "b"), f"{'x' * 70}01", f"{'x' * 30} … {'x' * 28}01"),
    ],
)
def test_a_class_is_told_as_one_and_before_its_share(
    opened: OpenModel, classes: tuple[str, ...], told: str, short: str
) -> None:
    schema = replace(opened.study.schema, classes=classes)
    shares = ClassShares((3, 1))
    assert share_words(schema, shares, None) == f"{told}: 0.75 training"
    assert top_words(schema, shares) == f"{short}: 0.75"
    assert f"{escape(told)}: 0.75 · 4 rows" in found_markup([Rule("r1", ())], [shares], schema)
    bars = bars_markup([Bar("r1", shares.probabilities, "")], classes)
    assert f'title="{escape(told)}: 0.75"' in bars
    assert "<i>a" not in bars


def test_rules_that_were_found_say_what_follows_from_them(study: Study) -> None:
    job = Job(study)
    job.wait(60)
    assert job.learned is not None
    rules = job.learned.rule_set.rules
    rows = study.frame_of("training")
    [codes] = [literal.levels for rule in rules for literal in rule.literals if literal.feature == "code"]
    covered = rows[rows["code"].isin(codes)]["outcome"]
    text = found_markup(rules, [job.shares_of(rule) for rule in rules], study.schema)
    assert f"{covered.iloc[0]}: 1.00 · {len(covered)} rows" in text


def test_every_point_of_the_slider_is_what_a_preview_gives(opened: OpenModel) -> None:
    literal = opened.session.version.rules[0].literals[0]
    assert isinstance(literal, Interval)
    data = cut_data(opened, "r1", literal, "low", locked=False)
    assert data["cuts"][data["at"]] == data["kept"] == 66.5
    assert data["bits"][data["at"]] == pytest.approx(data["before"]["bits"])
    assert data["best"] == int(np.argmin(data["bits"]))
    for place in (0, len(data["cuts"]) // 3, data["best"]):
        edit = edit_for(opened.session.version, "r1", Interval("age", data["cuts"][place]))
        after = opened.session.state if edit is None else opened.session.preview(edit).after
        assert data["bits"][place] == pytest.approx(after.score.total_bits)
        side = after.evaluation.headline.evaluation
        assert side is not None
        assert data["validation"][place] == pytest.approx(side.auc)
    rest = study_rows(opened, LevelSet("ward", ("A", "B")))
    assert sum(map(sum, data["bars"])) == rest


@pytest.mark.parametrize(("name", "unit"), [("age", 1.0), ("potassium", 0.1)])
def test_bars_stand_on_the_grid_of_the_values_and_inside_the_plot(opened: OpenModel, name: str, unit: float) -> None:
    literal = Interval(name, low=float(np.median(opened.study.schema.feature(name).cuts)))
    opened.session.apply(AddRule((literal,)))
    data = cut_data(opened, "r3", literal, "low", locked=False)
    edges = np.array(data["edges"])
    assert data["domain"] == [edges[0], edges[-1]]
    steps = np.diff(edges) / unit
    np.testing.assert_allclose(steps, round(steps[0]))
    assert steps[0] >= 0.5
    column = opened.study.frame_of("training")[name].dropna().to_numpy()
    totals = np.sum(data["bars"], axis=0)
    inner = (column >= edges[1]) & (column < edges[-2])
    np.testing.assert_array_equal(totals[1:-1], np.histogram(column[inner], edges[1:-1])[0])
    assert totals.sum() == len(column)
    table = bar_table(opened, "r3", literal, cut_points(opened, "r3", literal, "low"))
    assert table.iloc[:, 2:].to_numpy().T.tolist() == data["bars"]
    assert table[f"{name} from"].tolist() == pytest.approx(data["edges"][:-1])


def test_numbers_with_one_decimal_leave_no_bar_empty() -> None:
    values = np.repeat(np.arange(0.5, 3.1, 0.1), 5).round(1)
    edges = _edges(values, (0.55, 2.95), _unit(values))
    assert _unit(values) == pytest.approx(0.1)
    assert set(np.histogram(values, edges)[0]) <= {0, 5}
    assert (np.histogram(values, edges)[0][1:-1] == 5).all()
    assert _unit(np.array([5.0, 10.0, np.nan, 25.0])) == 5.0
    assert _unit(np.array([0.5, 1 / 3])) == 0.0


def study_rows(opened: OpenModel, literal: LevelSet) -> int:
    return int(opened.study.frame_of("training")[literal.feature].isin(literal.levels).sum())


def test_level_boxes_tell_the_bits_of_each_change(opened: OpenModel) -> None:
    literal = opened.session.version.rules[0].literals[1]
    assert isinstance(literal, LevelSet)
    points = level_points(opened, "r1", literal)
    impact = opened.session.preview(ChangeLevels("r1", "ward", ("A", "B", "C")))
    assert points["C"].total_bits == pytest.approx(impact.score_after.total_bits)
    data = level_data(opened, "r1", literal, locked=False)
    assert [level["chosen"] for level in data["levels"]] == [True, True, False]
    change = impact.score_after.total_bits - opened.session.state.score.total_bits
    assert data["levels"][2]["change"] == numbers.change(change, numbers.bits(change))


def test_the_best_literal_has_the_fewest_bits(opened: OpenModel) -> None:
    feature = opened.study.schema.feature("ward")
    best = best_literal(opened, "r2", feature)
    bits = {
        level: opened.session.preview(edit).score_after.total_bits
        for level in feature.levels
        if (edit := edit_for(opened.session.version, "r2", LevelSet("ward", (level,)))) is not None
    }
    assert best == LevelSet("ward", (min(bits, key=bits.__getitem__),))


def test_edits_follow_from_literals(opened: OpenModel) -> None:
    version = opened.session.version
    assert edit_for(version, "r1", Interval("age", 66.5)) is None
    assert edit_for(version, "r1", Interval("age", 70.0)) == MoveCut("r1", "age", low=70.0)
    assert edit_for(version, "r1", Interval("age", high=70.0)) == ReplaceLiteral(
        "r1", "age", Interval("age", high=70.0)
    )
    move = MoveCut("r2", "age", high=70.0)
    assert drafted(version, "r2", "age", move) == Interval("age", 50.5, 70.0)
    assert drafted(version, "r2", "ward", move) is None
    feature = opened.study.schema.feature("potassium")
    assert forms(feature) == ["≥", "<", "between", "is missing", "is known"]
    for form in forms(feature):
        literal = with_form(Interval("potassium", low=feature.cuts[3]), form, feature)
        assert form_of(literal) == form
        assert isinstance(literal, Missingness) == form.startswith("is")


def test_the_effect_shows_rows_and_overlaps(opened: OpenModel) -> None:
    impact = opened.impact(RemoveLiteral("r1", "ward"))
    shown = impact_markup(impact)
    assert numbers.bits(impact.score_after.total_bits) in shown
    assert "Rows of exactly r1 ∧ r2" in shown
    found = changed_rows(impact, opened.study, validation=False)
    rows = found.frame
    assert len(rows) == impact.training.n_probability_changed
    frame = opened.study.table.frame
    assert (frame["age"].iloc[rows["row"].to_numpy() - 1].to_numpy() == rows["age"].to_numpy()).all()


def test_a_cut_has_the_digits_that_keep_it_among_its_neighbours() -> None:
    measured = Feature("x", Kind.NUMERIC, cuts=(-1.14295663374639, 0.653755746354, 0.65375581, 1.64298192772, 117.45))
    shown = [numbers.signed_cut(cut, measured) for cut in measured.cuts]
    assert shown == [f"{numbers.MINUS}1.14296", "0.6537557464", "0.65375581", "1.64298", "117.45"]
    assert numbers.cut(measured.cuts[1], measured) == "0.653755746354"  # what can be edited is exact


def test_rows_that_change_come_in_an_order_that_is_said() -> None:
    model = overlapping()
    impact = model.session.preview(DeleteRule("r1"))
    found = changed_rows(impact, model.study, validation=False)
    rows = found.frame
    n_flips = impact.training.n_class_changed
    assert 0 < n_flips < len(rows)
    assert set(rows["row"][:n_flips]) == set((model.study.split.training[impact.changed_rows("class")] + 1).tolist())
    before, after = (rows[name] for name in found.shares)
    change = (after - before).abs().round(4)
    for part in (slice(0, n_flips), slice(n_flips, None)):
        lines = list(zip(-change[part], rows["row"][part], strict=True))
        assert lines == sorted(lines)
    assert f"First the {n_flips} rows with another predicted class, then the largest change of" in found.order


def test_numbers_are_for_people() -> None:
    assert numbers.bits(-1234.56) == f"{numbers.MINUS}1,234.6"
    assert numbers.bits(-0.01) == "0.0"
    assert numbers.auc(math.nan) == numbers.NOTHING
    assert numbers.change(-0.0001, numbers.auc(-0.0001)) == ""
    assert numbers.change(0.25, numbers.share(0.25)) == "+25.0 %"
    assert numbers.rows(1) == "1 row"


def test_the_state_line_names_the_last_edit_as_text(opened: OpenModel) -> None:
    line = opened.headline
    shown = headline_markup(line, line, line, '<b>"x"</b>')
    assert "<b>" not in shown
    assert shown.count("since learning") == shown.count("last edit") == 7
    assert "as they were learned" in headline_markup(line, None, line)


def test_a_note_or_a_lock_is_no_change_of_the_rules(opened: OpenModel) -> None:
    rule = opened.session.version.ids[0]
    opened.session.apply(AttachNote(rule, "seen"))
    assert opened.headline_before is None
    opened.session.apply(DeleteRule(opened.session.version.ids[-1]))
    before, words = opened.headline_before, opened.last_edit
    assert before == opened.headline_learned != opened.headline
    for edit in (LockRule(rule), AttachNote(rule, "seen again"), UnlockRule(rule)):
        opened.session.apply(edit)
        assert (opened.headline_before, opened.last_edit) == (before, words)


def test_a_change_of_the_overlap_is_in_points(opened: OpenModel) -> None:
    line = opened.headline
    before = replace(line, training=replace(line.training, overlap_share=line.training.overlap_share + 0.233))
    assert f">{numbers.MINUS}23.3 points</span> last edit" in headline_markup(line, before, line)


def test_a_number_that_does_not_exist_says_why(opened: OpenModel) -> None:
    line = replace(opened.headline, evaluation=None)
    assert f'{numbers.NOTHING}</div><div class="change">no such rows' in headline_markup(line, line, line)


def test_numbers_in_a_table_never_break_and_long_names_may() -> None:
    text = table_markup(("a", "b", "c"), [("x", "1,234.5 to 92.3 %", "5 rows of Donaudampfschifffahrt 0.55")])
    assert "<td>1,234.5 to 92.3\N{NO-BREAK SPACE}%</td>" in text
    assert '5 rows of <span class="t-long">Donaudampfschifffahrt</span> 0.55' in text


def test_computed_numbers_in_files_have_the_same_digits() -> None:
    frame = pd.DataFrame({"bits": [841.356, 773.22774], "n": [1, 2], "auc": [0.947, math.nan]})
    assert csv_of(frame, digits=DIGITS).decode() == "bits,n,auc\n841.3560,1,0.9470\n773.2277,2,\n"
    assert csv_of(frame).decode().startswith("bits,n,auc\n841.356,")


def test_the_key_of_many_classes_opens_with_a_click() -> None:
    few, many = (tuple(f"<b>{index}" for index in range(n)) for n in (3, 12))
    assert "<details" not in legend(few)
    assert "<details" in legend(many)
    assert "<b>" not in legend(many)
    assert len(set(class_colours(12))) == 12
    assert len(set(class_colours(26))) == 26
    assert "stripes" not in legend(many)
    assert "after twelve, colours come again in stripes" in legend(tuple(map(str, range(26))))
    assert [fill["stripe"] != "" for fill in class_fills(14)] == [False] * 12 + [True] * 2


def test_no_cell_of_a_file_is_a_formula() -> None:
    frame = pd.DataFrame({"=1+1": ["=cmd()", "+1+x", "-x", "@sum", "plain", "-1.5"], "n": [-1.5, 2, 3, 4, 5, 6]})
    back = pd.read_csv(io.BytesIO(csv_of(frame)))
    assert list(back.columns) == ["'=1+1", "n"]
    assert back["'=1+1"].tolist() == ["'=cmd()", "'+1+x", "'-x", "'@sum", "plain", "-1.5"]
    assert back["n"].tolist() == [-1.5, 2, 3, 4, 5, 6]


def test_what_was_learned_comes_back_from_the_store(study: Study, tmp_path_factory: pytest.TempPathFactory) -> None:
    with Store.open(tmp_path_factory.mktemp("store") / "s.sqlite") as store:
        place = first_workspace(store)
        assert place.name == FIRST_WORKSPACE
        job = Job(study)
        assert job.wait(120)
        assert job.learned is not None
        saved = save_learned(store, place, job, job.learned, "A. Person")
        rule = saved.session.version.rules[0]
        saved.session.apply(AddRule((Interval("age", low=70.25),)), note="missing")
        again = open_saved(store, saved.id, "")
        assert again.session.version == saved.session.version
        assert again.headline == saved.headline
        assert again.headline_before == saved.headline_before
        assert again.study.plan.target == "outcome"
        assert again.learning.steps
        assert rule in again.session.version.rules
        assert [line.record.id for line in saved_models(store, place)] == [saved.id]
        save_learned(store, place, job, job.learned, "A. Person")
        save_learned(store, place, job, job.learned, "A. Person")
        labels = [line.label for line in saved_models(store, place)]
        assert len(set(labels)) == len(labels) == 3


def test_the_worker_tells_its_path(study: Study) -> None:
    job = Job(study)
    assert job.wait(120)
    assert job.error is None
    assert job.learned is not None
    assert job.learned.rule_set == learn(study.training.data).rule_set
    assert job.path[0].n_rules == 0
    assert job.path[-1].total_bits <= job.path[0].total_bits


def test_warming_runs_through() -> None:
    warm()


def test_rows_stay_in_their_parts_while_columns_change() -> None:
    table = read_table(shipped("sample_data") / "breast_cancer.csv")
    first = study_of("cancer", table, Plan("diagnosis", seed=7))
    changed = study_of("cancer", table, Plan("diagnosis", ignored=("mean radius",), seed=None), first.split)
    np.testing.assert_array_equal(changed.split.test, first.split.test)
    assert "mean radius" not in [feature.name for feature in changed.schema.features]
