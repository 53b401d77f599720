"""How well each Newton step is solved, how far it goes, and when there is no other."""

from __future__ import annotations

import numpy as np
import pytest

import untaint.solvers.newton as newton_module
from properties.problems import labelled_problem
from untaint.features import BlockedFeatures, ColumnMap, Plan
from untaint.losses import LogisticLoss, SoftmaxLoss, SquaredLoss
from untaint.solvers import ExactRidge, FeatureNewton
from untaint.solvers.base import Fit
from untaint.solvers.feature_newton import MAX_PASSES, _Step, _weighted
from untaint.solvers.feature_newton import TIGHT_STEP as TIGHT_PASS
from untaint.solvers.newton import LEAST_RIDGE, LOOSE_STEP, TIGHT_STEP, Newton
from untaint.solvers.newton_step import newton_step

N = 30


def exact_newton(rng, classes=2, spread=1.0):
    K, y = labelled_problem(rng, N, classes)
    loss = LogisticLoss() if classes == 2 else SoftmaxLoss()
    return K, y, Newton(ExactRidge(spread * K), loss, y)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_preconditioner_is_of_the_second_order_with_its_ridge(classes, rng, monkeypatch):
    _, _, newton = exact_newton(rng, classes)
    asked = []
    plain = newton.system.newton_preconditioner
    monkeypatch.setattr(
        newton.system,
        "newton_preconditioner",
        lambda hessian, k, ridge: asked.append((k, ridge)) or plain(hessian, k, ridge),
    )
    newton.solve(np.ones(N), 0.3)
    assert asked[0] == (newton.y.shape[1], 0.6)
    asked.clear()
    newton._first_fit(newton.system.nothing(newton.y), 0.1 * newton.y, np.ones(N), 0.3)
    assert asked == [(newton.y.shape[1], 0.6)]


def test_steps_are_solved_the_better_the_less_there_is_to_gain(rng, monkeypatch):
    _, _, newton = exact_newton(rng)
    tolerances, falls = [], []
    monkeypatch.setattr(
        newton_module, "newton_step", lambda *a: tolerances.append((a[4], a[6])) or newton_step(*a)
    )
    plain = Newton._search

    def search(self, fit, goal, weights, ridge, slope):
        found = plain(self, fit, goal, weights, ridge, slope)
        falls.append(-0.5 * slope / found[1])
        return found

    monkeypatch.setattr(Newton, "_search", search)
    newton.solve(np.ones(N), 0.01, tol=1e-10)
    assert len(tolerances) > 2
    assert all(ridge == 0.02 for ridge, _ in tolerances)
    expected = [LOOSE_STEP, *np.clip(falls, TIGHT_STEP, LOOSE_STEP)][: len(tolerances)]
    assert [tol for _, tol in tolerances] == pytest.approx(expected)
    left = [fall * (tol**2 + fall) for fall, (_, tol) in zip(falls, tolerances, strict=True)]
    assert left[-1] <= 1e-15 < min(left[:-1])


@pytest.mark.parametrize("classes", [2, 3])
def test_the_slope_is_the_derivative_on_the_way(classes, rng):
    K, y, newton = exact_newton(rng, classes)
    fits = [newton.system.function(a, K @ a, b) for a, b in draws(rng, y, 2)]
    weights = rng.random(N)

    def along(share):
        return newton._objective(newton.system.between(*fits, share), weights, 0.3)

    expected = (along(1e-5) - along(-1e-5)) / 2e-5
    assert newton._slope(*fits, weights, 0.3) == pytest.approx(expected, rel=1e-6)
    values = newton.loss.value(y, fits[0].predictions)
    norm = float(np.sum(fits[0].dual * (K @ fits[0].dual)))
    assert along(0.0) == pytest.approx(weights @ values + 0.3 * norm)


def draws(rng, y, count):
    return [(0.3 * rng.normal(size=y.shape), rng.normal(size=y.shape[1])) for _ in range(count)]


