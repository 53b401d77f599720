"""The criterion for restarting the joint selection from all samples.

The selection starts from the samples that the initial search keeps, about half of them. If that fit
is poor somewhere, the samples there are flagged, have no influence, and stay flagged: the iteration
ends in a local optimum. A restart from all samples may end in another, and the one with the larger
leave-one-out predictive likelihood is selected.

There is no restart if many samples are duplicated: a copy predicts its duplicate, outlier or not,
so that a fit to all samples would always have the larger likelihood.
"""

from __future__ import annotations

import numpy as np

from .._typing import FloatArray

#: Smallest contamination for a restart; fewer outliers cannot mislead the initial search.
MIN_CONTAMINATION = 0.25
#: Smallest difference of the log-likelihoods of two different optima.
MIN_GAIN = 0.5
# Largest fraction of duplicated samples for a restart.
MAX_DUPLICATES = 0.1
# Relative differences of the features of copies, by rounding of the kernel.
ROUNDING = 1e-9


def should_restart(
    contamination: float, features: FloatArray, y: FloatArray, counts: FloatArray
) -> bool:
    """Return whether to restart the joint selection, given the contamination found so far.

    Samples are duplicates if another has equal features and targets, or if their count is two or
    more.

    Examples
    --------
    >>> import numpy as np
    >>> features = np.arange(8.0)[:, None]
    >>> should_restart(0.4, features, features**2, np.ones(8))
    True
    >>> should_restart(0.4, features // 2, features // 2, np.ones(8))
    False
    """
    if contamination < MIN_CONTAMINATION:
        return False
    rows = np.column_stack([features, y])
    sizes = np.abs(rows).max(axis=0)
    rows = rows / np.where(sizes > 0, sizes, 1.0)
    # Copies coincide in any projection, and distinct samples almost never in a random one.
    direction = np.random.default_rng(0).normal(size=rows.shape[1])
    order = np.argsort(rows @ direction, kind="stable")
    close = np.diff((rows @ direction)[order]) <= ROUNDING * float(np.abs(direction).sum())
    duplicate = np.r_[False, close] | np.r_[close, False] | (counts[order] >= 2)
    return bool(counts[order] @ duplicate / counts.sum() <= MAX_DUPLICATES)
