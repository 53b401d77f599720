"""A case is drawn, fitted and scored; memory and repeats follow the rules."""

from __future__ import annotations

import json
import math
import time
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from benchmarks.speed import child
from benchmarks.speed.child import main, measure, repeats, timed
from benchmarks.speed.process import MEASURES
from untaint.exceptions import MemoryLimitError


@pytest.fixture(autouse=True)
def no_limit(monkeypatch):
    # It would hold for the process of the tests, and for good.
    monkeypatch.setattr(child, "limit_memory", lambda: None)
    monkeypatch.setattr(child, "end_with_parent", lambda: None)


def arguments(tmp_path, **more):
    return {"n_test": 500, "components": None, "folder": str(tmp_path), "short": 0.0, **more}


@pytest.mark.parametrize("method", ["untaint", "genie", "linear-regression", "ransac"])
def test_a_linear_case_fills_every_column(method, tmp_path):
    found = measure("linear-500", method, 0, **arguments(tmp_path))
    assert set(found) == set(MEASURES)
    assert found["n"] == 500
    assert found["seconds"] > 0
    assert found["runs"] == 1
    assert math.isnan(found["accuracy"])
    if method in ("untaint", "genie"):
        assert found["rmse"] == pytest.approx(0.5, abs=0.05)
        assert found["coef_error"] < 0.2
        assert found["share"] == (0.2 if method == "untaint" else 0.0)


def test_classes_are_scored_by_accuracy(tmp_path):
    found = measure("linear-classes-2000", "logistic-regression", 0, **arguments(tmp_path))
    assert 0.8 < found["accuracy"] <= 1.0
    assert math.isnan(found["rmse"])
    assert math.isnan(found["coef_error"])


def test_the_kernel_matrix_alone_has_time_and_no_error(tmp_path):
    found = measure("exact-300", "matrix", 0, **arguments(tmp_path))
    assert found["seconds"] > 0
    assert math.isnan(found["rmse"])


def test_a_short_fit_is_repeated_and_a_long_one_is_not():
    assert [repeats(seconds) for seconds in (0.01, 0.2, 1.9, 2.0)] == [20, 5, 3, 1]
    calls = []
    assert timed(lambda: calls.append(time.sleep(0.01))).runs == len(calls) == 20
    assert timed(lambda: None, short=0.0).runs == 1


def test_memory_is_what_the_fit_adds():
    ballast = np.ones(2**22)
    kept = []
    cost = timed(lambda: kept.append(np.ones(30 * 2**17)), short=0.0)
    assert cost.megabytes == pytest.approx(30.0, abs=5.0)
    assert ballast.size


def test_a_fit_that_was_broken_off_says_so():
    def fit():
        warnings.warn("too few", ConvergenceWarning, stacklevel=2)

    assert timed(fit, short=0.0).outcome == "not converged"


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (MemoryError(), "out of memory"),
        (MemoryLimitError(), "would exceed its memory_limit"),
    ],
)
def test_too_little_memory_is_an_outcome(error, outcome, monkeypatch, capsys):
    def no_luck(**arguments):
        raise error

    monkeypatch.setattr(child, "measure", no_luck)
    main("{}")
    assert json.loads(capsys.readouterr().out) == {"outcome": outcome}
