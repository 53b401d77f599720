"""Columns have no order, and a kernel of differences knows no origin."""

from __future__ import annotations

from properties.comparing import assert_close

RADIAL = ("rbf", "laplacian", "exponential", "rational_quadratic")


def order_of_columns_is_immaterial(subject, table):
    rows, order = table.rows, table.rng.permutation(table.d)
    one = subject.fit(rows)
    other = subject.fit(rows.but(X=rows.X[:, order], copy=rows.copy[:, order]))
    expected = subject.evaluate(one, table.queries)
    if subject.scaler:
        expected = expected[:, order]
    assert_close(subject.evaluate(other, table.queries[:, order]), expected, subject.tol)


def origin_is_immaterial(subject, table):
    """Of radial kernels; and of linear ones, whose intercept takes it up."""
    rows, shift = table.rows, table.rng.uniform(-10, 10, table.d)
    one = subject.fit(rows)
    other = subject.fit(rows.but(X=rows.X + shift, copy=rows.copy + shift))
    actual = subject.evaluate(other, table.queries + shift)
    assert_close(actual, subject.evaluate(one, table.queries), 100 * subject.tol)
