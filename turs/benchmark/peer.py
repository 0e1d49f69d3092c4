"""What another learner is: one small interface between their libraries and the benchmark.

A peer turns arrays into the table its library wants (`Peer.prepare`), learns from it (`Peer.fit`) and gives class
probabilities (`FittedPeer.predict_proba`). The first step is apart from the second so that a caller who times `fit`
times learning alone. Every library is imported when it is first needed; one that is missing is a reason
(`Peer.available`), not an error. Classes that do not occur in the training rows are hidden from the learner and get
probability 0; warnings of the libraries are muted.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from turs.errors import PeerError

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Learned:
    """What the learning function of a peer returns.

    Parameters
    ----------
    score : callable
        From rows to the probabilities of the classes that the learner saw, one column a class.
    n_rules, n_literals : int, optional
        The size of the model; None for a black box.
    cover : callable, optional
        From rows to which rule covers which of them, one column a rule; None where the library does not tell.
    """

    score: Callable[[FloatArray], npt.ArrayLike]
    n_rules: int | None = None
    n_literals: int | None = None
    cover: Callable[[FloatArray], npt.ArrayLike] | None = None


@dataclass(frozen=True)
class Prepared:
    """Training rows in the form that one peer learns from.

    Parameters
    ----------
    peer : str
        Name of the peer that prepared it.
    table : object
        Known to that peer only.
    present : array of int
        The classes that occur in the rows, ascending; the peer sees their positions in this array.
    n_classes : int
        The number of classes of the data set.
    """

    peer: str
    table: Any
    present: IntArray
    n_classes: int


@dataclass(frozen=True)
class FittedPeer:
    """A learned model of a peer.

    Parameters
    ----------
    peer : str
        Name of the peer.
    learned : Learned
        The model, over the classes that occurred in the training rows.
    present : array of int
        Those classes.
    n_classes : int
        The number of classes of the data set.
    """

    peer: str
    learned: Learned
    present: IntArray
    n_classes: int

    @property
    def n_rules(self) -> int | None:
        """Number of rules without the default rule, or of leaves; None for a black box."""
        return self.learned.n_rules

    @property
    def n_literals(self) -> int | None:
        """Number of literals, or the summed depths of the leaves; None for a black box."""
        return self.learned.n_literals

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Return the class probabilities of every row.

        Parameters
        ----------
        X : array of float64, shape (n, d)
            Rows with the columns of the training rows.

        Returns
        -------
        array of float64, shape (n, n_classes)
            0 for a class that did not occur in the training rows.

        Raises
        ------
        PeerError
            The library failed.
        """
        probabilities = np.zeros((len(X), self.n_classes))
        with _guarded(self.peer, "predicting"):
            probabilities[:, self.present] = np.asarray(self.learned.score(X), dtype=np.float64)
        return probabilities

    def covers(self, X: FloatArray) -> BoolArray | None:
        """Return which rows each rule covers, shape (n_rules, n); None where the library does not tell.

        Raises
        ------
        PeerError
            The library failed.
        """
        if self.learned.cover is None:
            return None
        with _guarded(self.peer, "finding the rows of its rules"):
            return np.ascontiguousarray(np.asarray(self.learned.cover(X), dtype=np.bool_).T)


