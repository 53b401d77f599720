r"""How columns hang together, and which rows disagree.

With :math:`\Sigma` the covariance of the columns over rows that fit one another, what is left of
column j of a row x once the other columns are known is

.. math:: e_j = \frac{(\Sigma^{-1} (x - \mu))_j}{(\Sigma^{-1})_{jj}},

and the coordinates :math:`\Lambda^{-1/2} V' (x - \mu)`, with :math:`\Sigma = V \Lambda V'`, are
uncorrelated. Mean and covariance come from the three quarters of the rows that are nearest to them,
found by concentration from the rows nearest to the centre.

Only columns of many values take part. A rare category breaks every relation of the common ones.

References
----------
Rousseeuw and Van Driessen (1999), A fast algorithm for the minimum covariance determinant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._typing import FloatArray, IntArray
from .scales import centre_of, quantile, scale_of

KEPT = 0.75
STEPS = 4
# Rows that a column costs.
ROWS_PER_COLUMN = 10
# Share of the rows that one value of a column may have.
COMMONEST = 0.2
# Ratio of the 90 % quantile of a column to its scale that no linear relation survives.
HEAVY = 20.0
# Squared scale of what is left of a column, relative to the column, where a relation is strong.
LEFT_OVER = 0.1
# Relative variance below which a relation is as good as exact.
EXACT = 1e-4
# Residuals, relative to the scale of the column, that do not matter, however exact a relation is.
NOTHING = 0.1


@dataclass(frozen=True)
class Relations:
    """Linear relations between columns.

    Parameters
    ----------
    columns : array of shape (c,)
        Columns that take part.
    mean : array of shape (c,)
    whitener : array of shape (c, c)
        Takes deviations to uncorrelated coordinates of scale one.
    strong : array of shape (s,)
        Columns that are nearly determined by the others.
    residual : array of shape (c, s)
        Takes deviations to what is left of the strong columns.
    scale : array of shape (s,)
        Scale of the strong columns.
    """

    columns: IntArray
    mean: FloatArray
    whitener: FloatArray
    strong: IntArray
    residual: FloatArray
    scale: FloatArray

    def coordinates(self, X: FloatArray) -> FloatArray:
        """Uncorrelated coordinates of the rows, of scale one."""
        return np.asarray((X[:, self.columns] - self.mean) @ self.whitener)

    def broken(self, X: FloatArray) -> FloatArray:
        """How badly rows break the strong relations: less than a tenth of a column is nothing."""
        return np.abs(self.residuals(X)) + NOTHING * self.scale

    def residuals(self, X: FloatArray) -> FloatArray:
        """What is left of the strong columns."""
        return np.asarray((X[:, self.columns] - self.mean) @ self.residual)


def relations(X: FloatArray, weights: FloatArray, radius: FloatArray) -> Relations | None:
    """Find the relations, or None if there are too few rows or columns to tell.

    Parameters
    ----------
    X : array of shape (n, d)
    weights : array of shape (n,)
    radius : array of shape (n,)
        The rows of the smallest radii are the first to be believed.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(-1.0, 1.0, 101)
    >>> found = relations(np.c_[x, 2 * x], np.ones(101), np.abs(x))
    >>> found.residuals(np.array([[0.5, 1.0], [0.5, -1.0]])).round(3)
    array([[ 0.,  0.],
           [ 1., -2.]])
    """
    columns = np.array([j for j in range(X.shape[1]) if _takes_part(X[:, j], weights)], dtype=int)
    if len(columns) < 2 or weights.sum() < ROWS_PER_COLUMN * len(columns):
        return None
    A = X[:, columns]
    unit = _scales(A - [centre_of(a, weights) for a in A.T], weights)
    A = A / unit
    near = radius <= quantile(radius, weights, KEPT)
    for _ in range(STEPS):
        mean = np.average(A[near], axis=0, weights=weights[near])
        B = A[near] - mean
        eigenvalues, V = np.linalg.eigh((B * weights[near, None]).T @ B / weights[near].sum())
        eigenvalues = np.maximum(eigenvalues, EXACT * eigenvalues[-1])
        Y = (A - mean) @ (V / np.sqrt(eigenvalues))
        size = np.einsum("ij,ij->i", Y, Y)
        near = size <= quantile(size, weights, KEPT)
    precision = (V / eigenvalues) @ V.T
    residual = precision / np.diag(precision)
    left = _scales((A - mean) @ residual, weights)
    strong = np.flatnonzero(left**2 < LEFT_OVER)
    spread = np.maximum(_scales(Y[near], weights[near]), 0.5)
    return Relations(
        columns=columns,
        mean=mean * unit,
        whitener=V / np.sqrt(eigenvalues) / spread / unit[:, None],
        strong=columns[strong],
        residual=residual[:, strong] / unit[:, None] * unit[strong],
        scale=unit[strong],
    )


def _scales(X: FloatArray, weights: FloatArray) -> FloatArray:
    return np.array([scale_of(np.abs(x), weights) for x in X.T])


def _takes_part(column: FloatArray, weights: FloatArray) -> bool:
    """Whether a column has many values, and not over several orders of magnitude."""
    if not _many_values(column, weights):
        return False
    distances = np.abs(column - centre_of(column, weights))
    return scale_of(distances, weights, 0.9) < HEAVY * scale_of(distances, weights)


def _many_values(column: FloatArray, weights: FloatArray) -> bool:
    values = np.sort(column)
    if np.all(weights == weights[0]):
        lag = int(COMMONEST * len(values))
        return lag > 0 and not bool(np.any(values[lag:] == values[:-lag]))
    _, owner = np.unique(column, return_inverse=True)
    return float(np.bincount(owner, weights).max()) <= COMMONEST * float(weights.sum())
