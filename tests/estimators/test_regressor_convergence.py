"""What the solver promises: descent, stationarity, the ball, and warnings."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge

from estimators.cases import assert_close, corrupted, grossly_corrupted, smooth
from untaint import SubquantileRegressor

numbers = st.floats(-100, 100, allow_nan=False, width=32)


@st.composite
def small_problems(draw):
    n, d, k = draw(st.integers(8, 25)), draw(st.integers(1, 3)), draw(st.integers(1, 2))
    X = draw(arrays(float, (n, d), elements=numbers))
    y = draw(arrays(float, (n, k), elements=numbers))
    weights = draw(arrays(float, n, elements=st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0])))
    weights[:4] = 1.0  # enough rows to trim
    return X, y, weights


def assert_never_rises(path):
    assert np.isfinite(path).all()
    assert (np.diff(path) <= 1e-9 * (1 + np.abs(path[:-1]))).all(), path


@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(
    design=small_problems(),
    kernel=st.sampled_from(["linear", "rbf", "laplacian", "exponential", "rational_quadratic"]),
    contamination=st.sampled_from([0.25, 0.3, 0.45]),
    alpha=st.sampled_from([0.01, 1.0, 100.0]),
    init=st.sampled_from(["auto", "zeros"]),
    fit_intercept=st.booleans(),
)
def test_objective_never_rises(design, kernel, contamination, alpha, init, fit_intercept):
    X, y, weights = design
    model = SubquantileRegressor(
        contamination=contamination,
        kernel=kernel,
        alpha=alpha,
        init=init,
        fit_intercept=fit_intercept,
    ).fit(X, y, sample_weight=weights)
    assert_never_rises(model.objective_path_)
    assert np.isfinite(model.predict(X)).all()


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(
    design=small_problems(), contamination=st.sampled_from([0.25, 0.4]), bound=st.floats(0.1, 50)
)
def test_objective_never_rises_in_a_ball(design, contamination, bound):
    X, y, weights = design
    model = SubquantileRegressor(contamination=contamination, norm_bound=bound, init="zeros")
    model.fit(X, y, sample_weight=weights)
    path = model.objective_path_
    # The multiplier of the ball is found to 1e-9, which large targets magnify.
    assert (np.diff(path) <= 1e-6 * (1 + np.abs(path[:-1]))).all(), path


@pytest.mark.parametrize("smoothing", [0.01, 1.0, 100.0])
def test_smoothed_objective_never_rises(smoothing):
    X, y, _ = corrupted(120)
    model = SubquantileRegressor(contamination=0.2, smoothing=smoothing, init="zeros").fit(X, y)
    path = model.objective_path_
    assert len(path) > 2
    assert (np.diff(path) <= 1e-9 * np.abs(path[:-1])).all()


def test_gradient_descends_at_its_own_step():
    X, y, _ = corrupted(100)
    model = SubquantileRegressor(contamination=0.2, solver="gradient", max_iter=5000).fit(X, y)
    assert_never_rises(model.objective_path_)


def test_fit_is_a_fixed_point():
    """Refitting on the kept rows alone changes nothing, and those rows fit best."""
    X, y, _ = corrupted(150)
    model = SubquantileRegressor(contamination=0.2, gamma=0.2, alpha=0.3, fit_intercept=False).fit(
        X, y
    )
    kept = model.inlier_mask_
    refit = KernelRidge(kernel="rbf", gamma=0.2, alpha=0.3).fit(X[kept], y[kept])
    assert_close(model.predict(X), refit.predict(X), 1e-8)
    losses = (y - refit.predict(X)) ** 2
    assert losses[kept].max() <= losses[~kept].min()


@pytest.mark.parametrize(
    ("params", "remedy"),
    [
        ({"init": "zeros", "max_iter": 1}, "raise max_iter, or alpha"),
        ({"solver": "iterative", "init": "zeros", "max_iter": 1}, "raise max_iter"),
        ({"kernel": "linear", "init": "zeros", "max_iter": 1}, "raise max_iter"),
        ({"solver": "gradient", "max_iter": 5}, 'raise max_iter or tol, or use solver="exact"'),
        ({"smoothing": 1.0, "init": "zeros", "max_iter": 1}, "raise max_iter"),
    ],
)
def test_stopping_early_is_warned_about_with_a_remedy(params, remedy):
    X, y, _ = corrupted(100)
    model = SubquantileRegressor(contamination=0.3, **params)
    with pytest.warns(ConvergenceWarning, match="SubquantileRegressor stopped after") as caught:
        model.fit(X, y)
    (warning,) = (one for one in caught if one.category is ConvergenceWarning)
    assert remedy in str(warning.message)
    assert warning.filename == __file__
    assert not model.converged_
    assert model.n_iter_ == params["max_iter"]
    assert np.isfinite(model.predict(X)).all()


def test_diverging_steps_are_warned_about_with_a_remedy():
    X, y, _ = corrupted(100)
    model = SubquantileRegressor(
        contamination=0.2, solver="gradient", learning_rate=10.0, max_iter=5000
    )
    with (
        warnings.catch_warnings(),
        pytest.warns(ConvergenceWarning, match="lower learning_rate or momentum"),
    ):
        warnings.simplefilter("ignore", RuntimeWarning)
        model.fit(X, y)
    assert not model.converged_
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("solver", ["exact", "iterative", "newton"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_settled_fits_do_not_warn(solver, kernel):
    X, y, _ = corrupted(150)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SubquantileRegressor(contamination=0.2, solver=solver, kernel=kernel).fit(X, y)
    assert model.converged_


# --- the ball --------------------------------------------------------------------------------


def norm(model, X):
    K = model.kernel_.matrix(X)
    coef = model.dual_coef_.reshape(len(X), -1)
    return float(np.sqrt(np.sum(coef * (K @ coef))))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
@pytest.mark.parametrize("solver", ["exact", "iterative", "gradient"])
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_fit_stays_in_the_ball(kernel, solver, n_outputs):
    X, y, _ = grossly_corrupted(70)
    y = np.column_stack([y, X[:, 0]])[:, :n_outputs]
    settings = {"contamination": 0.2, "kernel": kernel, "alpha": 0.1, "gamma": 0.2}
    free = SubquantileRegressor(**settings).fit(X, y)
    for part in (0.05, 0.9):
        bound = part * norm(free, X)
        model = SubquantileRegressor(
            solver=solver, norm_bound=bound, max_iter=20000, tol=1e-9, **settings
        ).fit(X, y)
        assert norm(model, X) == pytest.approx(bound, rel=1e-6)
        assert norm(model, X) <= bound * (1 + 1e-9)


@pytest.mark.parametrize("solver", ["exact", "iterative"])
def test_ball_that_holds_the_fit_changes_nothing(solver):
    X, y, _ = corrupted(120)
    free = SubquantileRegressor(contamination=0.2, solver=solver).fit(X, y)
    loose = SubquantileRegressor(contamination=0.2, solver=solver, norm_bound=10 * norm(free, X))
    np.testing.assert_array_equal(loose.fit(X, y).predict(X), free.predict(X))


def test_fit_in_the_ball_is_that_of_a_larger_ridge():
    X, y, _ = grossly_corrupted(100)
    settings = {"contamination": 0.2, "gamma": 0.2}
    strong_alpha = SubquantileRegressor(alpha=2.0, **settings).fit(X, y)
    bounded = SubquantileRegressor(alpha=0.5, norm_bound=norm(strong_alpha, X), **settings).fit(
        X, y
    )
    np.testing.assert_array_equal(bounded.inlier_mask_, strong_alpha.inlier_mask_)
    assert_close(bounded.predict(X), strong_alpha.predict(X), 1e-6)


# --- diagnostics and leave-one-out ------------------------------------------------------------

DIAGNOSTICS = [
    "lipschitz",
    "lipschitz_rowwise",
    "smoothness",
    "smoothness_top",
    "step_size",
    "stationarity",
    "moreau_gradient_norm",
    "worst_case_gamma",
    "effective_dimension",
    "norm",
]


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian", "poly"])
@pytest.mark.parametrize("norm_bound", [None, 0.5])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_diagnostics_are_finite_and_the_exact_fit_is_stationary(kernel, norm_bound, fit_intercept):
    X, y, _ = corrupted(100)
    model = SubquantileRegressor(
        contamination=0.2, kernel=kernel, norm_bound=norm_bound, fit_intercept=fit_intercept
    ).fit(X, y)
    found = model.diagnostics()
    assert set(found) == set(DIAGNOSTICS)
    assert np.isfinite(list(found.values())).all()
    assert all(value >= 0 for value in found.values())
    assert found.stationarity < 1e-6
    assert found.moreau_gradient_norm < 1e-6
    assert found.worst_case_gamma == pytest.approx(0.2 / 0.6)
    assert found.norm == pytest.approx(norm(model, X))
    assert found.lipschitz_rowwise <= found.lipschitz
    assert found.smoothness_top <= found.smoothness * 1.01 + 2 / 80
    assert found.step_size == pytest.approx(1 / found.smoothness_top)
    assert 0 < found.effective_dimension <= 80


def test_unfinished_fit_is_not_stationary():
    X, y, _ = corrupted(100)
    model = SubquantileRegressor(contamination=0.2, solver="gradient", max_iter=3)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    found = model.diagnostics()
    assert found.stationarity > 1e-3
    assert found.moreau_gradient_norm > 1e-3


def test_effective_dimension_falls_with_alpha():
    X, y, _ = corrupted(100)
    dimensions = [
        SubquantileRegressor(contamination=0.2, alpha=alpha).fit(X, y).diagnostics()
        for alpha in (0.01, 1.0, 100.0)
    ]
    found = [one.effective_dimension for one in dimensions]
    assert found[0] > found[1] > found[2]


@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("weighted", "n_outputs"), [(False, None), (True, None), (True, 2)])
def test_leave_one_out_equals_refits(kernel, fit_intercept, weighted, n_outputs):
    X, y, bad = grossly_corrupted(30)
    y = np.column_stack([y, X[:, 0]]) if n_outputs else y
    Z = X @ X.T + 1 if kernel == "precomputed" else X
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 30) if weighted else np.ones(30)
    settings = {"kernel": kernel, "gamma": 0.2, "alpha": 0.5, "fit_intercept": fit_intercept}
    contamination = weights[bad].sum() / weights.sum()
    model = SubquantileRegressor(contamination=contamination, **settings)
    model.fit(Z, y, sample_weight=weights)
    found = model.leave_one_out_residuals()
    assert found.shape == y.shape
    np.testing.assert_array_equal(model.inlier_mask_, ~bad)
    plain = SubquantileRegressor(contamination=0, **settings)
    for i in range(30):
        left = np.where(bad, 0.0, weights)
        left[i] = 0.0
        plain.fit(Z, y, sample_weight=left)
        assert_close(found[i], y[i] - plain.predict(Z[[i]])[0], 1e-7, 10)


def test_leave_one_out_residuals_are_larger_than_those_of_the_fit():
    X, y = smooth(60)
    model = SubquantileRegressor(contamination=0, alpha=0.1).fit(X, y)
    assert (np.abs(model.leave_one_out_residuals()) >= np.abs(y - model.predict(X))).all()
