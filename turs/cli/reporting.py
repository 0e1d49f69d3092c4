"""`turs report`: a page about a model for people who decide on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from turs.cli.applying import (
    Split,
    are_learned_rows,
    are_own_rows,
    edited_rows,
    editing_of,
    known_split,
    load_model,
    n_rows_of,
    split_table,
    start_of,
)
from turs.cli.learning import check_out
from turs.cli.listing import tell
from turs.editing import session_on
from turs.errors import DataError, ModelError
from turs.export.report import About, Earlier, report_of
from turs.files import replacing
from turs.learn.settings import Constraints
from turs.rules.model import Model


def run(
    model_path: Path,
    table_path: Path,
    out: Path,
    *,
    sheet: str | None,
    target: str | None,
    test_size: float | None,
    seed: int | None,
) -> None:
    """Load, evaluate and write."""
    check_out(out, model_path, table_path)
    model = load_model(model_path, table_path)
    parts = split_table(model, table_path, sheet, target, test_size, seed)
    session = session_on(start_of(model), parts.training, parts.validation)
    if not are_own_rows(model, parts, session.state.training.patterns):
        raise DataError(_other_rows_text(model))
    about = About(
        title=f"Rules for {model.rule_set.schema.target}",
        table=table_path.name,
        notes=(*parts.notes, *session.state.training.rows.data.notes),
        constraints=_constraints(model),
        edits=_edits(model),
        facts=_facts(model, parts.split),
        learned_from=are_learned_rows(model, parts.split),
    )
    page = report_of(session, about)
    try:
        with replacing(out) as file:
            file.write(page.encode("utf-8", errors="replace"))
    except OSError as error:
        raise ModelError(f"{out} cannot be written: {error.strerror or error}.") from error
    tell([f"The report was written to {out}."])


def _other_rows_text(model: Model) -> str:
    """Say which rows are needed, as far as the document tells."""
    was, command = ("edited on", "edit") if editing_of(model) else ("learned from", "learn")
    known = known_split(model)
    hint = ""
    if known is not None:
        hint = f" (--test-size {known.test_size:g} --seed {known.seed})"
    elif edited_rows(model) or (command == "learn" and "settings" in model.info):
        hint = " (which put no rows aside)"
    return (
        f"The model was {was} {n_rows_of(model):,} rows; these are not its training rows: use the table, --test-size"
        f" and --seed of `turs {command}`{hint}."
    )


def _settings(model: Model) -> dict[str, Any]:
    """Return the settings of learning that a document tells."""
    told = model.info.get("settings")
    return told if isinstance(told, dict) else {}


def _constraints(model: Model) -> Constraints | None:
    """Return what was demanded of the learner, where the document tells."""
    told = _settings(model)
    unused, directions = told.get("unused", []), told.get("directions", {})
    if not told or not isinstance(unused, list | tuple) or not isinstance(directions, dict):
        return None
    return Constraints(tuple(map(str, unused)), {name: str(sign) for name, sign in directions.items()})


def _facts(model: Model, split: Split | None) -> dict[str, str]:
    """Return the settings of learning, the split of the rows and the version that wrote the model."""
    told = _settings(model)
    facts = {name: str(value) for name, value in told.items() if name not in ("unused", "directions")}
    if model.info.get("stopped") is True:
        facts["search"] = f"{facts.get('search', '')} (stopped before it was done)".strip()
    if split is not None:
        facts |= {"validation share": f"{split.test_size:g}", "seed of the split": str(split.seed)}
    if "turs" in model.info:
        facts["turs that wrote the model"] = str(model.info["turs"])
    return facts


def _edits(model: Model) -> tuple[Earlier, ...]:
    """Return the edits that a document tells."""
    told = editing_of(model).get("edits")
    return tuple(_edit(edit) for edit in told if isinstance(edit, dict)) if isinstance(told, list) else ()


def _edit(told: dict[str, Any]) -> Earlier:
    """Return an edit of a document; one without a description is told as it stands there."""
    bits, auc = (told.get(name) for name in ("total_bits", "validation_auc"))
    texts = {name: str(told.get(name) or "") for name in ("description", "time", "author", "note")}
    values = ", ".join(
        f"{name} {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in told.items()
        if name not in ("kind", "total_bits", "validation_auc", *texts)
    )
    plain = f"{str(told.get('kind', 'edit')).replace('_', ' ').capitalize()}: {values}"
    return Earlier(
        what=texts["description"] or plain,
        rules=tuple(str(told[name]) for name in ("rule", "other", "new_id") if name in told),
        time=texts["time"],
        author=texts["author"],
        note=texts["note"],
        total_bits=bits if isinstance(bits, float) else None,
        validation_auc=auc if isinstance(auc, float) else None,
    )
