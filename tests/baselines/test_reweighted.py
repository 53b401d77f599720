"""STIR: from least squares to least absolute deviations, stage by stage."""

import numpy as np
import pytest
from scipy.optimize import linprog

from baselines.cases import linear_problem, quietly
from estimators.cases import assert_close
from naive import reweighted as naive
from untaint.baselines import ReweightedRegressor

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("alpha", [0.0, 2.0])
@pytest.mark.parametrize("growth", [1.3, 2.0, 10.0])
@pytest.mark.parametrize(("n", "d", "contamination"), [(61, 3, 0.2), (91, 6, 0.3)])
def test_every_objective_is_that_of_the_slow_one(alpha, growth, n, d, contamination):
    X, y, _, _, _ = linear_problem(
        1, n=n, d=d, contamination=contamination, size=20.0, noise=0.5, intercept=False
    )
    model = ReweightedRegressor(growth=growth, alpha=alpha, fit_intercept=False).fit(X, y)
    assert model.n_iter_ > 5
    coef, path = naive.stagewise(X, y, growth, model.n_iter_, alpha)
    np.testing.assert_allclose(model.objective_path_, path, rtol=1e-8)
    assert_close(model.coef_, coef, 1e-7)


@pytest.mark.parametrize("contamination", [0.1, 0.2, 0.3, 0.4, 0.45])
@pytest.mark.parametrize("one_sided", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_recovers_the_true_model_exactly(contamination, one_sided, seed):
    """Corruption that knows nothing of the rows, and no noise: all of these fractions hold."""
    X, y, coef, shift, _ = linear_problem(seed, contamination=contamination, one_sided=one_sided)
    model = ReweightedRegressor().fit(X, y)
    assert_close(model.coef_, coef, 1e-6, np.linalg.norm(coef))
    assert model.intercept_ == pytest.approx(shift, abs=1e-6)
    np.testing.assert_array_equal(model.inlier_mask_ & (np.abs(y - X @ coef - shift) > 1e-3), False)
    assert model.contamination_ == pytest.approx(contamination, abs=0.01)


def test_ends_at_the_least_absolute_deviations():
    X, y, _, _, _ = linear_problem(2, n=80, d=3, contamination=0.2, noise=1.0)
    model = ReweightedRegressor(growth=1.1, max_iter=20000, tol=1e-9).fit(X, y)
    # Minimise the sum of s with -s <= y - X c <= s.
    rows, eye = np.column_stack([X, np.ones(80)]), np.eye(80)
    found = linprog(
        np.r_[np.zeros(4), np.ones(80)],
        A_ub=np.block([[rows, -eye], [-rows, -eye]]),
        b_ub=np.r_[y, -y],
        bounds=[(None, None)] * 4 + [(0, None)] * 80,
    )
    assert np.abs(y - model.predict(X)).sum() == pytest.approx(found.fun, rel=1e-3)
    assert model.objective_path_[-1] == pytest.approx(2 * found.fun, rel=1e-4)


@pytest.mark.parametrize("alpha", [0.0, 3.0])
@pytest.mark.parametrize("growth", [1.2, 2.0, 5.0])
@pytest.mark.parametrize("seed", range(3))
def test_objective_never_rises_over_all_stages(alpha, growth, seed):
    X, y, _, _, _ = linear_problem(seed, n=120, contamination=0.3, size=10.0, noise=1.0)
    path = ReweightedRegressor(alpha=alpha, growth=growth).fit(X, y).objective_path_
    assert (np.diff(path) <= 1e-8 * path[:-1]).all()


def test_equivariant_under_affine_maps():
    X, y, _, _, _ = linear_problem(1, n=100, contamination=0.2, noise=0.5)
    plain = ReweightedRegressor().fit(X, y).predict(X)
    move = np.random.default_rng(0).normal(size=(5, 5))
    assert_close(ReweightedRegressor().fit(X @ move, y).predict(X @ move), plain, 1e-6)
    scaled = ReweightedRegressor().fit(X, 3e4 * y - 7).predict(X)
    assert_close((scaled + 7) / 3e4, plain, 1e-6)


def test_too_few_iterations_are_reported():
    X, y, _, _, _ = linear_problem(0, n=60)
    with pytest.warns(UserWarning, match=r"stopped after 5 iterations.*raise max_iter or growth"):
        model = ReweightedRegressor(max_iter=5).fit(X, y)
    assert not model.converged_
    assert model.n_iter_ == len(model.objective_path_) == 5


def test_targets_that_are_fitted_exactly():
    X, y, coef, _, _ = linear_problem(0, n=60, contamination=0.0)
    model = ReweightedRegressor().fit(X, y)
    assert_close(model.coef_, coef, 1e-9)
    assert model.inlier_mask_.all()
    assert model.n_iter_ == 1
    assert quietly(ReweightedRegressor(alpha=1.0), X, y).n_iter_ > 1
