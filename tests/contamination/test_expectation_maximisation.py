"""Expectation-maximisation of many starts at a time: each is the iteration of that start alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from naive import expectation_maximisation as naive
from untaint.contamination.expectation_maximisation import (
    MAX_CONTAMINATION,
    Residuals,
    log_student_rows,
    maximise_likelihood,
)
from untaint.contamination.null_models import TAILS, log_student
from untaint.contamination.two_groups import CLUSTERED, DIFFUSE, OF_TARGET, PERMUTED, SHIFTED

MODELS = {
    "diffuse": DIFFUSE,
    "clustered": CLUSTERED,
    "shifted": SHIFTED,
    "permuted": PERMUTED,
    "of target": OF_TARGET,
}
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def drawn(rng, kind, n=80, share=0.25, relative=True):
    """Residuals with their relative scales, and which of them are outliers."""
    bad = np.arange(n) < round(share * n)
    scales = np.exp(rng.uniform(-1, 1, size=n)) if relative else np.ones(n)
    # Residuals are in units of a deviation.
    units, predictions = np.exp(rng.uniform(0.0, 0.3, size=n)), rng.uniform(-10, 10, size=n)
    values = units * scales * rng.normal(size=n)
    if kind == "diffuse":
        values[bad] = rng.normal(1.0, 20.0, size=bad.sum())
    elif kind == "permuted":
        values[bad] = rng.uniform(-10, 10, size=bad.sum()) - predictions[bad]
    elif kind == "of target":
        values[bad] = rng.normal(4.0, 0.5, size=bad.sum()) - predictions[bad]
    else:
        values[bad] = rng.normal(12.0, 1.0, size=bad.sum())
    targets = predictions + values
    background = np.log(units / 20.0) - np.where(np.abs(targets) <= 10, 0.0, 4.0)
    return Residuals(values / units, scales, targets, np.log(units), background), bad


def starts_of(rng, residuals, bad):
    """Start from the smallest half, from the truth, and from some probabilities."""
    quotients = np.abs(residuals.values / residuals.relative_scale)
    return np.array([quotients <= np.median(quotients), ~bad, rng.random(len(bad))], dtype=float)


def fitted(residuals, weights, model, tails, p, least_scale=0.0):
    return maximise_likelihood(residuals, weights, [model] * len(p), tails, p, least_scale)


# One start at a time.


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("kind", MODELS)
def test_each_start_ends_as_it_does_alone(kind, relative, weighted, rng):
    residuals, bad = drawn(rng, kind, relative=relative)
    weights = rng.uniform(0.2, 3.0, size=80) if weighted else np.ones(80)
    p = starts_of(rng, residuals, bad)
    tails = np.array([np.inf] * 3 if MODELS[kind].offset else [3.0, 10.0, np.inf])
    found = fitted(residuals, weights, MODELS[kind], tails, p)
    assert np.isfinite(found.log_likelihood).any()
    assert_as_plain(found, residuals, weights, [MODELS[kind]] * 3, tails, p, 0.0)


@pytest.mark.parametrize("least_scale", [0.0, 0.5, 3.0])
def test_models_of_all_kinds_at_a_time_are_those_models_alone(least_scale, rng):
    residuals, bad = drawn(rng, "diffuse")
    models = [model for model in MODELS.values() for _ in range(3)]
    p = np.tile(starts_of(rng, residuals, bad), (5, 1))
    weights = rng.integers(1, 4, size=80).astype(float)
    tails = np.array([5.0, np.inf, 3.0] + 6 * [np.inf] + 2 * [5.0, np.inf, 3.0])
    found = maximise_likelihood(residuals, weights, models, tails, p, least_scale)
    assert_as_plain(found, residuals, weights, models, tails, p, least_scale)


def assert_as_plain(found, residuals, weights, models, tails, p, least_scale):
    for i, (model, tail, start) in enumerate(zip(models, tails, p, strict=True)):
        expected = naive.maximised(residuals, weights, model, tail, start, least_scale)
        if expected is None:
            assert found.log_likelihood[i] == -np.inf
        else:
            np.testing.assert_allclose([part[i] for part in found], expected, rtol=1e-8, atol=1e-8)


@each_model
def test_a_weight_is_that_many_copies(model, rng):
    kind = next(name for name, each in MODELS.items() if each is model)
    residuals, bad = drawn(rng, kind)
    copies = rng.integers(0, 4, size=80)
    owner = np.repeat(np.arange(80), copies)
    p, tails = starts_of(rng, residuals, bad), np.full(3, np.inf)
    one = fitted(residuals, copies.astype(float), model, tails, p)
    other = fitted(residuals.at(owner), np.ones(len(owner)), model, tails, p[:, owner])
    assert np.isfinite(one.log_likelihood).any()
    np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)


@each_model
def test_order_of_the_rows_is_immaterial(model, rng):
    residuals, bad = drawn(rng, "clustered")
    order, p, tails = rng.permutation(80), starts_of(rng, residuals, bad), np.full(3, np.inf)
    one = fitted(residuals, np.ones(80), model, tails, p)
    other = fitted(residuals.at(order), np.ones(80), model, tails, p[:, order])
    np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)


# What the maximum is.


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["clustered", "shifted", "permuted", "of target"])
def test_no_optimiser_finds_a_likelier_neighbour(kind, seed):
    residuals, bad = drawn(np.random.default_rng(seed), kind, n=200)
    model = MODELS[kind]
    found = fitted(
        residuals, np.ones(200), model, np.array([np.inf]), (~bad)[None, :].astype(float)
    )
    share, scale, centre, width, offset, likelihood = (float(part[0]) for part in found)

    def minus(theta):
        logit, log_scale, centre, log_width, offset = theta
        share, scale = 1 / (1 + np.exp(-logit)), np.exp(log_scale)
        width = scale if model.shifted else np.exp(log_width)
        own = norm(offset if model.offset else 0.0, scale * residuals.relative_scale)
        outlying = np.exp(residuals.log_background)
        if model.of_target:
            outlying = norm(centre, width).pdf(residuals.targets) * np.exp(residuals.log_unit)
        elif not model.permuted:
            outlying = norm(centre, width).pdf(residuals.values)
        density = (1 - share) * own.pdf(residuals.values) + share * outlying
        return -float(np.log(density).sum())

    here = [np.log(share / (1 - share)), np.log(scale), centre, np.log(width), offset]
    assert -minus(here) == pytest.approx(likelihood, abs=1e-8)
    assert likelihood >= -minimize(minus, here).fun - 0.01


@pytest.mark.parametrize("kind", MODELS)
def test_planted_groups_are_found(kind, rng):
    residuals, _ = drawn(rng, kind, n=1000, share=0.2)
    start = (np.abs(residuals.values / residuals.relative_scale) < 1.0)[None, :].astype(float)
    found = fitted(residuals, np.ones(1000), MODELS[kind], np.array([np.inf]), start)
    assert found.contamination[0] == pytest.approx(0.2, abs=0.03)
    assert found.scale[0] == pytest.approx(1.0, abs=0.1)


def test_giving_up_starts_that_are_far_behind_leaves_the_best_as_it_is(rng):
    residuals, bad = drawn(rng, "diffuse", n=300)
    models, tails = [DIFFUSE, PERMUTED], np.full(2, np.inf)
    p = np.tile((~bad).astype(float), (2, 1))
    parts = (residuals, np.ones(300), models, tails, p, 0.0)
    whole, part = maximise_likelihood(*parts), maximise_likelihood(*parts, max_behind=5.0)
    assert np.argmax(whole.log_likelihood) == np.argmax(part.log_likelihood) == 0
    for one, other in zip(whole, part, strict=True):
        assert one[0] == pytest.approx(other[0], rel=1e-12)
    assert (part.log_likelihood <= whole.log_likelihood + 1e-9).all()


@pytest.mark.parametrize("unit", [1e-170, 1e170])
def test_fits_do_not_depend_on_the_unit_of_the_residuals(unit, rng):
    residuals, bad = drawn(rng, "clustered")
    p, tails = starts_of(rng, residuals, bad), np.full(3, np.inf)
    scaled = residuals._replace(values=unit * residuals.values, targets=unit * residuals.targets)
    one = fitted(residuals, np.ones(80), CLUSTERED, tails, p)
    other = fitted(scaled, np.ones(80), CLUSTERED, tails, p)
    np.testing.assert_allclose(other.contamination, one.contamination, rtol=1e-8)
    np.testing.assert_allclose(other.centre, unit * one.centre, rtol=1e-8)


def test_a_start_without_outliers_has_no_likelihood(rng):
    residuals, _ = drawn(rng, "diffuse")
    p = np.array([np.ones(80), residuals.values > 0])
    found = fitted(residuals, np.ones(80), DIFFUSE, np.full(2, np.inf), p)
    assert found.log_likelihood[0] == -np.inf


def test_no_fit_has_a_majority_of_outliers_or_less_than_the_least_scale(rng):
    residuals, bad = drawn(rng, "diffuse", share=0.55)
    p = starts_of(rng, residuals, bad)
    found = fitted(residuals, np.ones(80), DIFFUSE, np.full(3, np.inf), p, least_scale=0.7)
    assert found.contamination.max() <= MAX_CONTAMINATION
    assert found.scale.min() >= 0.7


# Student's distribution by rows.


def test_rows_have_the_densities_of_their_tails(rng):
    z, tails = rng.normal(size=(len(TAILS), 30)), np.array(TAILS)
    densities = log_student_rows(z, tails)
    for i, tail in enumerate(TAILS):
        np.testing.assert_allclose(densities[i], log_student(z[i], tail), rtol=1e-12)
