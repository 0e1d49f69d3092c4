"""The other learners that TURS is compared with.

What is the same for all of them: settings are the library's defaults unless a comment here says why not; one thread.
CN2, JRip and J48 know nominal columns, and somebody who uses them says which columns are nominal: a column that has no
known values but 0 and 1 (one-hot or binary) is handed to them as nominal with two levels.

Rules and literals are counted without the default rule, as the else rule is not counted for TURS. For a tree, rules
are its leaves and literals the summed depths of the leaves.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import io
import random
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from turs.benchmark.peer import (
    BoolArray,
    FloatArray,
    IntArray,
    Learned,
    Peer,
    Rows,
    load,
    nominal_columns,
    release_of,
    with_levels,
)
from turs.errors import SettingsError, nearest

# CN2 of Orange


@dataclass(frozen=True)
class _OrangeTable:
    """An Orange table, and which of its columns are nominal."""

    table: Any
    nominal: BoolArray


def _to_orange(X: FloatArray, codes: IntArray) -> _OrangeTable:
    """Build an Orange table."""
    data = load("Orange.data")
    nominal = nominal_columns(X)
    columns = [
        data.DiscreteVariable(f"x{j}", values=("0", "1")) if is_nominal else data.ContinuousVariable(f"x{j}")
        for j, is_nominal in enumerate(nominal)
    ]
    target = data.DiscreteVariable("class", values=tuple(f"c{code}" for code in range(codes.max() + 1)))
    domain = data.Domain(columns, target)
    return _OrangeTable(data.Table.from_numpy(domain, X, codes.astype(np.float64)), nominal)


def _learn_cn2(rows: _OrangeTable, seed: int) -> Learned:
    """Learn unordered CN2 rules. Orange derives its random tie breaks from the data: the seed has no use."""
    model = load("Orange.classification").CN2UnorderedLearner()(rows.table)
    rules = [rule for rule in model.rule_list if len(rule.selectors) > 0]

    def table(X: FloatArray) -> Any:
        unlabelled = np.full(len(X), np.nan)
        return load("Orange.data").Table.from_numpy(rows.table.domain, with_levels(X, rows.nominal), unlabelled)

    def score(X: FloatArray) -> npt.ArrayLike:
        probabilities: npt.ArrayLike = model(table(X), model.Probs)
        return probabilities

    def cover(X: FloatArray) -> npt.ArrayLike:
        values = table(X).transform(model.domain).X
        return np.array([rule.evaluate_data(values) for rule in rules], dtype=np.bool_).reshape(-1, len(X)).T

    return Learned(score, len(rules), sum(len(rule.selectors) for rule in rules), cover)


# RIPPER and C4.5 of Weka


@dataclass(frozen=True)
class _WekaTable:
    """Weka instances, and which of their columns are nominal."""

    instances: Any
    nominal: BoolArray


def _weka_jars() -> list[Path]:
    """Return the jars that python-weka-wrapper3 ships."""
    folder = Path(next(iter(load("weka").__path__))) / "lib"
    return sorted(jar for jar in folder.glob("*.jar") if not jar.stem.endswith("-src"))


def _weka_release() -> str:
    """Return the version of Weka itself, read from its jar so that no JVM has to start."""
    importlib.metadata.version("python-weka-wrapper3")
    jar = next(path for path in _weka_jars() if path.name == "weka.jar")
    with zipfile.ZipFile(jar) as archive:
        return f"weka {archive.read('weka/core/version.txt').decode().strip().replace('-', '.')}"


def _java_missing() -> str | None:
    """Return why no JVM can start, if so."""
    jpype = load("jpype")
    try:
        jpype.getDefaultJVMPath()
    except jpype.JVMNotFoundException:
        return "python-weka-wrapper3 finds no Java: install Java 11 or newer (apt-get install default-jre-headless)"
    return None


def _java() -> Any:
    """Return jpype with a running JVM; it starts once and stays up, because jpype cannot start a second one."""
    jpype = load("jpype")
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
    nominal = nominal_columns(X)
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
        rows = _weka_instances(trained.instances, with_levels(X, trained.nominal), unlabelled)
        return np.array(model.distributionsForInstances(rows))

    return score


def _learn_jrip(rows: _WekaTable, seed: int) -> Learned:
    """Learn RIPPER rules."""
    model = _java().JClass("weka.classifiers.rules.JRip")()
    model.setSeed(seed)
    model.buildClassifier(rows.instances)
    rules = [rule for rule in model.getRuleset() if rule.getAntds().size() > 0]

    def cover(X: FloatArray) -> npt.ArrayLike:
        unlabelled = np.full(len(X), np.nan)
        instances = list(_weka_instances(rows.instances, with_levels(X, rows.nominal), unlabelled))
        covered = [[bool(rule.covers(instance)) for instance in instances] for rule in rules]
        return np.array(covered, dtype=np.bool_).reshape(-1, len(X)).T

    return Learned(_weka_score(model, rows), len(rules), sum(int(rule.getAntds().size()) for rule in rules), cover)


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


def _learn_cart(rows: Rows, seed: int) -> Learned:
    """Learn a CART tree."""
    model = load("sklearn.tree").DecisionTreeClassifier(random_state=seed).fit(rows.X, rows.codes)
    left, right = model.tree_.children_left, model.tree_.children_right
    depths = np.zeros(len(left), dtype=np.int64)
    for node in np.flatnonzero(left >= 0):  # a parent comes before its children
        depths[[left[node], right[node]]] = depths[node] + 1
    leaves = np.flatnonzero(left < 0)

    def cover(X: FloatArray) -> npt.ArrayLike:
        reached: BoolArray = model.apply(X)[:, None] == leaves
        return reached

    return Learned(model.predict_proba, len(leaves), int(depths[leaves].sum()), cover)


# CLASSY of rulelist


@dataclass(frozen=True)
class _RulelistTable:
    """The two data frames that rulelist takes, and the class positions in the order in which they first occur."""

    features: Any
    target: Any
    appearance: IntArray


def _rulelist_features(X: FloatArray) -> Any:
    """Return rows as a data frame of numbers: the nominal columns of rulelist 0.2.0 fail."""
    return load("pandas").DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])


def _to_rulelist(X: FloatArray, codes: IntArray) -> _RulelistTable:
    """Build the data frames that rulelist takes."""
    target = load("pandas").DataFrame({"class": codes})
    first_rows = np.unique(codes, return_index=True)[1]
    return _RulelistTable(_rulelist_features(X), target, codes[np.sort(first_rows)])


def _learn_classy(rows: _RulelistTable, seed: int) -> Learned:
    """Learn a CLASSY rule list. It draws no random numbers; its columns are in the order of appearance."""
    model = load("rulelist").RuleList(target_model="categorical", task="prediction")
    with contextlib.redirect_stdout(io.StringIO()):  # it prints its iterations
        model.fit(rows.features, rows.target)
    lengths = [len(rule.pattern) for rule in model._rulelist.subgroups]

    def score(X: FloatArray) -> npt.ArrayLike:
        by_appearance = np.asarray(model.predict_proba(_rulelist_features(X)), dtype=np.float64)
        return by_appearance[:, np.argsort(rows.appearance)]

    return Learned(score, len(lengths), sum(lengths))


def _pandas_too_new() -> str | None:
    """Return why rulelist cannot learn although it can be imported, if so."""
    if hasattr(load("pandas").DataFrame, "iteritems"):
        return None
    return (
        'rulelist calls what pandas 2 removed: install it with "pandas<2" into an environment of its own,'
        " and name its interpreter by --python CLASSY=PATH"
    )


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
    nominal = nominal_columns(X)
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
    model = load("imodels").BayesianRuleSetClassifier(**_BRS_SETTINGS)
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


def _learn_lightgbm(rows: Rows, seed: int) -> Learned:
    """Boost trees with LightGBM; below 100 rows leaves may be smaller than its default of 20 rows."""
    model = load("lightgbm").LGBMClassifier(
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


def _learn_ebm(rows: Rows, seed: int) -> Learned:
    """Learn an explainable boosting machine without interactions, which would dominate its time."""
    model = load("interpret.glassbox").ExplainableBoostingClassifier(interactions=0, n_jobs=1, random_state=seed)
    model.fit(rows.X, rows.codes)
    return Learned(model.predict_proba)


def _python_peer(
    name: str,
    package: str,
    module: str,
    learn: Callable[[Any, int], Learned],
    convert: Callable[[FloatArray, IntArray], Any] = Rows,
    **options: Any,
) -> Peer:
    """Return a peer whose version is that of its distribution."""
    release = functools.partial(release_of, package)
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
        extras='gmpy2 numba openpyxl scikit-learn "numpy<2" "pandas<2" "pyarrow<20" "scipy<1.12"',
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
