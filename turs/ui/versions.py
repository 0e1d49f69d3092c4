"""What is edited: a table in two parts, and a rule set on it. Values only, no Streamlit.

Every edit makes a new version; going back is taking an older one. A version keeps the raw rows, because a cut that
is typed by hand and is not on the grid changes the bins.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from turs.data import DataSet, Table, labelled_data, learning_data, stratified_split
from turs.evaluate.evaluation import Evaluation, Headline, evaluate
from turs.predict import model_of
from turs.rules.document import dumps
from turs.rules.rule import RuleSet
from turs.rules.text import parse_rule

VALIDATION_SHARE = 0.3
SEED = 0


@dataclass(frozen=True, eq=False)
class Source:
    """A table with a target, split into rows to learn from and rows to check with.

    Parameters
    ----------
    name : str
        What the user calls the table.
    training, validation : DataFrame
        Raw rows.
    training_data, validation_data : DataSet
        The same rows in bins, before any edit.
    """

    name: str
    training: pd.DataFrame
    validation: pd.DataFrame
    training_data: DataSet
    validation_data: DataSet


@dataclass(frozen=True, eq=False)
class Version:
    """A rule set on a source.

    Parameters
    ----------
    source : Source
        The rows.
    rule_set : RuleSet
        The rules.
    training, validation : DataSet
        The rows in the bins of the rule set's schema.
    learned : Headline or None
        State just after learning, to compare with; None for the learned version itself.
    """

    source: Source
    rule_set: RuleSet
    training: DataSet
    validation: DataSet
    learned: Headline | None = None

    @cached_property
    def evaluation(self) -> Evaluation:
        """All numbers of this version."""
        return evaluate(self.rule_set, self.training, self.validation)

    @property
    def baseline(self) -> Headline:
        """State just after learning."""
        return self.learned or self.evaluation.headline

    def with_text(self, text: str, rule_id: str | None = None) -> Version:
        """Return a version where `text` replaces the condition of a rule, or is a new rule."""
        rules = self.rule_set
        rule = parse_rule(text, rules.schema, rule_id or rules.next_id())
        return self._edited(rules.replace_rule(rule) if rule_id else rules.with_rule(rule))

    def without(self, rule_id: str) -> Version:
        """Return a version without one rule."""
        return self._edited(self.rule_set.without_rule(rule_id))

    def document(self) -> str:
        """Return the model document, which `turs predict` takes."""
        return dumps(model_of(self.rule_set, self.evaluation.training.training))

    def _edited(self, rule_set: RuleSet) -> Version:
        """Return a version with other rules, its rows binned again where a new cut joined the schema."""
        edited = replace(self, rule_set=rule_set, learned=self.baseline)
        if rule_set.schema == self.rule_set.schema:
            return edited
        source = self.source
        return replace(
            edited,
            training=labelled_data(source.training, rule_set.schema, notes=source.training_data.notes),
            validation=labelled_data(source.validation, rule_set.schema),
        )


def split_source(name: str, table: Table, target: str) -> Source:
    """Split a table by class, always in the same way, and put the rows into bins."""
    kept, aside = stratified_split(table.frame[target], VALIDATION_SHARE, SEED)
    training, validation = table.frame.iloc[kept], table.frame.iloc[aside]
    data = learning_data(training, target, notes=table.notes)
    return Source(name, training, validation, data, labelled_data(validation, data.schema))


def first_version(source: Source, rule_set: RuleSet) -> Version:
    """Return a rule set just as it was learned."""
    return Version(source, rule_set, source.training_data, source.validation_data)
