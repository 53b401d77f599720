"""Competitors get as many settings as we do, and bad validation rows steer one score only."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.automatic.competitors import (
    COMPETITORS,
    Competitor,
    Grid,
    automatic_grid,
    plain,
    search,
)
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge

from untaint import SubquantileRegressorCV

GRID = Grid([0.1, 0.5], [0.01, 0.1, 1.0])


@pytest.fixture
def line(rng):
    X = rng.uniform(-1, 1, size=(100, 1))
    return X, 3.0 * X[:, 0] + 10.0 + 0.1 * rng.normal(size=100)


@pytest.mark.parametrize("name", COMPETITORS)
def test_every_rival_has_the_same_budget(name):
    sizes = [len(values) for values in COMPETITORS[name](GRID).settings.values()]
    assert sorted(sizes) == [2, 3]


def test_the_grid_is_that_of_our_estimator(line):
    grid = automatic_grid(*line)
    model = SubquantileRegressorCV().fit(*line)
    assert len(grid.gammas) * len(grid.alphas) == len(model.cv_results_["params"])
    assert model.gamma_ in grid.gammas
    assert model.alpha_ in grid.alphas


def test_plain_kernel_ridge_has_its_targets_centred(line):
    X, y = line
    found = search(plain(Grid([0.5], [0.1])), X, y).by_mse
    reference = KernelRidge(kernel="rbf", gamma=0.5, alpha=0.1).fit(X, y - y.mean())
    np.testing.assert_allclose(found.predict(X), reference.predict(X) + y.mean())


@pytest.mark.parametrize("name", COMPETITORS)
def test_both_choices_are_fitted_on_all_rows_and_predict(name, line):
    found = search(COMPETITORS[name](GRID), *line)
    for model in found:
        assert np.sqrt(np.mean((model.predict(line[0]) - line[1]) ** 2)) < 0.5


def test_outlying_targets_in_the_validation_rows_steer_the_mean_and_not_the_median(line):
    X, y = line
    y = y.copy()
    y[X[:, 0] > 0.6] = -200.0
    found = search(Competitor(Ridge(), {"alpha": [1e-3, 1e6]}), X, y)
    assert found.by_mse.alpha == 1e-3
    assert found.by_median.alpha == 1e6


def test_a_setting_that_fails_is_not_chosen(line):
    found = search(Competitor(Ridge(), {"alpha": [-1.0, 0.1]}), *line)
    assert found.by_mse.alpha == found.by_median.alpha == 0.1
