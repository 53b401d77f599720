r"""The pairwise AUC of Hand and Till (2001), for labels of which some are wrong.

.. math:: A_{jk} = P\bigl(f_j(x) - f_k(x) > f_j(x') - f_k(x') \mid y = j,\; y' = k\bigr)

For two classes this is the area under the ROC curve. If fractions u and v of the samples labelled
j and k belong to the other class, whatever their features given that class,

.. math:: A_{jk} - \tfrac12 = (1 - u - v) \bigl(A^*_{jk} - \tfrac12\bigr)

with A* that of the correct labels. The f of the largest A is therefore the f of the largest A*,
also when all errors are of one class, which biases an accuracy.
"""

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray


def pairwise_auc(raw: FloatArray, codes: IntArray, weights: FloatArray) -> float:
    """Return A_jk averaged over pairs of classes, weighted by the harmonic mean of their sizes.

    ``raw`` holds the log-odds of the second class, (n, 1), or one score per class, (n, K), at
    held-out samples. The average is one half for uninformative scores, nan for a single class.
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
    """Return the fraction of pairs whose upper value is the larger; ties count half."""
    levels, at = np.unique(values[lower], return_inverse=True)
    reached = np.r_[0.0, np.cumsum(np.bincount(at, weights[lower]))]
    below = reached[np.searchsorted(levels, values[upper], side="left")]
    not_above = reached[np.searchsorted(levels, values[upper], side="right")]
    won = weights[upper] @ (0.5 * (below + not_above))
    return float(won / (weights[upper].sum() * reached[-1]))
