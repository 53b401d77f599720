"""The theorems' step, their bound, and streams on which it has to hold."""

import numpy as np
import pytest

from naive import noisy_views as naive
from online.cases import linear_rows, views
from untaint.online import NoisyKernelRegressor, NoisyLinearRegressor

T = 250
BW, BX, BY = 2.0, 4.0, 5.0
LINEAR = {"horizon": T, "norm_bound": BW, "feature_bound": BX, "target_bound": BY}


def bounded(X, length):
    """Rows no longer than ``length``."""
    size = np.linalg.norm(X, axis=1, keepdims=True)
    return X * np.minimum(1.0, length / size)


def linear_stream(kind, seed=0):
    """Bounded clean rows and targets, two bounded noisy copies, the noise's variance."""
    rng = np.random.default_rng(seed)
    X = bounded(rng.normal(size=(T, 3)), 2.0)
    coef = np.array([1.0, -1.0, 0.5])
    signs = np.ones(T) if kind == "iid" else np.where(np.arange(T) // 60 % 2, -1.0, 1.0)
    y = np.clip(signs * (X @ coef) + 0.3 * rng.uniform(-1, 1, T), -BY, BY)
    noise = rng.uniform(-1, 1, (2, T, 3))  # of length at most sqrt(3)
    return X, X + noise[0], X + noise[1], y, 1 / 3


def test_step_and_bound_of_two_copies_are_those_of_theorem_1():
    _, a, b, y, _ = linear_stream("iid")
    model = NoisyLinearRegressor(learning_rate="theory", **LINEAR).fit(a, y, X_copy=b)
    G = 4 * (BW * BX + BY) ** 2 * BX**2
    assert model.regret_bound_ == pytest.approx(BW * np.sqrt(G * T), rel=1e-12)
    path = naive.algorithm_1_symmetric(a, b, y, BW / np.sqrt(G * T), BW)
    np.testing.assert_allclose(model.coef_, path[-1], atol=1e-12)


def test_step_and_bound_of_one_copy_allow_for_the_covariance():
    _, a, _, y, variance = linear_stream("iid")
    model = NoisyLinearRegressor(noise_cov=variance, learning_rate="theory", **LINEAR).fit(a, y)
    longest = 2 * ((BW * BX + BY) * BX + variance * BW)
    assert model.regret_bound_ == pytest.approx(BW * longest * np.sqrt(T), rel=1e-12)
    rate = BW / (longest * np.sqrt(T))
    path = naive.algorithm_1_right(a, y, [variance * np.eye(3)] * T, rate, BW)
    np.testing.assert_allclose(model.coef_, path[-1], atol=1e-12)


@pytest.mark.parametrize("kind", ["iid", "switching"])
@pytest.mark.parametrize("copies", [1, 2])
def test_linear_bound_holds(kind, copies):
    regrets = []
    for seed in range(2):
        X, a, b, y, variance = linear_stream(kind, seed)
        model = NoisyLinearRegressor(
            noise_cov=variance if copies == 1 else None, learning_rate="theory", **LINEAR
        )
        losses, w = [], np.zeros(3)
        for t in range(T):
            losses.append((X[t] @ w - y[t]) ** 2)
            more = {"X_copy": b[t : t + 1]} if copies == 2 else {}
            w = model.partial_fit(a[t : t + 1], y[t : t + 1], **more).coef_
        best = np.linalg.lstsq(X, y)[0]
        best *= min(1.0, BW / np.linalg.norm(best))
        regrets.append(sum(losses) - np.sum((X @ best - y) ** 2))
    assert np.mean(regrets) <= model.regret_bound_
    assert np.isfinite(model.regret_bound_)


def test_bounds_that_are_not_given_are_taken_from_the_stream():
    _, a, b, y, _ = linear_stream("iid")
    model = NoisyLinearRegressor(learning_rate="theory", horizon=T, norm_bound=BW)
    model.fit(a, y, X_copy=b)
    assert 0 < model.regret_bound_ < np.inf
    assert np.isfinite(model.coef_).all() and np.abs(model.coef_).max() > 0


def printed_with_moments(X, a, b, y, feature_moment, target_moment):
    """Regret-relevant losses and bound of Algorithm 1 (left) with the moments of Theorem 1."""
    B_x, B_y = np.sqrt(feature_moment), np.sqrt(target_moment)
    G = 4 * (BW * B_x + B_y) ** 2 * B_x**2
    w, losses = np.zeros(X.shape[1]), []
    for t in range(len(y)):
        losses.append((X[t] @ w - y[t]) ** 2)
        w = w - BW / np.sqrt(G * len(y)) * 2 * (w @ a[t] - y[t]) * b[t]
        w *= min(1.0, BW / np.linalg.norm(w))
    return sum(losses), BW * np.sqrt(G * len(y))


@pytest.mark.parametrize("given", [True, False])
def test_two_copies_need_second_moments_only(given):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(2000, 3))
    y = X @ [1.0, -1.0, 0.5] + 0.3 * rng.normal(size=2000)
    a, b = views(X, 0.5)
    moments = np.mean((a**2).sum(axis=1)), np.mean(y**2)
    known = dict(zip(("feature_bound", "target_bound"), np.sqrt(moments), strict=True))
    model = NoisyLinearRegressor(
        learning_rate="theory", horizon=2000, norm_bound=BW, **(known if given else {})
    )
    losses, w = 0.0, np.zeros(3)
    for t in range(2000):
        losses += (X[t] @ w - y[t]) ** 2
        now = slice(t, t + 1)
        w = model.partial_fit(a[now], y[now], X_copy=b[now]).coef_
    printed, bound = printed_with_moments(X, a, b, y, *moments)
    best = np.sum((X @ np.linalg.lstsq(X, y)[0] - y) ** 2)
    assert losses - best <= 1.2 * (printed - best)
    assert losses - best <= model.regret_bound_ <= 1.2 * bound
    if given:  # single rows are longer, and the theorem's constant stays
        assert model.regret_bound_ == pytest.approx(bound, rel=1e-12)


