r"""How well scores order labels of which some are wrong.

.. math:: A_{jk} = P\bigl(f_j(x) - f_k(x) > f_j(x') - f_k(x') \mid y = j,\; y' = k\bigr)

Of two classes this is the area under the ROC curve. If shares u and v of the rows labelled j and k
belong to the other class, whichever rows these are,

.. math:: A_{jk} - \tfrac12 = (1 - u - v) \bigl(A^*_{jk} - \tfrac12\bigr)

with A* that of the right labels: the f of the largest A is the same for both, even when all errors
go one way, which moves an accuracy at will.
"""

from __future__ import annotations

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray


def pairwise_auc(raw: FloatArray, codes: IntArray, weights: FloatArray) -> float:
    """A_jk, averaged over pairs of classes by the harmonic mean of their sizes; nan without any.

    Parameters
    ----------
    raw : array of shape (n, 1) or (n, K)
        Log-odds of the second class, or one score a class; of rows that f has not seen.
    codes : array of shape (n,), int
        Classes that the rows claim to have.
    weights : array of shape (n,)

    Returns
    -------
    float
        One half for scores that say nothing.

    Examples
    --------
    >>> import numpy as np
    >>> raw = np.array([[-1.0], [0.0], [0.0], [2.0]])
    >>> pairwise_auc(raw, np.array([0, 0, 1, 1]), np.ones(4))
    0.875
    """
    scores = np.column_stack([np.zeros(len(raw)), raw]) if raw.shape[1] == 1 else raw
    sizes = np.bincount(codes, weights, minlength=scores.shape[1])
    total = ordered = 0.0
    for j, k in zip(*np.triu_indices(len(sizes), 1), strict=True):
        if sizes[j] > 0 and sizes[k] > 0:
            size = sizes[j] * sizes[k] / (sizes[j] + sizes[k])
            apart = scores[:, j] - scores[:, k]
            total += size
            ordered += size * _above(apart, codes == j, codes == k, weights)
    return float(ordered / total) if total > 0 else float("nan")


def _above(values: FloatArray, upper: BoolArray, lower: BoolArray, weights: FloatArray) -> float:
    """Share of pairs whose upper row has the larger value; ties count half."""
    levels, at = np.unique(values[lower], return_inverse=True)
    reached = np.r_[0.0, np.cumsum(np.bincount(at, weights[lower]))]
    below = reached[np.searchsorted(levels, values[upper], side="left")]
    not_above = reached[np.searchsorted(levels, values[upper], side="right")]
    won = weights[upper] @ (0.5 * (below + not_above))
    return float(won / (weights[upper].sum() * reached[-1]))
