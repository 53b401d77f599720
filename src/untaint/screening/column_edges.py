r"""Limits of the inlying distances of many features at once.

Most features have no separate group of samples, and their limit is where one further sample would
be an outlier (:mod:`.edges`). For samples of equal weight w and total W this is decided without the
test: a group of weight m beyond a gap (a, c a] that contains v needs

.. math:: c \ge u + g \, m / W, \qquad v \le m / 4,

so that some ordered distance exceeds the one v / w + 1 places below it by the factor
:math:`u + g \max(w, 4 v) / W`. Only features in which one does are tested.
"""

import numpy as np

from .._typing import BoolArray, FloatArray
from .edges import MAX_GAP_FRACTION, MIN_EVIDENCE, MIN_SINGLE_FACTOR, MinFactor, edge

# Samples in a gap up to which its factor is compared; features that may have wider gaps are tested.
COMPARED = 8


def column_edges(distances: FloatArray, weights: FloatArray, min_factor: MinFactor) -> FloatArray:
    """Return :func:`.edges.edge` of each column of distances, for positive weights."""
    n, d = distances.shape
    limits = np.full(d, np.inf)
    tested = np.full(d, True)
    if n and np.all(weights == weights[0]):
        r = np.sort(distances, axis=0)
        zeros = n - np.count_nonzero(r, axis=0)
        for count in np.unique(zeros[zeros < n]).tolist():
            columns = np.flatnonzero(zeros == count)
            limits[columns], tested[columns] = _single_limits(
                r[count:, columns], weights[count:], count * float(weights[0]), min_factor
            )
        tested &= zeros < n
    for j in np.flatnonzero(tested).tolist():
        limits[j] = edge(distances[:, j], weights, min_factor)
    return limits


def _single_limits(
    r: FloatArray, w: FloatArray, zeros: float, min_factor: MinFactor
) -> tuple[FloatArray, BoolArray]:
    """Return limits of ascending positive columns without a group, and which may have one."""
    W = zeros + np.cumsum(w)
    total, outer = W[-1], r[-1]
    middle = 0.5 * total if zeros < 0.5 * total else 0.5 * (zeros + total)
    start = int(np.searchsorted(W, middle))
    k = min(max(10.0, 2 * np.sqrt(total)), total / 4, total - zeros)
    first = int(np.searchsorted(W, total - k))
    logs = np.log(r[first + 1 :] / r[first])
    hill = k / np.maximum(w[0] * logs.sum(axis=0), 1e-12)
    bounded = np.log2(w[0] * np.count_nonzero(r == outer, axis=0) + 1)
    alpha = np.clip(np.maximum(hill, bounded), 0.05, 20.0)
    need = k * np.expm1(MIN_EVIDENCE / k) / alpha
    with np.errstate(over="ignore"):
        limits = outer * np.exp(np.clip(need, np.log(MIN_SINGLE_FACTOR), 600.0))
    # Ties with the smallest distance have a tail index of their own.
    grouped = (r[first] == r[0]) | _may_have_group(r[start:], w[0] / total, min_factor)
    return limits, grouped


def _may_have_group(r: FloatArray, share: float, min_factor: MinFactor) -> BoolArray:
    """Return which columns have a gap that is wide enough for a group beyond it."""
    least, growth = min_factor
    ratio = 1.0 / MAX_GAP_FRACTION - 1.0  # of m to v at least

    def factor(inside: int) -> float:
        return least + growth * share * max(1.0, ratio * inside)

    wide = r[-1] > factor(COMPARED) * r[0]
    for inside in range(min(COMPARED, len(r) - 1)):
        wide |= (r[inside + 1 :] > factor(inside) * r[: len(r) - inside - 1]).any(axis=0)
    return np.asarray(wide)
