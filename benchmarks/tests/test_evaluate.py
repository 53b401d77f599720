"""From a case to its measures, with every method of every comparison."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.data.protocol import prepare
from benchmarks.data.sets import load
from benchmarks.evaluate import CLASSIFICATION_MEASURES, REGRESSION_MEASURES, Evaluation
from benchmarks.frame import Case
from benchmarks.measures import kept_bad
from benchmarks.methods import classification, linear, regression
from benchmarks.methods.base import Grid, MethodContext
from benchmarks.studies import papers
from benchmarks.tuning import Trial

TINY = Grid((-1,), (0.1,), (-1,), (0.1,), third=1)
TINY_LINEAR = Grid((), (1.0,), (), (1.0,), third=1)
KERNEL = Evaluation("regression", REGRESSION_MEASURES, TINY)
LINEAR = Evaluation("linear", REGRESSION_MEASURES, TINY_LINEAR)
CLASSES = Evaluation("classification", CLASSIFICATION_MEASURES, TINY)


@pytest.mark.parametrize("method", [*papers.TABLE1, "svr", "huber", "random-forest"])
def test_every_regressor_fills_columns_and_repeats_itself(method):
    case = Case("smooth-100", "label", 0.2, method, 0)
    one, two = KERNEL(case), KERNEL(case)
    assert set(one) <= set(REGRESSION_MEASURES)
    assert one == pytest.approx(two, rel=1e-9, nan_ok=True)
    assert 0.1 < one["rmse"] < 2.5


@pytest.mark.parametrize("method", papers.TABLE2)
def test_every_linear_regressor_fills_columns(method):
    found = LINEAR(Case("smooth-100", "label", 0.2, method, 0))
    assert set(found) <= set(REGRESSION_MEASURES)
    assert 0.1 < found["rmse"] < 2.5


@pytest.mark.parametrize("method", [*papers.TABLE3, "logistic", "svc-calibrated"])
def test_every_classifier_fills_columns(method):
    found = CLASSES(Case("classes2-100", "flip", 0.2, method, 0))
    assert set(found) <= set(CLASSIFICATION_MEASURES)
    assert 0.0 < found["accuracy"] <= 1.0


def test_only_genie_is_untouched_by_corruption():
    clean, bad = (
        KERNEL(Case("smooth-150", "label", epsilon, "genie", 0))["rmse"] for epsilon in (0.0, 0.4)
    )
    assert bad < 1.5 * clean
    assert KERNEL(Case("smooth-150", "label", 0.4, "krr", 0))["rmse"] > 2 * clean


def test_kept_bad_rows_are_counted_where_a_model_tells():
    split = prepare(*load("smooth-50", 0), kind="label", epsilon=0.5, seed=0)
    keeps_all = type("Model", (), {"inlier_mask_": np.ones(40, dtype=bool)})
    keeps_good = type("Model", (), {"inlier_mask_": split.clean_mask})
    assert kept_bad(keeps_all, split) == 1.0
    assert kept_bad(keeps_good, split) == 0.0
    assert math.isnan(kept_bad(object(), split))


def test_a_self_chosen_setting_is_recorded():
    found = KERNEL(Case("smooth-100", "label", 0.2, "subquantile-auto", 0))
    assert found["alpha"] > 0
    assert found["gamma"] > 0


GRIDS = [
    (regression, papers.KERNEL),
    (regression, papers.QUICK),
    (linear, papers.LINEAR),
    (linear, papers.QUICK_LINEAR),
    (classification, papers.CLASSES),
    (classification, papers.SEVERAL_CLASSES),
    (classification, papers.QUICK),
]
NAMES = {regression: papers.TABLE1, linear: papers.TABLE2, classification: papers.TABLE3}


@pytest.mark.parametrize(("module", "grid"), GRIDS)
def test_every_method_of_a_table_may_try_as_many_settings(module, grid):
    data = Trial(np.zeros((4, 5)), np.zeros(4), np.zeros(4, dtype=bool), classes=False)
    context = MethodContext(0, "linear" if module is linear else "rbf", grid, data)
    methods = {name: module.METHODS[name](context) for name in NAMES[module]}
    sizes = {name: len(method.settings) for name, method in methods.items()}
    assert sizes.pop("subquantile-auto") == 1  # it chooses for itself
    assert len(set(sizes.values())) == 1


@pytest.mark.parametrize("module", NAMES)
def test_in_a_trial_run_genie_has_the_gammas_and_alphas_of_the_others(module):
    data = Trial(np.zeros((4, 5)), np.zeros(4), np.zeros(4, dtype=bool), classes=False)
    quick = papers.QUICK_LINEAR if module is linear else papers.QUICK
    context = MethodContext(0, "linear" if module is linear else "rbf", quick, data)
    pairs = {
        name: {(setting.get("gamma"), setting["alpha"]) for setting in method.settings}
        for name in NAMES[module]
        if len((method := module.METHODS[name](context)).settings) > 1
    }
    assert all(found == pairs["genie"] for found in pairs.values())
