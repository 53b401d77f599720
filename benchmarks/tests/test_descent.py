"""What is watched of a descent is one run, and accelerations are held against plain steps."""

from __future__ import annotations

import math

import pytest

from benchmarks.frame import Case
from benchmarks.studies import descent
from benchmarks.studies.descent import watch_errors, watch_objective


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(descent, "CHECKPOINTS", (1, 20, 200))
    monkeypatch.setattr(descent, "ITERATIONS", (1, 20, 200))


def test_clean_rows_bring_the_descent_to_genie():
    found = watch_errors(Case("smooth-80", "label", 0.0, "gradient", 0))
    assert found["rmse@200"] == pytest.approx(found["genie"], rel=0.05)
    assert found["rmse@1"] > found["rmse@200"]
    assert found["bad@200"] == 0.0


def test_bad_rows_are_shed():
    found = watch_errors(Case("smooth-80", "label", 0.3, "gradient", 0))
    assert 0.0 <= found["bad@200"] < 0.3


@pytest.mark.parametrize("method", ["momentum", "nesterov"])
def test_accelerated_steps_are_sooner_there(method):
    found = watch_objective(Case("smooth-80", "label", 0.2, method, 0))
    assert math.isnan(found["reached"]) or found["reached"] < 0.6 * found["plain_n_iter"]
