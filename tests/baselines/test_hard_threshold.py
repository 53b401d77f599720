"""TORRENT: three ways to the rows of smallest residual."""

import numpy as np
import pytest

from baselines.cases import linear_problem, quietly
from estimators.cases import assert_close
from naive import hard_threshold as naive
from untaint.baselines import HardThresholdRegressor

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

STEPS = ["corrective", "gradient", "hybrid"]
each_step = pytest.mark.parametrize("step", STEPS)


@each_step
@pytest.mark.parametrize("alpha", [0.0, 2.0])
@pytest.mark.parametrize(("n", "d", "contamination"), [(60, 3, 0.2), (90, 6, 0.3), (20, 30, 0.2)])
def test_every_iterate_is_that_of_the_slow_one(step, alpha, n, d, contamination):
    if n < d and alpha == 0:
        pytest.skip("more columns than rows: every choice of rows is fitted exactly")
    X, y, _, _, _ = linear_problem(
        1, n=n, d=d, contamination=contamination, size=20.0, noise=0.5, intercept=False
    )
    model = HardThresholdRegressor(
        contamination=contamination, step=step, alpha=alpha, fit_intercept=False, max_iter=60
    )
    quietly(model, X, y)
    count = n - round(contamination * n)
    coefs, path, rows = naive.torrent(X, y, count, step, model.n_iter_, alpha)
    np.testing.assert_allclose(model.objective_path_, path, rtol=1e-7)
    assert_close(model.coef_, coefs[-1], 1e-7, np.abs(coefs[-1]).max())
    np.testing.assert_array_equal(np.flatnonzero(model.inlier_mask_), rows)


def test_hybrid_takes_gradient_steps_while_many_rows_change():
    X, y, _, _, _ = linear_problem(
        1, n=60, d=3, contamination=0.2, size=20.0, noise=0.5, intercept=False
    )
    paths = {step: naive.torrent(X, y, 48, step, 10)[1] for step in STEPS}
    assert paths["hybrid"][0] == paths["corrective"][0] != paths["gradient"][0]
    assert paths["hybrid"][1] != paths["corrective"][1]


@each_step
@pytest.mark.parametrize("contamination", [0.1, 0.2, 0.3, 0.4, 0.45])
@pytest.mark.parametrize("one_sided", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_recovers_the_true_model_exactly(step, contamination, one_sided, seed):
    """Corruption that knows nothing of the rows, and no noise: all of these fractions hold."""
    X, y, coef, shift, bad = linear_problem(seed, contamination=contamination, one_sided=one_sided)
    model = HardThresholdRegressor(contamination=contamination + 0.03, step=step).fit(X, y)
    assert model.converged_
    assert_close(model.coef_, coef, 1e-6, np.linalg.norm(coef))
    assert model.intercept_ == pytest.approx(shift, abs=1e-6)
    assert not model.inlier_mask_[bad & (np.abs(y - X @ coef - shift) > 1e-3)].any()


@each_step
@pytest.mark.parametrize("contamination", [0.1, 0.3])
def test_recovers_to_within_the_noise_otherwise(step, contamination):
    X, y, coef, _, _ = linear_problem(0, n=1000, contamination=contamination, noise=0.1)
    model = quietly(HardThresholdRegressor(contamination=contamination, step=step), X, y)
    assert_close(model.coef_, coef, 0.03)


@each_step
def test_too_small_a_contamination_is_not_enough(step):
    X, y, coef, _, _ = linear_problem(0, contamination=0.3)
    model = quietly(HardThresholdRegressor(contamination=0.1, step=step), X, y)
    assert np.abs(model.coef_ - coef).max() > 0.1


@each_step
@pytest.mark.parametrize("alpha", [0.0, 3.0])
@pytest.mark.parametrize("seed", range(3))
def test_objective_never_rises(step, alpha, seed):
    X, y, _, _, _ = linear_problem(seed, n=120, contamination=0.3, size=10.0, noise=1.0)
    model = HardThresholdRegressor(contamination=0.3, step=step, alpha=alpha)
    path = quietly(model, X, y).objective_path_
    assert (np.diff(path) <= 1e-9 * path[0]).all()


@each_step
@pytest.mark.parametrize(("n", "d"), [(80, 4), (20, 30)])
def test_predictions_are_those_of_the_last_objective(step, n, d):
    X, y, _, _, _ = linear_problem(2, n=n, d=d, contamination=0.2, noise=0.5)
    model = quietly(
        HardThresholdRegressor(contamination=0.2, step=step, alpha=1.0, max_iter=40), X, y
    )
    squares = np.sort((y - model.predict(X)) ** 2)[: round(0.8 * n)]
    expected = squares.sum() + float(model.coef_ @ model.coef_)
    assert model.objective_path_[-1] == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("alpha", [0.0, 2.0])
def test_gradient_steps_end_where_corrections_end(alpha):
    X, y, _, _, _ = linear_problem(4, n=150, contamination=0.2, noise=0.3)
    fits = [
        HardThresholdRegressor(
            contamination=0.2, step=step, alpha=alpha, max_iter=20000, tol=1e-15
        ).fit(X, y)
        for step in STEPS
    ]
    for fit in fits[1:]:
        np.testing.assert_array_equal(fit.inlier_mask_, fits[0].inlier_mask_)
        assert_close(fit.coef_, fits[0].coef_, 1e-5)
        assert fit.intercept_ == pytest.approx(fits[0].intercept_, abs=1e-5)


@each_step
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_rows_that_are_all_alike(step, fit_intercept):
    y = np.r_[np.full(18, 2.0), 50.0, 60.0]
    model = HardThresholdRegressor(contamination=0.1, step=step, fit_intercept=fit_intercept)
    model.fit(np.zeros((20, 2)), y)
    assert_close(model.predict(np.zeros((1, 2))), 2.0 if fit_intercept else 0.0, 1e-9)
    assert not model.coef_.any()
    np.testing.assert_array_equal(~model.inlier_mask_, y > 2)
