"""A case without parameters: only Genie sees the mask, and competitors have two choices."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from benchmarks.automatic import competitors
from benchmarks.automatic.evaluate import MEASURES, evaluate
from benchmarks.automatic.fitting import estimator, rows_of, watch
from benchmarks.automatic.share import MEASURES as SHARE_MEASURES
from benchmarks.automatic.share import measure_share

from benchmarks import Case
from untaint import SubquantileRegressorCV
from untaint.exceptions import AmbiguousContaminationWarning


def case(method="untaint-cv", epsilon=0.3, kind="label"):
    return Case("smooth-150", kind, epsilon, method, 0)


def test_ours_comes_near_to_genie_and_plain_kernel_ridge_does_not():
    errors = {}
    for method in ("genie", "untaint-cv", "kernel-ridge-cv"):
        measures = evaluate(case(method))
        assert set(measures) == set(MEASURES)
        assert np.isnan(measures["rmse_by_median"])
        errors[method] = measures["rmse"]
    assert errors["untaint-cv"] < 1.2 * errors["genie"]
    assert errors["kernel-ridge-cv"] > 1.5 * errors["genie"]


def test_genie_is_fitted_on_the_clean_rows():
    split = rows_of(case("genie"))
    clean = split.clean_mask
    model = SubquantileRegressorCV(contamination=0.0).fit(
        split.X_train[clean], split.y_train[clean]
    )
    expected = np.sqrt(np.mean((model.predict(split.X_test) - split.y_test) ** 2))
    assert evaluate(case("genie"))["rmse"] == pytest.approx(expected, rel=1e-6)


def test_rivals_report_both_choices(monkeypatch):
    monkeypatch.setattr(
        competitors, "automatic_grid", lambda X, y: competitors.Grid([0.05], [0.1, 10.0])
    )
    measures = evaluate(case("svr"))
    assert set(measures) == set(MEASURES)
    assert 0 < measures["rmse_by_median"] < 2
    assert measures["seconds"] > 0


def test_the_task_decides_on_the_estimator():
    assert "Regressor" in type(estimator("label", 0)).__name__
    model = estimator("flip", 3, contamination=0.0)
    assert "Classifier" in type(model).__name__
    assert (model.contamination, model.random_state) == (0.0, 3)


class Doubtful:
    """An estimator that warns with a given message."""

    def __init__(self, category):
        self.category = category

    def fit(self, X, y):
        warnings.warn("two readings", self.category, stacklevel=2)
        return self


@pytest.mark.parametrize("category", [AmbiguousContaminationWarning, UserWarning])
def test_only_the_warning_of_two_readings_counts_and_none_is_shown(category, recwarn):
    watched = watch(Doubtful(category), None, None)
    assert watched.warned == (category is AmbiguousContaminationWarning)
    assert len(recwarn) == 0


def test_the_share_is_compared_with_the_truth():
    measures = measure_share(case(epsilon=0.2))
    assert set(measures) == set(SHARE_MEASURES)
    assert measures["share_error"] == pytest.approx(abs(measures["share"] - 0.2))
    assert measures["share_error"] < 0.1
    assert measures["covered"] == float(measures["low"] <= 0.2 <= measures["high"])
    assert 0.1 < measures["flagged"] < 0.3