@dataclass(frozen=True)
class Peer:
    """Another learner.

    Parameters
    ----------
    name : str
        Name in tables and for `peer`.
    package : str
        The distribution on PyPI that holds it.
    modules : tuple of str
        What has to be importable.
    convert : callable
        From rows and class positions to the table that `learn` takes.
    learn : callable
        From that table and a seed to a model. It sees two classes or more, each of which occurs.
    release : callable
        Returns library and version as text.
    extras : str
        Further distributions that the package needs without saying so.
    obstacle : callable
        Returns a reason why the peer cannot run although its modules can be imported, or None.
    most_classes : int, optional
        The most classes that it can learn.
    """

    name: str
    package: str
    modules: tuple[str, ...]
    convert: Callable[[FloatArray, IntArray], Any]
    learn: Callable[[Any, int], Learned]
    release: Callable[[], str]
    extras: str = ""
    obstacle: Callable[[], str | None] = lambda: None
    most_classes: int | None = None

    def version(self) -> str:
        """Return the library and its version, such as "Orange3 3.40.0"; "<package> missing" where there is none."""
        try:
            return self.release()
        except importlib.metadata.PackageNotFoundError:
            return f"{self.package} missing"

    def available(self) -> str | None:
        """Return None where the peer can run, otherwise the reason in one line, with what to install."""
        for module in self.modules:
            try:
                load(module)
            except Exception as error:  # an import of an old library against a new NumPy can raise anything
                install = f"{self.package} {self.extras}".strip()
                return f"{self.name} cannot import {module} ({one_line(error)}): pip install {install}"
        reason = self.obstacle()
        return None if reason is None else f"{self.name}: {reason}"

    def prepare(self, X: FloatArray, y: IntArray, n_classes: int) -> Prepared:
        """Convert training rows to the form that `fit` takes.

        Parameters
        ----------
        X : array of float64, shape (n, d)
            Feature values; NaN is missing.
        y : array of int, shape (n,)
            Classes, 0 to `n_classes` - 1. Not all of them have to occur.
        n_classes : int
            The number of classes of the data set.

        Returns
        -------
        Prepared
            For this peer only.

        Raises
        ------
        PeerError
            Fewer than two classes occur, or more than the peer can learn, or the library failed.
        """
        present = np.unique(y).astype(np.int64)
        if len(present) < 2:
            raise PeerError(f"{self.name} needs rows of two classes or more, the training rows have {len(present)}.")
        if self.most_classes is not None and len(present) > self.most_classes:
            raise PeerError(f"{self.name} learns {self.most_classes} classes, the training rows have {len(present)}.")
        codes = np.searchsorted(present, y).astype(np.int64)
        with _guarded(self.name, "preparing the data"):
            table = self.convert(np.ascontiguousarray(X, dtype=np.float64), codes)
        return Prepared(self.name, table, present, n_classes)

    def fit(self, prepared: Prepared, seed: int) -> FittedPeer:
        """Learn from prepared rows.

        Parameters
        ----------
        prepared : Prepared
            From `prepare` of the same peer.
        seed : int
            For peers that draw random numbers.

        Returns
        -------
        FittedPeer
            The model.

        Raises
        ------
        PeerError
            The library failed.
        """
        if prepared.peer != self.name:
            raise PeerError(f"The data were prepared for {prepared.peer}: prepare them for {self.name}.")
        with _guarded(self.name, "learning"):
            learned = self.learn(prepared.table, seed)
        return FittedPeer(self.name, learned, prepared.present, prepared.n_classes)


@contextlib.contextmanager
def _guarded(name: str, doing: str) -> Iterator[None]:
    """Mute the warnings of a library and turn whatever it raises into one `PeerError`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except Exception as error:  # libraries (and Java through jpype) raise every kind; the caller needs one
            raise PeerError(f"{name} failed while {doing}: {one_line(error)}") from error


def one_line(error: Exception) -> str:
    """Return the kind and the first line of an error."""
    return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0]}"


def load(module: str) -> Any:
    """Import a library by name: late, and untyped, since none of them is installed where the types are checked."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(module)


def release_of(package: str) -> str:
    """Return a distribution and its installed version."""
    return f"{package} {importlib.metadata.version(package)}"


@dataclass(frozen=True)
class Rows:
    """Plain training rows with the positions of their classes."""

    X: FloatArray
    codes: IntArray


def nominal_columns(X: FloatArray) -> BoolArray:
    """Return which columns have no known values but 0 and 1 (one of them alone: a level that is rare)."""
    only = ((X == 0) | (X == 1) | np.isnan(X)).all(axis=0)
    return np.asarray(only & ~np.isnan(X).all(axis=0))


def with_levels(X: FloatArray, nominal: BoolArray) -> FloatArray:
    """Return `X` where a value that a nominal column did not have in training is missing."""
    return np.where(nominal & (X != 0) & (X != 1), np.nan, X)
