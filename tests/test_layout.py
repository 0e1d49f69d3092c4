"""Who may import whom: the direction of DESIGN, read off the source with ast, and what nobody may import."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

LAYERS = (
    ("errors",),
    ("kernel", "files", "page", "shipped"),
    ("rules",),
    ("data",),
    ("cover",),
    ("mdl",),
    ("predict",),
    ("evaluate",),
    ("learn",),
    ("estimator",),
    ("editing",),
    ("storage",),
    ("export",),
    ("benchmark", "ui"),
    ("cli",),
    ("__main__",),
)
"""From the bottom to the top; a part imports itself and what is below it."""

RANK = {part: rank for rank, layer in enumerate(LAYERS) for part in layer}
SOURCES = sorted((ROOT / "turs").rglob("*.py"))
PAGES = [path for path in (ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))) if path.exists()]
UNSAFE = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}


def imported_modules(path: Path) -> Iterator[str]:
    """Yield the absolute names of the modules that a file imports anywhere, for its types included."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} has a relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def part_of(path: Path) -> str:
    return path.relative_to(ROOT / "turs").parts[0].removesuffix(".py")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_every_part_has_a_place() -> None:
    assert {part_of(path) for path in SOURCES} - {"__init__"} <= set(RANK)


@pytest.mark.parametrize("path", [path for path in SOURCES if part_of(path) != "__init__"], ids=name_of)
def test_imports_point_down(path: Path) -> None:
    own = part_of(path)
    for module in imported_modules(path):
        parts = module.split(".")
        if parts[0] == "turs" and len(parts) > 1 and parts[1] in RANK and parts[1] != own:
            assert RANK[parts[1]] < RANK[own], f"{own} imports {module}"


@pytest.mark.parametrize("path", [*SOURCES, *PAGES], ids=name_of)
def test_streamlit_stays_in_the_ui_and_nothing_is_pickled(path: Path) -> None:
    roots = {module.split(".")[0] for module in imported_modules(path)}
    assert not roots & UNSAFE
    if path not in PAGES and part_of(path) != "ui":
        assert "streamlit" not in roots


def test_the_package_loads_nothing_heavy_by_itself() -> None:
    tree = ast.parse((ROOT / "turs" / "__init__.py").read_text())
    at_the_top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {node.module for node in at_the_top if isinstance(node, ast.ImportFrom)}
    assert names == {"__future__", "importlib", "typing"}


def test_public_names() -> None:
    import turs

    assert turs.__all__ == ["TursClassifier", "TursError", "__version__"] == dir(turs)
    for name in turs.__all__:
        assert getattr(turs, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        _ = turs.nothing


def test_one_module_touches_the_state_of_a_browser_session() -> None:
    found = [name_of(path) for path in (*SOURCES, *PAGES) if "session_state" in path.read_text()]
    assert found == ["turs/ui/state/memory.py"]
