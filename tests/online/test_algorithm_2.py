"""NoisyKernelRegressor with a step: Algorithm 2, printed with a double sum, run in O(t)."""

import numpy as np
import pytest

from naive import noisy_views as naive
from online.cases import rmse, views, wavy_rows
from untaint.online import NoisyKernelRegressor

FULL = np.array([[0.3, -0.1], [-0.1, 0.2]])
forms = pytest.mark.parametrize(
    "covariance", [0.2, np.array([0.3, 0.1]), FULL], ids=["scalar", "diagonal", "full"]
)
# The first ball is met in almost every round, the second in a few, the last never.
radii = pytest.mark.parametrize("radius", [0.3, 1.5, None])


def problem(n=40):
    X, y = wavy_rows(n)
    a, b = views(X, FULL)
    return X, a, b, y


def matrix(covariance):
    covariance = np.asarray(covariance)
    return covariance if covariance.ndim == 2 else np.diag(np.broadcast_to(covariance, (2,)))


@forms
@radii
def test_a_number_as_rate_is_the_printed_algorithm(covariance, radius):
    X, a, b, y = problem()
    model = NoisyKernelRegressor(
        noise_cov=covariance, gamma=0.7, learning_rate=0.2, norm_bound=radius
    ).fit(a, y, X_copy=b)
    alpha = naive.algorithm_2(a, b, y, 0.7, matrix(covariance), 0.2, radius)
    np.testing.assert_allclose(model.dual_coef_, alpha, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(model.support_, a)
    expected = [naive.gaussian_expansion(alpha, a, x, 0.7) for x in X]
    np.testing.assert_allclose(model.predict(X), expected, rtol=0, atol=1e-10)
    assert model.n_rounds_ == 40


def test_projection_is_active_in_the_small_ball():
    _, a, b, y = problem()
    free = naive.algorithm_2(a, b, y, 0.7, FULL, 0.2)
    held = naive.algorithm_2(a, b, y, 0.7, FULL, 0.2, 0.3)
    assert np.abs(held).max() < 0.5 * np.abs(free).max()


def test_projection_in_every_round_for_long_does_not_wear_out():
    # A lazily scaled vector of coefficients shrinks by a constant factor a round.
    X, y = wavy_rows(3000)
    a, b = views(X, FULL)
    model = NoisyKernelRegressor(noise_cov=FULL, gamma=0.7, learning_rate=1.0, norm_bound=0.01)
    model.fit(a, 100 * y, X_copy=b)
    assert np.isfinite(model.dual_coef_).all()
    K = np.array([[naive.surrogate_kernel(x, z, 0.7, FULL) for z in a[-30:]] for x in a[-30:]])
    last = model.dual_coef_[-30:]
    assert np.sqrt(last @ K @ last) <= 0.01 * (1 + 1e-6)


@radii
def test_rounds_may_come_one_by_one_or_all_at_once(radius):
    X, a, b, y = problem()
    model = NoisyKernelRegressor(noise_cov=FULL, gamma=0.7, learning_rate=0.2, norm_bound=radius)
    whole = NoisyKernelRegressor(**model.get_params()).fit(a, y, X_copy=b)
    for i in range(40):
        model.partial_fit(a[i : i + 1], y[i : i + 1], X_copy=b[i : i + 1])
    np.testing.assert_allclose(model.dual_coef_, whole.dual_coef_, rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.predict(X), whole.predict(X), rtol=0, atol=1e-12)


def test_support_grows_by_one_row_a_round_and_keeps_copies_of_its_own():
    _, a, b, y = problem()
    model = NoisyKernelRegressor(noise_cov=FULL, gamma=0.7, learning_rate=0.2)
    kept = a.copy()
    model.partial_fit(a[:5], y[:5], X_copy=b[:5])
    assert model.support_.shape == (5, 2) and model.dual_coef_.shape == (5,)
    a[:] = 0.0
    model.partial_fit(kept[5:6], y[5:6], X_copy=b[5:6])
    np.testing.assert_array_equal(model.support_, kept[:6])


def test_averaged_coefficients_are_the_mean_over_rounds():
    X, a, b, y = problem(15)
    options = {"noise_cov": FULL, "gamma": 0.7, "learning_rate": 0.2, "norm_bound": 0.5}
    mean = NoisyKernelRegressor(average=True, **options).fit(a, y, X_copy=b)
    values = [np.zeros(len(X))]
    for t in range(1, 16):
        alpha = naive.algorithm_2(a[:t], b[:t], y[:t], 0.7, FULL, 0.2, 0.5)
        values.append(np.array([naive.gaussian_expansion(alpha, a[:t], x, 0.7) for x in X]))
    values = np.array(values)
    choices = [values[1:].mean(axis=0), values.mean(axis=0), values[:-1].mean(axis=0)]
    assert min(np.abs(mean.predict(X) - choice).max() for choice in choices) < 1e-10


def test_algorithm_2_learns():
    X, y = wavy_rows(2000, target_noise=0.0)
    a, b = views(X, 0.1)
    model = NoisyKernelRegressor(noise_cov=0.1, gamma=0.5, learning_rate=0.05, norm_bound=20.0)
    model.fit(a, y, X_copy=b)
    assert rmse(model, X, y) < 0.5 * y.std()


def test_algorithm_2_needs_two_copies_and_a_covariance():
    _, a, b, y = problem()
    model = NoisyKernelRegressor(noise_cov=FULL, gamma=0.7, learning_rate=0.2)
    with pytest.raises(ValueError, match="X_copy"):
        model.fit(a, y)
    model = NoisyKernelRegressor(gamma=0.7, learning_rate=0.2)
    with pytest.raises(ValueError, match="noise_cov"):
        model.fit(a, y, X_copy=b)


@pytest.mark.parametrize("covariance", [0.8, np.diag([0.1, 0.8]), [[0.5, 0.4], [0.4, 0.5]]])
def test_too_much_noise_for_the_width_names_the_smallest_that_would_do(covariance):
    _, a, b, y = problem()
    largest = np.linalg.eigvalsh(matrix(covariance)).max()
    model = NoisyKernelRegressor(noise_cov=covariance, gamma=0.7, learning_rate=0.2)
    with pytest.raises(ValueError, match="gamma") as raised:
        model.fit(a, y, X_copy=b)
    assert f"{1 / (2 * largest):.3g}"[:4] in str(raised.value)


def test_width_at_the_edge_is_refused():
    _, a, b, y = problem()
    model = NoisyKernelRegressor(noise_cov=0.5, gamma=1.0, learning_rate=0.2)
    with pytest.raises(ValueError, match="gamma"):
        model.fit(a, y, X_copy=b)


@radii
def test_budget_runs_the_same_algorithm_on_random_features(radius):
    X, a, b, y = problem(100)
    options = {"noise_cov": FULL, "gamma": 0.5, "learning_rate": 0.1, "norm_bound": radius}
    exact = NoisyKernelRegressor(**options).fit(a, y, X_copy=b)
    errors = []
    for budget in (100, 6400):
        model = NoisyKernelRegressor(budget=budget, random_state=0, **options).fit(a, y, X_copy=b)
        errors.append(np.abs(model.predict(X) - exact.predict(X)).max())
    assert errors[1] < 0.1 * np.abs(exact.predict(X)).max()
    assert errors[1] < 0.5 * errors[0]


def test_budget_bounds_memory():
    import pickle

    X, y = wavy_rows(600)
    a, b = views(X, FULL)
    model = NoisyKernelRegressor(
        noise_cov=FULL, gamma=0.5, learning_rate=0.1, budget=50, random_state=0
    )
    model.partial_fit(a[:100], y[:100], X_copy=b[:100])
    before = len(pickle.dumps(model))
    model.partial_fit(a[100:], y[100:], X_copy=b[100:])
    assert len(pickle.dumps(model)) <= before + 64