def test_a_step_is_halved_until_the_objective_falls(rng):
    _K, y, newton = exact_newton(rng)
    system, weights = newton.system, np.ones(N)
    nothing = system.nothing(y)
    end = newton.solve(weights, 0.3)
    far = system.between(nothing, end, 9.0)
    slope = newton._slope(nothing, far, weights, 0.3)
    found, value = newton._search(nothing, far, weights, 0.3, slope)
    values = [newton._objective(system.between(nothing, far, s), weights, 0.3) for s in halves(20)]
    start = newton._objective(nothing, weights, 0.3)
    first = next(i for i, v in enumerate(values) if v <= start + 1e-4 * 0.5**i * slope)
    assert value == pytest.approx(values[first])
    np.testing.assert_allclose(found.predictions, 0.5**first * far.predictions)
    uphill = system.between(nothing, end, -1.0)
    assert newton._search(nothing, uphill, weights, 0.3, slope) == (nothing, start)


def halves(count):
    return [0.5**i for i in range(count)]


def test_without_a_ridge_so_little_of_one_stands_in(rng, monkeypatch):
    _, _, newton = exact_newton(rng)
    seen = []
    monkeypatch.setattr(Newton, "_step", lambda self, fit, w, ridge, tol: seen.append(ridge) or fit)
    newton.solve(np.full(N, 2.0), 0.0)
    assert seen == [pytest.approx(2.0 * N * LEAST_RIDGE)]


def test_a_step_between_functions_is_that_of_their_parts(rng):
    K, y, newton = exact_newton(rng, 3)
    a, b = (newton.system.function(x, K @ x, c) for x, c in draws(rng, y, 2))
    for share in (0.0, 0.3, 1.0, -2.0):
        mix = newton.system.between(a, b, share)
        dual = a.dual + share * (b.dual - a.dual)
        np.testing.assert_allclose(mix.dual, dual)
        np.testing.assert_allclose(mix.coef, dual)
        np.testing.assert_allclose(mix.intercept, a.intercept + share * (b.intercept - a.intercept))
        np.testing.assert_allclose(mix.predictions, K @ dual + mix.intercept)
        assert mix.squared_norm == pytest.approx(float(np.sum(dual * (K @ dual))))
    unknown = Fit(a.coef, a.intercept, a.predictions, a.squared_norm)
    assert newton.system.between(unknown, b, 0.5).dual is None
    assert newton.system.between(a, unknown, 0.5).dual is None


@pytest.mark.parametrize("tol", [0.5, 0.1, 1e-2, 1e-3])
def test_iterations_stop_when_little_is_left_and_not_before(tol, rng):
    K, y = labelled_problem(rng, N, 2)
    system, loss, ridge = ExactRidge(K), LogisticLoss(), 0.5  # iterations converge steadily
    fit = system.nothing(y)
    gradient = loss.gradient(y, fit.predictions)
    hessian = loss.hessian(y, fit.predictions)

    def solved(tol):
        return newton_step(system, fit, gradient, hessian, ridge, lambda v: v / ridge, tol)

    def second_order(step):
        goal = step.goal
        moved = goal.predictions - fit.predictions
        bend = np.sum(moved * hessian.times(moved)) + ridge * goal.squared_norm
        return float(np.sum(gradient * moved) + 0.5 * bend)

    best, found = second_order(solved(1e-9)), solved(tol)
    left = (second_order(found) - best) / -best
    assert left <= 3.0 * tol**2
    # A step that stops when nothing is left takes longer.
    assert found.iterations < solved(1e-9).iterations
    if tol == 0.5:
        assert found.iterations <= 3


@pytest.mark.parametrize("sign", [-1.0, 0.0])
def test_a_preconditioner_worse_than_none_is_done_without(sign, rng):
    K, y = labelled_problem(rng, N, 3)
    system, loss, ridge = ExactRidge(K), SoftmaxLoss(), 0.2
    fit = system.nothing(y)
    gradient = loss.gradient(y, fit.predictions)
    hessian = loss.hessian(y, fit.predictions)
    parts = (system, fit, gradient, hessian, ridge)
    found = newton_step(*parts, lambda v: sign * v, 1e-9).goal
    right = newton_step(*parts, lambda v: v / ridge, 1e-9).goal
    np.testing.assert_allclose(found.predictions, right.predictions, atol=1e-5)


