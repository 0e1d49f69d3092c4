"""TursClassifier: the learner as a scikit-learn estimator, for data frames with names and kinds or plain arrays."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, overload

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin  # type: ignore[import-untyped]  # scikit-learn ships no types
from sklearn.utils import Tags  # type: ignore[import-untyped]  # scikit-learn ships no types
from sklearn.utils.multiclass import check_classification_targets  # type: ignore[import-untyped]  # as above
from sklearn.utils.validation import (  # type: ignore[import-untyped]  # as above
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from turs import __version__
from turs.data.dataset import DEFAULT_CUTS, DataSet, learning_data, unlabelled_bins
from turs.data.names import listed, unique_names
from turs.data.texts import class_text
from turs.errors import DataError, ModelError, NoFeatureError
from turs.kernel import all_cores
from turs.learn.learner import learn
from turs.learn.progress import Learned
from turs.learn.settings import Constraints, Exponents, Settings
from turs.mdl.score import condition_bits, patterns_on, score, score_patterns
from turs.predict import Prediction, model_of, patterns_of, predict, predict_random_pick, rule_probabilities
from turs.rules.document import load, save
from turs.rules.model import Model
from turs.rules.rule import Rule, RuleSet
from turs.rules.schema import Schema
from turs.rules.text import format_rule

_KEPT_DTYPES = "biufUOMm"
"""Kinds of dtypes of class labels that a model document keeps; other labels come back as text."""

_MOMENTS = "Mm"
"""Kinds of dtypes of moments and durations: JSON has none, they are kept as whole numbers."""


class Rules(Sequence[Rule]):
    """The rules of a fitted model: a sequence of `Rule` that prints as text with class probabilities.

    Parameters
    ----------
    model : Model
        The rules and the pattern counts that their probabilities come from.
    """

    def __init__(self, model: Model) -> None:
        self._model = model

    def __len__(self) -> int:
        """Return the number of rules."""
        return len(self._model.rule_set.rules)

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Rule]: ...
    def __getitem__(self, index: int | slice) -> Rule | Sequence[Rule]:
        """Return a rule, or a tuple of rules."""
        return self._model.rule_set.rules[index]

    def texts(self) -> list[str]:
        """Return the text of each rule, with its id and class probabilities."""
        schema = self._model.rule_set.schema
        probabilities = rule_probabilities(patterns_of(self._model)).tolist()
        return [format_rule(rule, schema, own, with_id=True) for rule, own in zip(self, probabilities, strict=True)]

    def __repr__(self) -> str:
        """Return one rule a line."""
        return "\n".join(self.texts()) or "no rules: the else rule covers every row"


class TursClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Learn a truly unordered probabilistic rule set by minimum description length.

    Parameters
    ----------
    search : {"portfolio", "paper"}
        "portfolio" learns with several exponents and keeps the rule set with the fewest bits; "paper" is the paper's
        Algorithm 2 as written.
    beam_width : int
        Candidates kept a level in each of the two beams.
    patience : int
        Levels in a row without a better rule after which the growth of a rule stops.
    least_coverage : int
        Fewest rows that a rule may cover while it grows.
    most_literals, most_rules : int or None
        Limits of a rule and of the rule set.
    diverse, local_test, auxiliary : bool
        The paper's three heuristics: patience clusters, the local test, the auxiliary beam.
    threads : int or None
        Threads that count and score, None for all cores; the rules do not depend on it.
    time_budget : float or None
        Seconds after which the learner stops with what it has found.
    n_cuts : int
        Most candidate cuts of a numeric feature.
    kinds : mapping of str to str or None
        Columns whose kind ("numeric", "categorical" or "date") is not to be inferred; the columns of an array are
        called x0, x1, ...
    unused : sequence of str
        Columns that no rule may use.
    directions : mapping of str to {">=", "<"} or None
        ">=" allows only lower cuts on a numeric column, "<" only upper ones.

    Attributes
    ----------
    classes_ : ndarray
        The class labels as they were given, in the order of all probabilities.
    n_features_in_ : int
        Number of columns seen by `fit`.
    feature_names_in_ : ndarray of str
        Their names, where `fit` was given a data frame whose names are all text.
    rules_ : Rules
        The rules; printing shows them with their probabilities.
    rule_set_ : RuleSet
        The rules and their schema.
    model_ : Model
        The rule set with its pattern counts: what `save` writes.
    code_length_ : float
        Total bits of training labels and rules: the MDL score.
    learned_ : Learned
        The steps of the search and how it ended; only after `fit`.

    Examples
    --------
    >>> from turs import TursClassifier
    >>> model = TursClassifier().fit([[1], [2], [3], [4]] * 9, [0, 0, 1, 1] * 9)
    >>> model.rules_
    r1: IF x0 < 2.5 THEN 1: 0.00
    """

    def __init__(
        self,
        *,
        search: str = "portfolio",
        beam_width: int = 10,
        patience: int = 3,
        least_coverage: int = 1,
        most_literals: int | None = None,
        most_rules: int | None = None,
        diverse: bool = True,
        local_test: bool = True,
        auxiliary: bool = True,
        threads: int | None = None,
        time_budget: float | None = None,
        n_cuts: int = DEFAULT_CUTS,
        kinds: Mapping[str, str] | None = None,
        unused: Sequence[str] = (),
        directions: Mapping[str, str] | None = None,
    ) -> None:
        self.search = search
        self.beam_width = beam_width
        self.patience = patience
        self.least_coverage = least_coverage
        self.most_literals = most_literals
        self.most_rules = most_rules
        self.diverse = diverse
        self.local_test = local_test
        self.auxiliary = auxiliary
        self.threads = threads
        self.time_budget = time_budget
        self.n_cuts = n_cuts
        self.kinds = kinds
        self.unused = unused
        self.directions = directions

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that missing values, text and categories are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = False  # of data frames only: arrays are numbers
        return tags

    def fit(self, X: ArrayLike | pd.DataFrame, y: ArrayLike) -> TursClassifier:
        """Learn a rule set.

        Parameters
        ----------
        X : DataFrame or array-like of numbers, shape (n_rows, n_features)
            The rows. Kinds of data frame columns are respected; missing values stay missing.
        y : array-like, shape (n_rows,)
            The class label of each row.

        Returns
        -------
        TursClassifier
            This estimator.
        """
        frame, labels = self._validated_training(X, y)
        data = self._encoded(frame, labels, _target_name(y, frame))
        learned = self._learned(data)
        self._store(learned, data)
        return self

    def predict_proba(self, X: ArrayLike | pd.DataFrame) -> NDArray[np.float64]:
        """Return class probabilities, one column a class in the order of `classes_`."""
        return self._predicted(X).by_row()

    def predict(self, X: ArrayLike | pd.DataFrame) -> NDArray[Any]:
        """Return the most probable class of each row; of equals, the first."""
        prediction = self._predicted(X)
        return np.asarray(self.classes_[prediction.probabilities.argmax(axis=1)][prediction.pattern])

    def fired_rules(self, X: ArrayLike | pd.DataFrame) -> list[tuple[str, ...]]:
        """Return for each row the ids of the rules that cover it; none where the else rule does."""
        prediction = self._predicted(X)
        ids = [rule.id for rule in self.rule_set_.rules]
        lines = [tuple(ids[k] for k in np.flatnonzero(line)) for line in prediction.members]
        return [lines[pattern] for pattern in prediction.pattern]

    def predict_random_pick(self, X: ArrayLike | pd.DataFrame, seed: int = 0) -> NDArray[np.float64]:
        """Return probabilities where each row takes those of one of its rules, picked at random with `seed`."""
        return predict_random_pick(self.model_, self._bins(X), seed)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to `path` as a JSON document."""
        check_is_fitted(self)
        save(self.model_, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TursClassifier:
        """Return the fitted model in the JSON document at `path`, also one that the command line learned.

        Raises
        ------
        ModelError
            Where the file is no model that can be read.
        """
        model = load(path)
        told = model.info.get("estimator", {})
        where = f"{os.fspath(path)}: info.estimator"
        parameters = told.get("parameters", {}) if isinstance(told, dict) else None
        if not isinstance(parameters, dict):
            raise ModelError(f"{where} does not tell the parameters: write the file again with save.")
        unknown = set(parameters) - set(cls._get_param_names())
        if unknown:
            raise ModelError(f"{where}.parameters has '{min(unknown)}', which this version does not know.")
        estimator = cls(**parameters)
        estimator._restore(model, told, where)
        return estimator

    def _validated_training(self, X: ArrayLike | pd.DataFrame, y: ArrayLike) -> tuple[pd.DataFrame, NDArray[np.int64]]:
        """Check rows and labels; set `classes_`; return the rows as a frame with unique names, and class numbers."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        frame = self._validated(X, reset=True)
        labels = column_or_1d(_plain_labels(y), warn=True)
        check_consistent_length(frame, labels)
        if pd.isna(labels).any():
            raise DataError("Input y contains NaN: leave out the rows without a label.")
        try:
            self.classes_, numbers = np.unique(labels, return_inverse=True)
        except TypeError:
            kinds = listed(sorted({type(label).__name__ for label in labels}))
            raise DataError(f"The labels in y are of several types ({kinds}): give all of them as text.") from None
        if not all(isinstance(label, datetime.date | pd.Period) for label in self.classes_.tolist()):
            check_classification_targets(labels)  # it does not know days and periods, which are classes as well
        return frame, numbers

    def _validated(self, X: ArrayLike | pd.DataFrame, *, reset: bool) -> pd.DataFrame:
        """Return rows as a frame with unique text names; those of `fit` where not `reset`."""
        if isinstance(X, pd.DataFrame):
            if X.columns.has_duplicates:
                X = X.set_axis(pd.Index(unique_names(X.columns)[0]), axis="columns")
            validate_data(self, X, reset=reset, skip_check_array=True)
            frame, names = X, X.columns
        else:
            values = validate_data(self, X, reset=reset, ensure_all_finite="allow-nan")
            frame = pd.DataFrame(values, copy=False)  # nobody writes to it
            names = pd.Index([f"x{position}" for position in range(frame.shape[1])])
        if reset:
            self._columns, _ = unique_names(names)
        return frame.set_axis(pd.Index(self._columns), axis="columns")

    def _encoded(self, frame: pd.DataFrame, numbers: NDArray[np.int64], target: str) -> DataSet:
        """Return rows and class numbers in bins, under the classes as text."""
        classes = tuple(class_text(label) for label in self.classes_.tolist())
        if len(classes) == 1:
            raise DataError(f"y has one class only ('{classes[0]}'): at least two are needed.")
        if len(set(classes)) < len(classes):
            raise DataError("Two class labels differ only in spaces or type: give each class one label.")
        table = frame.copy(deep=False)
        table[target] = numbers
        try:
            data = learning_data(table, target, kinds=self.kinds, features=self._columns, n_cuts=self.n_cuts)
        except NoFeatureError as error:
            rows = np.arange(len(frame), dtype=np.int64)
            no_bins = np.empty((0, len(frame)), dtype=np.uint8)
            return DataSet(Schema(target, classes, ()), no_bins, numbers.astype(np.int32), (str(error),), rows)
        return replace(data, schema=replace(data.schema, classes=classes))

    def _learned(self, data: DataSet) -> Learned:
        """Learn from the rows; without a feature the else rule is all there is to learn."""
        given = {field.name: getattr(self, field.name) for field in fields(Settings)}
        settings = Settings(**(given | {"threads": all_cores() if self.threads is None else self.threads}))
        if not data.schema.features:
            rule_set = RuleSet(data.schema)
            return Learned(rule_set, score(rule_set, data).total_bits, (), Exponents(), stopped=False, seconds=0.0)
        constraints = Constraints(tuple(self.unused), dict(self.directions or {}))
        return learn(data, settings, constraints=constraints)

    def _store(self, learned: Learned, data: DataSet) -> None:
        """Set the fitted attributes."""
        self.learned_ = learned
        rule_set, patterns = learned.rule_set, patterns_on(learned.rule_set, data)
        self.code_length_ = score_patterns(rule_set, patterns, condition_bits(rule_set, data)).total_bits
        model = model_of(rule_set, patterns)
        self._set_model(replace(model, info=self._info()))

    def _set_model(self, model: Model) -> None:
        """Set the fitted attributes that come from a model."""
        self.model_ = model
        self.rule_set_ = model.rule_set
        self.rules_ = Rules(model)

    def _info(self) -> dict[str, Any]:
        """Return what a model document tells beside the model: enough to load this estimator again."""
        parameters = {name: _json_value(value) for name, value in self.get_params().items()}
        return {
            "turs": __version__,
            "training": {"total_bits": self.code_length_},
            "estimator": {
                "parameters": parameters,
                "columns": list(self._columns),
                "named": hasattr(self, "feature_names_in_"),
                "labels": _told_labels(self.classes_),
            },
        }

    def _restore(self, model: Model, told: dict[str, Any], where: str) -> None:
        """Set the fitted attributes from a model and what its document tells of the estimator."""
        schema = model.rule_set.schema
        columns = told.get("columns", [feature.name for feature in schema.features])
        if not isinstance(columns, list) or not {feature.name for feature in schema.features} <= set(columns):
            raise ModelError(f"{where}.columns does not name every feature of the model.")
        self._columns = tuple(columns)
        self.n_features_in_ = len(columns)
        if told.get("named", True):
            self.feature_names_in_ = np.array(columns, dtype=object)
        self.classes_ = _restored_labels(told.get("labels"), schema.classes, where)
        training = model.info.get("training")
        self.code_length_ = float(training["total_bits"]) if isinstance(training, dict) else float("nan")
        self._set_model(model)

    def _predicted(self, X: ArrayLike | pd.DataFrame) -> Prediction:
        """Return predictions for rows."""
        bins = self._bins(X)
        return predict(self.model_, bins)

    def _bins(self, X: ArrayLike | pd.DataFrame) -> NDArray[np.uint8]:
        """Return the bins of rows; columns that no rule uses are not looked at."""
        check_is_fitted(self)
        frame = self._validated(X, reset=False)
        used = {literal.feature for rule in self.rule_set_.rules for literal in rule.literals}
        return unlabelled_bins(frame, self.rule_set_.schema, used)


