"""Adversarial corruption of a given model, computed from its predictions alone.

**Targets.** Let f be the predictions of the model, and let wrong targets lie within the range
[a, b] of the clean ones: without a bound the damage is unbounded, and targets beyond the range
would be detected from y alone. A refit that is linear in the targets, f + S d for changes d, has
the damage |S d|^2. This is convex in d, so that its maximum is at a corner: *every wrong target is
at one end of the range*. Where wrong rows agree with their neighbours the refit follows them, S d
is about d, and sum d_i^2 remains to be maximised: each target is moved to the end that is farther
from f(x_i), and the k rows with the largest changes are taken. They lie at the two ends of f, which
are regions of x because f is a function of it; so wrong rows do agree, with few clean rows between.

**Labels.** A wrong label changes a fit the more, the larger the margin of the fit in that row,
between the score of its own label and the best of the others. As with targets, wrong rows that
agree do more damage than those in random directions. So one class is flipped before the next, the
most frequent first, its rows of the largest margin first, and all of them get one label: the class
that most often comes second in its rows.
"""

from typing import Any

import numpy as np
from numpy.random import Generator

from .._typing import AnyArray, FloatArray, IntArray
from ._row_selection import by_frequency, standardised

Attack = tuple[IntArray, AnyArray]  # rows, and what their targets become


def push_to_far_end(X: AnyArray, y: AnyArray, count: int, model: Any, rng: Generator) -> Attack:
    """Move the targets with the longest way to go to the far end of the clean range."""
    f = np.asarray(model.predict(X), dtype=np.float64)
    if f.shape != y.shape or not np.all(np.isfinite(f)):
        raise ValueError(
            f"model.predict(X) must be finite and of y's shape {y.shape}, got shape {f.shape}."
        )
    low, high = y.min(axis=0), y.max(axis=0)
    far = np.where(f < (low + high) / 2.0, high, low)
    # In fractions of the range, so that the outputs count alike whatever their units.
    way = np.square((far - f) / np.where(high > low, high - low, 1.0)).reshape(len(y), -1)
    unmoved = (far == y).reshape(len(y), -1).all(axis=1)
    rows = _smallest(np.where(unmoved, np.inf, -way.sum(axis=1)), count, rng)
    return rows, far[rows]


def flip_surest(X: AnyArray, y: AnyArray, count: int, model: Any, rng: Generator) -> Attack:
    """Flip the most certain rows of one class after the other to its second most likely class."""
    classes, own = np.unique(y, return_inverse=True)
    scores = _class_mean_scores(X, y) if model is None else _model_scores(model, X, y)
    others = scores.copy()
    np.put_along_axis(others, own[:, np.newaxis], -np.inf, axis=1)
    margin = scores[np.arange(len(y)), own] - others.max(axis=1)
    rows, flipped = np.empty(0, dtype=np.intp), y.copy()
    for label in by_frequency(y):
        members = np.flatnonzero(y == label)
        second = np.bincount(others[members].argmax(axis=1)).argmax()
        taken = members[_smallest(-margin[members], count - len(rows), rng)]
        flipped[taken] = classes[second]
        rows = np.concatenate([rows, taken])
    return rows, flipped[rows]


def _smallest(values: AnyArray, count: int, rng: Generator) -> IntArray:
    """Return positions of the smallest values; ties are broken at random."""
    return np.lexsort((rng.random(len(values)), values))[:count]


def _class_mean_scores(X: AnyArray, y: AnyArray) -> FloatArray:
    """Return scores in place of a model's: minus squared distances to the class means."""
    Z = standardised(X)
    means = [Z[y == label].mean(axis=0) for label in np.unique(y)]
    return np.column_stack([-np.square(Z - mean).sum(axis=1) for mean in means])


def _model_scores(model: Any, X: AnyArray, y: AnyArray) -> FloatArray:
    """Return the model's scores, a column for each class of y in order."""
    classes = np.asarray(getattr(model, "classes_", np.unique(y)))
    unknown = np.setdiff1d(y, classes).tolist()
    if unknown:
        raise ValueError(f"model must know every class of y, but does not know {unknown}.")
    if hasattr(model, "predict_proba"):
        scores = np.asarray(model.predict_proba(X), dtype=np.float64)
    elif hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
    else:
        scores = np.equal.outer(np.asarray(model.predict(X)), classes).astype(np.float64)
    if scores.shape != (len(y), len(classes)) or not np.all(np.isfinite(scores)):
        raise ValueError(
            f"model must give finite scores of shape {(len(y), len(classes))}, "
            f"got shape {scores.shape}."
        )
    columns = {label: column for column, label in enumerate(classes.tolist())}
    return scores[:, [columns[label] for label in np.unique(y).tolist()]]
