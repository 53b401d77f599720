"""What every selection rule must do, whatever it is."""

from __future__ import annotations

import numpy as np

from naive import selection as naive


def sample_thresholds(rule, losses, sample_weight):
    """Return the threshold of each sample: that of its class, if the rule knows classes."""
    thresholds = rule.class_thresholds(losses, sample_weight)
    return thresholds[getattr(rule, "groups", np.zeros(len(losses), dtype=int))]


def weighs_between_nothing_and_the_row(rule, losses, sample_weight):
    """No row is kept more than once, none less than not at all."""
    weights = rule.weights(losses, sample_weight)
    assert weights.shape == losses.shape
    assert np.isfinite(weights).all()
    assert (weights >= 0).all()
    assert (weights <= sample_weight * (1 + 1e-12)).all()


def keeps_the_asked_total(rule, losses, sample_weight):
    """The weights sum to the kept fraction of the row weights, in whole rows if they are counts."""
    total = naive.kept_total(rule.contamination, sample_weight)
    np.testing.assert_allclose(rule.kept_total(sample_weight), total, rtol=1e-9)
    np.testing.assert_allclose(rule.weights(losses, sample_weight).sum(), total, rtol=1e-8)


def follows_a_permutation(rule, losses, sample_weight, order):
    """The order of the rows is immaterial."""
    weights = rule.weights(losses, sample_weight)
    permuted = rule.among(order)
    np.testing.assert_allclose(
        permuted.weights(losses[order], sample_weight[order]), weights[order], rtol=1e-9, atol=1e-12
    )
    if _has_an_edge(rule, weights, sample_weight):
        np.testing.assert_allclose(
            sample_thresholds(permuted, losses[order], sample_weight[order]),
            sample_thresholds(rule, losses, sample_weight)[order],
            rtol=1e-9,
            atol=1e-12,
        )
    np.testing.assert_allclose(
        permuted.value(losses[order], sample_weight[order]),
        rule.value(losses, sample_weight),
        rtol=1e-11,
        atol=1e-11,
    )


def counts_a_weight_as_copies(rule, losses, copies):
    """A row of weight k is k copies of that row: in value, in threshold and in summed weights."""
    weighted = rule.weights(losses, copies.astype(float))
    owner = np.repeat(np.arange(len(losses)), copies)
    repeated, ones, among = losses[owner], np.ones(len(owner)), rule.among(owner)
    summed = np.bincount(owner, among.weights(repeated, ones), minlength=len(losses))
    np.testing.assert_allclose(summed, weighted, rtol=1e-9, atol=1e-11)
    value = rule.value(losses, copies.astype(float))
    np.testing.assert_allclose(among.value(repeated, ones), value, rtol=1e-11, atol=1e-11)
    if not _has_an_edge(rule, weighted, copies):
        return
    threshold = rule.threshold(losses, copies.astype(float))
    np.testing.assert_allclose(among.threshold(repeated, ones), threshold, rtol=1e-8, atol=1e-8)
    thresholds = sample_thresholds(rule, losses, copies.astype(float))
    np.testing.assert_allclose(
        sample_thresholds(among, repeated, ones), thresholds[owner], rtol=1e-8, atol=1e-8
    )


def _has_an_edge(rule, weights, sample_weight):
    """Whether the threshold is determined: a soft one may lie anywhere in a gap between rows."""
    inside = (weights > 1e-9 * sample_weight) & (weights < (1 - 1e-9) * sample_weight)
    return bool(inside.any()) or not rule.soft


def prefers_the_smaller_loss(rule, losses):
    """Of two rows of equal weight, the better one is never kept less."""
    weights = rule.weights(losses, np.ones(len(losses)))
    assert (np.diff(weights[np.argsort(losses, kind="stable")]) <= 1e-9).all()


def has_the_gradient_of_its_value(rule, losses, sample_weight, atol=1e-6):
    """Central differences in every loss; the caller sees to it that no two losses tie."""
    step = 1e-5
    expected = np.empty(len(losses))
    for i in range(len(losses)):
        up, down = losses.copy(), losses.copy()
        up[i] += step
        down[i] -= step
        expected[i] = (rule.value(up, sample_weight) - rule.value(down, sample_weight)) / (2 * step)
    weights = rule.weights(losses, sample_weight)
    np.testing.assert_allclose(weights, expected, rtol=1e-5, atol=atol)


def is_concave(rule, losses, others, sample_weight, slack=0.0):
    """No middle lies below its chord, but for ``slack``."""
    middle = rule.value(0.5 * (losses + others), sample_weight)
    chord = 0.5 * (rule.value(losses, sample_weight) + rule.value(others, sample_weight))
    assert middle >= chord - 1e-9 * (1 + abs(chord)) - slack


def lies_below_its_tangents(rule, losses, others, sample_weight, slack=0.0):
    """h(l') <= h(l) + w . (l' - l), but for ``slack``: what makes refitting descend."""
    weights = rule.weights(losses, sample_weight)
    tangent = rule.value(losses, sample_weight) + weights @ (others - losses)
    assert rule.value(others, sample_weight) <= tangent + 1e-9 * (1 + abs(tangent)) + slack


def never_falls_when_a_loss_rises(rule, losses, sample_weight, row, rise, slack=0.0):
    """h is increasing in every loss, but for ``slack``."""
    higher = losses.copy()
    higher[row] += rise
    before = rule.value(losses, sample_weight)
    assert rule.value(higher, sample_weight) >= before - 1e-10 * (1 + abs(before)) - slack


def follows_the_thresholds_of_its_rows(rule, losses, sample_weight):
    """A row below its threshold is kept for the most part, a row above it is not."""
    thresholds = sample_thresholds(rule, losses, sample_weight)
    assert thresholds.shape == losses.shape
    weights = rule.weights(losses, sample_weight)
    below, above = losses < thresholds - 1e-6, losses > thresholds + 1e-6
    assert (weights[below] >= 0.5 * sample_weight[below] * (1 - 1e-9)).all()
    assert (weights[above] <= 0.5 * sample_weight[above] * (1 + 1e-9)).all()
