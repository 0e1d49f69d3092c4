"""The measurements of a store: a small run of each."""

from __future__ import annotations

from turs.benchmark.storing import StorageSize, run_storage


def test_every_measurement_is_made_and_the_folder_left_as_it_was(tmp_path):
    table = run_storage(tmp_path, StorageSize(rows=2000, rules=5, edits=20, lines=30, repeats=3), 2)
    assert [row[0] for row in table.rows] == [
        "open a session of 20 edits on 2,000 rows",
        "append an edit to a journal of 30",
        "apply an edit in a session with a journal of 30",
    ]
    assert all(0 < median <= slowest for _, _, median, slowest in table.rows)
    assert list(tmp_path.iterdir()) == []
