"""Selection of alpha for a trimmed fit, by held-out AUC."""

from __future__ import annotations

import numpy as np
import pytest

from properties.problems import rbf
from untaint.losses import LogisticLoss, SoftmaxLoss
from untaint.model_selection.label_settings import select_alpha_by_auc, select_label_setting
from untaint.optim.low_rank import nystroem_features
from untaint.weighting.class_balanced import ClassBalanced
from untaint.weighting.class_balanced_soft import SoftClassBalanced

ALPHAS = np.array([1e-3, 1e-2, 0.03, 0.1, 0.3, 1.0, 10.0])

several = pytest.mark.parametrize("classes", [2, 3])


def draw(rng, classes=2, n=120, wrong=0.2):
    """Blobs on a circle; some of the labels are replaced by the next class."""
    codes = classes * np.arange(n) // n
    angles = 2 * np.pi * codes / classes
    X = 2.0 * np.column_stack([np.cos(angles), np.sin(angles)]) + rng.normal(size=(n, 2))
    bad = rng.permutation(n)[: int(wrong * n)]
    codes = codes.copy()
    codes[bad] = (codes[bad] + 1) % classes
    return X, codes


def features_of(X):
    marks = np.lexsort(X.T)[:: max(1, len(X) // 30)]
    return nystroem_features(rbf(X, gamma=0.2)[marks], marks)


def both_choices(phi, codes, classes=2, contamination=0.2, sample_weight=None, near=None):
    """The choices for all samples and for a trimmed fit."""
    y = codes[:, None].astype(float) if classes == 2 else np.eye(classes)[codes]
    loss = LogisticLoss() if classes == 2 else SoftmaxLoss()
    rule = (
        ClassBalanced(contamination, codes, 2)
        if classes == 2
        else SoftClassBalanced(contamination, codes, classes, 2.0)
    )
    weights = np.ones(len(codes)) if sample_weight is None else sample_weight
    first = select_label_setting([lambda: phi], ALPHAS, y, loss, weights, near=near)
    return first, select_alpha_by_auc(first, phi, ALPHAS, y, loss, rule, weights, near=near)


def test_without_contamination_nothing_changes(rng):
    X, codes = draw(rng)
    first, final = both_choices(features_of(X), codes, contamination=0.0)
    assert final is first


@several
def test_alpha_is_at_most_the_one_for_all_samples_and_at_least_a_tenth(classes, rng):
    for wrong in (0.1, 0.4):
        X, codes = draw(rng, classes, wrong=wrong)
        first, final = both_choices(features_of(X), codes, classes, wrong)
        assert final.kernel == first.kernel
        assert 0.1 <= ALPHAS[final.alpha] / ALPHAS[first.alpha] <= 1.0


@several
def test_alpha_of_the_largest_auc_is_taken(classes, rng):
    X, codes = draw(rng, classes)
    first, final = both_choices(features_of(X), codes, classes)
    parts = ALPHAS / ALPHAS[first.alpha]
    in_play = (parts <= 1.0) & (parts > 0.0999)
    assert (np.isfinite(final.aucs[0]) == in_play).all()
    assert np.nanargmax(final.aucs[0]) == final.alpha
    assert np.nanmin(final.aucs) > 0.5
    np.testing.assert_array_equal(final.errors, first.errors)


def test_an_alpha_below_all_others_is_kept(rng):
    X, codes = draw(rng)
    phi = 1e-3 * features_of(X)  # so small that the smallest alpha is still too large
    first, final = both_choices(phi, codes)
    assert first.alpha == final.alpha == 0


@several
def test_the_order_of_rows_does_not_matter(classes, rng):
    X, codes = draw(rng, classes)
    phi, order = features_of(X), rng.permutation(len(X))
    _, plain = both_choices(phi, codes, classes)
    _, shuffled = both_choices(phi[order], codes[order], classes)
    assert plain.alpha == shuffled.alpha
    np.testing.assert_allclose(plain.aucs, shuffled.aucs, atol=1e-9)


@several
def test_a_weight_is_a_number_of_copies(classes, rng):
    X, codes = draw(rng, classes, n=60)
    counts = rng.integers(1, 4, size=60)
    copies = np.repeat(np.arange(60), counts)
    phi = features_of(X)
    _, weighted = both_choices(phi, codes, classes, sample_weight=counts.astype(float))
    _, copied = both_choices(phi[copies], codes[copies], classes)
    assert weighted.alpha == copied.alpha
    np.testing.assert_allclose(weighted.aucs, copied.aucs, atol=1e-9)


def test_samples_that_are_not_near_are_only_trimmed(rng):
    X, codes = draw(rng, n=100)
    near = np.arange(100) % 10 > 0
    phi = features_of(X)
    moved = np.where(near[:, None], phi, 1e3 * rng.normal(size=phi.shape))
    _, plain = both_choices(phi, codes, near=near)
    _, other = both_choices(moved, codes, near=near)
    np.testing.assert_allclose(plain.aucs, other.aucs, atol=1e-9)


@pytest.mark.filterwarnings("error")
def test_a_single_class_leaves_the_choice_as_it_was(rng):
    X, codes = draw(rng)
    first, final = both_choices(features_of(X), codes, near=codes == 0)
    assert final.alpha == first.alpha


@pytest.mark.filterwarnings("error")
@several
def test_constant_features_leave_the_choice_as_it_was(classes, rng):
    _, codes = draw(rng, classes, n=60)
    first, final = both_choices(np.zeros((60, 2)), codes, classes)
    assert final.alpha == first.alpha
