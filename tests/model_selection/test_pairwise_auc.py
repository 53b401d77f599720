"""The pairwise AUC: what is counted, and the effect of wrong labels."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from untaint.model_selection.pairwise_auc import pairwise_auc


def naive(raw, codes, weights):
    """Every pair of rows of every pair of classes."""
    scores = np.column_stack([np.zeros(len(raw)), raw]) if raw.shape[1] == 1 else raw
    total = agreed = 0.0
    for j in range(scores.shape[1]):
        for k in range(j + 1, scores.shape[1]):
            upper, lower = np.flatnonzero(codes == j), np.flatnonzero(codes == k)
            if not len(upper) or not len(lower):
                continue
            apart = scores[:, j] - scores[:, k]
            won = sum(
                weights[a] * weights[b] * (0.5 + 0.5 * np.sign(apart[a] - apart[b]))
                for a in upper
                for b in lower
            )
            n_j, n_k = weights[upper].sum(), weights[lower].sum()
            size = n_j * n_k / (n_j + n_k)
            total += size
            agreed += size * won / (n_j * n_k)
    return agreed / total


@pytest.mark.parametrize("columns", [1, 3, 4])
def test_every_pair_of_rows_is_counted_once(columns, rng):
    n, classes = 40, max(columns, 2)
    raw = rng.integers(0, 4, size=(n, columns)).astype(float)  # with ties
    codes = rng.integers(0, classes, size=n)
    weights = rng.uniform(0.5, 3.0, size=n)
    assert pairwise_auc(raw, codes, weights) == pytest.approx(naive(raw, codes, weights))


def test_for_two_classes_it_is_the_area_under_the_curve(rng):
    raw, codes = rng.normal(size=(200, 1)), rng.integers(0, 2, size=200)
    expected = roc_auc_score(codes, raw[:, 0])
    assert pairwise_auc(raw, codes, np.ones(200)) == pytest.approx(expected)


def test_one_column_and_two_opposite_ones_say_the_same(rng):
    raw, codes = rng.normal(size=(60, 1)), rng.integers(0, 2, size=60)
    both = np.column_stack([-raw, raw])
    one, two = (pairwise_auc(scores, codes, np.ones(60)) for scores in (raw, both))
    assert one == pytest.approx(two)


def test_only_the_order_of_two_classes_counts(rng):
    raw, codes = rng.normal(size=(80, 1)), rng.integers(0, 2, size=80)
    plain, bent = (pairwise_auc(f, codes, np.ones(80)) for f in (raw, np.exp(3 * raw)))
    assert plain == pytest.approx(bent)


def test_a_weight_is_a_number_of_copies(rng):
    raw, codes = rng.normal(size=(30, 3)), rng.integers(0, 3, size=30)
    counts = rng.integers(1, 4, size=30)
    copies = np.repeat(np.arange(30), counts)
    weighted = pairwise_auc(raw, codes, counts.astype(float))
    assert weighted == pytest.approx(pairwise_auc(raw[copies], codes[copies], np.ones(len(copies))))


def test_a_class_without_rows_is_left_out(rng):
    raw, codes = rng.normal(size=(40, 3)), 2 * rng.integers(0, 2, size=40)
    apart = raw[:, [2]] - raw[:, [0]]
    assert pairwise_auc(raw, codes, np.ones(40)) == pytest.approx(
        pairwise_auc(apart, codes // 2, np.ones(40))
    )


def test_one_class_alone_cannot_be_ordered(rng):
    assert np.isnan(pairwise_auc(rng.normal(size=(5, 2)), np.ones(5, int), np.ones(5)))


@pytest.mark.parametrize("rates", [(0.2, 0.2), (0.4, 0.0), (0.0, 0.3)], ids=str)
def test_wrong_labels_shrink_it_by_a_factor_that_is_the_same_for_all_scores(rates, rng):
    n = 40_000
    truth = rng.integers(0, 2, size=n)
    flipped = rng.random(n) < np.asarray(rates)[truth]
    codes = np.where(flipped, 1 - truth, truth)
    wrong = [np.mean(truth[codes == k] != k) for k in (0, 1)]
    for signal in (0.3, 1.0, 3.0):
        raw = (signal * truth + rng.normal(size=n))[:, None]
        right, observed = (pairwise_auc(raw, c, np.ones(n)) for c in (truth, codes))
        assert observed - 0.5 == pytest.approx((1 - sum(wrong)) * (right - 0.5), abs=0.01)
