"""Newton's method by passes over features reaches what closed forms and other libraries find."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from feature_maps.cases import GAMMA, blocked, maps, rows
from naive import features as naive
from naive import newton as naive_newton
from properties.problems import fractional_weights
from untaint.feature_maps.identity import IdentityMap
from untaint.feature_maps.nystroem import NystroemMap
from untaint.kernels import RBF
from untaint.losses import LogisticLoss, SoftmaxLoss, SquaredLoss
from untaint.optim.feature_newton import FeatureSpace
from untaint.optim.newton import Newton, WeightedObjective
from untaint.optim.newton_step import KernelSpace
from untaint.optim.ridge_exact import ExactRidge
from untaint.optim.ridge_primal import PrimalRidge

N = 120
LOSSES = {"squared": SquaredLoss(), "logistic": LogisticLoss(), "softmax": SoftmaxLoss()}
each_loss = pytest.mark.parametrize("name", LOSSES)
each_map = pytest.mark.parametrize("kind", ["columns", "landmarks", "fourier"])
intercepts = pytest.mark.parametrize("fit_intercept", [True, False], ids=["shifted", "centred"])
# All rows precondition, or some stand for all.
samples = pytest.mark.parametrize(
    "sample", [None, np.arange(0, N, 4)], ids=["all rows", "a sample"]
)


def targets(X, name, rng):
    """Targets that depend on the rows, some of them at random."""
    score = np.sin(X.sum(axis=1)) + 0.5 * rng.normal(size=len(X))
    if name == "squared":
        return np.column_stack([score + 2.0, X[:, 0] - 1.0])
    if name == "logistic":
        return (score > 0)[:, None].astype(float)
    return np.eye(3)[np.digitize(score, [-0.5, 0.5])]


def design(name, kind, rng, fit_intercept=True, dtype=np.float64, sample=None):
    X = rows(rng, N)
    y = targets(X, name, rng)
    features = blocked(maps(X, dtype)[kind], X, fit_intercept, block_rows=50, kept_rows=N)
    return features, y, Newton(FeatureSpace(features, sample), LOSSES[name], y)


def objective(name, y, weights, alpha, fit):
    return float(weights @ LOSSES[name].value(y, fit.predictions)) + alpha * fit.squared_norm


def level(f):
    """Scores of several classes say nothing but their differences."""
    return f - f.mean(axis=1, keepdims=True) * (f.shape[1] > 2)


@each_map
@intercepts
@samples
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
def test_the_squared_loss_is_ridge_regression(kind, fit_intercept, sample, alpha, rng):
    features, y, newton = design("squared", kind, rng, fit_intercept, sample=sample)
    phi = naive.with_ones(features.map(features.X), fit_intercept)
    # The later weights meet the sums of the earlier ones.
    for weights in (np.ones(N), fractional_weights(rng, N), np.full(N, 3.0)):
        coef = naive.ridge(phi, y, weights, alpha, fit_intercept)
        fit = newton.solve(weights, alpha, tol=1e-10)
        np.testing.assert_allclose(fit.predictions, phi @ coef, atol=5e-5)
        inner = coef[:-1] if fit_intercept else coef
        assert fit.squared_norm == pytest.approx(float(np.sum(inner**2)), rel=1e-4, abs=1e-8)
        np.testing.assert_allclose(fit.intercept, coef[-1] if fit_intercept else 0, atol=1e-4)


@each_map
@intercepts
@samples
@pytest.mark.parametrize("name", ["logistic", "softmax"])
def test_reaches_the_minimiser_of_a_general_optimiser(name, kind, fit_intercept, sample, rng):
    features, y, newton = design(name, kind, rng, fit_intercept, sample=sample)
    phi = features.map(features.X)
    for weights in (np.ones(N), fractional_weights(rng, N)):
        best, least = naive_newton.minimiser(
            LOSSES[name], phi @ phi.T, y, weights, 0.2, fit_intercept
        )
        fit = newton.solve(weights, 0.2)
        assert objective(name, y, weights, 0.2, fit) <= least + 1e-7 * (1 + least)
        np.testing.assert_allclose(level(fit.predictions), level(best), atol=1e-3)


@intercepts
@samples
@pytest.mark.parametrize("name", ["logistic", "softmax"])
@pytest.mark.parametrize("alpha", [0.05, 5.0])
def test_columns_give_the_logistic_regression_of_sklearn(name, fit_intercept, sample, alpha, rng):
    X = rows(rng, N)
    y, weights = targets(X, name, rng), fractional_weights(rng, N)
    codes = y[:, 0] if name == "logistic" else y.argmax(axis=1)
    theirs = LogisticRegression(
        C=1 / (2 * alpha), fit_intercept=fit_intercept, solver="newton-cholesky", tol=1e-12
    ).fit(X, codes, sample_weight=weights)
    features = blocked(IdentityMap(np.zeros(4)), X, fit_intercept)
    fit = Newton(FeatureSpace(features, sample), LOSSES[name], y).solve(weights, alpha, tol=1e-10)
    expected = theirs.decision_function(X)
    expected = expected[:, None] if expected.ndim == 1 else expected
    np.testing.assert_allclose(level(fit.predictions), level(expected), atol=1e-4)
    if name == "logistic":
        np.testing.assert_allclose(fit.coef.T, theirs.coef_, atol=1e-5)
        np.testing.assert_allclose(fit.intercept, theirs.intercept_, atol=1e-5)


@each_loss
@each_map
def test_the_gradient_vanishes(name, kind, rng):
    features, y, newton = design(name, kind, rng)
    weights = fractional_weights(rng, N)
    fit = newton.solve(weights, 0.1, tol=1e-10)
    block_sums = features.rmatvec(weights[:, None] * LOSSES[name].gradient(y, fit.predictions))
    block_sums[:-1] += 0.2 * fit.coef
    np.testing.assert_allclose(block_sums, 0.0, atol=1e-3)


@each_loss
@each_map
def test_the_fit_holds_together(name, kind, rng):
    features, _, newton = design(name, kind, rng)
    fit = newton.solve(np.ones(N), 0.1)
    values = features.values(np.vstack([fit.coef, fit.intercept]))
    np.testing.assert_allclose(values, fit.predictions, atol=1e-8)
    assert fit.squared_norm == pytest.approx(float(np.sum(fit.coef**2)))


@each_loss
@samples
def test_every_start_leads_to_the_same_end(name, sample, rng):
    _, y, newton = design(name, "landmarks", rng, sample=sample)
    weights = fractional_weights(rng, N)
    cold = newton.solve(weights, 0.1, tol=1e-9)
    starts = [newton.solve(np.ones(N), alpha) for alpha in (1e-2, 10.0)]
    for start in (cold, *starts):
        warm = newton.solve(weights, 0.1, start, tol=1e-9)
        np.testing.assert_allclose(level(warm.predictions), level(cold.predictions), atol=1e-3)
        assert objective(name, y, weights, 0.1, warm) == pytest.approx(
            objective(name, y, weights, 0.1, cold), rel=1e-6
        )


@each_loss
@samples
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("tol", [1e-2, 1e-8])
def test_never_raises_the_objective(name, sample, dtype, tol, rng):
    _, y, newton = design(name, "landmarks", rng, dtype=dtype, sample=sample)
    fit = newton.solve(np.ones(N), 30.0, tol=tol)
    for alpha in (1e-4, 10.0):
        for _ in range(2):
            weights = fractional_weights(rng, N)
            before = objective(name, y, weights, alpha, fit)
            fit = newton.solve(weights, alpha, fit, tol=tol)
            assert objective(name, y, weights, alpha, fit) <= before * (1 + 1e-6)


@each_loss
@samples
def test_a_weight_is_that_many_copies(name, sample, rng):
    X = rows(rng, N)
    y, copies = targets(X, name, rng), rng.integers(1, 4, size=N)
    owner, one = np.repeat(np.arange(N), copies), maps(X)["landmarks"]
    weighted = Newton(FeatureSpace(blocked(one, X), sample), LOSSES[name], y).solve(
        copies.astype(float), 0.3
    )
    repeated = Newton(FeatureSpace(blocked(one, X[owner])), LOSSES[name], y[owner]).solve(
        np.ones(len(owner)), 0.3
    )
    np.testing.assert_allclose(
        level(repeated.predictions), level(weighted.predictions[owner]), atol=1e-3
    )


@each_loss
def test_a_row_of_no_weight_has_no_say_however_wrong(name, rng):
    features, y, newton = design(name, "landmarks", rng)
    weights = fractional_weights(rng, N)
    other = y.copy()
    other[weights == 0] = 1e200 if name == "squared" else np.roll(y, 1, axis=1)[weights == 0]
    with np.errstate(over="ignore"):
        again = Newton(FeatureSpace(features), LOSSES[name], other).solve(weights, 0.1)
    np.testing.assert_allclose(
        again.predictions, newton.solve(weights, 0.1).predictions, atol=1e-10
    )


@pytest.mark.parametrize("name", ["logistic", "softmax"])
@pytest.mark.parametrize("alpha", [0.0, 1e-12])
def test_separable_classes_without_a_ridge_stay_finite(name, alpha, rng):
    codes = np.arange(N) % (2 if name == "logistic" else 3)
    X = rows(rng, N) + 10.0 * codes[:, None]
    y = codes[:, None].astype(float) if name == "logistic" else np.eye(3)[codes]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = Newton(FeatureSpace(blocked(IdentityMap(np.zeros(4)), X)), LOSSES[name], y).solve(
            np.ones(N), alpha
        )
    assert np.isfinite(fit.coef).all()
    assert LOSSES[name].value(y, fit.predictions).max() < 0.1


@each_loss
@pytest.mark.parametrize("size", [1e4, 1e8])
def test_wild_rows_among_columns_are_no_failure(name, size, rng):
    X = rows(rng, N)
    y = targets(X, name, rng)
    X[:2] *= size
    newton = Newton(FeatureSpace(blocked(IdentityMap(np.zeros(4)), X)), LOSSES[name], y)
    fit = newton.solve(np.ones(N), 0.1)
    nothing = float(LOSSES[name].value(y, np.zeros_like(y)).sum())
    assert objective(name, y, np.ones(N), 0.1, fit) <= nothing


@each_loss
@pytest.mark.parametrize("kind", ["landmarks", "fourier"])
def test_single_precision_is_good_to_three_digits(name, kind, rng):
    weights = fractional_weights(rng, N)
    fits = []
    for dtype in (np.float32, np.float64):
        _, _, newton = design(name, kind, np.random.default_rng(0), dtype=dtype)
        fits.append(newton.solve(weights, 0.1))
    np.testing.assert_allclose(level(fits[0].predictions), level(fits[1].predictions), atol=3e-3)


@pytest.mark.parametrize("name", ["logistic", "softmax"])
def test_a_tighter_tolerance_is_closer(name, rng):
    values = []
    for tol in (1e-2, 1e-4, 1e-8):
        _, y, newton = design(name, "landmarks", np.random.default_rng(0))
        values.append(objective(name, y, np.ones(N), 0.1, newton.solve(np.ones(N), 0.1, tol=tol)))
    np.testing.assert_allclose(values[0], values[2], rtol=1e-2)
    np.testing.assert_allclose(values[1], values[2], rtol=1e-5)


def test_a_lopsided_sample_only_costs_passes(rng):
    # The sample sees one side of the rows.
    X = rows(rng, N)
    y, side = targets(X, "squared", rng), np.argsort(X[:, 0])[: N // 2]
    features = blocked(NystroemMap(RBF(GAMMA), X[:40]), X)
    fits = [
        Newton(FeatureSpace(features, sample), SquaredLoss(), y).solve(np.ones(N), 0.01, tol=1e-10)
        for sample in (np.sort(side), None)
    ]
    np.testing.assert_allclose(fits[0].predictions, fits[1].predictions, atol=1e-2)


@each_loss
@samples
def test_goes_on_bitwise_from_what_it_remembered(name, sample, rng):
    _, y, newton = design(name, "landmarks", rng, sample=sample)
    path = [fractional_weights(rng, N) for _ in range(4)]
    fit = None
    for weights in path[:3]:
        fit = newton.solve(weights, 0.1, fit, tol=1e-4)
    state = {key: np.array(value) for key, value in newton.space.state_dict().items()}
    again = Newton(FeatureSpace(newton.space.features, sample), LOSSES[name], y)
    again.space.load_state_dict(state)
    one, other = (each.solve(path[3], 0.1, fit, tol=1e-6) for each in (newton, again))
    np.testing.assert_array_equal(one.predictions, other.predictions)
    np.testing.assert_array_equal(one.coef, other.coef)


def test_before_its_first_fit_it_has_nothing_to_remember(rng):
    _, _, newton = design("squared", "fourier", rng)
    assert newton.space.state_dict() == {}
    newton.space.load_state_dict({})
    assert np.isfinite(newton.solve(np.ones(N), 1.0).predictions).all()


@each_loss
@each_map
@intercepts
def test_a_step_towards_is_that_of_the_second_order(name, kind, fit_intercept, rng):
    features, y, newton = design(name, kind, rng, fit_intercept)
    weights, k = fractional_weights(rng, N), y.shape[1]
    values, gradient = rng.normal(size=y.shape), level(rng.normal(size=(features.width, k)))
    objective = WeightedObjective(LOSSES[name], y, weights, 0.3)
    step, *_ = newton.space.solve_step(objective, gradient, values, tol=1e-8)
    bent = LOSSES[name].hessian(y, values).weighted(weights).times(features.values(step))
    image = features.rmatvec(bent) + 0.6 * features.penalised[:, None] * step
    # Passes end where they bring no more than a millionth: a thousandth of the step.
    np.testing.assert_allclose(image, -gradient, atol=5e-3 if name == "softmax" else 1e-5)


def test_a_step_towards_nothing_is_none(rng):
    features, y, newton = design("squared", "landmarks", rng)
    nowhere = np.zeros((features.width, y.shape[1]))
    objective = WeightedObjective(SquaredLoss(), y, np.ones(N), 0.3)
    found, *_ = newton.space.solve_step(objective, nowhere, y, tol=1e-3)
    np.testing.assert_array_equal(found, nowhere)


@each_loss
@each_map
@intercepts
def test_equals_the_fit_in_the_kernels_space(name, kind, fit_intercept, rng):
    features, y, newton = design(name, kind, rng, fit_intercept)
    phi, weights = features.map(features.X), fractional_weights(rng, N)
    found = newton.solve(weights, 0.3, tol=1e-10)
    for system in (PrimalRidge(phi, fit_intercept), ExactRidge(phi @ phi.T, fit_intercept)):
        expected = Newton(KernelSpace(system), LOSSES[name], y).solve(weights, 0.3, tol=1e-10)
        np.testing.assert_allclose(level(found.predictions), level(expected.predictions), atol=1e-4)
        assert found.squared_norm == pytest.approx(expected.squared_norm, rel=1e-4)


class Counted:
    """Features that count the gradients asked of them."""

    def __init__(self, features):
        self.features, self.gradients = features, 0

    def __getattr__(self, name):
        return getattr(self.features, name)

    def rmatvec(self, slopes):
        self.gradients += 1
        return self.features.rmatvec(slopes)


@samples
def test_a_quadratic_loss_takes_one_step(sample, rng):
    features, y, _ = design("squared", "landmarks", rng)
    counted = Counted(features)
    newton = Newton(FeatureSpace(counted, sample), SquaredLoss(), y)
    newton.solve(fractional_weights(rng, N), 0.1)
    assert counted.gradients == 1
