# %% [markdown]
# # Rules that can be read, questioned and corrected
#
# A short tour in Python, on the made-up table of readmissions. Its true rules are known (see `README.md` beside this
# file): patients come back if their creatinine is 1.6 or more, if they are 65 or older and had two or more earlier
# admissions, or if they are on the oncology ward and live alone. Run it cell by cell in an editor or a notebook, or as
# a whole with `python tutorial.py`.

# %% The table, and rows put aside to check with
from pathlib import Path

import pandas as pd

from turs import TursClassifier
from turs.data import stratified_split
from turs.editing import AttachNote, LockRule, MoveCut, cut_literals, relearn, round_cuts, scan, session_on

try:
    folder = Path(__file__).parent
except NameError:  # a notebook has no file
    folder = Path("sample_data")
table = pd.read_csv(folder / "readmission.csv")
training_rows, validation_rows = stratified_split(table["readmitted"], 0.3, seed=5)
training, validation = table.iloc[training_rows], table.iloc[validation_rows]

# %% Learn: each rule stands on its own, its probabilities come from all rows that it covers
model = TursClassifier().fit(training.drop(columns="readmitted"), training["readmitted"])
print(model.rules_)

# %% A session: the learned rules, the rows they were learned from, and rows to check with
session = session_on(model.model_.rule_set, training, validation)
print(session.state.score)

# %% Which rule is about age, and where is its cut?
rule = next(rule for rule in session.version.rules if any(part.feature == "age" for part in rule.literals))
print(rule)

# %% Every round cut in one walk over the rows: bits, and AUC on both parts
cuts = cut_literals(session.state, rule.id, "age", "low", round_cuts(session.state, "age", 100))
points = scan(session.state, rule.id, cuts)
for point in sorted(points, key=lambda point: point.total_bits)[:3]:
    print(point)

# %% The expert knows that 65 is the cut that is meant: look before it is made
impact = session.preview(MoveCut(rule.id, "age", low=65))
print(impact)

# %% Make the edit, say why, and lock the rule
session.apply(MoveCut(rule.id, "age", low=65), author="tutorial", note="the age that the guideline names")
session.apply(AttachNote(rule.id, "Checked against the guideline."))
session.apply(LockRule(rule.id))

# %% Learn again around what was decided; the locked rule stays as it is
again = relearn(session.state)
print(session.preview(again).description)

# %% Every step can be undone, and nothing is lost: an edit after an undo begins a branch
session.undo()
session.redo()
for entry in session.history.path():
    print(entry.number, entry.description, f"{entry.total_bits:.1f} bits")

# %% Take it with you
print(session.model().rule_set)
