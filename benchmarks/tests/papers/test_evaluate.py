"""From a case to its measures, with every method of every comparison."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.papers import grids
from benchmarks.papers.evaluate import (
    CLASSIFICATION_MEASURES,
    REGRESSION_MEASURES,
    Comparison,
    kept_bad,
)

from benchmarks import Case, prepare
from benchmarks.data import load
from benchmarks.studies import STUDIES

TINY = grids.Grid((-1,), (0.1,), (-1,), (0.1,), third=1)
TINY_LINEAR = grids.Grid((), (1.0,), (), (1.0,), third=1)
KERNEL, LINEAR = Comparison("kernel", TINY), Comparison("linear", TINY_LINEAR)
CLASSES = Comparison("classes", TINY)


@pytest.mark.parametrize("method", STUDIES["beyond"].cases([0], True)[0:10], ids=lambda c: c.method)
def test_every_regressor_fills_columns_and_repeats_itself(method):
    case = Case("smooth-100", "label", 0.2, method.method, 0)
    one, two = KERNEL.evaluate(case), KERNEL.evaluate(case)
    assert set(one) <= set(REGRESSION_MEASURES)
    assert one == pytest.approx(two, rel=1e-9, nan_ok=True)
    assert 0.1 < one["rmse"] < 2.5


@pytest.mark.parametrize("method", STUDIES["table2"].cases([0], True)[0:10], ids=lambda c: c.method)
def test_every_linear_regressor_fills_columns(method):
    found = LINEAR.evaluate(Case("smooth-100", "label", 0.2, method.method, 0))
    assert set(found) <= set(REGRESSION_MEASURES)
    assert 0.1 < found["rmse"] < 2.5


@pytest.mark.parametrize("method", STUDIES["table3"].cases([0], True)[0:7], ids=lambda c: c.method)
def test_every_classifier_fills_columns(method):
    found = CLASSES.evaluate(Case("classes2-100", "flip", 0.2, method.method, 0))
    assert set(found) <= set(CLASSIFICATION_MEASURES)
    assert 0.0 < found["accuracy"] <= 1.0


def test_only_genie_is_untouched_by_corruption():
    clean, bad = (
        KERNEL.evaluate(Case("smooth-150", "label", epsilon, "genie", 0))["rmse"]
        for epsilon in (0.0, 0.4)
    )
    assert bad < 1.5 * clean
    assert KERNEL.evaluate(Case("smooth-150", "label", 0.4, "krr", 0))["rmse"] > 2 * clean


def test_polynomials_get_their_kernel():
    split = prepare(*load("polynomial-60", 0), kind="label", epsilon=0.2, seed=0)
    tuned = KERNEL.fit(Case("polynomial-60", "label", 0.2, "subquantile", 0), split)
    assert tuned.model.kernel == "poly"
    assert (tuned.model.degree, tuned.model.coef0) == (3, 1.0)


def test_kept_bad_rows_are_counted_where_a_model_tells():
    split = prepare(*load("smooth-50", 0), kind="label", epsilon=0.5, seed=0)
    keeps_all = type("Model", (), {"inlier_mask_": np.ones(40, dtype=bool)})
    keeps_good = type("Model", (), {"inlier_mask_": split.clean_mask})
    assert kept_bad(keeps_all, split) == 1.0
    assert kept_bad(keeps_good, split) == 0.0
    assert math.isnan(kept_bad(object(), split))


def test_a_self_chosen_setting_is_recorded():
    found = KERNEL.evaluate(Case("smooth-100", "label", 0.2, "subquantile-auto", 0))
    assert found["alpha"] > 0
    assert found["gamma"] > 0