def _target_name(y: ArrayLike, frame: pd.DataFrame) -> str:
    """Return the name of the labels where they have one of their own, otherwise `class` or the like."""
    given = getattr(y, "name", None)
    name = given if isinstance(given, str) and given.strip() else "class"
    while name in frame.columns:
        name += "_"
    return name


def _plain_labels(y: ArrayLike) -> ArrayLike:
    """Return labels of a nullable or Arrow dtype without missing ones as NumPy has them; others as they are."""
    if isinstance(y, pd.Series) and isinstance(y.dtype, pd.api.extensions.ExtensionDtype) and not y.isna().any():
        dtype = {"b": np.bool_, "i": np.int64, "u": np.uint64, "f": np.float64}.get(y.dtype.kind)
        return y if dtype is None else y.to_numpy(dtype=dtype)
    return y


def _json_value(value: object) -> object:
    """Return a parameter as a JSON value: a grid search gives numbers and lists of NumPy."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): _json_value(part) for key, part in value.items()}
    if isinstance(value, tuple | list | set | frozenset | np.ndarray | pd.Index | pd.Series):
        return [_json_value(part) for part in value]
    return value


def _told_labels(classes: NDArray[Any]) -> dict[str, Any]:
    """Return class labels and their dtype as JSON values."""
    labels = (classes.astype(np.int64) if classes.dtype.kind in _MOMENTS else classes).tolist()
    plain = all(isinstance(label, bool | int | float | str) for label in labels)
    kept = plain and classes.dtype.kind in _KEPT_DTYPES
    return {
        "dtype": classes.dtype.str if kept else "O",
        "values": labels if kept else [class_text(label) for label in labels],
    }


def _restored_labels(told: object, classes: tuple[str, ...], where: str) -> NDArray[Any]:
    """Return the class labels in their own dtype, as text where the document does not tell."""
    if told is None:
        return np.array(classes)
    try:
        dtype = np.dtype(told["dtype"])  # type: ignore[index]  # checked by trying
        labels = np.array(told["values"], dtype=np.int64 if dtype.kind in _MOMENTS else dtype).astype(dtype)  # type: ignore[index]
        texts = tuple(class_text(label) for label in labels.tolist())
    except (KeyError, TypeError, ValueError, OverflowError):
        texts = ()
    if texts != classes:
        raise ModelError(f"{where}.labels does not fit the classes of the model.")
    return labels
