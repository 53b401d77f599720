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
