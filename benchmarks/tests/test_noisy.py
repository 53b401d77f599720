"""Noisy features: competitors undo noise where they can, and studies sum their rows up."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import numpy as np
import pytest

from benchmarks.data.noisy import NoisyRows
from benchmarks.data.streams import ANGLES, make_stream
from benchmarks.frame import Case
from benchmarks.methods import noisy
from benchmarks.methods.algorithm2 import surrogate
from benchmarks.methods.streams import loss
from benchmarks.studies import STUDIES, noisy_features, privacy, regret, stream_speed
from benchmarks.studies.privacy import clip, exact_delta, gaussian_mechanism

W = np.array([1.0, -2.0, 0.5])


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X, X_test = rng.normal(size=(4000, 3)), rng.normal(size=(1000, 3))
    A, B = (X + 0.5 * rng.normal(size=X.shape) for _ in range(2))
    y = X @ W + 3.0 + 0.3 * rng.normal(size=4000)
    return NoisyRows(A, B, X, y, np.full(3, 0.25), X_test, X_test @ W + 3.0)


def as_row(case, name, **found):
    return {**vars(case), **dict.fromkeys(STUDIES[name].measures, nan), **found, "error": ""}


@pytest.mark.parametrize("method", ["tls", "rc", "simex", "naive-two", "untaint", "untaint-two"])
def test_whoever_knows_the_noise_is_better_than_the_naive_fit(method, rows):
    assert rows.rmse(noisy.METHODS[method](rows, 0)) < 0.9 * rows.rmse(noisy.ridge(rows.A, rows.y))


def test_orthogonal_distances_are_total_least_squares_when_the_model_is_linear(rows):
    pytest.importorskip("odrpack")
    some = slice(0, 500)
    line, other = (
        fit(rows.A[some], rows.y[some], rows.noise_cov)
        for fit in (noisy.total_least_squares, noisy.orthogonal_distance)
    )
    np.testing.assert_allclose(line.coef, other.coef, rtol=1e-3)
    assert line.intercept == pytest.approx(other.intercept, abs=1e-3)


def test_only_the_still_stream_has_a_good_fixed_predictor():
    explained = {}
    for kind in ANGLES:
        stream = make_stream(kind, 4000, d=5, deviation=0.3, seed=0)
        best = regret.best_in_ball(stream.X, stream.y, 1.0)
        explained[kind] = 1 - loss(stream.X @ best, stream.y) / np.sum(stream.y**2)
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
        assert loss(X @ best, y) <= loss(X @ other, y) + 1e-9


def test_the_surrogate_is_the_kernel_on_average(rng):
    x, z = np.array([[0.3, -0.2]]), np.array([[1.0, 0.5]])
    noisy = x + np.sqrt(0.2) * rng.normal(size=(400_000, 2))
    found = surrogate(noisy, z, 0.8, 0.2).mean()
    assert found == pytest.approx(np.exp(-0.8 * np.sum((x - z) ** 2)), rel=0.01)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 0.99])
def test_the_classical_formula_holds_below_one(epsilon):
    assert exact_delta(epsilon, gaussian_mechanism(epsilon, 1e-5, 3.0), 3.0) <= 1e-5


def test_exact_delta_is_what_simulation_finds(rng):
    # Of two points at distance 1, the likelihood ratio at z is exp(((z - 1)^2 - z^2) / -2s^2).
    s, epsilon = 1.2, 0.5
    z = 1.0 + s * rng.normal(size=2_000_000)
    log_ratio = (np.square(z) - np.square(z - 1.0)) / (2 * s**2)
    found = np.mean(np.maximum(1.0 - np.exp(epsilon - log_ratio), 0.0))
    assert exact_delta(epsilon, s, 1.0) == pytest.approx(found, rel=0.01)


def test_a_release_has_the_mechanism_s_noise():
    rows, deviation, delta = privacy.release(Case("kiln", privacy.KIND, 3.0, "in-turn", 0))
    assert deviation == pytest.approx(gaussian_mechanism(3.0, 1e-5, 2 * np.sqrt(3)))
    np.testing.assert_allclose(rows.noise_cov, deviation**2)
    assert np.std(rows.A - clip(rows.X_clean, np.sqrt(3))) == pytest.approx(deviation, rel=0.1)
    assert 0 < delta < 1


def test_errors_are_summed_up_by_median_and_worst_seed():
    case = Case("kiln", "gaussian", 0.5, "untaint", 0)
    ratios = [(1.0, 0.9), (1.1, 1.2), (1.3, 0.8)]
    rows = [
        as_row(replace(case, seed=seed), "measurement-error", over_clean=clean, over_naive=naive)
        for seed, (clean, naive) in enumerate(ratios)
    ]
    text = noisy_features.table(rows)
    assert "| kiln | 0.5 | 1.10 (1.20) |" in text


def regret_row(T, seed, value, bound):
    case = Case(f"stream-{T}", "iid", 0.3, "theory-one", seed)
    found = {"rounds": float(T), "regret": value, "bound": bound, "holds": float(value <= bound)}
    return as_row(case, "regret", **found)


def test_regret_is_summed_up_by_its_exponent_and_its_bound():
    rows = [regret_row(T, seed, 2.0 * T**0.5, 100.0) for T in (100, 400, 10_000) for seed in (0, 1)]
    last = regret.table(rows).splitlines()[-1]
    assert last == "| iid | theory-one | 20.00 | 40.00 | 200.00 | 0.50 | 2.00 | 4 of 6 | - |"


def test_losses_are_compared_with_those_of_the_best_competitor():
    def row(method, T, found):
        case = Case(f"stream-{T}", "blocks", 0.3, method, 0)
        return as_row(case, "regret", rounds=float(T), loss=found, regret=1.0)

    rows = [row("auto-one", T, 6.0) for T in (10, 20)]
    rows += [row(method, T, 4.0 + T) for method, T in (("rls", 10), ("sgd", 20), ("printed", 10))]
    rows += [row("leader", 20, 3.0)]
    assert regret.over_best(rows, rows[:2], "blocks") == pytest.approx(2.0)


def test_noisy_classes_are_summed_up_by_the_way_to_the_clean_fit():
    case = Case("heart", noisy_features.KIND, 0.5, "untaint", 0)
    losses = {"log_loss_clean": 0.2, "log_loss_naive": 0.4}
    rows = [
        as_row(replace(case, seed=seed), "noisy-classes", **losses, log_loss=loss)
        | {"over_naive": loss / 0.4}
        for seed, loss in enumerate((0.25, 0.35))
    ]
    text = noisy_features.class_table(rows)
    assert "| heart | 0.5 | 0.200 | 0.400 | 0.750 / 0.50 (0.87) |" in text


def test_privacy_shows_ratios_to_the_clean_fit():
    case = Case("kiln", privacy.KIND, 1.0, "in-turn", 0)
    errors = {"rmse_clean": 0.5, "rmse_mean": 1.0, "rmse_naive": 0.75, "rmse_untaint": 0.6}
    row = as_row(case, "privacy", **errors, noise_deviation=9.0, exact_delta=1e-6)
    text = privacy.table([row | {"untaint_over_naive": 0.8}])
    assert text.endswith("| kiln | 1.0 | 9.00 | 1.0e-06 | 2.000 | 1.500 | 1.200 | 0.800 | 0 of 1 |")


@pytest.mark.parametrize("part", ["memory", "algorithm-2"])
def test_the_budget_bounds_memory_and_algorithm_2_equals_the_printed_one(part, monkeypatch):
    monkeypatch.setattr(stream_speed, "CHUNK", 50)
    n = 600 if part == "memory" else 30
    found = stream_speed.run(Case(f"rounds-{n}", "gaussian", 0.25, part, 0))
    if part == "memory":
        assert found["bytes_late"] <= 1.01 * found["bytes_early"]
    else:
        assert found["largest_difference"] < 1e-9
