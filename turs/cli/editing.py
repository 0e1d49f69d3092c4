"""`turs edit`: change single rules of a model and see what each change does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from turs import __version__
from turs.cli.applying import (
    are_learned_rows,
    are_own_rows,
    editing_of,
    load_model,
    n_rows_of,
    split_table,
    start_of,
)
from turs.cli.learning import check_out, numbers_of, rule_numbers
from turs.cli.listing import print_json, print_line, tell
from turs.editing import (
    AddLiteral,
    AddRule,
    AttachNote,
    DeleteRule,
    DuplicateRule,
    Edit,
    Entry,
    Impact,
    LockRule,
    MergeRules,
    RemoveLiteral,
    ReplaceLiteral,
    Session,
    SplitRule,
    UnlockRule,
    Version,
    edit_document,
    find_new,
    session_on,
)
from turs.editing.telling import finding_line, impact_lines
from turs.errors import EditError, SettingsError
from turs.evaluate.plain import plain
from turs.evaluate.summary import summarise_patterns
from turs.predict import model_of
from turs.rules.document import save
from turs.rules.model import Model
from turs.rules.text import parse_condition, parse_number

OPTIONS = ("set", "add", "remove", "delete", "duplicate", "split", "merge", "lock", "unlock", "note")
"""Options that are changes; they are made in the order in which the command line has them."""
_MOST_FINDINGS = 3
"""Findings of one step that are told; of the others only the number."""


@dataclass(frozen=True)
class Request:
    """What the user asked for.

    Parameters
    ----------
    model, table : Path
        The model document and the table that it was learned from.
    changes : tuple of (str, str)
        Name and value of the options that are changes, in the order of the command line.
    out : Path or None
        Where to write the edited model.
    dry_run, as_json : bool
        Whether nothing is written, and whether JSON is printed.
    sheet : str or None
        Sheet of a workbook; None for the first.
    target : str or None
        The class column, where its name is not that of the model.
    test_size : float or None
        Share of the rows that are for validation; 0 for none, None for that of the model.
    seed : int or None
        Of that split; None for that of the model.
    """

    model: Path
    table: Path
    changes: tuple[tuple[str, str], ...]
    out: Path | None
    dry_run: bool
    as_json: bool
    sheet: str | None
    target: str | None
    test_size: float | None
    seed: int | None


def changes_in(arguments: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the options of a command line that are changes, with their values, in order."""
    found = []
    given = list(arguments)
    for at, argument in enumerate(given):
        name, equals, value = argument.partition("=")
        if name.startswith("--") and name[2:] in OPTIONS:
            found.append((name[2:], value if equals else given[at + 1] if at + 1 < len(given) else ""))
    return tuple(found)


def run(request: Request) -> None:
    """Load, edit step by step, print what each step does, and write."""
    if not request.changes:
        raise SettingsError(f"Nothing is to be changed: use {', '.join(f'--{name}' for name in OPTIONS)}.")
    if request.out is None and not request.dry_run:
        raise SettingsError("Say where to write the edited model with --out FILE, or only look with --dry-run.")
    check_out(request.out)
    model = load_model(request.model, request.table)
    parts = split_table(model, request.table, request.sheet, request.target, request.test_size, request.seed)
    session = session_on(start_of(model), parts.training, parts.validation)
    tell(session.state.training.rows.data.notes)
    own = are_own_rows(model, parts, session.state.training.patterns)
    if not own:
        tell([_other_rows_note(model, session)])
    impacts: list[Impact] = []
    made = False
    try:  # written before it is shown: a screen that breaks off takes no file with it
        for name, value in request.changes:
            for edit in _edits(name, value, session.version):
                impacts.append(session.apply(edit))
        made = True
        if request.out is not None and not request.dry_run:
            rows = {
                "table": request.table.name,
                "split": None if parts.split is None else asdict(parts.split),
                "learned_from": own and are_learned_rows(model, parts.split),
            }
            save(_edited_model(model, session, rows), request.out)
    finally:
        if not request.as_json:
            for number, impact in enumerate(impacts, start=1):
                _print_impact(impact, number)
        elif made:
            print_json(_document(session, impacts))
    written = (
        "Nothing was written: this was a dry run."
        if request.dry_run
        else f"The edited model was written to {request.out}."
    )
    tell([written])


def _other_rows_note(model: Model, session: Session) -> str:
    """Say that the numbers are of other rows than those of the model."""
    n_here = int(session.state.training.patterns.counts.sum())
    note = (
        f"The model holds the counts of {n_rows_of(model):,} rows; these are other rows: its rules are counted anew on"
        f" these {n_here:,}."
    )
    if session.state.validation is None:
        return note
    return f"{note} The rules may have been learned from some of the validation rows."


