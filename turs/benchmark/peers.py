"""The other learners that TURS is compared with, behind one small interface.

A peer turns arrays into the table its library wants (`Peer.prepare`), learns from it (`Peer.fit`) and gives class
probabilities (`FittedPeer.predict_proba`). The first step is apart from the second so that a caller who times `fit`
times learning alone. Every library is imported when it is first needed; one that is missing is a reason
(`Peer.available`), not an error.

What is the same for all of them: settings are the library's defaults unless a comment here says why not; one thread;
classes that do not occur in the training rows are hidden from the learner and get probability 0; warnings of the
libraries are muted. CN2, JRip and J48 know nominal columns, and somebody who uses them says which columns are nominal:
a column that has no known values but 0 and 1 (one-hot or binary) is handed to them as nominal with two levels.

Rules and literals are counted without the default rule, as the else rule is not counted for TURS. For a tree, rules
are its leaves and literals the summed depths of the leaves.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import io
import random
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from turs.errors import SettingsError, TursError, nearest

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


class PeerError(TursError):
    """A peer cannot take the data, or failed while it learned or predicted."""


@dataclass(frozen=True)
class Learned:
    """What the learning function of a peer returns.

    Parameters
    ----------
    score : callable
        From rows to the probabilities of the classes that the learner saw, one column a class.
    n_rules, n_literals : int, optional
        The size of the model; None for a black box.
    """

    score: Callable[[FloatArray], npt.ArrayLike]
    n_rules: int | None = None
    n_literals: int | None = None


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
                _load(module)
            except Exception as error:  # an import of an old library against a new NumPy can raise anything
                install = f"{self.package} {self.extras}".strip()
                return f"{self.name} cannot import {module} ({_one_line(error)}): pip install {install}"
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
            raise PeerError(f"{name} failed while {doing}: {_one_line(error)}") from error


def _one_line(error: Exception) -> str:
    """Return the kind and the first line of an error."""
    return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0]}"


def _load(module: str) -> Any:
    """Import a library by name: late, and untyped, since none of them is installed where the types are checked."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(module)


def _release(package: str) -> str:
    """Return a distribution and its installed version."""
    return f"{package} {importlib.metadata.version(package)}"


@dataclass(frozen=True)
class _Rows:
    """Plain training rows with the positions of their classes."""

    X: FloatArray
    codes: IntArray


def _nominal_columns(X: FloatArray) -> BoolArray:
    """Return which columns have no known values but 0 and 1 (one of them alone: a level that is rare)."""
    only = ((X == 0) | (X == 1) | np.isnan(X)).all(axis=0)
    return np.asarray(only & ~np.isnan(X).all(axis=0))


def _with_levels(X: FloatArray, nominal: BoolArray) -> FloatArray:
    """Return `X` where a value that a nominal column did not have in training is missing."""
    return np.where(nominal & (X != 0) & (X != 1), np.nan, X)


# CN2 of Orange


@dataclass(frozen=True)
class _OrangeTable:
    """An Orange table, and which of its columns are nominal."""

    table: Any
    nominal: BoolArray


def _to_orange(X: FloatArray, codes: IntArray) -> _OrangeTable:
    """Build an Orange table."""
    data = _load("Orange.data")
    nominal = _nominal_columns(X)
    columns = [
        data.DiscreteVariable(f"x{j}", values=("0", "1")) if is_nominal else data.ContinuousVariable(f"x{j}")
        for j, is_nominal in enumerate(nominal)
    ]
    target = data.DiscreteVariable("class", values=tuple(f"c{code}" for code in range(codes.max() + 1)))
    domain = data.Domain(columns, target)
    return _OrangeTable(data.Table.from_numpy(domain, X, codes.astype(np.float64)), nominal)


def _learn_cn2(rows: _OrangeTable, seed: int) -> Learned:
    """Learn unordered CN2 rules. Orange derives its random tie breaks from the data: the seed has no use."""
    model = _load("Orange.classification").CN2UnorderedLearner()(rows.table)
    lengths = [len(rule.selectors) for rule in model.rule_list if len(rule.selectors) > 0]

    def score(X: FloatArray) -> npt.ArrayLike:
        unlabelled = np.full(len(X), np.nan)
        table = _load("Orange.data").Table.from_numpy(rows.table.domain, _with_levels(X, rows.nominal), unlabelled)
        probabilities: npt.ArrayLike = model(table, model.Probs)
        return probabilities

    return Learned(score, len(lengths), sum(lengths))