def test_moments_that_are_exceeded_are_replaced():
    _, a, b, y, _ = linear_stream("iid")
    model = NoisyLinearRegressor(
        learning_rate="theory", horizon=T, norm_bound=BW, feature_bound=0.1, target_bound=0.1
    ).fit(a, y, X_copy=b)
    assert model.regret_bound_ > 10 * BW * 2 * (BW * 0.1 + 0.1) * 0.1 * np.sqrt(T)


def test_longer_streams_than_announced_have_a_weaker_bound():
    _, a, b, y, _ = linear_stream("iid")
    model = NoisyLinearRegressor(learning_rate="theory", **LINEAR).fit(a, y, X_copy=b)
    announced = model.regret_bound_
    model.partial_fit(a, y, X_copy=b)
    assert model.regret_bound_ > announced


KERNEL = {"gamma": 0.5, "noise_cov": 0.2, "learning_rate": "theory"}


def test_step_and_bound_of_algorithm_2():
    X, _, _ = linear_rows(60, 2)
    y = np.clip(np.sin(2 * X[:, 0]), -1, 1)
    a, b = views(X, 0.2)
    model = NoisyKernelRegressor(horizon=60, norm_bound=3.0, target_bound=1.0, **KERNEL)
    model.fit(a, y, X_copy=b)
    R = np.sqrt(naive.surrogate_square(0.5, 0.2 * np.eye(2)))
    longest = 2 * R * (3.0 * R + 1.0)  # with the cross term that the theorem leaves out
    assert model.regret_bound_ == pytest.approx(3.0 * longest * np.sqrt(60), rel=1e-10)
    rate = 3.0 / (longest * np.sqrt(60))
    alpha = naive.algorithm_2(a, b, y, 0.5, 0.2 * np.eye(2), rate, 3.0)
    np.testing.assert_allclose(model.dual_coef_, alpha, atol=1e-10)


@pytest.mark.parametrize("kind", ["iid", "switching"])
def test_kernel_bound_holds(kind):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 2))
    signs = np.ones(150) if kind == "iid" else np.where(np.arange(150) // 50 % 2, -1.0, 1.0)
    centres, weights = rng.normal(size=(4, 2)), np.array([0.5, -0.5, 0.6, 0.4])
    K = np.exp(-0.5 * ((X[:, None] - centres) ** 2).sum(axis=2))
    y = signs * (K @ weights)
    a, b = views(X, 0.2)
    model = NoisyKernelRegressor(horizon=150, norm_bound=4.0, target_bound=1.5, **KERNEL)
    losses, best = [], np.sum((K @ weights - y) ** 2)
    for t in range(150):
        f = model.predict(X[t : t + 1])[0] if t else 0.0
        losses.append((f - y[t]) ** 2)
        model.partial_fit(a[t : t + 1], y[t : t + 1], X_copy=b[t : t + 1])
    assert sum(losses) - best <= model.regret_bound_


def test_other_rates_have_no_bound():
    _, a, b, y, _ = linear_stream("iid")
    for rate in ("auto", "adaptive", 0.01):
        model = NoisyLinearRegressor(learning_rate=rate).fit(a, y, X_copy=b)
        assert not hasattr(model, "regret_bound_")


@pytest.mark.parametrize("missing", ["horizon", "norm_bound"])
@pytest.mark.parametrize("learner", [NoisyLinearRegressor, NoisyKernelRegressor])
def test_theory_asks_for_horizon_and_ball(learner, missing):
    X, y, _ = linear_rows(30)
    given = {"horizon": 30, "norm_bound": 2.0}
    del given[missing]
    model = learner(noise_cov=0.05, learning_rate="theory", **given)
    with pytest.raises(ValueError, match=missing):
        model.fit(X, y, X_copy=X)


@pytest.mark.parametrize("name", ["horizon", "norm_bound", "feature_bound", "target_bound"])
@pytest.mark.parametrize("value", [0, -1.0, "many", np.nan])
def test_bounds_are_positive_numbers(name, value):
    if value == 0 and name in ("feature_bound", "target_bound"):
        pytest.skip("no row is longer than zero: the largest seen takes its place")
    X, y, _ = linear_rows(30)
    model = NoisyLinearRegressor(noise_cov=0.1, learning_rate="theory", **{**LINEAR, name: value})
    with pytest.raises(ValueError, match=name):
        model.fit(X, y)
