"""CRR: targets are corrected, and in the end rightly."""

import numpy as np
import pytest

from baselines.cases import linear_problem, quietly
from estimators.cases import assert_close
from naive import consistent as naive
from untaint.baselines import ConsistentRegressor

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("alpha", [0.0, 2.0])
@pytest.mark.parametrize(("n", "d", "contamination"), [(60, 3, 0.2), (90, 6, 0.3), (50, 2, 0.13)])
def test_every_iterate_is_that_of_the_slow_one(alpha, n, d, contamination):
    X, y, _, _, _ = linear_problem(
        1, n=n, d=d, contamination=contamination, size=20.0, noise=0.5, intercept=False
    )
    model = ConsistentRegressor(contamination=contamination, alpha=alpha, fit_intercept=False).fit(
        X, y
    )
    count = n - int((1 - contamination) * n + 1e-9)
    coef, corruption, path = naive.consistent_regression(X, y, count, model.n_iter_, alpha)
    np.testing.assert_allclose(model.objective_path_, path, rtol=1e-8)
    assert_close(model.coef_, coef, 1e-8)
    assert_close(model.corruption_, corruption, 1e-8, np.abs(corruption).max())
    assert model.contamination_ == pytest.approx(count / n)


@pytest.mark.parametrize("contamination", [0.1, 0.2, 0.3, 0.4, 0.45])
@pytest.mark.parametrize("one_sided", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_recovers_model_and_corruption_exactly(contamination, one_sided, seed):
    """Corruption that knows nothing of the rows, and no noise: all of these fractions hold."""
    X, y, coef, shift, bad = linear_problem(seed, contamination=contamination, one_sided=one_sided)
    model = ConsistentRegressor(contamination=contamination + 0.03).fit(X, y)
    assert model.converged_
    assert_close(model.coef_, coef, 1e-6, np.linalg.norm(coef))
    assert model.intercept_ == pytest.approx(shift, abs=1e-6)
    assert_close(model.corruption_, y - X @ coef - shift, 1e-6, 10.0)
    assert not model.inlier_mask_[bad & (np.abs(y - X @ coef - shift) > 1e-3)].any()


def test_is_consistent_where_the_noise_is_dense():
    """The error of the fit falls with the number of rows, as the paper proves."""
    errors = []
    for n in (200, 20000):
        X, y, coef, _, _ = linear_problem(0, n=n, contamination=0.1, noise=1.0)
        model = quietly(ConsistentRegressor(contamination=0.1, tol=1e-6), X, y)
        errors.append(np.linalg.norm(model.coef_ - coef))
    assert errors[1] < 0.3 * errors[0]
    assert errors[1] < 0.03


@pytest.mark.parametrize("alpha", [0.0, 3.0])
@pytest.mark.parametrize("seed", range(3))
def test_objective_never_rises(alpha, seed):
    X, y, _, _, _ = linear_problem(seed, n=120, contamination=0.3, size=10.0, noise=1.0)
    path = ConsistentRegressor(contamination=0.3, alpha=alpha).fit(X, y).objective_path_
    assert (np.diff(path) <= 1e-12 * path[0]).all()


def test_fit_is_least_squares_on_the_corrected_targets():
    X, y, _, _, _ = linear_problem(3, n=80, noise=0.5)
    model = ConsistentRegressor(contamination=0.2, tol=1e-13).fit(X, y)
    rows = np.column_stack([X, np.ones(80)])
    expected = np.linalg.lstsq(rows, y - model.corruption_, rcond=None)[0]
    assert_close(np.r_[model.coef_, model.intercept_], expected, 1e-9)
    residuals = y - model.predict(X)
    wrong = ~model.inlier_mask_
    np.testing.assert_allclose(model.corruption_[wrong], residuals[wrong])
    assert not model.corruption_[~wrong].any()
    assert np.abs(residuals[wrong]).min() >= np.abs(residuals[~wrong]).max()


def test_corruption_has_the_shape_of_the_targets():
    X, y, _, _, _ = linear_problem(0, n=60)
    for targets in (y, y[:, None], np.column_stack([y, X[:, 0]])):
        model = ConsistentRegressor(contamination=0.25).fit(X, targets)
        assert model.corruption_.shape == targets.shape


def test_rows_of_weight_zero_have_no_corruption():
    X, y, coef, _, _ = linear_problem(0, n=60)
    weights = np.ones(60)
    weights[:5], y[:5] = 0.0, 1e6
    model = ConsistentRegressor(contamination=0.25).fit(X, y, sample_weight=weights)
    assert not model.corruption_[:5].any()
    assert not model.inlier_mask_[:5].any()
    assert_close(model.coef_, coef, 1e-6)


@pytest.mark.parametrize(("n", "d"), [(60, 3), (20, 50)])
def test_targets_without_any_corruption(n, d):
    X, y, _, _, _ = linear_problem(0, n=n, d=d, contamination=0.0)
    model = ConsistentRegressor(contamination=0.2).fit(X, y)
    assert model.converged_
    assert_close(model.predict(X), y, 1e-9)
    assert_close(model.corruption_, 0.0, 1e-9)
