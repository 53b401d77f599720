"""Passes over all samples lead where a solver that has all of them in memory goes."""

from __future__ import annotations

import numpy as np
import pytest

from feature_maps.cases import maps, rows
from naive import features as naive
from untaint.design.features import FeatureDesign
from untaint.design.memory_plan import Plan
from untaint.design.partitioned import InMemoryDesign
from untaint.feature_maps.identity import IdentityMap
from untaint.kernels import Linear
from untaint.losses import LogisticLoss, SoftmaxLoss, SquaredLoss
from untaint.optim.c_steps import c_steps
from untaint.optim.checkpoint import Checkpoint
from untaint.optim.feature_newton import FeatureSpace
from untaint.optim.newton import Newton
from untaint.optim.norm_ball import solve_in_ball
from untaint.optim.subsampled_c_steps import SubsampledSteps
from untaint.optim.subsampled_newton import SubsampledNewton
from untaint.optim.threshold_prediction import TrimmedWeighting
from untaint.weighting.softplus import Softplus
from untaint.weighting.threshold import SampleLosses, ThresholdWeights
from untaint.weighting.trimmed import Trimmed

N, M = 3000, 1200
LOSSES = {"squared": SquaredLoss(), "logistic": LogisticLoss(), "softmax": SoftmaxLoss()}
each_loss = pytest.mark.parametrize("name", LOSSES)
MANY = 70
widths = pytest.mark.parametrize("d", [5, MANY], ids=["few features", "many"])


class Fitted:
    """All samples are evaluated, and a subsample of them is at hand."""

    def __init__(self, X, y, name="squared", kind="columns", alpha=2.0, stop=None):
        feature_map = IdentityMap(np.zeros(X.shape[1])) if kind == "columns" else maps(X)[kind]
        sample = np.sort(np.random.default_rng(7).choice(N, M, replace=False))
        plan, ones = Plan(500, N), np.ones(N)
        design = FeatureDesign(
            Linear(), X, ones, alpha, True, feature_map, plan, sample, n_threads=1
        )
        data = InMemoryDesign(design, LOSSES[name], y, np.zeros(N, dtype=int))
        self.X, self.y, self.loss, self.alpha, self.sample = X, y, LOSSES[name], alpha, sample
        self.features, self.part, self.stop, self.passes = design.features, M / N, stop, 0
        self.data = data
        self.newton = data.subsample.newton(self.loss, data.y)
        self.subsampled_newton = SubsampledNewton(
            self.newton, data.groups, data.excluded, data.part
        )
        self.start = self.newton.solve(np.ones(M), data.subsample.alpha)

    def evaluate(self, *asked):
        if self.passes == self.stop:
            raise KeyboardInterrupt
        self.passes += 1
        return self.data.evaluate(*asked)

    def run(self, rule=None, start=None, **options):
        rule, start = rule or Trimmed(0.0), start or self.start
        self.strategy = TrimmedWeighting(rule, float(N), 1.0)
        how = {"min_decrease": 1e-13} | {
            name: options.pop(name)
            for name in ("min_decrease", "norm_bound", "exact")
            if name in options
        }
        process = SubsampledSteps(
            self, self.subsampled_newton, self.strategy, start, self.alpha, **how
        )
        out = c_steps(process, **({"max_iter": 100} | options))
        self.values = out.result.predictions
        return out

    def refit(self, weights):
        """By the normal equations of all rows."""
        phi = naive.with_ones(np.asarray(self.features.map(self.X)), True)
        return phi @ naive.ridge(phi, self.y, weights, self.alpha, True)

    def by_newton(self, bound=None):
        """By a solver that has all rows at hand."""
        newton, ones = Newton(FeatureSpace(self.features), self.loss, self.y), np.ones(N)
        tol = 1e-10 if bound is None else 1e-8
        fit = solve_in_ball(lambda *how: newton.solve(ones, *how), self.alpha, bound, tol=tol)
        return fit.predictions


def design(rng, name="squared", d=5, kind="columns", bad=0.0, **options):
    """Targets that depend on two columns, some of them far off."""
    X = rows(rng, N, d)
    score = np.sin(X[:, 0]) - 0.5 * X[:, 1] + 0.5 * rng.normal(size=N)
    codes = np.digitize(score, [-0.5, 0.5])
    y = (codes > 0)[:, None].astype(float) if name == "logistic" else np.eye(3)[codes]
    if name == "squared":
        y = np.column_stack([score + 2.0, X[:, 0] - score])
        y += (rng.random((N, 1)) < bad) * rng.normal(2.0, 3.0, size=(N, 1))
    return Fitted(X, y, name, kind, **options)


def level(f):
    return f - f.mean(axis=1, keepdims=True) * (f.shape[1] > 2)


@widths
def test_without_trimming_the_squared_loss_is_ridge_regression(d, rng):
    fitted = design(rng, d=d)
    out = fitted.run()
    assert out.converged
    np.testing.assert_allclose(fitted.values, fitted.refit(np.ones(N)), atol=1e-5)
    assert d == MANY or out.n_iter <= 3


@each_loss
@pytest.mark.parametrize(("kind", "d"), [("columns", 5), ("columns", 70), ("landmarks", 4)])
def test_without_trimming_it_is_newtons_method_on_all_rows(name, kind, d, rng):
    fitted = design(rng, name, d, kind)
    assert fitted.run().converged
    np.testing.assert_allclose(level(fitted.values), level(fitted.by_newton()), atol=1e-4)


