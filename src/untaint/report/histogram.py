"""The histogram of scores.

The suggested cut is an edge between two bars, so that at the suggestion no bar is half flagged.
"""

import math
from typing import Any

import numpy as np

from .._typing import FloatArray
from .numerals import numerals
from .symlog_axis import Axis, bent_axis

BARS = 56


def score_histogram(scores: FloatArray, cut: float) -> dict[str, Any]:
    """Return bars of even width on an axis that may be logarithmic beyond a bend.

    Parameters
    ----------
    scores : array of shape (n,)
        Infinite ones are counted in the last bar, or the first; NaN in none.
    cut : float

    Returns
    -------
    dict
        ``axis``: where it begins, bends and ends; ``edges``: one more than bars; ``counts``.
        A bar holds the scores from its lower edge up to, but not including, its upper one.

    Examples
    --------
    >>> score_histogram(np.array([1.0, 1.0, 2.0, 9.0]), cut=8.0)["axis"]
    [1.0, 9.0, 9.0]
    """
    scores = np.asarray(scores, dtype=np.float64)
    scores = scores[~np.isnan(scores)]
    axis = bent_axis(scores, cut)
    edges = axis.value(_places(axis, cut))
    # Exactly, whatever the logarithm made of them.
    edges[0], edges[-1] = axis.low, axis.high
    if axis.low < cut < axis.high:
        edges[np.argmin(np.abs(axis.place(edges) - axis.place(np.array(cut))))] = cut
    bars = np.searchsorted(edges[1:-1], scores, side="right")
    counts = np.bincount(bars, minlength=len(edges) - 1)
    return {"axis": list(axis), "edges": numerals(edges), "counts": counts.tolist()}


def _places(axis: Axis, cut: float) -> FloatArray:
    """Return edges on the drawn axis, one of them at the cut."""
    end = float(axis.place(np.array(axis.high)))
    at_cut = float(axis.place(np.array(cut))) if math.isfinite(cut) else 0.0
    if not 0.0 < at_cut < end:
        return np.linspace(0.0, end, BARS + 1)
    below = min(BARS - 1, max(1, round(BARS * at_cut / end)))
    return np.concatenate(
        [np.linspace(0.0, at_cut, below + 1), np.linspace(at_cut, end, BARS - below + 1)[1:]]
    )