# RIPPER and C4.5 of Weka


@dataclass(frozen=True)
class _WekaTable:
    """Weka instances, and which of their columns are nominal."""

    instances: Any
    nominal: BoolArray


def _weka_jars() -> list[Path]:
    """Return the jars that python-weka-wrapper3 ships."""
    folder = Path(next(iter(_load("weka").__path__))) / "lib"
    return sorted(jar for jar in folder.glob("*.jar") if not jar.stem.endswith("-src"))


def _weka_release() -> str:
    """Return the version of Weka itself, read from its jar so that no JVM has to start."""
    importlib.metadata.version("python-weka-wrapper3")
    jar = next(path for path in _weka_jars() if path.name == "weka.jar")
    with zipfile.ZipFile(jar) as archive:
        return f"weka {archive.read('weka/core/version.txt').decode().strip().replace('-', '.')}"


def _java_missing() -> str | None:
    """Return why no JVM can start, if so."""
    jpype = _load("jpype")
    try:
        jpype.getDefaultJVMPath()
    except jpype.JVMNotFoundException:
        return "python-weka-wrapper3 finds no Java: install Java 11 or newer (apt-get install default-jre-headless)"
    return None


def _java() -> Any:
    """Return jpype with a running JVM; it starts once and stays up, because jpype cannot start a second one."""
    jpype = _load("jpype")
    if not jpype.isJVMStarted():
        # Not the wrapper's own start: it sets up the root logger and lets Weka log what native code it did not find.
        jpype.startJVM(
            "-Djava.awt.headless=true",
            "-Dweka.packageManager.loadPackages=false",
            classpath=[str(jar) for jar in _weka_jars()],
        )
        jpype.JClass("java.util.logging.LogManager").getLogManager().reset()
    return jpype


def _to_weka(X: FloatArray, codes: IntArray) -> _WekaTable:
    """Build Weka instances."""
    java = _java()
    attribute, listing = java.JClass("weka.core.Attribute"), java.JClass("java.util.ArrayList")
    nominal = _nominal_columns(X)
    attributes = listing()
    for j, is_nominal in enumerate(nominal):
        attributes.add(attribute(f"x{j}", listing(["0", "1"])) if is_nominal else attribute(f"x{j}"))
    attributes.add(attribute("class", listing([f"c{code}" for code in range(codes.max() + 1)])))
    header = java.JClass("weka.core.Instances")("rows", attributes, 0)
    header.setClassIndex(X.shape[1])
    return _WekaTable(_weka_instances(header, X, codes.astype(np.float64)), nominal)


def _weka_instances(header: Any, X: FloatArray, labels: FloatArray) -> Any:
    """Return instances with the attributes of `header`; NaN is missing, for Weka too."""
    java = _java()
    instance = java.JClass("weka.core.DenseInstance")
    instances = java.JClass("weka.core.Instances")(header, len(X))
    for row in java.JArray.of(np.column_stack([X, labels])):
        instances.add(instance(1.0, row))
    return instances


def _weka_score(model: Any, trained: _WekaTable) -> Callable[[FloatArray], npt.ArrayLike]:
    """Return the function that scores rows with a Weka classifier."""

    def score(X: FloatArray) -> npt.ArrayLike:
        unlabelled = np.full(len(X), np.nan)
        rows = _weka_instances(trained.instances, _with_levels(X, trained.nominal), unlabelled)
        return np.array(model.distributionsForInstances(rows))

    return score


def _learn_jrip(rows: _WekaTable, seed: int) -> Learned:
    """Learn RIPPER rules."""
    model = _java().JClass("weka.classifiers.rules.JRip")()
    model.setSeed(seed)
    model.buildClassifier(rows.instances)
    lengths = [int(rule.getAntds().size()) for rule in model.getRuleset()]
    lengths = [length for length in lengths if length > 0]
    return Learned(_weka_score(model, rows), len(lengths), sum(lengths))


def _learn_j48(rows: _WekaTable, seed: int) -> Learned:
    """Learn a C4.5 tree. Its pruning draws no random numbers, and Weka refuses a seed for it."""
    model = _java().JClass("weka.classifiers.trees.J48")()
    model.buildClassifier(rows.instances)
    depths = _j48_leaf_depths(str(model.toString()))
    return Learned(_weka_score(model, rows), len(depths), sum(depths))


