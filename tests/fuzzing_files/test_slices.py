"""A slice of what `make bench ARGS=fuzz-files` does by the million, always the same one."""

import signal

import pytest

pytest.importorskip("pyarrow", reason="tables are read through pyarrow")

from benchmarks.commands.file_fuzzing.runner import make_target, outcomes
from benchmarks.commands.file_fuzzing.watch import Watch

SLICES = {
    "texts": 300, "encoders": 100, "parquets": 150, "csv-rows": 400, "parquet-rows": 400,
    "arrays": 400, "checkpoints": 300, "models": 120,
}  # fmt: skip


@pytest.mark.parametrize("name", SLICES)
def test_nothing_but_documented_refusals(name, tmp_path):
    before = signal.getsignal(signal.SIGALRM)
    target, watch = make_target(name, tmp_path), Watch(tmp_path)
    list(outcomes(name, target, watch, 0, range(8)))  # what is imported at first use
    try:
        ends = list(outcomes(name, target, watch, 0, range(SLICES[name])))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert [end for end in ends if end[1] == "finding"] == []
    assert {"refused", "done"} <= {end[1] for end in ends}
