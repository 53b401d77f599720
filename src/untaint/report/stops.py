"""The places where the page's slider can stop, with the exact number of rows flagged at each.

A page cannot carry the scores of a hundred thousand rows, so it carries some hundred cuts with
their counts. They stand at every row while few rows are flagged and thin out geometrically after
that: one row more or less matters among ten and does not among ten thousand.
"""

import math
from typing import Any

import numpy as np

from .._typing import FloatArray
from .numerals import numeral

MOST_STOPS = 800
# The slider ends where this part of the rows would be flagged, or further out if need be.
DEEPEST = 0.5


def slider_stops(scores: FloatArray, suggested: float) -> dict[str, Any]:
    """Return cuts from the lowest to the highest, and how many rows each flags.

    Parameters
    ----------
    scores : array of shape (n,)
        A row without a score (NaN) is never flagged.
    suggested : float
        The cut that was found; always one of the stops.

    Returns
    -------
    dict
        ``cuts``, where None is a cut above all scores; ``counts``; ``suggested``, an index.

    Examples
    --------
    >>> slider_stops(np.array([1.0, 2.0, 3.0, 4.0]), 3.5)
    {'cuts': [3.0, 3.5, None], 'counts': [2, 1, 0], 'suggested': 1}
    """
    known = np.asarray(scores, dtype=np.float64)
    ascending = np.sort(known[~np.isnan(known)])
    n = len(ascending)
    cut_of_count: dict[int, float | None] = {}
    for cut in _candidates(ascending, suggested):
        cut_of_count[_flagged_at(ascending, cut)] = cut
    cut_of_count.setdefault(0, None)
    at_suggestion = 0
    if not math.isnan(suggested):
        at_suggestion = _flagged_at(ascending, suggested)
        if at_suggestion or (n and math.isfinite(suggested)):
            cut_of_count[at_suggestion] = float(suggested)
    counts = sorted(cut_of_count, reverse=True)
    cuts = [cut_of_count[k] for k in counts]
    return {
        "cuts": [None if cut is None else numeral(cut) for cut in cuts],
        "counts": counts,
        "suggested": counts.index(at_suggestion),
    }


def _candidates(ascending: FloatArray, suggested: float) -> list[float]:
    n = len(ascending)
    if n == 0:
        return []
    wanted = 0 if math.isnan(suggested) else _flagged_at(ascending, suggested)
    deepest = min(n, max(math.ceil(DEEPEST * n), 2 * wanted))
    ranks = np.unique(np.rint(np.geomspace(1, deepest, MOST_STOPS)).astype(np.intp))
    return np.unique(ascending[n - ranks]).tolist()


def _flagged_at(ascending: FloatArray, cut: float) -> int:
    return len(ascending) - int(np.searchsorted(ascending, cut, side="left"))
