r"""The inverse scale gamma of a kernel, estimated from the data.

``"scale"`` is :math:`1 / (d \, var(X))`, as in SVC; a single outlier can change it arbitrarily.

``"median"`` is :math:`1 / \mathrm{median}_{i \ne j} \, dist(x_i, x_j)` in the kernel's own
distance: squared Euclidean for the Gaussian, rational quadratic and polynomial kernels, Euclidean
for the exponential and Manhattan for the Laplacian kernel. Samples of very large radius are left
out first, so that the breakdown point is almost one half. A weight of k is equivalent to k copies.
"""

import numpy as np
import scipy.sparse as sp

from ..screening.radius import near_rows, radii, representatives, weighted_median
from .arrays import Array, Distance, MatrixLike, as_csr, as_dense
from .base import positive
from .pairs import pair_distances

REPRESENTATIVES = 1000  # samples whose pairwise distances are computed


def resolve_gamma(
    gamma: float | str,
    X: MatrixLike,
    sample_weight: Array | None = None,
    *,
    distance: Distance = "sqeuclidean",
) -> float:
    """Return the inverse scale gamma as a number.

    Parameters
    ----------
    gamma : float, "scale" or "median"
        A positive number is returned as it is.
    X : array or CSR of shape (n, d)
    sample_weight : array of shape (n,), optional
        A weight of k is exactly equivalent to k copies; samples of weight 0 are ignored.
    distance : {"sqeuclidean", "euclidean", "manhattan"}
        The distance of ``"median"``: the ``distance`` attribute of the kernel.

    Returns
    -------
    float
        Positive and finite.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [1e12]])
    >>> resolve_gamma("median", X)
    1.0
    """
    rules = {"scale": _scale, "median": _median}
    if not isinstance(gamma, str) or gamma not in rules:
        return positive("gamma", gamma, ", 'scale' or 'median'")
    rows = as_csr(X) if sp.issparse(X) else as_dense(X)
    weights = np.ones(X.shape[0]) if sample_weight is None else np.asarray(sample_weight, float)
    if not weights.all():
        rows, weights = rows[weights != 0], weights[weights != 0]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        value = 1.0 / np.float64(rules[gamma](rows, weights, distance))
    return float(value) if 0.0 < value < np.inf else 1.0


def _scale(X: MatrixLike, weights: Array, distance: Distance) -> float:
    """Return the number of features times the variance of all entries."""
    d, total = X.shape[1], weights.sum()
    if not X.size or not total:
        return 0.0
    mean = (weights @ X).sum() / (d * total)
    if sp.issparse(X):
        square = (weights @ X.multiply(X)).sum() / (d * total)
        return float(d * (square - mean**2))
    return float((weights @ (X - mean) ** 2).sum() / total)


def _median(X: MatrixLike, weights: Array, distance: Distance) -> float:
    """Return the median distance of two samples; if it is zero, the mean positive distance."""
    if len(weights) < 1:
        return 0.0
    radius = radii(X, weights, "manhattan" if distance == "manhattan" else "euclidean")
    near = near_rows(radius, weights)
    if not near.all():
        X, weights, radius = X[near], weights[near], radius[near]
    rows, weights = representatives(X, weights, radius, REPRESENTATIVES)
    if len(rows) < len(radius):
        X = X[rows]
    values, counts = pair_distances(X, weights, distance)
    if not counts.any():
        return 0.0
    median = float(weighted_median(values, counts))
    if median > 0:
        return median
    positive = (values > 0) & (counts > 0)
    return float(np.average(values[positive], weights=counts[positive])) if positive.any() else 0.0
