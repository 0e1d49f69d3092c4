"""The report on an edited rule set for a committee: one HTML page that needs nothing else and prints well.

It tells what the data are, what the rules say, who changed them and why, what that did to bits and AUC, where rules
overlap and how much that matters, how the rules fare on rows that they were not learned from, and how to repeat it.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Iterator
from dataclasses import dataclass, field
from dataclasses import fields as fields_of
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

from turs import __version__
from turs.editing import LEARNED, Entry, Impact, Session
from turs.evaluate.evaluation import Evaluation
from turs.evaluate.metrics import Metrics
from turs.learn.settings import Constraints, Settings
from turs.page import Html, colour_key, diagonal_plot, element, page, section, share_bar, table
from turs.rules.rule import Rule
from turs.rules.text import format_literal

_MOST_OVERLAPS = 20
_OTHER_ROWS = (
    "The training rows are not those that the rules were learned from: the rules are counted anew on them. Whether the"
    " rules were learned from some of the other rows is not known."
)
_LIBRARIES = ("numpy", "numba", "pandas", "scikit-learn")


@dataclass(frozen=True)
class Look:
    """Somebody looked at the sealed test rows.

    Parameters
    ----------
    author, time : str
        Who and when.
    result : dict of str to float
        What was seen.
    """

    author: str
    time: str
    result: dict[str, Any]


@dataclass(frozen=True)
class Earlier:
    """An edit that was made before the session, told by the document of the model.

    Parameters
    ----------
    what : str
        In plain words.
    rules : tuple of str
        Ids of the rules that it names.
    time, author, note : str
        When (ISO 8601, UTC), who and why; empty where unknown.
    total_bits, validation_auc : float or None
        After it, where known.
    """

    what: str
    rules: tuple[str, ...] = ()
    time: str = ""
    author: str = ""
    note: str = ""
    total_bits: float | None = None
    validation_auc: float | None = None


@dataclass(frozen=True)
class About:
    """What a report tells beside the rules and the edits.

    Parameters
    ----------
    title : str
        Of the report.
    table : str
        What the table is called.
    notes : tuple of str
        What was decided while it was read.
    n_test : int
        Rows of the sealed test part.
    settings : Settings or None
        Of the learner, where known.
    constraints : Constraints or None
        What was demanded of it, where known.
    openings : tuple of Look
        Looks at the test part.
    edits : tuple of Earlier
        Edits before those of the session.
    facts : dict of str to str
        Further lines beside the settings.
    learned_from : bool
        Whether the training rows are those that the rules were learned from. Otherwise the validation rows may be
        among these, and the report does not say that the rules never saw them.
    """

    title: str = "Rule set report"
    table: str = ""
    notes: tuple[str, ...] = ()
    n_test: int = 0
    settings: Settings | None = None
    constraints: Constraints | None = None
    openings: tuple[Look, ...] = field(default=())
    edits: tuple[Earlier, ...] = ()
    facts: dict[str, str] = field(default_factory=dict)
    learned_from: bool = True


def report_of(session: Session, about: About | None = None) -> str:
    """Return the report on a session as the text of an HTML page."""
    about = about or About()
    evaluation = session.state.evaluation
    whole = session.compare(LEARNED)
    target = session.state.rule_set.schema.target
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    n_edits = len(about.edits) + len(session.history.path())
    lead = (
        f"{len(evaluation.rule_set.rules)} rules for {target}, {n_edits} edit{'' if n_edits == 1 else 's'} since"
        f" learning. Made on {made} with TURS Studio {__version__}."
    )
    return page(
        about.title,
        element("h1", about.title),
        element("p", lead, class_="quiet"),
        _data_section(session, about),
        _numbers_section(whole, is_edited=bool(session.history.path())),
        _rules_section(session, about),
        _edits_section(session, about),
        _overlaps_section(evaluation),
        _stability_section(evaluation),
        _generalisation_section(evaluation, about),
        _calibration_section(evaluation),
        _repeat_section(about),
    )


def _data_section(session: Session, about: About) -> Html:
    """Tell what the rows are and how they were divided."""
    state = session.state
    classes = state.rule_set.schema.classes
    parts = [("training", state.training), ("validation", state.validation)]
    rows: list[list[str | int]] = []
    for name, part in parts:
        if part is not None:
            counts = part.patterns.counts.sum(axis=0).tolist()
            rows.append([name, sum(counts), *counts])
    if about.n_test:
        rows.append(["sealed test part", about.n_test, *("" for _ in classes)])
    schema = state.rule_set.schema
    told = f"The table {about.table} has" if about.table else "The table has"
    unused = set(about.constraints.unused) if about.constraints is not None else set()
    usable = [feature for feature in schema.features if feature.name not in unused]
    kinds = ", ".join(
        f"{feature.name} ({feature.kind}{', not used' if feature.name in unused else ''})"
        for feature in schema.features
    )
    notes = [element("p", note, class_="quiet") for note in about.notes]
    checks = "" if state.validation is None else "; the validation rows only check"
    return section(
        "Data",
        f"{told} {len(usable)} feature{'' if len(usable) == 1 else 's'} that rules may use; the class is"
        f" {schema.target}. Bits and probabilities come from the training rows{checks}.",
        *([] if about.learned_from else [_OTHER_ROWS]),
        table(["part", "rows", *classes], rows),
        element("p", f"Features: {kinds}", class_="quiet"),
        *notes,
    )


def _numbers_section(whole: Impact, *, is_edited: bool) -> Html:
    """Tell bits, AUC and the other numbers; where the session has edits, before and after them."""
    before, after = whole.before.evaluation, whole.after.evaluation
    if not is_edited:
        lines = ((name, value, form) for name, _, value, form in _numbers(after, after))
        return section("Numbers", table(["", "value"], [[name, _number(value, form)] for name, value, form in lines]))
    rows = [_number_row(*line) for line in _numbers(before, after)]
    parts: list[Html | str] = [table(["", "learned", "now", "change"], rows)]
    if whole.validation is not None and not math.isnan(whole.validation.before.auc):
        change = whole.validation.auc_change()
        parts.append(
            f"The validation AUC changes by {change.change:+.4f}; drawing the rows anew, 95 % of the changes lie"
            f" between {change.low:+.4f} and {change.high:+.4f}."
        )
    return section("What the edits did", *parts)


def _numbers(before: Evaluation, after: Evaluation) -> Iterator[tuple[str, float | None, float | None, str]]:
    """Yield names, values before and after, and formats."""
    old, new = before.headline, after.headline
    for name in ("total_bits", "nll_bits", "regret_bits", "model_bits"):
        label = {"total_bits": "bits", "nll_bits": "likelihood bits", "regret_bits": "regret bits"}.get(
            name, "model bits"
        )
        yield label, getattr(old, name), getattr(new, name), ",.1f"
    yield "rules", old.n_rules, new.n_rules, ",d"
    yield "literals", old.n_literals, new.n_literals, ",d"
    pairs = [("training", old.training, new.training, before.metrics_training, after.metrics_training)]
    checks = before.metrics_evaluation, after.metrics_evaluation
    if old.evaluation and new.evaluation and checks[0] and checks[1]:
        pairs.append(("validation", old.evaluation, new.evaluation, checks[0], checks[1]))
    for side, was, now, metrics_was, metrics_now in pairs:
        yield f"{side} AUC", was.auc, now.auc, ".3f"
        yield f"{side} AUC of random picks", was.random_pick_auc, now.random_pick_auc, ".3f"
        yield f"{side} rows in overlaps", was.overlap_share, now.overlap_share, ".1%"
        for name in ("log_loss", "brier", "accuracy"):
            yield f"{side} {name.replace('_', '-')}", *_pair(metrics_was, metrics_now, name), ".3f"


def _pair(before: Metrics, after: Metrics, name: str) -> tuple[float, float]:
    """Return one metric before and after."""
    return getattr(before, name), getattr(after, name)


def _number(value: float | None, form: str) -> str:
    """Return a number as text; nothing where there is none."""
    return "" if value is None or math.isnan(value) else format(value, form)


def _number_row(name: str, before: float | None, after: float | None, form: str) -> list[str]:
    """Return a line of the table of numbers."""
    if before is None or after is None or math.isnan(before) or math.isnan(after):
        return [name, "", "", ""]
    change = format(after - before, f"+{form}") if after != before else ""
    return [name, format(before, form), format(after, form), change]


def _rules_section(session: Session, about: About) -> Html:
    """Tell every rule as a card, and the else rule."""
    state = session.state
    evaluation, schema = state.evaluation, state.rule_set.schema
    saved = {part.id: part.bits_saved for part in evaluation.contributions}
    cards = [
        _card(rule, session, about, [format_literal(literal, schema) for literal in rule.literals], saved[rule.id])
        for rule in state.rule_set.rules
    ]
    cards.append(_card(None, session, about, ["where no rule holds"], None))
    return section("Rules", colour_key(schema.classes), *cards)


def _card(rule: Rule | None, session: Session, about: About, chips: list[str], saved: float | None) -> Html:
    """Return the card of a rule, or of the else rule."""
    state = session.state
    classes, score = state.rule_set.schema.classes, state.score
    held = score.otherwise if rule is None else next(part for part in score.rules if part.id == rule.id)
    title = "ELSE" if rule is None else rule.id + (" (locked)" if rule.id in state.version.locked else "")
    rows = f"{held.coverage:,} training rows" + ("" if saved is None else f"; saves {saved:,.1f} bits")
    shares = ", ".join(f"{label} {share:.3f}" for label, share in zip(classes, held.probabilities, strict=True))
    parts: list[Html | str] = [
        element("h3", title),
        element("p", *(element("span", chip, class_="chip") for chip in chips)),
        share_bar(held.probabilities, classes),
        element("p", f"{shares} ({rows})"),
    ]
    if rule is not None:
        parts += [element("p", f"Note: {note.text}") for note in state.version.notes if note.rule == rule.id]
        made = _edits_of(session, about, rule.id)
        parts += [element("p", _edit_text(number, edit), class_="quiet") for number, edit in made]
    return element("div", *parts, class_="card")


def _edits_of(session: Session, about: About, rule_id: str) -> list[tuple[int, Earlier]]:
    """Return the edits that touched a rule, with their numbers."""
    made = _all_edits(session, about)
    touched = [(number, edit) for number, edit in made[: len(about.edits)] if rule_id in edit.rules]
    for entry, numbered in zip(session.history.path(), made[len(about.edits) :], strict=True):
        before = {rule.id: rule for rule in session.version_at(entry.parent).rules}
        after = {rule.id: rule for rule in session.version_at(entry.number).rules}
        if before.get(rule_id) != after.get(rule_id):
            touched.append(numbered)
    return touched


def _all_edits(session: Session, about: About) -> list[tuple[int, Earlier]]:
    """Return the edits of the document and those of the session, one after the other, with their numbers."""
    n_earlier = len(about.edits)
    return [
        *enumerate(about.edits, 1),
        *((n_earlier + entry.number, _as_earlier(entry)) for entry in session.history.path()),
    ]


def _as_earlier(entry: Entry) -> Earlier:
    """Return what is told of an edit of the session."""
    return Earlier(
        what=entry.description,
        time=entry.time,
        author=entry.author,
        note=entry.note,
        total_bits=entry.total_bits,
        validation_auc=entry.validation_auc,
    )


def _edit_text(number: int, edit: Earlier) -> str:
    """Return who changed what, when and why."""
    who = ", ".join((f"Edit {number}", edit.author or "somebody", *([_when(edit)] if edit.time else [])))
    return f"{who}: {edit.what}." + (f" Reason: {edit.note}" if edit.note else "")


def _when(edit: Earlier) -> str:
    """Return when an edit was made, to the minute."""
    return edit.time[:16].replace("T", " ")


def _edits_section(session: Session, about: About) -> Html:
    """Tell every edit with its effect."""
    made = _all_edits(session, about)
    if not made:
        return section("Edits", "The rules are as they were learned.")
    rows = [
        [
            str(number),
            _when(edit),
            edit.author,
            edit.what,
            edit.note,
            _number(edit.total_bits, ",.1f"),
            _number(edit.validation_auc, ".3f"),
        ]
        for number, edit in made
    ]
    columns = ["edit", "when (UTC)", "who", "what", "why", "bits after", "validation AUC after"]
    n_other = len(session.history.entries) - len(session.history.path())
    more = f"{n_other} more edits were tried and left; they are not part of these rules." if n_other else ""
    return section("Edits", table(columns, rows), *([more] if more else []))


def _overlaps_section(evaluation: Evaluation) -> Html:
    """Tell where rules overlap and how far they disagree there."""
    ledger = evaluation.overlaps
    if not len(ledger):
        return section("Overlaps", "No row is covered by two rules.")
    rows = []
    for place in range(min(len(ledger), _MOST_OVERLAPS)):
        overlap = ledger.tested(place)
        there = "" if overlap.evaluation is None else f"{overlap.evaluation.observed.rows:,}"
        rows.append(
            [
                " ".join(overlap.rules),
                f"{overlap.training.observed.rows:,}",
                there,
                f"{overlap.training.largest_distance:.3f}",
                f"{overlap.training.lost_bits:,.1f}",
                "" if overlap.training.p_value is None else f"{overlap.training.p_value:.3f}",
            ]
        )
    columns = ["rules", "training rows", "validation rows", "largest distance", "bits lost", "p (rules differ)"]
    left = len(ledger) - len(rows)
    more = [f"{left} more overlaps cost less."] if left else []
    return section(
        "Overlaps",
        "Rows that several rules cover: how far the rules' probabilities are apart there (0 to 1), and the bits that"
        " this disagreement costs. p is the chance of such a difference between rules that do not differ.",
        table(columns, rows),
        *more,
    )


def _stability_section(evaluation: Evaluation) -> Html:
    """Tell what picking a rule at random would do."""
    rows = []
    for name, found in (
        ("training", evaluation.random_pick_training),
        ("validation", evaluation.random_pick_evaluation),
    ):
        if found is None or math.isnan(found.difference):
            continue
        numbers = (f"{found.union.value:.4f}", f"{found.expected.value:.4f}", f"{found.difference:+.4f}")
        rows.append([name, *numbers, f"{found.n_overlap_rows:,}", f"{found.n_rows_can_change:,}"])
    columns = ["rows", "AUC", "AUC of random picks", "difference", "rows in overlaps", "rows whose class can change"]
    parts: list[Html | str] = [table(columns, rows)]
    if rows:
        picks = evaluation.sampled_picks(500)
        parts.append(f"Over 500 sampled picks 95 % of the AUCs lie between {picks.low:.4f} and {picks.high:.4f}.")
    text = (
        "Truly unordered rules agree where they overlap. Then it does not matter which of them one follows: the AUC"
        " where every row takes one of its rules at random is nearly the AUC of the rule set."
    )
    return section("Stability", text, *parts)


def _generalisation_section(evaluation: Evaluation, about: About) -> Html:
    """Tell each rule's class shares on training and validation rows."""
    found = evaluation.generalisation
    classes = evaluation.rule_set.schema.classes
    if found is None:
        return section("Generalisation", "There are no validation rows.")
    rows = []
    for rule in (*found.rules, found.otherwise):
        for c, label in enumerate(classes if len(classes) > 2 else classes[-1:]):
            index = c if len(classes) > 2 else len(classes) - 1
            cells = []
            for side in (rule.training, rule.evaluation):
                low, high = side.intervals[index]
                share = side.probabilities[index]
                cells += [f"{side.rows:,}", "" if math.isnan(share) else f"{share:.3f}", f"{low:.3f} to {high:.3f}"]
            rows.append([rule.id or "ELSE", label, *cells])
    columns = ["rule", "class", "training rows", "share", "95 %", "validation rows", "share", "95 %"]
    which = "rows that they were not learned from" if about.learned_from else "the validation rows"
    lead = f"Do the rules hold on {which}? g, the mean difference of the shares, is {found.g:.4f}."
    return section("Generalisation", lead, table(columns, rows))


