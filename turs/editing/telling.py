"""The impact of an edit in plain lines, for a terminal, a log or a notebook."""

from __future__ import annotations

import math

from turs.editing.finding import Finding
from turs.editing.impact import AucChange, Impact, OverlapChange, RuleChange, SideImpact
from turs.editing.repair import repairs
from turs.editing.state import State

_MOST_OVERLAPS = 5
"""Overlaps that are told one by one; of the others only the number."""
_MOST_CLASSES = 4


def impact_lines(impact: Impact, *, interval: bool = True) -> list[str]:
    """Return what an edit does, a line for each kind of consequence; locks and notes have none.

    Parameters
    ----------
    impact : Impact
        Of the edit.
    interval : bool
        Whether the change of the validation AUC gets a bootstrap interval, which takes a moment.
    """
    if impact.before.version.rules == impact.after.version.rules:
        return [impact.description]
    lines = [impact.description, _bits_line(impact), _auc_line(impact, interval)]
    training = impact.training
    lines.append(
        f"training rows: {training.n_pattern_changed:,} change their rules, {training.n_probability_changed:,} their"
        f" probabilities, {training.n_class_changed:,} their predicted class;"
        f" overlap {training.before.overlap_share:.1%} -> {training.after.overlap_share:.1%}"
    )
    classes = impact.after.rule_set.schema.classes
    lines += [_rule_line(change, classes) for change in impact.rules]
    lines += [_overlap_line(change) for change in training.overlaps[:_MOST_OVERLAPS]]
    if len(training.overlaps) > _MOST_OVERLAPS:
        lines.append(f"{len(training.overlaps) - _MOST_OVERLAPS:,} more overlaps change")
    if any(training.otherwise.entered) or any(training.otherwise.left):
        lines.append(_else_line(training, classes))
    return lines


def finding_line(finding: Finding, state: State) -> str:
    """Return a finding about the rules of a state with a repair, where there is one: the one with the fewest bits."""
    offered = [
        fix.name if fix.bits_change is None else f"{fix.name} ({_signed(fix.bits_change, 1)} bits)"
        for fix in finding.fixes
    ]
    if finding.kind == "disagreement":
        now = state.score.total_bits
        offered = [
            f"{repair.description} ({_signed(repair.total_bits - now, 1)} bits)"
            for repair in repairs(state, *finding.rules)
        ]
    return f"finding: {finding.text}" + (f"; repair: {offered[0]}" if offered else "")


def _bits_line(impact: Impact) -> str:
    """Return the bits before and after, split."""
    before, after = impact.score_before, impact.score_after
    parts = (
        ("likelihood", after.nll_bits - before.nll_bits),
        ("regret", after.regret_bits - before.regret_bits),
        ("model", after.model_bits - before.model_bits),
    )
    split = ", ".join(f"{name} {_signed(change, 1)}" for name, change in parts)
    return f"bits {before.total_bits:,.1f} -> {after.total_bits:,.1f} ({_signed(impact.bits_change, 1)}): {split}"


def _auc_line(impact: Impact, interval: bool) -> str:
    """Return AUC, random pick and log-loss on training and validation rows."""
    parts = [_side_text("training", impact.training, None)]
    if impact.validation is not None:
        change = impact.validation.auc_change() if interval else None
        parts.append(_side_text("validation", impact.validation, change))
    return "; ".join(parts)


def _side_text(name: str, side: SideImpact, change: AucChange | None) -> str:
    """Return the numbers of one side in words."""
    if math.isnan(side.before.auc):
        return f"no {name} AUC: the rows hold one class only"
    text = f"{name} AUC {side.before.auc:.3f} -> {side.after.auc:.3f}"
    if change is not None:
        text += f" (change {_signed(change.change, 4)}, 95 % between {change.low:+.4f} and {change.high:+.4f})"
    before, after = side.log_loss
    return (
        f"{text}, random pick {side.before.random_pick_auc:.3f} -> {side.after.random_pick_auc:.3f},"
        f" log-loss {before:.3f} -> {after:.3f}"
    )


def _rule_line(change: RuleChange, classes: tuple[str, ...]) -> str:
    """Return what happens to one rule."""
    if change.after is None:
        return f"{change.id} is gone; it covered {_rows(change.before.coverage if change.before else 0)}"
    shares = [f"{label} {share:.3f}" for label, share in zip(classes, change.after.probabilities, strict=True)]
    told = ", ".join(shares[-1:] if len(shares) == 2 else shares[:_MOST_CLASSES])
    if change.before is None:
        return f"{change.id} covers {_rows(change.after.coverage)}: {told}"
    return f"{change.id} covers {change.before.coverage:,} -> {_rows(change.after.coverage)}: {told}"


def _overlap_line(change: OverlapChange) -> str:
    """Return what happens to one overlap."""
    rows = {
        "appears": f"appears with {_rows(change.rows_after)}",
        "vanishes": f"vanishes; it had {_rows(change.rows_before)}",
    }.get(change.change, f"{change.change} from {change.rows_before:,} to {_rows(change.rows_after)}")
    told_before = change.change == "vanishes" or change.distance_after is None
    apart = change.distance_before if told_before else change.distance_after
    distance = "" if apart is None else f", probabilities {apart:.2f} apart"
    return f"the overlap of {' and '.join(change.rules)} {rows}{distance}"


def _else_line(side: SideImpact, classes: tuple[str, ...]) -> str:
    """Return what happens to the else rule."""
    otherwise = side.otherwise
    moves = max(range(len(classes)), key=lambda c: abs(otherwise.after[c] - otherwise.before[c]))
    return (
        f"else rule: {_rows(sum(otherwise.entered))} enter, {sum(otherwise.left):,} leave;"
        f" {classes[moves]} {otherwise.before[moves]:.3f} -> {otherwise.after[moves]:.3f}"
    )


def _rows(n: int) -> str:
    """Return a number of rows in words."""
    return f"{n:,} row{'' if n == 1 else 's'}"


def _signed(change: float, digits: int) -> str:
    """Return a change with its sign, and no sign where it rounds to nothing."""
    text = f"{change:+,.{digits}f}"
    return text if float(text.replace(",", "")) else f"{0:.{digits}f}"
