"""Streams turn as they say, and the best fixed predictor is the best."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.noisy import regret
from benchmarks.noisy.adaptive import COMPETITORS, NEEDS_RIVER
from benchmarks.noisy.printed import algorithm2, surrogate
from benchmarks.noisy.streams import ANGLES, make_stream


@pytest.mark.parametrize("kind", ANGLES)
def test_streams_have_unit_rows_and_the_noise_asked_for(kind):
    stream = make_stream(kind, 4000, d=5, deviation=0.3, seed=0)
    np.testing.assert_allclose(np.linalg.norm(stream.X, axis=1), 1.0)
    for view in (stream.A, stream.B):
        assert np.var(view - stream.X) == pytest.approx(0.09, rel=0.05)
    assert np.mean(stream.y**2) == pytest.approx(0.2 + 0.01, rel=0.1)


def test_only_the_still_stream_has_a_good_fixed_predictor():
    explained = {}
    for kind in ANGLES:
        stream = make_stream(kind, 4000, d=5, deviation=0.3, seed=0)
        best = regret.best_in_ball(stream.X, stream.y, 1.0)
        explained[kind] = 1 - regret.loss(stream.X @ best, stream.y) / np.sum(stream.y**2)
    assert explained.pop("iid") > 0.9
    assert explained.pop("doubling") < 0.2  # the last block is half of the stream
    assert max(explained.values()) < 0.05


@pytest.mark.parametrize("radius", [0.1, 0.7, 10.0])
def test_no_predictor_of_the_ball_is_better(radius, rng):
    X, y = rng.normal(size=(60, 4)), rng.normal(size=60)
    best = regret.best_in_ball(X, y, radius)
    assert np.linalg.norm(best) <= radius * (1 + 1e-9)
    for _ in range(200):
        other = best + 0.05 * rng.normal(size=4)
        other *= min(1.0, radius / np.linalg.norm(other))
        assert regret.loss(X @ best, y) <= regret.loss(X @ other, y) + 1e-9


def test_features_of_the_kernel_have_its_inner_products(rng):
    X = rng.normal(size=(40, 2))
    features = regret.kernel_features(X, 0.5, 40)
    squares = np.square(X[:, None] - X).sum(axis=-1)
    np.testing.assert_allclose(features @ features.T, np.exp(-0.5 * squares), atol=1e-6)


def test_the_surrogate_is_the_kernel_on_average(rng):
    x, z = np.array([[0.3, -0.2]]), np.array([[1.0, 0.5]])
    noisy = x + np.sqrt(0.2) * rng.normal(size=(400_000, 2))
    found = surrogate(noisy, z, 0.8, 0.2).mean()
    assert found == pytest.approx(np.exp(-0.8 * np.sum((x - z) ** 2)), rel=0.01)


def test_the_printed_algorithm_stays_in_its_ball():
    stream = make_stream("iid", 60, d=2, deviation=0.3, seed=0)
    alpha = algorithm2(stream.A, stream.B, stream.y, gamma=1.0, noise=0.09, eta=0.5, W=0.5)
    r = alpha @ surrogate(stream.A, stream.A, 1.0, 0.09) @ alpha
    assert r <= 0.25 * (1 + 1e-9)


@pytest.mark.parametrize("name", [n for n in COMPETITORS if n not in NEEDS_RIVER])
def test_competitors_learn_still_streams(name):
    stream = make_stream("iid", 1500, d=3, deviation=0.3, seed=1)
    found = COMPETITORS[name](stream, 1.0)
    late = slice(1000, None)
    assert np.mean((found - stream.y)[late] ** 2) < 0.5 * np.var(stream.y)


def test_least_squares_forgets_what_has_changed():
    stream = make_stream("blocks", 1500, d=3, deviation=0.3, seed=1)
    losses = {
        name: regret.loss(COMPETITORS[name](stream, 1.0), stream.y) for name in ("rls", "leader")
    }
    assert losses["rls"] < 0.7 * losses["leader"]
