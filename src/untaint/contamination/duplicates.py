"""Recognition of data in which many samples are duplicated.

A copy predicts its duplicate, outlier or not. Where copies are many, leave-one-out residuals of a
fit to all samples carry no information about outliers, and its predictive likelihood is always the
larger.

Few values of features and targets make samples equal that are no copies. Targets of copies agree
more often than those of any two samples do: copies are recognised by Cohen's kappa of the targets
of samples with equal features, the excess of agreement over that by chance.
"""

import numpy as np

from .._typing import FloatArray, IntArray

# Fraction of duplicated samples above which they are many.
MAX_DUPLICATES = 0.1
# Agreement of the targets of samples with equal features from which these are copies.
MIN_KAPPA = 0.5
# Differences of the features of copies, by rounding of the kernel, relative to the largest feature.
ROUNDING = 1e-9
# Features up to this relative size are rounding errors: roots of eigenvalues that should be zero.
MIN_FEATURE = 1e-7


def has_many_duplicates(features: FloatArray, y: FloatArray, counts: FloatArray) -> bool:
    """Return whether many samples have equal features and targets, or a count of two or more."""
    by_features, by_targets = _groups(features), _groups(y)
    samples = np.unique(np.stack([by_features, by_targets]), axis=1, return_inverse=True)[1].ravel()
    duplicate = (np.bincount(samples)[samples] >= 2) | (counts >= 2)
    if counts @ duplicate <= MAX_DUPLICATES * counts.sum():
        return False
    agreement = _pairs(samples, counts) / _pairs(by_features, counts)
    chance = float(np.sum((np.bincount(by_targets, counts) / counts.sum()) ** 2))
    return bool(agreement - chance >= MIN_KAPPA * (1.0 - chance))


def _groups(values: FloatArray) -> IntArray:
    """Return a number for each row, the same for rows that are equal but for rounding."""
    sizes = np.abs(values).max(axis=0, initial=0.0)
    largest = float(sizes.max(initial=0.0)) or 1.0
    # Copies coincide in any projection, and distinct samples almost never in a random one.
    kept = sizes > MIN_FEATURE * largest
    direction = np.random.default_rng(0).normal(size=int(kept.sum()))
    weights = np.zeros(len(kept))
    weights[kept] = direction / largest
    projection = values @ weights
    order = np.argsort(projection, kind="stable")
    apart = np.diff(projection[order]) > ROUNDING * float(np.abs(direction).sum())
    numbers = np.empty(len(values), dtype=np.intp)
    numbers[order] = np.r_[0, np.cumsum(apart)]
    return numbers


def _pairs(groups: IntArray, counts: FloatArray) -> float:
    """Return the number of ordered pairs of samples within groups."""
    sizes = np.bincount(groups, counts)
    return float(np.sum(sizes * np.maximum(sizes - 1.0, 0.0)))
