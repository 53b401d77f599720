"""Noise rates of labels by marginal likelihood."""

import numpy as np
import pytest

from untaint.model_selection.label_noise import select_label_noise, uniform_noise

ALPHAS = 10.0 ** np.arange(-2.0, 1.1)


def blobs(rng, n_classes=2, n=300, distance=5.0):
    truth = np.arange(n) % n_classes
    angles = 2 * np.pi * truth / n_classes
    centres = 0.5 * distance * np.column_stack([np.cos(angles), np.sin(angles)])
    return rng.normal(size=(n, 2)) + centres, truth


def targets(codes, n_classes=2):
    return codes[:, None].astype(float) if n_classes == 2 else np.eye(n_classes)[codes]


def selected(X, y, weights=None):
    ones = np.ones(len(y)) if weights is None else weights
    return select_label_noise([lambda: X], ALPHAS, y, ones, first=(0, 1)).noise


@pytest.mark.parametrize("n_classes", [2, 3])
def test_clean_labels_of_separate_classes_are_clean(n_classes, rng):
    X, truth = blobs(rng, n_classes)
    noise = selected(X, targets(truth, n_classes))
    np.testing.assert_array_equal(noise.fitted, np.eye(n_classes))
    assert not noise.corrects
    assert noise.probability < 0.2


@pytest.mark.parametrize("true", [0, 1])
def test_errors_of_one_class_are_laid_at_its_door(true, rng):
    X, truth = blobs(rng)
    y = np.where((truth == true) & (rng.random(300) < 0.3), 1 - truth, truth)
    noise = selected(X, targets(y))
    assert noise.fitted[true, 1 - true] == pytest.approx(0.3, abs=0.1)
    assert noise.fitted[1 - true, true] < 0.05
    assert noise.probability > 0.9
    rates = np.array([[np.mean(y[truth == i] == j) for j in (0, 1)] for i in (0, 1)])
    assert (noise.interval[0] <= rates + 1e-9).all() and (rates <= noise.interval[1] + 1e-9).all()


def test_errors_of_both_classes_are_found(rng):
    X, truth = blobs(rng, n=600)
    wrong = rng.random(600) < 0.2
    noise = selected(X, targets(np.where(wrong, 1 - truth, truth)))
    np.testing.assert_allclose(noise.fitted, uniform_noise(2, 0.2), atol=0.06)
    assert noise.contamination == pytest.approx(0.2, abs=0.05)


def test_pairs_that_exchange_are_found_among_several_classes(rng):
    X, truth = blobs(rng, 4, n=800, distance=10.0)
    other = np.array([2, 3, 0, 1])  # opposite classes, which do not touch
    y = np.where(rng.random(800) < 0.25, other[truth], truth)
    noise = selected(X, targets(y, 4))
    expected = 0.75 * np.eye(4) + 0.25 * np.eye(4)[other]
    np.testing.assert_allclose(noise.fitted, expected, atol=0.08)


def test_one_of_several_separate_classes_that_is_mistaken_for_another_is_found(rng):
    X, truth = blobs(rng, 3, n=450, distance=6.0)
    y = np.where((truth == 0) & (rng.random(450) < 0.3), 1, truth)
    noise = selected(X, targets(y, 3))
    np.testing.assert_allclose(noise.fitted[0], [0.7, 0.3, 0.0], atol=0.11)
    np.testing.assert_array_equal(noise.fitted[1:], np.eye(3)[1:])


def test_labels_that_nothing_predicts_are_not_accused(rng):
    for _ in range(5):
        X, y = rng.normal(size=(200, 2)), targets(rng.integers(0, 2, 200))
        noise = selected(X, y)
        assert (noise.right_label(np.zeros((200, 1)), y[:, 0].astype(int)) >= 0.5).all()


def test_a_weight_is_so_many_copies(rng):
    X, truth = blobs(rng, n=120)
    y = targets(np.where(rng.random(120) < 0.2, 1 - truth, truth))
    weights = rng.integers(1, 3, 120).astype(float)
    copies = np.repeat(np.arange(120), weights.astype(int))
    one, other = selected(X, y, weights), selected(X[copies], y[copies])
    np.testing.assert_array_equal(one.fitted, other.fitted)
    np.testing.assert_allclose(one.mean, other.mean, atol=1e-7)
    assert one.contamination == pytest.approx(other.contamination, abs=1e-7)


def test_classes_in_another_order_change_nothing(rng):
    X, truth = blobs(rng, n=200)
    y = np.where((truth == 0) & (rng.random(200) < 0.3), 1, truth)
    one, other = selected(X, targets(y)), selected(X, targets(1 - y))
    np.testing.assert_array_equal(one.fitted, other.fitted[::-1, ::-1])
    np.testing.assert_allclose(one.interval, other.interval[:, ::-1, ::-1], atol=1e-9)


def test_thresholds_are_where_a_label_is_as_likely_wrong_as_right(rng):
    X, truth = blobs(rng)
    y = np.where((truth == 0) & (rng.random(300) < 0.3), 1, truth)
    noise = selected(X, targets(y))
    limit = np.exp(-noise.loss_thresholds[1])
    at = np.array([[np.log(limit / (1 - limit))]])
    assert noise.right_label(at, np.array([1])) == pytest.approx(0.5, abs=1e-9)
