"""Times are minima over turns; memory is what the job adds in a process of its own."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from benchmarks.measure import fastest
from benchmarks.memory import peak_memory

from benchmarks import measure


def test_rivals_take_turns_forth_and_back():
    calls = []
    competitors = {name: lambda name=name: calls.append(name) for name in "abc"}
    fastest(competitors, repeats=2)
    assert "".join(calls) == "abccba"


def test_the_shortest_time_counts(monkeypatch):
    clock = iter([0.0, 5.0, 10.0, 12.0, 20.0, 23.0])
    monkeypatch.setattr(measure, "perf_counter", lambda: next(clock))
    assert fastest({"job": lambda: None}, repeats=3) == {"job": 2.0}


@pytest.mark.skipif(sys.platform == "win32", reason="needs the resource module")
def test_memory_counts_the_job_and_neither_the_imports_nor_the_parent():
    ballast = np.ones(60 * 2**17)  # a large parent must not hide the small child
    usage = peak_memory("bench_fakes:allocate", megabytes=40)
    assert 38 < usage.megabytes < 50
    assert usage.seconds > 0
    assert ballast.size


def test_a_failing_job_says_why():
    with pytest.raises(RuntimeError, match="fail ended with code 1: ValueError: too big"):
        peak_memory("bench_fakes:fail", reason="too big")
