"""The score that separates flagged rows from the others."""

from .._typing import BoolArray, FloatArray


def largest_unflagged(scores: FloatArray, flagged: BoolArray) -> float:
    """Return the largest score of rows that are not flagged, 0 if all are."""
    return float(scores[~flagged].max(initial=0.0))


def score_threshold(scores: FloatArray, flagged: BoolArray) -> float | None:
    """Return a score up to which rows are not flagged, None if scores alone do not decide that.

    >>> import numpy as np
    >>> score_threshold(np.array([0.5, 3.0, 9.0]), np.array([False, False, True]))
    3.0
    """
    if not flagged.any() or flagged.all():
        return None
    below, above = scores[~flagged].max(), scores[flagged].min()
    if below > above:
        return None
    return 1.0 if below <= 1.0 <= above else float(below)
