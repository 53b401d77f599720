"""A few outliers among some hundred residuals."""

from __future__ import annotations

import numpy as np
import pytest

from untaint.contamination.few_outliers import few_outliers

NOISE = {
    "gaussian": lambda rng, n: rng.normal(size=n),
    "t3": lambda rng, n: rng.standard_t(3, n),
    "laplace": lambda rng, n: rng.laplace(size=n),
    "uniform": lambda rng, n: rng.uniform(-1, 1, n),
}


@pytest.mark.parametrize("n", [80, 300])
@pytest.mark.parametrize("name", NOISE)
def test_clean_residuals_are_kept_whatever_their_tails(name, n):
    rng = np.random.default_rng(0)
    found = [few_outliers(NOISE[name](rng, n), np.ones(n)).sum() for _ in range(40)]
    assert np.mean(found) / n <= 0.01


@pytest.mark.parametrize("count", [1, 3, 5])
def test_single_outliers_are_found(count):
    for seed in range(10):
        residuals = np.random.default_rng(seed).normal(size=200)
        residuals[:count] = 9.0 * (-1.0) ** np.arange(count)
        assert np.flatnonzero(few_outliers(residuals, np.ones(200))).tolist() == list(range(count))


def test_a_weight_is_copies():
    rng = np.random.default_rng(0)
    residuals, counts = rng.normal(size=60), rng.integers(1, 4, 60)
    residuals[0], counts[:2] = 12.0, 2
    copies = np.repeat(residuals, counts)
    found = few_outliers(residuals, counts.astype(float))
    np.testing.assert_array_equal(
        np.repeat(found, counts), few_outliers(copies, np.ones(len(copies)))
    )
    assert found[0] and found.sum() == 1


def test_weightless_rows_and_other_numbers_of_rows_are_left_alone():
    residuals = np.random.default_rng(0).normal(size=120)
    residuals[0] = 100.0
    assert not few_outliers(residuals[:40], np.ones(40)).any()
    weights = np.r_[0.0, np.ones(119)]
    assert not few_outliers(residuals, weights).any()


def test_the_scale_has_a_lower_bound():
    residuals = np.zeros(100)
    residuals[:2] = 1e-8, 1.0
    assert np.flatnonzero(few_outliers(residuals, np.ones(100), 1e-3)).tolist() == [1]