def _edits(name: str, value: str, version: Version) -> Iterator[Edit]:
    """Yield the edits that an option asks for."""
    if name == "add":
        yield AddRule(parse_condition(value, version.grid))
    elif name == "set":
        yield from _set_edits(*_named(name, value, "age >= 60"), version)
    elif name == "remove":
        rule, feature = _named(name, value, "age")
        yield RemoveLiteral(rule, feature.strip('"'))
    elif name == "split":
        yield _split_edit(*_named(name, value, "age 60"), version)
    elif name == "note":
        yield AttachNote(*_named(name, value, "not the clinical cut"))
    elif name == "merge":
        rules = value.replace(",", " ").split()
        if len(rules) != 2:
            raise EditError(f'--merge is "{value}": name two rules, such as "r1 r3".')
        yield MergeRules(*rules)
    else:
        whole = {"delete": DeleteRule, "duplicate": DuplicateRule, "lock": LockRule, "unlock": UnlockRule}
        yield whole[name](value.strip())


def _named(option: str, value: str, example: str) -> tuple[str, str]:
    """Return the rule that a value begins with, and the rest."""
    rule, colon, rest = value.partition(":")
    if not colon or not rest.strip() or not rule.strip():
        raise EditError(f'--{option} is "{value}": name the rule first, such as "r2: {example}".')
    return rule.strip(), rest.strip()


def _set_edits(rule_id: str, text: str, version: Version) -> Iterator[Edit]:
    """Yield the edits that give a rule these literals, in the place of those on the same features."""
    present = {literal.feature for literal in version.rule(rule_id).literals}
    for literal in parse_condition(text, version.grid):
        if literal.feature in present:
            yield ReplaceLiteral(rule_id, literal.feature, literal)
        else:
            yield AddLiteral(rule_id, literal)


def _split_edit(rule_id: str, text: str, version: Version) -> SplitRule:
    """Return the split of a rule at a feature and a cut, such as `age 60`."""
    name, _, cut = text.rpartition(" ")
    if not name.strip():
        raise EditError(f'--split is "{rule_id}: {text}": name a feature and a cut, such as "{rule_id}: age 60".')
    feature = version.grid.feature(name.strip().strip('"'))
    return SplitRule(rule_id, feature.name, parse_number(cut, feature))


def _print_impact(impact: Impact, number: int) -> None:
    """Print what one step does, and what is odd since then."""
    first, *rest = impact_lines(impact)
    print_line(f"{number}. {first}")
    findings = find_new(impact.before, impact.after)
    rest += [finding_line(finding, impact.after) for finding in findings[:_MOST_FINDINGS]]
    if len(findings) > _MOST_FINDINGS:
        rest.append(f"and {len(findings) - _MOST_FINDINGS:,} more; --json lists all findings")
    for line in rest:
        print_line(f"   {line}")


def _document(session: Session, impacts: Sequence[Impact]) -> dict[str, Any]:
    """Return the steps and the state after them as JSON values."""
    steps = [
        {
            "edit": edit_document(entry.edit),
            "description": entry.description,
            "before": plain(impact.headline_before),
            "after": plain(impact.headline_after),
            "changed_rows": impact.training.n_probability_changed,
        }
        for entry, impact in zip(session.history.path(), impacts, strict=True)
    ]
    findings = [
        {
            "kind": found.kind,
            "rules": list(found.rules),
            "text": found.text,
            "fixes": [{"name": fix.name, "edit": edit_document(fix.edit)} for fix in found.fixes],
        }
        for found in session.findings()
    ]
    return {"steps": steps, "findings": findings}


def _edited_model(model: Model, session: Session, rows: dict[str, Any]) -> Model:
    """Return the edited rules as a model; what its document tells about learning stays."""
    state, version = session.state, session.version
    edited = model_of(state.rule_set, state.training.patterns)
    bits = tuple(rule.model_bits for rule in state.score.rules)
    training = summarise_patterns(state.rule_set, state.training.patterns, state.training.patterns, bits)
    before = editing_of(model).get("edits")
    told = {key: value for key, value in model.info.items() if key not in ("test", "validation")}
    info = {
        **told,
        "turs": __version__,
        "training": numbers_of(training),
        "rules": rule_numbers(training),
        "editing": {
            "edits": [
                *(before if isinstance(before, list) else []),
                *(_entry_document(entry) for entry in session.history.path()),
            ],
            "rows": rows,
            "locked": sorted(version.locked),
            "notes": [{"rule": note.rule, "text": note.text} for note in version.notes],
            "last_id": version.last_id,
        },
    }
    if state.evaluation.headline.evaluation is not None:
        info["validation"] = plain(state.evaluation.headline.evaluation)
    return replace(edited, info=info)


def _entry_document(entry: Entry) -> dict[str, Any]:
    """Return an edit with what a report tells of it; the rules that it was made on are not in the document."""
    told = {"description": entry.description, "time": entry.time, "total_bits": entry.total_bits}
    return {**edit_document(entry.edit), **told, "validation_auc": entry.validation_auc}