_J48_LEAF = re.compile(r"^((?:\|   )*)(x\d+ [^:\n]+)?: c\d+ \(", re.MULTILINE)


def _j48_leaf_depths(text: str) -> list[int]:
    """Return the depths of the leaves of a printed tree: Weka keeps the tree itself to itself."""
    return [len(bars) // 4 + 1 if test else 0 for bars, test in _J48_LEAF.findall(text)]


# CART of scikit-learn


def _learn_cart(rows: _Rows, seed: int) -> Learned:
    """Learn a CART tree."""
    model = _load("sklearn.tree").DecisionTreeClassifier(random_state=seed).fit(rows.X, rows.codes)
    left, right = model.tree_.children_left, model.tree_.children_right
    depths = np.zeros(len(left), dtype=np.int64)
    for node in np.flatnonzero(left >= 0):  # a parent comes before its children
        depths[[left[node], right[node]]] = depths[node] + 1
    return Learned(model.predict_proba, int(np.sum(left < 0)), int(depths[left < 0].sum()))


# CLASSY of rulelist


@dataclass(frozen=True)
class _RulelistTable:
    """The two data frames that rulelist takes, and the class positions in the order in which they first occur."""

    features: Any
    target: Any
    appearance: IntArray


def _rulelist_features(X: FloatArray) -> Any:
    """Return rows as a data frame of numbers: the nominal columns of rulelist 0.2.0 fail."""
    return _load("pandas").DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])


def _to_rulelist(X: FloatArray, codes: IntArray) -> _RulelistTable:
    """Build the data frames that rulelist takes."""
    target = _load("pandas").DataFrame({"class": codes})
    first_rows = np.unique(codes, return_index=True)[1]
    return _RulelistTable(_rulelist_features(X), target, codes[np.sort(first_rows)])


def _learn_classy(rows: _RulelistTable, seed: int) -> Learned:
    """Learn a CLASSY rule list. It draws no random numbers; its columns are in the order of appearance."""
    model = _load("rulelist").RuleList(target_model="categorical", task="prediction")
    with contextlib.redirect_stdout(io.StringIO()):  # it prints its iterations
        model.fit(rows.features, rows.target)
    lengths = [len(rule.pattern) for rule in model._rulelist.subgroups]

    def score(X: FloatArray) -> npt.ArrayLike:
        by_appearance = np.asarray(model.predict_proba(_rulelist_features(X)), dtype=np.float64)
        return by_appearance[:, np.argsort(rows.appearance)]

    return Learned(score, len(lengths), sum(lengths))


def _pandas_too_new() -> str | None:
    """Return why rulelist cannot learn although it can be imported, if so."""
    if hasattr(_load("pandas").DataFrame, "iteritems"):
        return None
    return 'rulelist calls what pandas 2 removed: give it an environment of its own, pip install rulelist "pandas<2"'


# BRS of imodels

# With its defaults (rules of up to 10 literals, 3 chains of 5,000 steps) a fit counts all sets of up to 10 columns.
_BRS_SETTINGS = {"maxlen": 3, "num_iterations": 500, "num_chains": 2}


@dataclass(frozen=True)
class _BinaryRows:
    """Rows as 0/1 columns "value >= cut", with the (column, cut) of each."""

    X: FloatArray
    codes: IntArray
    cuts: tuple[tuple[int, float], ...]


def _to_binary(X: FloatArray, codes: IntArray) -> _BinaryRows:
    """Cut numeric columns at their quartiles, since BRS of imodels learns from 0/1 columns only."""
    nominal = _nominal_columns(X)
    cuts: list[tuple[int, float]] = []
    for j, is_nominal in enumerate(nominal):
        known = X[~np.isnan(X[:, j]), j]
        quartiles = np.array([0.5]) if is_nominal else np.unique(np.quantile(known, (0.25, 0.5, 0.75)))
        cuts += [(j, float(cut)) for cut in quartiles if cut > known.min()]
    return _BinaryRows(_cut_columns(X, tuple(cuts)), codes, tuple(cuts))


def _cut_columns(X: FloatArray, cuts: tuple[tuple[int, float], ...]) -> FloatArray:
    """Return one 0/1 column a cut."""
    columns = [j for j, _ in cuts]
    return (X[:, columns] >= np.array([cut for _, cut in cuts])).astype(np.float64)


