"""Drawn data are what they say: clean rows with awkward noise, weak signals, rows of a set."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from benchmarks.data import drawn
from benchmarks.data.sets import load

NOISES = [drawn.student, drawn.laplace, drawn.skewed, drawn.growing]


@pytest.mark.parametrize("noise", NOISES)
def test_noise_has_mean_zero_and_unit_variance(noise, rng):
    values = noise(rng.normal(size=(200_000, 2)), rng)
    assert np.mean(values) == pytest.approx(0.0, abs=0.02)
    assert np.var(values) == pytest.approx(1.0, rel=0.3)  # heavy tails are slow to settle


@pytest.mark.parametrize(
    ("name", "n_features"),
    [("student", 5), ("skewed", 5), ("wide", 200), ("friedman", 10), ("weak", 5), ("faint", 5)],
)
def test_families_are_found_by_name_and_drawn_by_the_seed(name, n_features):
    X, y = load(f"{name}-30", 0)
    assert X.shape == (30, n_features)
    np.testing.assert_array_equal(y, load(f"{name}-30", 0)[1])
    assert (y != load(f"{name}-30", 1)[1]).any()


def test_a_sample_has_distinct_rows_that_the_seed_chooses():
    source = partial(load, "diabetes", 0)
    X, y = drawn.sample(50, source=source, random_state=0)
    everything = {tuple(row) for row in source()[0]}
    assert len({tuple(row) for row in X} & everything) == 50
    assert (y != drawn.sample(50, source=source, random_state=1)[1]).any()
    with pytest.raises(ValueError, match="at most the data set's 442, got 443"):
        drawn.sample(443, source=source, random_state=0)
