"""Write the sample tables: `python sample_data/make_samples.py [FOLDER]`.

Three come from scikit-learn, two are made up with a fixed seed. The same bytes come out on every machine: the generator
of Python's `random()` is fixed, and every other number is computed from it and rounded.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random
from statistics import NormalDist

from sklearn.datasets import load_breast_cancer, load_iris, load_wine

Row = Sequence[object]


def main(folder: Path) -> None:
    """Write all tables to a folder."""
    write(folder / "iris.csv", *from_scikit_learn(load_iris(), "species", unit=" (cm)"))
    write(folder / "breast_cancer.csv", *from_scikit_learn(load_breast_cancer(), "diagnosis"))
    write(folder / "wine.csv", *from_scikit_learn(load_wine(), "cultivar"))
    write(folder / "machines.csv", *machines(Random(7)))
    write(folder / "readmission.csv", *readmission(Random(12)))


def write(path: Path, head: Row, rows: Iterable[Row]) -> None:
    """Write a table as CSV; None is an empty cell."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def from_scikit_learn(bunch: object, target: str, unit: str = "") -> tuple[Row, Iterable[Row]]:
    """Return a data set of scikit-learn with readable names and the class in the last column."""
    names = [name.removesuffix(unit).replace("_", " ") for name in bunch.feature_names]
    named = [str(name) for name in bunch.target_names]
    labels = [number if name.startswith("class_") else name for number, name in enumerate(named, start=1)]
    rows = zip(bunch.data.tolist(), bunch.target.tolist(), strict=True)
    return [*names, target], ([*values, labels[label]] for values, label in rows)


def normal(random: Random, mean: float, deviation: float, digits: int) -> float:
    """Return a rounded number from a normal distribution."""
    return round(NormalDist(mean, deviation).inv_cdf(random.random()), digits)


def pick(random: Random, weights: dict[object, float]) -> object:
    """Return a key with a probability in proportion to its weight."""
    left = random.random() * sum(weights.values())
    for key, weight in weights.items():
        left -= weight
        if left < 0:
            return key
    return key


def machines(random: Random) -> tuple[Row, Iterable[Row]]:
    """Return machines on a shop floor: categories, dates, yes and no, gaps, and the column names of a spreadsheet."""
    head = [
        "machine no.",
        "température (°C)",
        'vibration "peak", mm/s',
        "Größe",
        "supplier / 供应商",
        "operator's shift",
        "last service",
        "under warranty?",
        "breakdown within 30 days",
    ]
    return head, [machine(random, number) for number in range(1, 1201)]


def machine(random: Random, number: int) -> Row:
    """Return one machine: hot ones, old services and one supplier's large ones break down more often."""
    heat = normal(random, 62, 9, 1)
    vibration = round(normal(random, 3, 1.2, 3) ** 2 / 3, 2)
    size = pick(random, {"S": 3, "M": 4, "L": 2, "XL (Sonderbau)": 1})
    supplier = pick(random, {"Müller & Söhne": 4, 'O\'Neill "Tools" Ltd': 3, "北京机床": 2, "n. n.": 1})
    shift = pick(random, {"day": 5, "night": 3, "week-end": 1})
    serviced = date(2024, 12, 31) - timedelta(days=int(random.random() ** 2 * 900))
    warranty = random.random() < 0.35
    chance = 0.06
    if heat >= 70:
        chance = 0.55
    if serviced < date(2023, 9, 1) and not warranty:
        chance = max(chance, 0.5)
    if supplier == 'O\'Neill "Tools" Ltd' and size in ("L", "XL (Sonderbau)"):
        chance = max(chance, 0.6)
    no_sensor = random.random() < 0.12
    if no_sensor:
        chance = max(chance, 0.35)
    broken = "yes" if random.random() < chance else "no"
    return [
        f"M-{number:04d}",
        heat,
        None if no_sensor else vibration,
        size,
        None if random.random() < 0.05 else supplier,
        None if random.random() < 0.08 else shift,
        None if random.random() < 0.03 else serviced.isoformat(),
        str(warranty).lower(),
        broken,
    ]


def readmission(random: Random) -> tuple[Row, Iterable[Row]]:
    """Return patients who leave hospital, readmitted by three known rules that overlap."""
    head = ["age", "earlier admissions", "creatinine", "days in hospital", "ward", "lives alone", "readmitted"]
    return head, [patient(random) for _ in range(1500)]


def patient(random: Random) -> Row:
    """Return one patient; what decides about the class is stated in the README."""
    age = min(max(int(normal(random, 58, 17, 0)), 18), 97)
    earlier = int(random.random() ** 2 * 6)
    creatinine = round(0.6 + 1.8 * random.random() ** 2, 1)
    days = 1 + int(random.random() ** 2 * 20)
    ward = pick(random, {"surgery": 4, "cardiology": 3, "medicine": 5, "oncology": 2})
    alone = "yes" if random.random() < 0.3 else "no"
    chance = 0.06
    if (age >= 65 and earlier >= 2) or creatinine >= 1.6 or (ward == "oncology" and alone == "yes"):
        chance = 0.9
    return [age, earlier, creatinine, days, ward, alone, "yes" if random.random() < chance else "no"]


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