def _learn_brs(rows: _BinaryRows, seed: int) -> Learned:
    """Learn a Bayesian rule set. It gives no probabilities: a row that a rule covers is of the second class."""
    model = _load("imodels").BayesianRuleSetClassifier(**_BRS_SETTINGS)
    model.random_state = seed  # its constructor ignores the argument
    random.seed(seed)  # it draws from the standard library's generator too
    model.fit(rows.X, rows.codes, feature_names=[f"b{j}" for j in range(rows.X.shape[1])])

    def score(X: FloatArray) -> npt.ArrayLike:
        covered = np.asarray(model.predict(_cut_columns(X, rows.cuts)), dtype=np.float64)
        return np.column_stack([1 - covered, covered])

    return Learned(score, len(model.rules_), sum(len(rule) for rule in model.rules_))


# Black boxes

# A leaf with next to no second derivative gets a huge value: with the default of 0.001 the rare classes of `avila` and
# `smtp` end at AUC 0.5. With 0.1 they are learned, and nothing changes on the other data sets that were tried.
_LIGHTGBM_LEAST_HESSIAN = 0.1


def _learn_lightgbm(rows: _Rows, seed: int) -> Learned:
    """Boost trees with LightGBM; below 100 rows leaves may be smaller than its default of 20 rows."""
    model = _load("lightgbm").LGBMClassifier(
        min_child_samples=int(np.clip(len(rows.X) // 5, 1, 20)),
        min_child_weight=_LIGHTGBM_LEAST_HESSIAN,
        random_state=seed,
        deterministic=True,
        force_col_wise=True,  # otherwise it decides by a stopwatch
        n_jobs=1,
        verbosity=-1,
    )
    model.fit(rows.X, rows.codes)
    return Learned(model.predict_proba)


def _learn_ebm(rows: _Rows, seed: int) -> Learned:
    """Learn an explainable boosting machine without interactions, which would dominate its time."""
    model = _load("interpret.glassbox").ExplainableBoostingClassifier(interactions=0, n_jobs=1, random_state=seed)
    model.fit(rows.X, rows.codes)
    return Learned(model.predict_proba)


def _python_peer(
    name: str,
    package: str,
    module: str,
    learn: Callable[[Any, int], Learned],
    convert: Callable[[FloatArray, IntArray], Any] = _Rows,
    **options: Any,
) -> Peer:
    """Return a peer whose version is that of its distribution."""
    release = functools.partial(_release, package)
    return Peer(name, package, (module,), convert, learn, release, **options)


def _weka_peer(name: str, learn: Callable[[Any, int], Learned]) -> Peer:
    """Return a peer that runs in the JVM."""
    modules = ("weka", "jpype")
    return Peer(name, "python-weka-wrapper3", modules, _to_weka, learn, _weka_release, obstacle=_java_missing)


PEERS: tuple[Peer, ...] = (
    _python_peer("CN2", "Orange3", "Orange.classification", _learn_cn2, _to_orange),
    _weka_peer("JRip", _learn_jrip),
    _weka_peer("J48", _learn_j48),
    _python_peer("CART", "scikit-learn", "sklearn.tree", _learn_cart),
    _python_peer(
        "CLASSY",
        "rulelist",
        "rulelist",
        _learn_classy,
        _to_rulelist,
        extras='gmpy2 "numpy<2" "pandas<2" "scipy<1.12"',
        obstacle=_pandas_too_new,
    ),
    _python_peer("BRS", "imodels", "imodels", _learn_brs, _to_binary, extras="six", most_classes=2),
    _python_peer("LightGBM", "lightgbm", "lightgbm", _learn_lightgbm),
    _python_peer("EBM", "interpret-core", "interpret.glassbox", _learn_ebm),
)
"""Every peer, rule learners and trees first."""


def peer(name: str) -> Peer:
    """Return the peer of that name.

    Parameters
    ----------
    name : str
        One of the names in `PEERS`.

    Returns
    -------
    Peer
        Installed or not.

    Raises
    ------
    SettingsError
        There is no such peer.
    """
    for known in PEERS:
        if known.name == name:
            return known
    names = [known.name for known in PEERS]
    raise SettingsError(f"There is no peer '{name}': choose from {', '.join(names)}.{nearest(name, names)}")