@widths
@pytest.mark.parametrize("rule", [Trimmed(0.2), Softplus(0.2, 1.0)], ids=["hard", "soft"])
def test_a_refit_on_the_rows_that_it_keeps_is_the_same_function(d, rule, rng):
    fitted, enough = design(rng, d=d, bad=0.15), 1e-7
    out = fitted.run(rule, min_decrease=enough)
    assert out.converged
    cut = ThresholdWeights(fitted.strategy.predicted, rule.smoothing)
    ones, losses = np.ones(N), fitted.loss.value(fitted.y, fitted.values)
    rows = (losses, fitted.values, fitted.y, ones, np.zeros(N, dtype=int), ones < 0)
    kept = cut.weights(SampleLosses(*rows))
    left = np.sum((fitted.values - fitted.refit(kept)) ** 2)
    assert (
        left <= 200.0 * enough * out.objective_path[-1]
    )  # a hundredfold, where it goes to and fro
    # Those are the rows that should be kept, but for far fewer than chance would exchange.
    assert np.abs(kept - rule.weights(losses, ones)).sum() <= 0.3 * np.sqrt(N)


def test_the_solution_holds_the_path_and_the_last_pass(rng):
    fitted, rule, reported = design(rng, bad=0.15), Trimmed(0.2), []
    out = fitted.run(rule, min_decrease=1e-6, callback=reported.append, exact=True)
    assert out.n_iter == len(out.objective_path) <= fitted.passes
    assert [step.objective for step in reported] == out.objective_path
    np.testing.assert_allclose(out.fit.predictions, fitted.values[fitted.sample], atol=1e-10)
    losses = fitted.loss.value(fitted.y, fitted.values)
    assert fitted.strategy.is_exact(out.result)
    assert fitted.strategy.thresholds[0] == rule.threshold(losses, np.ones(N))
    kept = rule.value(losses, np.ones(N))
    assert out.objective_path[-1] == pytest.approx(
        kept + fitted.alpha * out.fit.squared_norm, rel=1e-4
    )


@each_loss
@widths
def test_the_ball_is_kept_to_and_the_best_within_it_found(name, d, rng):
    fitted = design(rng, name, d)
    bound = 0.5 * np.sqrt(fitted.start.squared_norm)
    start = solve_in_ball(
        lambda *how: fitted.newton.solve(np.ones(M), *how), fitted.part * fitted.alpha, bound
    )
    out = fitted.run(start=start, norm_bound=bound, min_decrease=1e-12)
    assert out.converged
    assert np.sqrt(out.fit.squared_norm) <= bound * (1 + 1e-9)
    np.testing.assert_allclose(level(fitted.values), level(fitted.by_newton(bound)), atol=1e-3)


def with_a_rare_column(rng, name, d, alpha):
    """Rows one of whose columns the sample knows nothing of."""
    whole = design(rng, name, d)
    whole.X[:, 2] = 0.0
    whole.X[np.setdiff1d(np.arange(N), whole.sample)[:40], 2] = 1.0
    return Fitted(whole.X, whole.y, name, alpha=alpha)


@each_loss
@pytest.mark.parametrize(("d", "alpha"), [(5, 2.0), (5, 1e-3), (70, 2.0), (70, 1e-3)])
def test_a_rare_column_that_the_sample_lacks_is_fitted_all_the_same(name, d, alpha, rng):
    fitted = with_a_rare_column(rng, name, d, alpha)
    assert fitted.run(min_decrease=1e-11).converged
    np.testing.assert_allclose(level(fitted.values), level(fitted.by_newton()), atol=2e-3)


def test_the_solution_is_no_worse_than_where_it_began(rng):
    fitted = with_a_rare_column(rng, "squared", 70, 1e-3)
    out = fitted.run(max_iter=2)
    values = fitted.features.values(fitted.subsampled_newton.coef(out.fit))
    value = fitted.loss.value(fitted.y, values).sum() + fitted.alpha * out.fit.squared_norm
    assert value <= out.objective_path[0] * (1 + 1e-9)


@pytest.mark.parametrize("max_iter", [1, 2])
def test_too_few_steps_are_said_to_be_too_few(max_iter, rng):
    out = design(rng, d=70, bad=0.15).run(Trimmed(0.2), max_iter=max_iter)
    assert not out.converged
    assert out.n_iter == len(out.objective_path) == max_iter


@pytest.mark.parametrize(("name", "share"), [("squared", 0.2), ("softmax", 0.0)])
@pytest.mark.parametrize("stop", [3, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 5))])
def test_resumes_bitwise_after_an_interruption(name, share, stop, tmp_path, set_sizes):
    set_sizes(checkpoint_seconds=0.0)
    path = tmp_path / "fit.checkpoint"

    def run(stop=None, saved=True):
        fitted = design(np.random.default_rng(0), name, 70, bad=0.15, stop=stop)
        slot = Checkpoint(path, "key", 0).at(0) if saved else None
        return fitted, fitted.run(Trimmed(share), slot=slot)

    whole, expected = run(saved=False)
    with pytest.raises(KeyboardInterrupt):
        run(stop)
    again, found = run()
    assert again.passes == whole.passes - stop > 0
    assert (found.objective_path, found.converged) == (expected.objective_path, expected.converged)
    np.testing.assert_array_equal(again.values, whole.values)
