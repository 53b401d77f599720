"""The estimated share: small on clean scores, close on planted ones, blind to order and unit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untaint.selection import estimate_share


@pytest.mark.parametrize("n", [50, 500, 5000])
def test_clean_gaussian_scores_give_up_next_to_nothing(n):
    shares = [
        estimate_share(np.abs(np.random.default_rng(seed).normal(size=n)), np.ones(n))
        for seed in range(20)
    ]
    assert np.mean(shares) < 0.01
    assert max(shares) <= 0.06


@pytest.mark.parametrize("planted", [0.05, 0.1, 0.2, 0.3, 0.4])
def test_a_planted_share_is_found(planted, rng):
    n = 2000
    scores = np.abs(rng.normal(size=n))
    scores[: int(planted * n)] += 12.0
    assert abs(estimate_share(scores, np.ones(n)) - planted) < 0.01


def test_never_more_than_the_largest_share(rng):
    scores = np.r_[np.abs(rng.normal(size=51)), np.full(49, 1e9)]
    assert estimate_share(scores, np.ones(100)) == 0.45


def test_infinite_scores_are_out_of_line(rng):
    scores = np.r_[np.abs(rng.normal(size=90)), np.full(10, np.inf)]
    assert estimate_share(scores, np.ones(100)) == pytest.approx(0.1)


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_equal_scores_are_all_in_line(score):
    assert estimate_share(np.full(30, score), np.ones(30)) == 0.0


@given(scores=st.lists(st.floats(0.0, 50.0), min_size=1, max_size=12).map(np.array), data=st.data())
@settings(max_examples=25)
def test_a_weight_is_that_many_copies(scores, data):
    n = len(scores)
    copies = np.array(data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)))
    repeated = np.repeat(scores, copies)
    weighted = estimate_share(scores, copies.astype(float))
    assert weighted == pytest.approx(estimate_share(repeated, np.ones(len(repeated))), abs=1e-12)


def test_order_and_unit_are_immaterial(rng):
    scores = np.r_[np.abs(rng.normal(size=80)), 20 + rng.random(20)]
    row_weights, order = rng.random(100) + 0.5, rng.permutation(100)
    share = estimate_share(scores, row_weights)
    assert estimate_share(scores[order], row_weights[order]) == pytest.approx(share, abs=1e-12)
    assert estimate_share(1e6 * scores, 7 * row_weights) == pytest.approx(share, abs=1e-12)
