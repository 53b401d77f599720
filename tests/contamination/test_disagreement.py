"""The rate of wrong labels: small on clean scores, close on planted ones, blind to order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untaint.contamination.disagreement import estimate_contamination, estimate_disagreement


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


# Labels


def sure_scores(rng, n=6000, n_classes=3):
    """Scores that are right about the true classes, more or less surely, and these classes."""
    codes = rng.integers(0, n_classes, size=n)
    scores = rng.random((n, n_classes))
    scores[np.arange(n), codes] += 1.0
    return scores, codes


def flipped(rng, codes, contamination, n_classes):
    """A fraction of the labels moved to another class, each as often."""
    moved = np.where(
        rng.random(len(codes)) < contamination, rng.integers(1, n_classes, len(codes)), 0
    )
    return (codes + moved) % n_classes


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_labels_that_all_agree_have_no_noise(n_classes, rng):
    scores, codes = sure_scores(rng, n_classes=n_classes)
    assert estimate_disagreement(scores, codes, np.ones(6000)) == 0.0


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("planted", [0.05, 0.2, 0.4])
def test_a_planted_rate_of_wrong_labels_is_found(n_classes, planted, rng):
    scores, codes = sure_scores(rng, n_classes=n_classes)
    wrong = flipped(rng, codes, planted, n_classes)
    assert abs(estimate_disagreement(scores, wrong, np.ones(6000)) - planted) < 0.03


def test_of_two_classes_errors_that_all_go_one_way_count_by_the_size_of_the_class(rng):
    codes = np.r_[np.zeros(3000, dtype=int), np.ones(7000, dtype=int)]
    scores = np.eye(2)[codes] + rng.random((10_000, 2)) / 2
    codes[:3000] = rng.random(3000) < 0.5
    contamination = estimate_disagreement(scores, codes, np.ones(10_000))
    assert contamination == pytest.approx(0.15, abs=0.02)


def test_contradictions_of_unsure_predictions_are_not_held_against_a_label(rng):
    scores, codes = sure_scores(rng, n_classes=2)
    margins = np.abs(scores[:, 1] - scores[:, 0])
    codes = np.where(margins < np.quantile(margins, 0.3), 1 - codes, codes)
    assert estimate_disagreement(scores, codes, np.ones(6000)) == 0.0


def test_two_classes_that_overlap_are_not_taken_for_errors(rng):
    # Nothing tells the last two of four classes apart; no label is wrong.
    scores, codes = sure_scores(rng, n_classes=4)
    last = codes >= 2
    scores[last, 2:] = 2.0 + 0.01 * rng.random((last.sum(), 2))
    assert estimate_disagreement(scores, codes, np.ones(6000)) < 0.02


def test_never_more_than_the_largest_rate_of_labels(rng):
    scores, codes = sure_scores(rng, n_classes=2)
    assert estimate_disagreement(scores, 1 - codes, np.ones(6000)) == 0.45


@given(seed=st.integers(0, 999), n=st.integers(1, 12), n_classes=st.integers(2, 4))
@settings(max_examples=25)
def test_a_weight_is_that_many_copies_of_a_label(seed, n, n_classes):
    rng = np.random.default_rng(seed)
    copies = rng.integers(1, 4, size=n)
    scores = rng.integers(0, 4, size=(n, n_classes)) / 2
    codes = rng.integers(0, n_classes, size=n)
    weighted = estimate_disagreement(scores, codes, copies.astype(float))
    repeated = np.repeat(scores, copies, axis=0), np.repeat(codes, copies)
    assert weighted == pytest.approx(estimate_disagreement(*repeated, np.ones(copies.sum())))


@given(seed=st.integers(0, 999))
@settings(max_examples=25)
def test_order_and_unit_are_immaterial_for_labels(seed):
    rng = np.random.default_rng(seed)
    frame = rng.random((50, 3)), rng.integers(0, 3, size=50), rng.random(50) + 0.1
    contamination = estimate_disagreement(*frame)
    order = rng.permutation(50)
    scores, codes, weights = (part[order] for part in frame)
    assert 0 <= contamination <= 0.45
    assert estimate_disagreement(7 * scores, codes, 3 * weights) == pytest.approx(contamination)
