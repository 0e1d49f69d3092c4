"""Numbers that come in blocks against pyarrow's own joining of them."""

import os

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turs.data import number_buffer
from turs.data.number_buffer import NumberBuffer

integers = st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), max_size=6).map(lambda v: pa.array(v, pa.int64()))
floats = st.lists(st.none() | st.floats(allow_nan=False), max_size=6).map(lambda v: pa.array(v, pa.float64()))


def joined(blocks: list) -> pd.Series:
    """Return what the blocks make as one column."""
    if any(pa.types.is_floating(block.type) for block in blocks):
        return pa.chunked_array([pc.cast(block, pa.float64(), safe=False) for block in blocks]).to_pandas()
    column = pa.chunked_array(blocks, pa.int64())
    return column.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get if column.null_count else None)


@pytest.mark.parametrize("long", [1, 10**6], ids=["mapped", "in the heap"])
@settings(deadline=None)
@given(blocks=st.lists(integers | floats, max_size=5), more=st.integers(0, 9))
def test_blocks_make_the_column_that_they_make_together(long, blocks, more):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(number_buffer, "_LONG", long)
        buffer = NumberBuffer(sum(map(len, blocks)) + more)
        for block in blocks:
            buffer.append(block)
    pd.testing.assert_series_equal(buffer.series(), joined(blocks), check_exact=True)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked on POSIX only")
def test_a_forked_process_does_not_change_the_column(monkeypatch):
    monkeypatch.setattr(number_buffer, "_LONG", 1)
    buffer = NumberBuffer(3)
    buffer.append(pa.array([1, 2, 3]))
    column = buffer.series()
    child = os.fork()
    if child == 0:
        column.iloc[0] = 9
        os._exit(0)
    os.waitpid(child, 0)
    assert column.tolist() == [1, 2, 3]
