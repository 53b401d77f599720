"""When two fits are the same: equal predictions and equal inliers."""

from __future__ import annotations

import numpy as np

from properties.subjects import scale_of


def assert_same_answers(subject, one, other, table, tol=None):
    """Predictions of new rows agree to a part of their size."""
    assert_close(
        subject.evaluate(one, table.queries),
        subject.evaluate(other, table.queries),
        subject.tol if tol is None else tol,
    )


def assert_close(actual, expected, tol):
    """Largest difference at most ``tol`` in units of the largest value."""
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tol * scale_of(expected))


def assert_same_outlier_attributes(subject, one, other, index):
    """Row ``index[i]`` of one fit is row i of the other."""
    for name in ("inlier_mask_", "outlier_scores_"):
        if hasattr(one, name):
            actual, expected = getattr(one, name), getattr(other, name)[index]
            # A score is a distance in robust deviations, which may be tiny next to the targets.
            np.testing.assert_allclose(actual, expected, rtol=1e4 * subject.tol, atol=1e-3)


def assert_same_bits(subject, one, other, table):
    np.testing.assert_array_equal(
        subject.evaluate(one, table.queries), subject.evaluate(other, table.queries)
    )
