"""Single values, converted with the standard library alone, against the conversion of columns."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turs.data.columns import LevelColumn, SourceColumn, converted
from turs.data.delimited import MISSING_MARKERS
from turs.data.texts import match_texts
from turs.errors import DataError
from turs.export.conversion import level, number, seconds
from turs.rules.schema import Kind

DAY = datetime.datetime(2024, 1, 5, 13, 30, 0, 250_001)
EAST = datetime.timezone(datetime.timedelta(hours=5, minutes=30))

VALUES = (
    *(None, float("nan"), pd.NA, pd.NaT, Decimal("NaN"), "", " \t", "nan", "NaN"),
    *(0, -3, 2**53 + 1, 10**30, 10**400, True, False, np.True_, np.int8(3), np.float32(0.1), np.float64(1e22)),
    *(0.5, -0.0, 1e16, 1e-7, float("inf"), Decimal("0.10"), Decimal("7"), b" 5 ", b"x"),
    *(
        "+1",
        "1.",
        ".5",
        "-.5e-3",
        "1E5",
        "007",
        "\xa05",
        "1e400",
        "1e-400",
        "inf",
        "1_0",
        "1,5",
        "\u0661",
        "--1",
        "5e",
        "+",
    ),
    *("?", " ?\t", "NA", "N/A", "NULL", " None", "none", "??", b"?"),
    *("99999999999999999999", "4.9e-324", "true", "True", "FALSE", "x", " x ", "1.0", "1.50", "01.0", "0"),
    *("2024-01-05", "2024-01-05 13:30", "2024-01-05T13:30:00.5", "2024-01-05T13:30:00.123456789", " 2024-01-05 "),
    *("1969-12-31T23:59:59.9999999", "2024-01-05 13:30:00+05", "2024-01-05 13:30-0530", "2024-01-05T13:30Z"),
    *("0001-01-01", "9999-12-31T23:59:59", "0001-01-01 00:00+01:00", "2024-02-30", "2024-01-05 24:00", "2024-1-5"),
    *("2024-01-05T23:59:60", "2024-01-05 13:30:00+24:00", "2024-01-05 13:30:00+05:60", "2024-01-05t13:30", "20240105"),
    *(DAY, DAY.date(), DAY.replace(tzinfo=EAST), datetime.datetime(2024, 1, 5), datetime.date(1600, 1, 1)),
    *(pd.Timestamp("2024-01-05 01:02:03.123456789"), datetime.time(3, 4), datetime.timedelta(seconds=5)),
)


def column(value: object, kind: Kind) -> SourceColumn:
    return SourceColumn("x", pd.Series([value], dtype=object))


def assert_same_number(value: object, kind: Kind) -> None:
    """Check that both give the same number, or that both refuse the value; markers are missing, as in a file."""
    convert = number if kind is Kind.NUMERIC else seconds
    text = value.decode() if isinstance(value, bytes) else value
    if isinstance(text, str) and text.strip() in MISSING_MARKERS:
        assert convert({"x": value}, "x") is None
        return
    try:
        (wanted,) = converted(column(value, kind), kind).values.tolist()
    except DataError:
        with pytest.raises(ValueError, match="column 'x'"):
            convert({"x": value}, "x")
        return
    found = convert({"x": value}, "x")
    assert (found is None and wanted != wanted) or found == wanted


@pytest.mark.parametrize("kind", [Kind.NUMERIC, Kind.DATE])
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_numbers_and_dates(value: object, kind: Kind) -> None:
    assert_same_number(value, kind)


@settings(deadline=None)
@given(
    st.one_of(
        st.floats(), st.integers(), st.floats().map(repr), st.decimals(allow_nan=False), st.text("0123456789.eE+- ")
    )
)
def test_any_number(value: object) -> None:
    assert_same_number(value, Kind.NUMERIC)


@settings(deadline=None)
@given(
    st.one_of(
        st.datetimes(
            datetime.datetime(1, 1, 2), datetime.datetime(9999, 12, 30), timezones=st.sampled_from([None, EAST])
        ),
        st.dates(),
    )
)
def test_any_date(value: datetime.date) -> None:
    assert_same_number(value, Kind.DATE)
    assert_same_number(value.isoformat(), Kind.DATE)


LEVELS = (
    ("1", "2", "007", "x", "0.5"),
    ("true", "False", "1e+22"),
    ("1", "1.0", "10000000000000000"),
    ("2024-01-05", "2024-01-05 13:30:00.250001", "03:04:00", "true", "True"),
    ("?", "NA", "nan", "none"),
)


@pytest.mark.parametrize("levels", LEVELS, ids=str)
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_levels(value: object, levels: tuple[str, ...]) -> None:
    known = converted(column(value, Kind.CATEGORICAL), Kind.CATEGORICAL)
    assert isinstance(known, LevelColumn)
    found = level({"x": value}, "x", levels)
    if known.codes[0] < 0 or (known.levels[0] in MISSING_MARKERS and known.levels[0] not in levels):
        assert found is None
    else:
        position = match_texts([known.levels[0]], levels)[0]
        assert found == (levels[position] if position >= 0 else known.levels[0])


def test_a_value_that_is_refused_is_named() -> None:
    with pytest.raises(ValueError, match=r"column 'x': '2024-13' is not a date such as"):
        seconds({"x": "2024-13"}, "x")
