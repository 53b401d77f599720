"""Work of other processes is seen, and one's own is not."""

from __future__ import annotations

import math

import pytest
from benchmarks.speed.others import Moment, moment, others

from benchmarks.speed import others as module


def test_own_work_does_not_count():
    assert others(Moment(0.0, 5.0, 1.0), Moment(2.0, 9.0, 5.0)) == 0.0
    assert others(Moment(0.0, 5.0, 1.0), Moment(2.0, 8.0, 1.0)) == 1.5


def test_elsewhere_it_is_unknown(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "STAT", tmp_path / "stat")
    assert math.isnan(others(moment(), moment()))


@pytest.mark.skipif(not module.STAT.exists(), reason="Linux only")
def test_ticks_are_seconds():
    assert 0 < moment().busy < 1e12
