"""`turs workspace`: list, export, import, check and delete workspaces of the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from turs.cli.listing import print_json, print_line, tell
from turs.errors import SettingsError, StorageError

if TYPE_CHECKING:
    from turs.storage import Contents, Store


@contextmanager
def storage_needed() -> Iterator[None]:
    """Say what to install where the package that stores need is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"Workspaces need one more package ({error.name}): pip install '.[app]' in the clone."
        ) from None


@contextmanager
def opened(where: str | None) -> Iterator[Store]:
    """Open a store for a command; say where a back-up was put."""
    with storage_needed():
        from turs.storage import Store
    with Store.open(where) as store:
        if store.backup is not None:
            tell([f"The store was brought up to date; a back-up of what it was is {store.backup}."])
        yield store


def list_workspaces(where: str | None, *, archived: bool, as_json: bool) -> None:
    """Print the workspaces with what they hold."""
    with opened(where) as store:
        found = [(item, store.contents(item)) for item in store.workspaces(archived=archived)]
        if as_json:
            rows = [{**asdict(item), **asdict(held)} for item, held in found]
            print_json({"store": store.place, "workspaces": rows})
            return
        tell([f"The store is {store.place}"])
        for item, held in found:
            print_line(f"{item.name}{' (archived)' if item.is_archived else ''}: {told(held)}")


def export(where: str | None, name: str, out: Path) -> None:
    """Write a workspace to a file."""
    with opened(where) as store:
        store.export(store.workspace(name), out)
    tell([f"The workspace '{name}' was written to {out}."])


def import_file(where: str | None, path: Path, name: str | None) -> None:
    """Add the workspace in a file."""
    with opened(where) as store:
        workspace = store.import_workspace(path, name=name)
        print_line(f"{workspace.name}: {told(store.contents(workspace))}")


def check(where: str | None) -> None:
    """Print what is wrong with a store; raise where something is."""
    with opened(where) as store:
        problems = store.check()
        for problem in problems:
            print_line(f"{problem.where}: {problem.text}")
        if problems:
            raise StorageError(f"The store {store.place} is not as it should be.")
        print_line(f"Nothing is wrong with {store.place}.")


def delete(where: str | None, name: str, confirm: Callable[[str], bool]) -> None:
    """Delete a workspace after `confirm` was told what would go."""
    with opened(where) as store:
        workspace = store.workspace(name)
        held = told(store.contents(workspace))
        if not confirm(f"Delete '{name}' with {held}?"):
            raise SettingsError(f"Nothing was deleted: say --yes to delete '{name}' with {held}.")
        store.delete(workspace)
    tell([f"'{name}' was deleted."])


def told(contents: Contents) -> str:
    """Return what something holds in one line."""
    numbers = (
        (contents.n_data_sets, "data set"),
        (contents.n_models, "model"),
        (contents.n_sessions, "session"),
        (contents.n_steps, "step"),
        (contents.n_openings, "opening"),
        (contents.n_preparations, "preparation"),
    )
    parts = [f"{number:,} {noun}{'' if number == 1 else 's'}" for number, noun in numbers]
    return f"{', '.join(parts)}, {contents.n_bytes / 1e6:,.1f} MB"
