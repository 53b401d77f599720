"""Trimmed ridge regression on any features, for every number of trimmed rows.

The search begins with a given set of rows. After a fit to m rows it keeps the m + 1 rows that cost
least, by the rise of the penalised sum of squares (:mod:`untaint.optim.subset_fit`), and so on.

References
----------
Atkinson & Riani (2000), Robust diagnostic regression analysis.
"""

import numpy as np

from .._typing import BoolArray, FloatArray
from ..optim.subset_fit import fit_subset
from .least_trimmed_squares import TrimmedPath, trimmed_sizes

# Fits to the first number of rows.
FIRST_STEPS = 4


def forward_path(
    features: FloatArray, y: FloatArray, kept: BoolArray, alpha: float, fit_intercept: bool = True
) -> TrimmedPath:
    """Return the path from these kept rows to all rows, for features (n, m) and targets (n,)."""
    n = len(y)
    trimmed = trimmed_sizes(n, 2 * int(kept.sum()) - n)
    for _ in range(FIRST_STEPS):
        costs = fit_subset(features, y, kept, alpha, fit_intercept).residuals ** 2
        kept = _cheapest(costs, n - int(trimmed[-1]))
    masks, sums = [], []
    for k in trimmed[::-1]:
        kept = _cheapest(costs, n - int(k))
        fit = fit_subset(features, y, kept, alpha, fit_intercept)
        costs = fit.residuals**2
        masks.append(kept)
        sums.append(fit.squares)
    return TrimmedPath(trimmed, np.array(sums[::-1]), np.array(masks[::-1]))


def _cheapest(costs: FloatArray, size: int) -> BoolArray:
    """Return the mask of so many smallest costs."""
    kept = np.zeros(len(costs), dtype=bool)
    kept[np.argsort(costs, kind="stable")[:size]] = True
    return kept
