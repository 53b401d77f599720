"""Files appear whole or not at all, and two runs do not share one."""

from __future__ import annotations

import pytest
from benchmarks.files import alone_on, write_whole


def test_a_failed_write_leaves_the_old_file_and_nothing_beside_it(tmp_path):
    path = tmp_path / "deep" / "table.md"
    write_whole(path, lambda beside: beside.write_text("old"))

    def fail(beside):
        beside.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_whole(path, fail)
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


def test_the_ending_tells_the_format(tmp_path):
    seen = []
    write_whole(tmp_path / "a.png", lambda beside: (seen.append(beside.suffix), beside.touch()))
    assert seen == [".png"]


def test_a_second_run_is_refused_until_the_first_has_ended(tmp_path):
    path = tmp_path / "rows.csv"
    with alone_on(path):
        with pytest.raises(RuntimeError, match="Another run is writing"), alone_on(path):
            pass
        with alone_on(tmp_path / "other.csv"):
            pass
    with alone_on(path):
        pass
