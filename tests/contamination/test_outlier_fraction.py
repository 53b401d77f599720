"""The fraction of outlying scores: small on clean scores, close on planted ones, blind to order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untaint.contamination.outlier_fraction import estimate_contamination


@pytest.mark.parametrize("n", [50, 500, 5000])
def test_clean_gaussian_scores_have_next_to_no_noise(n):
    rates = [
        estimate_contamination(np.abs(np.random.default_rng(seed).normal(size=n)), np.ones(n))
        for seed in range(20)
    ]
    assert np.mean(rates) < 0.01
    assert max(rates) <= 0.06


@pytest.mark.parametrize("planted", [0.05, 0.1, 0.2, 0.3, 0.4])
def test_a_planted_rate_is_found(planted, rng):
    n = 2000
    scores = np.abs(rng.normal(size=n))
    scores[: int(planted * n)] += 12.0
    assert abs(estimate_contamination(scores, np.ones(n)) - planted) < 0.01


def test_never_more_than_the_largest_rate(rng):
    scores = np.r_[np.abs(rng.normal(size=51)), np.full(49, 1e9)]
    assert estimate_contamination(scores, np.ones(100)) == 0.45


def test_infinite_scores_are_out_of_line(rng):
    scores = np.r_[np.abs(rng.normal(size=90)), np.full(10, np.inf)]
    assert estimate_contamination(scores, np.ones(100)) == pytest.approx(0.1)


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_equal_scores_are_all_in_line(score):
    assert estimate_contamination(np.full(30, score), np.ones(30)) == 0.0


@given(scores=st.lists(st.floats(0.0, 50.0), min_size=1, max_size=12).map(np.array), data=st.data())
@settings(max_examples=25)
def test_a_weight_is_that_many_copies(scores, data):
    n = len(scores)
    copies = np.array(data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)))
    repeated = np.repeat(scores, copies)
    weighted = estimate_contamination(scores, copies.astype(float))
    assert weighted == pytest.approx(
        estimate_contamination(repeated, np.ones(len(repeated))), abs=1e-12
    )


def test_order_and_unit_are_immaterial(rng):
    scores = np.r_[np.abs(rng.normal(size=80)), 20 + rng.random(20)]
    sample_weight, order = rng.random(100) + 0.5, rng.permutation(100)
    contamination = estimate_contamination(scores, sample_weight)
    assert estimate_contamination(scores[order], sample_weight[order]) == pytest.approx(
        contamination, abs=1e-12
    )
    assert estimate_contamination(1e6 * scores, 7 * sample_weight) == pytest.approx(
        contamination, abs=1e-12
    )
