"""The log-loss of labels seen through noise."""

import numpy as np
import pytest
from scipy.special import softmax

from properties import losses as properties
from untaint.losses import CorrectedLogLoss, LogisticLoss, SoftmaxLoss

NOISE = {
    2: np.array([[0.8, 0.2], [0.3, 0.7]]),
    3: np.array([[0.7, 0.2, 0.1], [0.0, 1.0, 0.0], [0.25, 0.25, 0.5]]),
}


def rows(n_classes, rng, n=20):
    codes = rng.integers(0, n_classes, n)
    if n_classes == 2:
        return codes[:, None].astype(float), 3 * rng.normal(size=(n, 1)), codes
    return np.eye(n_classes)[codes], 3 * rng.normal(size=(n, n_classes)), codes


def probabilities(f):
    return softmax(np.column_stack([np.zeros(len(f)), f]) if f.shape[1] == 1 else f, axis=1)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_value_is_the_probability_of_the_label(n_classes, rng):
    y, f, codes = rows(n_classes, rng)
    p = probabilities(f)
    expected = [-np.log(p[i] @ NOISE[n_classes][:, code]) for i, code in enumerate(codes)]
    np.testing.assert_allclose(CorrectedLogLoss(NOISE[n_classes]).value(y, f), expected)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_gradient_and_second_derivatives_are_those_of_the_value(n_classes, rng):
    y, f, _ = rows(n_classes, rng)
    loss, step = CorrectedLogLoss(NOISE[n_classes]), 1e-5
    exact, _ = loss.curvatures(y, f)
    for k in range(f.shape[1]):
        moved = step * np.eye(f.shape[1])[k]
        slope = (loss.value(y, f + moved) - loss.value(y, f - moved)) / (2 * step)
        np.testing.assert_allclose(loss.gradient(y, f)[:, k], slope, atol=1e-8)
        bend = (loss.gradient(y, f + moved) - loss.gradient(y, f - moved))[:, k] / (2 * step)
        np.testing.assert_allclose(exact[:, k], bend, atol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_without_noise_it_is_the_log_loss(n_classes, rng):
    y, f, _ = rows(n_classes, rng)
    plain = LogisticLoss() if n_classes == 2 else SoftmaxLoss()
    loss = CorrectedLogLoss(np.eye(n_classes))
    np.testing.assert_allclose(loss.value(y, f), plain.value(y, f), atol=1e-12)
    np.testing.assert_allclose(loss.gradient(y, f), plain.gradient(y, f), atol=1e-12)
    ones = np.ones_like(f)
    np.testing.assert_allclose(
        loss.hessian(y, f).times(ones), plain.hessian(y, f).times(ones), atol=1e-12
    )


def test_two_classes_in_one_column_or_in_two(rng):
    y, f, codes = rows(2, rng)
    loss = CorrectedLogLoss(NOISE[2])
    two = loss.value(np.eye(2)[codes], np.column_stack([np.zeros(len(f)), f]))
    np.testing.assert_allclose(loss.value(y, f), two)


def test_a_label_that_may_be_wrong_loses_a_bounded_amount(rng):
    y, f, codes = rows(2, rng)
    values = CorrectedLogLoss(NOISE[2]).value(y, 1e3 * f)
    assert (values <= -np.log(NOISE[2].min(axis=0))[codes] + 1e-9).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_hessians_are_positive_or_exact(n_classes, rng):
    y, f, _ = rows(n_classes, rng, 200)
    loss, k = CorrectedLogLoss(NOISE[n_classes]), f.shape[1]
    positive = np.linalg.eigvalsh(properties.matrices(loss.hessian(y, f), k))
    assert positive.min() > -1e-12
    np.testing.assert_allclose(
        properties.matrices(loss.exact_hessian(y, f), k),
        loss.expand(y, f).dense_hessian(exact=True),
        atol=1e-12,
    )


def test_labels_that_are_all_but_impossible_have_finite_losses():
    """Probabilities far below the smallest number: logarithms take their place."""
    y, f = np.eye(3)[[1, 2]], np.array([[1e3, 0.0, -1e3], [1e3, -1e4, 0.0]])
    value, p, posterior = CorrectedLogLoss(np.eye(3)).expand(y, f)
    np.testing.assert_allclose(value, [1e3, 1e3])
    np.testing.assert_allclose(posterior, y, atol=1e-12)
    np.testing.assert_allclose(p, [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
