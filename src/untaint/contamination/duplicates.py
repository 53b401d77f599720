"""Recognition of data in which many samples are duplicated.

A copy predicts its duplicate, outlier or not. Where copies are many, leave-one-out residuals of a
fit to all samples carry no information about outliers, and its predictive likelihood is always the
larger.
"""

from __future__ import annotations

import numpy as np

from .._typing import FloatArray

# Fraction of duplicated samples above which they are many.
MAX_DUPLICATES = 0.1
# Differences of the features of copies, by rounding of the kernel, relative to the largest feature.
ROUNDING = 1e-9
# Features up to this relative size are rounding errors: roots of eigenvalues that should be zero.
MIN_FEATURE = 1e-7


def has_many_duplicates(features: FloatArray, y: FloatArray, counts: FloatArray) -> bool:
    """Return whether many samples have equal features and targets, or a count of two or more.

    Examples
    --------
    >>> import numpy as np
    >>> features = np.arange(8.0)[:, None]
    >>> has_many_duplicates(features, features**2, np.ones(8))
    False
    >>> has_many_duplicates(features // 2, features // 2, np.ones(8))
    True
    """
    sizes = np.abs(features).max(axis=0, initial=0.0)
    largest = float(sizes.max(initial=0.0)) or 1.0
    targets = y / np.maximum(np.abs(y).max(axis=0), np.finfo(float).tiny)
    # Copies coincide in any projection, and distinct samples almost never in a random one.
    kept = sizes > MIN_FEATURE * largest
    direction = np.random.default_rng(0).normal(size=int(kept.sum()) + targets.shape[1])
    of_features = np.zeros(len(kept))
    of_features[kept] = direction[: -targets.shape[1]] / largest
    projection = features @ of_features + targets @ direction[-targets.shape[1] :]
    order = np.argsort(projection, kind="stable")
    close = np.diff(projection[order]) <= ROUNDING * float(np.abs(direction).sum())
    duplicate = np.r_[False, close] | np.r_[close, False] | (counts[order] >= 2)
    return bool(counts[order] @ duplicate / counts.sum() > MAX_DUPLICATES)
