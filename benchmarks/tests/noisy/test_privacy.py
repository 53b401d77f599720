"""The mechanism's numbers are those of the books, and rows are clipped before they are released."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.noisy.privacy import clip, exact_delta, gaussian_mechanism

from benchmarks import Case
from benchmarks.studies import privacy


def test_clipped_rows_keep_their_direction(rng):
    X = rng.normal(size=(30, 4))
    short = clip(X, 1.5)
    assert np.linalg.norm(short, axis=1).max() <= 1.5 + 1e-12
    np.testing.assert_allclose(
        short / np.linalg.norm(short, axis=1, keepdims=True),
        X / np.linalg.norm(X, axis=1, keepdims=True),
    )


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 0.99])
def test_the_classical_formula_holds_below_one(epsilon):
    assert exact_delta(epsilon, gaussian_mechanism(epsilon, 1e-5, 3.0), 3.0) <= 1e-5


def test_the_classical_formula_fails_at_large_epsilon():
    assert exact_delta(30.0, gaussian_mechanism(30.0, 1e-5, 1.0), 1.0) > 1e-5


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