def _calibration_section(evaluation: Evaluation) -> Html:
    """Tell whether predicted probabilities come true."""
    found = evaluation.calibration()
    shown = found[-1:] if len(found) == 2 else found
    which = "validation" if evaluation.evaluation is not None else "training"
    parts: list[Html | str] = [f"Of {which} rows with a predicted probability, how many are of the class?"]
    for one in shown:
        points = [(part.mean_predicted, part.observed, *part.interval) for part in one.bins]
        parts.append(element("h3", one.label))
        parts.append(diagonal_plot(points, "predicted probability", "share of rows"))
        rows = [
            [
                f"{part.mean_predicted:.3f}",
                f"{part.observed:.3f}",
                "{:.3f} to {:.3f}".format(*part.interval),
                f"{part.rows:,}",
            ]
            for part in one.bins
        ]
        parts.append(table(["mean predicted", "observed", "95 %", "rows"], rows))
    return section("Calibration", *parts)


def _repeat_section(about: About) -> Html:
    """Tell constraints, looks at the test part, settings and versions."""
    parts: list[Html | str] = []
    parts += [element("h3", "Constraints of learning"), _constraints_text(about.constraints)]
    parts.append(element("h3", "Openings of the sealed test part"))
    if about.openings:
        rows = [[look.author, look.time, _result_text(look.result)] for look in about.openings]
        parts.append(table(["who", "when", "what was seen"], rows))
    else:
        parts.append("It was never opened." if about.n_test else "There is no test part.")
    versions = {"turs": __version__, "python": platform.python_version()}
    versions |= {name: metadata.version(name) for name in _LIBRARIES}
    settings = (
        {} if about.settings is None else {f.name: getattr(about.settings, f.name) for f in fields_of(about.settings)}
    )
    parts += [element("h3", "Settings and versions")]
    parts.append(
        table(
            ["what", "value"], [[name, str(value)] for name, value in {**settings, **about.facts, **versions}.items()]
        )
    )
    return section("To repeat this", *parts)


def _constraints_text(constraints: Constraints | None) -> str:
    """Return what was demanded of the learner in words."""
    if constraints is None:
        return "Not known."
    unused = [f"{name} is not used" for name in constraints.unused]
    directions = [f"{name} only with {sign}" for name, sign in constraints.directions.items()]
    return ("; ".join((*unused, *directions)) or "None") + "."


def _result_text(result: dict[str, Any]) -> str:
    """Return what was seen in words."""
    return ", ".join(
        f"{name.replace('_', ' ')} {value:.4g}" if isinstance(value, float) else f"{name.replace('_', ' ')} {value}"
        for name, value in result.items()
    )
