r"""Flagged samples that can be predicted from their features: misfit, not corruption.

Beyond a step or a corner, or where a rare binary feature is set, a smooth function is wrong for all
samples alike: the flagged ones are neighbours. A flexible model such as a tree then predicts the
flags from the features. Corruption at random cannot be predicted. A decision tree of few levels
predicts whether a sample is flagged, from folds that do not contain it. Flagged samples that it
predicts with a high probability form a group that a better model would explain:

.. math:: \hat P(\text{flagged} \mid x_i) \ge 0.8 .
"""

from typing import Any

import numpy as np
from scipy import sparse

from .._typing import BoolArray, FloatArray

# Predicted probability from which on a sample belongs to a group, and the fraction of the samples
# so predicted that has to be flagged.
MIN_PROBABILITY = 0.8
# Fewest samples of a group, and their least fraction of all.
MIN_GROUP, MIN_FRACTION = 8.0, 0.02
N_FOLDS = 5
MAX_DEPTH = 4
# Distance of a group from the nearest other sample at most, in median radii of the others.
MAX_DISTANCE = 3.0
# Standard deviations of the other targets that a target of a group is away from their mean at most.
MAX_SHIFT = 6.0
# More features are reduced to so many random projections.
MAX_FEATURES = 200
# Samples that are looked at first.
MANY_SAMPLES = 20_000
# Largest feature; sums of squares of larger ones overflow in double precision, or else in single.
LARGEST = 1e30


def flagged_groups(X: Any, flagged: BoolArray, counts: FloatArray) -> BoolArray:
    """Return which of the flagged samples a tree can predict from their features."""
    none = np.zeros(len(flagged), dtype=bool)
    total = float(counts.sum())
    least = max(MIN_GROUP, MIN_FRACTION * total)
    if counts[flagged].sum() < least or counts[~flagged].sum() < least:
        return none
    dense = _dense(X)
    if not _can_be_told(dense, flagged, counts, least / total):
        return none
    sure = _probability(dense, flagged, counts, least / total) >= MIN_PROBABILITY
    found = sure & flagged & _near_others(dense, flagged)
    right = float(counts[found].sum())
    enough = right >= least and right >= MIN_PROBABILITY * float(counts[sure].sum())
    return found if enough else none


def far_targets(y: FloatArray, kept: BoolArray) -> BoolArray:
    """Return which targets, (n, k), are far beyond those kept, farther than a function is wrong."""
    distances = np.abs(y - y[kept].mean(axis=0))
    return np.asarray((distances > MAX_SHIFT * y[kept].std(axis=0)).any(axis=1))


def _can_be_told(X: FloatArray, flagged: BoolArray, counts: FloatArray, least: float) -> bool:
    """Return whether a tree that has seen all samples is sure of half a group or more.

    If even that tree is not, those that have seen fewer samples hardly will be: a rule of thumb
    that saves five fits where there is no group. Of many samples, some are enough for it.
    """
    if len(X) > MANY_SAMPLES:
        rows = np.random.default_rng(0).choice(len(X), MANY_SAMPLES, replace=False)
        X, flagged, counts = X[rows], flagged[rows], counts[rows]
    tree = _fitted_tree(X, flagged, counts, least)
    found = flagged & (tree.predict(X, check_input=False) >= MIN_PROBABILITY)
    return bool(counts[found].sum() >= 0.5 * least * counts.sum())


def _near_others(X: FloatArray, flagged: BoolArray) -> BoolArray:
    """Return which samples lie among or next to unflagged ones.

    A group that is far away from all others is not where a function bends. Distances are in
    standard deviations of the features.
    """
    from scipy.spatial import KDTree

    X = X.astype(float)
    deviation = X.std(axis=0)
    scaled = (X - X[~flagged].mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    distances, _ = KDTree(scaled[~flagged]).query(scaled)
    radius = float(np.median(np.sqrt(np.sum(scaled[~flagged] ** 2, axis=1))))
    return np.asarray(distances <= MAX_DISTANCE * radius)


def _dense(X: Any) -> FloatArray:
    """Return the features, or random projections of very many, in the precision of trees."""
    if X.shape[1] > MAX_FEATURES:
        directions = np.random.default_rng(0).normal(size=(X.shape[1], MAX_FEATURES))
        X = X @ directions
    X = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float)
    return np.clip(X, -LARGEST, LARGEST).astype(np.float32)


def _probability(X: FloatArray, flagged: BoolArray, counts: FloatArray, least: float) -> FloatArray:
    """Return the probability of being flagged, predicted from the other folds.

    Samples of equal features are in the same fold.
    """
    _, places = np.unique(X, axis=0, return_inverse=True)
    folds = np.random.default_rng(0).permutation(int(places.max()) + 1)[places.ravel()] % N_FOLDS
    probability = np.zeros(len(X))
    for fold in range(N_FOLDS):
        rest = folds != fold
        if not rest.any() or rest.all() or not 0 < flagged[rest].sum() < rest.sum():
            continue
        tree = _fitted_tree(X[rest], flagged[rest], counts[rest], least)
        probability[~rest] = tree.predict(X[~rest], check_input=False)
    return probability


def _fitted_tree(X: FloatArray, flagged: BoolArray, counts: FloatArray, least: float) -> Any:
    """Return a tree of few levels, with leaves of half the least fraction of a group or more.

    The variance of zeros and ones is half of their Gini index, so that this is the tree that
    classifies them, at half the cost.
    """
    from sklearn import config_context
    from sklearn.tree import DecisionTreeRegressor  # takes a second

    tree = DecisionTreeRegressor(
        max_depth=MAX_DEPTH, min_weight_fraction_leaf=min(0.5, 0.5 * least), random_state=0
    )
    # Checks of weights and parameters take most of the time of a small fit; weights of one change
    # nothing.
    weights = None if (counts == 1.0).all() else counts
    with config_context(skip_parameter_validation=True):
        return tree.fit(X, flagged.astype(float), sample_weight=weights, check_input=False)
