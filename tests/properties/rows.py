"""Rows are a bag: no order, a weight of k is k copies, a weight of zero is absence."""

from __future__ import annotations

import numpy as np

from properties.comparing import assert_same_answers, assert_same_outlier_attributes


def order_of_rows_is_immaterial(subject, table):
    rows, order = table.rows, table.rng.permutation(table.n)
    one, other = subject.fit(rows), subject.fit(rows.taken(order))
    assert_same_answers(subject, other, one, table)
    assert_same_outlier_attributes(subject, other, one, order)


def weights_are_copies(subject, table):
    """Which copy of the row at the threshold is kept is open: only functions are compared."""
    rows, weights = table.rows, table.rng.integers(1, 4, table.n)
    weighted = subject.fit(rows.but(weights=weights))
    repeated = subject.fit(rows.taken(np.repeat(np.arange(table.n), weights)))
    assert_same_answers(subject, weighted, repeated, table)
    if hasattr(weighted, "contamination_"):
        np.testing.assert_allclose(weighted.contamination_, repeated.contamination_, atol=1e-9)


def weight_zero_is_absence(subject, table):
    """A row of weight zero is scored like the others, but has no influence on the fit."""
    rows, present = table.rows, table.rng.random(table.n) < 0.8
    present[: 3 * max(table.classes, 1)] = True  # some rows of every class
    with_zeros = subject.fit(rows.but(weights=present.astype(float)))
    without = subject.fit(rows.taken(present))
    assert_same_answers(subject, with_zeros, without, table)
    assert_same_outlier_attributes(subject, without, with_zeros, present)