class Passes:
    """Features that count how often all rows are passed over."""

    def __init__(self, X, fit_intercept=True):
        self.inner = BlockedFeatures(ColumnMap(np.zeros(X.shape[1])), X, fit_intercept, Plan(N, 0))
        self.count = 0

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def sweep(self, *args):
        self.count += 1
        return self.inner.sweep(*args)


def by_features(rng, name, d=12, sample=None, spread=3.0):
    X = rng.normal(size=(N, d)) * spread ** np.linspace(0, 1, d)
    loss = {"squared": SquaredLoss(), "logistic": LogisticLoss(), "softmax": SoftmaxLoss()}[name]
    codes = rng.integers(0, 3, N)
    y = np.eye(3)[codes] if name == "softmax" else (codes > 0)[:, None] * 1.0
    features = Passes(X)
    return X, y, features, FeatureNewton(features, loss, y, sample)


def test_the_inverse_itself_takes_one_pass_and_a_sample_more(rng):
    for sample, most in ((None, 2), (np.arange(0, N, 2), 40)):
        _, _, features, newton = by_features(rng, "squared", sample=sample)
        newton.solve(np.ones(N), 0.5)
        assert 1 <= features.count <= most
        assert sample is None or features.count > 2


def test_a_loose_tolerance_takes_fewer_passes(rng):
    counts = []
    for tol in (0.3, 1e-2, 1e-4, 1e-8):
        _, _, features, newton = by_features(
            np.random.default_rng(0), "squared", sample=np.arange(20)
        )
        newton.solve(np.ones(N), 0.5, tol=tol)
        counts.append(features.count)
    assert counts == sorted(counts)
    assert counts[0] < counts[1] < counts[3] < MAX_PASSES


@pytest.mark.parametrize("name", ["squared", "logistic", "softmax"])
@pytest.mark.parametrize("extra", [False, True])
def test_a_descent_gains_what_it_says(name, extra, rng):
    X, y, _, newton = by_features(rng, name, d=3)
    k, phi = y.shape[1], np.column_stack([X, np.ones(N)])
    gradient, values, weights = rng.normal(size=(4, k)), rng.normal(size=(N, k)), rng.random(N)
    penalty = np.full((4, k), 0.3) * (rng.random((4, k)) if extra else 1.0)
    step = newton._descend(
        gradient, values, weights, penalty if extra else penalty[:, 0], 1e-7, None
    )
    hessian = newton.loss.hessian(y, values).weighted(weights)
    np.testing.assert_allclose(step.values, phi @ step.coef, atol=1e-9)
    image = phi.T @ hessian.times(step.values) + penalty * step.coef
    np.testing.assert_allclose(image, -gradient, atol=1e-5)
    assert step.gained == pytest.approx(0.5 * -float(np.vdot(gradient, step.coef)), rel=1e-5)
    assert step.passes >= 1


def test_an_objective_is_of_the_rows_that_have_weight(rng):
    _X, y, _, newton = by_features(rng, "logistic", d=3)
    coef, values, weights = rng.normal(size=(4, 1)), rng.normal(size=(N, 1)), rng.random(N)
    for zero in (0, 5):
        weights[:zero], values[:zero] = 0.0, 1e300
        kept = slice(zero, None)
        losses = LogisticLoss().value(y[kept], values[kept])
        expected = weights[kept] @ losses + 0.3 * np.sum(coef[:-1] ** 2)
        assert newton._objective(coef, values, weights, 0.3) == pytest.approx(expected)


