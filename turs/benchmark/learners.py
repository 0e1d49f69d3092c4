"""What is compared: TURS with its searches and ablations, and the peers that are installed.

A learner is plain JSON values, so that it travels to a child process and into the key of its results. Results are
kept under everything that can change them: for TURS the settings and the text of the engine, for a peer its version
and the text of the adapter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from turs import __version__
from turs.benchmark.child import PREPARATION_SECONDS, Child, command_of
from turs.benchmark.peers import PEERS, peer
from turs.errors import SettingsError
from turs.learn.settings import SEARCHES, Exponents, Search, Settings

_PACKAGE = Path(__file__).parents[1]
_DATA = ("errors.py", "rules", "data", "evaluate/auc.py", "benchmark/datasets.py", "benchmark/measure.py")
_ENGINE = (*_DATA, "benchmark/simulation.py", "kernel.py", "predict.py", "cover", "mdl", "learn")
_ADAPTERS = (*_DATA, "benchmark/peer.py", "benchmark/peers.py")

DEFAULT = "TURS"
PAPER = "TURS, paper's search"
NO_PATIENCE = "paper's search without diverse patience"
NO_AUXILIARY = "paper's search without auxiliary beam"
NO_LOCAL_TEST = "paper's search without local test"
_OF_SEARCH = {"portfolio": DEFAULT, "paper": PAPER}
ABLATIONS: dict[str, dict[str, bool]] = {
    NO_PATIENCE: {"diverse": False},
    NO_AUXILIARY: {"auxiliary": False},
    NO_LOCAL_TEST: {"local_test": False},
}
"""The paper's three heuristics, each turned off in its own search."""


@dataclass(frozen=True)
class Learner:
    """Something that learns from a fold.

    Parameters
    ----------
    name : str
        In tables.
    kind : str
        "turs" or "peer".
    options : dict
        Fields of `Settings` and the portfolio of TURS; the name of a peer.
    version : str
        Library and version.
    digest : str
        Hash of the code that is between the rows and the numbers.
    """

    name: str
    kind: str
    options: dict[str, Any]
    version: str
    digest: str

    @property
    def is_peer(self) -> bool:
        """Whether this is another learner."""
        return self.kind == "peer"


def turs_learner(name: str, settings: Settings, search: Search | None = None) -> Learner:
    """Return TURS with these settings.

    Parameters
    ----------
    name : str
        In tables.
    settings : Settings
        Options of the learner.
    search : Search, optional
        A portfolio of its own, instead of the one that the settings name.
    """
    settings.check()
    options = {"settings": asdict(settings), "portfolio": asdict(search or SEARCHES[settings.search])}
    return Learner(name, "turs", options, f"turs {__version__}", source_digest(_ENGINE))


def peer_learner(name: str, version: str | None = None) -> Learner:
    """Return a peer, installed or not; its version is the one here unless another environment has told it."""
    return Learner(name, "peer", {"peer": name}, version or peer(name).version(), source_digest(_ADAPTERS))


def settings_of(options: dict[str, Any]) -> tuple[Settings, Search]:
    """Return settings and portfolio from the options of a TURS learner."""
    portfolio = dict(options["portfolio"])
    exponents = tuple(Exponents(**pair) for pair in portfolio.pop("exponents"))
    known = {field.name for field in fields(Search)}
    polish = tuple(portfolio.pop("polish"))  # JSON has lists
    rest = {key: value for key, value in portfolio.items() if key in known}
    return Settings(**options["settings"]), Search(exponents=exponents, polish=polish, **rest)


def chosen_learners(
    searches: Sequence[str],
    peers: Sequence[str],
    *,
    ablations: bool,
    threads: int,
    pythons: Mapping[str, str] | None = None,
) -> tuple[list[Learner], dict[str, str]]:
    """Return the learners that were asked for and can run, and why the others cannot.

    Parameters
    ----------
    searches : sequence of str
        Searches of TURS.
    peers : sequence of str
        Names of peers, or "all" or "none".
    ablations : bool
        Whether the paper's search is run without each of its heuristics too.
    threads : int
        Threads of TURS.
    pythons : mapping of str to str
        Interpreters of peers that have an environment of their own.

    Raises
    ------
    SettingsError
        There is no such search or peer.
    """
    unknown = [search for search in searches if search not in _OF_SEARCH]
    if unknown:
        raise SettingsError(f"There is no search '{unknown[0]}': use {' or '.join(_OF_SEARCH)}.")
    learners = [turs_learner(_OF_SEARCH[search], Settings(search=search, threads=threads)) for search in searches]
    if ablations:
        if PAPER not in {learner.name for learner in learners}:
            learners.append(turs_learner(PAPER, Settings(search="paper", threads=threads)))
        learners += [
            turs_learner(name, Settings(search="paper", threads=threads, **without))
            for name, without in ABLATIONS.items()
        ]
    missing: dict[str, str] = {}
    for name in _peer_names(peers):
        python = (pythons or {}).get(name)
        reason, version = (peer(name).available(), None) if python is None else _elsewhere(name, python)
        if reason is None:
            learners.append(peer_learner(name, version))
        else:
            missing[name] = reason
    return learners, missing


def _elsewhere(name: str, python: str) -> tuple[str | None, str | None]:
    """Ask another interpreter whether a peer can run there, and return why not, and its version."""
    child = Child(command_of(python))
    try:
        reply = child.ask({"kind": "peer", "peer": name}, PREPARATION_SECONDS)
    finally:
        child.stop()
    if reply["status"] != "ok":
        return f"{name} cannot run with {python}: {reply.get('reason')}", None
    if "obstacle" not in reply or "version" not in reply:
        return f"{name} cannot run with {python}: it does not tell its version", None
    return reply["obstacle"], reply["version"]


@lru_cache
def source_digest(parts: tuple[str, ...]) -> str:
    """Return a hash of the text of these files and folders of the package."""
    text = hashlib.sha256()
    for part in parts:
        path = _PACKAGE / part
        for file in sorted(path.glob("*.py")) if path.is_dir() else [path]:
            text.update(file.name.encode() + b"\0" + file.read_bytes())
    return text.hexdigest()[:16]


def _peer_names(asked: Sequence[str]) -> list[str]:
    """Return the names of the peers that were asked for."""
    if list(asked) == ["none"]:
        return []
    if list(asked) == ["all"]:
        return [known.name for known in PEERS]
    return [peer(name).name for name in asked]
