"""What every loss must do, whatever it is."""

from __future__ import annotations

import numpy as np


def is_row_wise(loss, y, f):
    """Each row's loss and gradient depend on that row alone."""
    values, slopes = loss.value(y, f), loss.gradient(y, f)
    assert values.shape == (len(y),)
    assert slopes.shape == f.shape
    for i in range(len(y)):
        np.testing.assert_array_equal(loss.value(y[[i]], f[[i]]), values[[i]])
        np.testing.assert_array_equal(loss.gradient(y[[i]], f[[i]]), slopes[[i]])


def has_the_gradient_of_its_value(loss, y, f):
    """Central differences in every raw prediction."""
    expected = np.empty(f.shape)
    for j in range(f.shape[1]):
        step = np.zeros(f.shape)
        step[:, j] = 1e-4 * (1 + np.abs(f[:, j]))
        rise = loss.value(y, f + step) - loss.value(y, f - step)
        expected[:, j] = rise / (2 * step[:, j])
    scale = 1 + np.abs(y).max() + np.abs(f).max()
    np.testing.assert_allclose(loss.gradient(y, f), expected, rtol=1e-6, atol=1e-7 * scale)


def is_convex(loss, y, f, g):
    """No middle lies above its chord."""
    middle = loss.value(y, 0.5 * (f + g))
    chord = 0.5 * (loss.value(y, f) + loss.value(y, g))
    assert (middle <= chord + 1e-12 * (1 + np.abs(chord))).all()


def bends_no_more_than_its_curvature(loss, y, f, step):
    """Moving one raw prediction moves its slope by at most ``curvature`` times as much."""
    for j in range(f.shape[1]):
        moved = f.copy()
        moved[:, j] += step
        change = np.abs(loss.gradient(y, moved) - loss.gradient(y, f))[:, j]
        assert (change <= loss.curvature * abs(step) * (1 + 1e-9) + 1e-12).all()


def matrices(hessian, n_outputs):
    """Every row's Hessian in full, (n, k, k)."""
    columns = [
        np.stack([hessian.entry(j, k) for k in range(n_outputs)], axis=-1) for j in range(n_outputs)
    ]
    return np.stack(columns, axis=-2)


def has_the_hessian_of_its_gradient(loss, y, f):
    """Central differences of the gradient in every raw prediction."""
    n_outputs = f.shape[1]
    expected = np.empty((*f.shape, n_outputs))
    for k in range(n_outputs):
        step = np.zeros(f.shape)
        step[:, k] = 1e-5
        rise = loss.gradient(y, f + step) - loss.gradient(y, f - step)
        expected[:, :, k] = rise / 2e-5
    found = matrices(loss.hessian(y, f), n_outputs)
    # Differences lose as many digits as the gradient has before the point.
    scale = 1 + np.abs(loss.gradient(y, f)).max()
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9 * scale)


def bends_one_way_and_within_its_curvature(loss, y, f):
    """No eigenvalue of a row's Hessian is negative, none larger than ``curvature``."""
    values = np.linalg.eigvalsh(matrices(loss.hessian(y, f), f.shape[1]))
    assert (values >= -1e-14).all()
    assert (values <= loss.curvature * (1 + 1e-12)).all()


def grows_within_its_slope_bound(loss, y, f, reach):
    """The gradient is no longer than promised for predictions of at most the length ``reach``."""
    lengths = np.linalg.norm(f, axis=1)
    within = f * np.minimum(1.0, reach / np.maximum(lengths, 1e-300))[:, None]
    slopes = np.linalg.norm(loss.gradient(y, within), axis=1)
    assert (slopes <= loss.slope_bound(y, reach) * (1 + 1e-12)).all()


def multiplies_like_its_matrices(hessian, n_outputs, f, weights):
    """``times``, ``total`` and ``weighted`` agree with the matrices written out."""
    dense = matrices(hessian, n_outputs)
    np.testing.assert_allclose(
        hessian.times(f), np.einsum("ijk,ik->ij", dense, f), rtol=1e-12, atol=1e-13
    )
    total = hessian.total()
    assert total.shape == (n_outputs, n_outputs)
    np.testing.assert_allclose(total, dense.sum(axis=0), rtol=1e-12, atol=1e-13)
    weighted = hessian.weighted(weights)
    np.testing.assert_allclose(
        matrices(weighted, n_outputs), weights[:, None, None] * dense, rtol=1e-12, atol=1e-15
    )