@pytest.mark.parametrize("factor", [1.0, 5.0, 40.0, -1.0])
def test_a_direction_is_followed_until_the_objective_rises(factor, rng):
    X, _y, _, newton = by_features(rng, "logistic", d=3)
    phi, weights = np.column_stack([X, np.ones(N)]), np.ones(N)
    start, values = np.zeros((4, 1)), np.zeros((N, 1))
    right = newton._step(start, values, weights, 0.3, TIGHT_PASS, None)
    step = _Step(factor * right.coef, factor * right.values, right.gained * factor, 1)
    value = newton._objective(start, values, weights, 0.3)

    def at(length):
        return newton._objective(length * step.coef, phi @ (length * step.coef), weights, 0.3)

    allowed = [s for s in halves(20) if at(s) <= value - 2e-4 * s * step.gained]
    found = newton._search(start, values, step, weights, 0.3)
    assert found == (allowed[0] if factor > 0 else 0.0)


def test_a_fit_to_classes_has_intercepts_around_zero(rng):
    _, _y, _, newton = by_features(rng, "softmax", d=2)
    coef = rng.normal(size=(3, 3))
    fit = newton._fit(coef, np.ones((N, 3)))
    assert fit.intercept.sum() == pytest.approx(0.0)
    np.testing.assert_allclose(fit.predictions, 1.0 - coef[-1].mean())
    np.testing.assert_allclose(fit.intercept, coef[-1] - coef[-1].mean())
    assert fit.squared_norm == pytest.approx(np.sum(coef[:-1] ** 2))
    _, _, _, one = by_features(rng, "logistic", d=2)
    assert one._fit(coef[:, :1], np.ones((N, 1))).intercept == coef[-1, :1]


def test_a_squared_fit_begins_at_the_mean(rng):
    _, y, _, newton = by_features(rng, "squared", d=2)
    weights = rng.random(N)
    weights[:3], y[:3] = 0.0, np.inf
    coef, values = newton._begin(None, weights)
    mean = np.average(y[3:], axis=0, weights=weights[3:])
    np.testing.assert_allclose(coef, np.vstack([np.zeros((2, 1)), mean]))
    np.testing.assert_allclose(values, np.tile(mean, (N, 1)))
    _, _, _, classes = by_features(rng, "logistic", d=2)
    assert not classes._begin(None, weights)[0].any()


def test_rows_of_no_weight_pull_nowhere():
    gradient = np.array([[1.0], [np.inf], [2.0]])
    np.testing.assert_array_equal(
        _weighted(np.array([2.0, 0.0, 0.5]), gradient), [[2.0], [0.0], [1.0]]
    )


@pytest.mark.parametrize("name", ["logistic", "softmax"])
def test_passes_are_worth_the_more_the_less_there_is_to_gain(name, rng, monkeypatch):
    _, _, _, newton = by_features(rng, name, d=4)
    seen, plain = [], FeatureNewton._step

    def step(self, coef, values, weights, ridge, tol, value):
        found = plain(self, coef, values, weights, ridge, tol, value)
        seen.append((tol, found.gained / weights.sum(), value))
        return found

    monkeypatch.setattr(FeatureNewton, "_step", step)
    newton.solve(np.full(N, 2.0), 0.01, tol=1e-8)
    tolerances, gains, values = zip(*seen, strict=True)
    assert len(seen) > 2 and values == (None,) * len(seen)
    assert tolerances == pytest.approx([0.1, *np.clip(gains[:-1], 1e-4, 0.1)])
    left = [gain * (tol**2 + gain) for tol, gain, _ in seen]
    assert left[-1] <= 1e-12 < min(left[:-1])


def test_a_quadratic_loss_takes_one_step_of_the_accuracy_of_its_objective(rng, monkeypatch):
    _, y, _, newton = by_features(rng, "squared", d=4)
    seen, plain = [], FeatureNewton._step

    def step(self, coef, values, weights, ridge, tol, value):
        seen.append((tol, value, ridge))
        return plain(self, coef, values, weights, ridge, tol, value)

    monkeypatch.setattr(FeatureNewton, "_step", step)
    newton.solve(np.ones(N), 0.0, tol=1e-4)
    assert seen == [(pytest.approx(1e-3), pytest.approx(N * y.var()), 0.0)]
