"""Groups of values that a gap separates from the rest of a column.

For ordered values x(1) <= ... <= x(n), the k largest are separated by g = x(n-k+1) - x(n-k). Where
a tail is that of a Pareto law (on the log scale), g has the mean s / k, where s is the mean excess
of the m largest other values (Hill, 1975, https://doi.org/10.1214/aos/1176343247), so that a gap
as wide as g has the probability exp(-k g / s).
"""

from typing import NamedTuple

import numpy as np

from ..._typing import FloatArray

# Least multiples of the mean excess and of the widest spacing in the outer quarter of the body.
SURPRISE = 12.0
WIDER = 3.0
# Distinct values that a body needs, to have a tail.
MIN_DISTINCT = 10


class Gap(NamedTuple):
    """The widest gap in the upper tail of ordered values.

    Attributes
    ----------
    k : int
        Number of values above it.
    width : float
    """

    k: int
    width: float


def widest_upper_gap(ordered: FloatArray, largest: int) -> Gap:
    """Return the widest gap above which there are at most so many values.

    Parameters
    ----------
    ordered : array of shape (n,)
    largest : int
        At least 1, below n.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cells.checks.gaps import widest_upper_gap
    >>> widest_upper_gap(np.array([1.0, 2, 3, 50, 51]), 2)
    Gap(k=2, width=47.0)
    """
    spacings = np.diff(ordered[-largest - 1 :])
    i = int(np.argmax(spacings))
    return Gap(largest - i, float(spacings[i]))


def mean_excess(body: FloatArray, share: float = 0.1, fewest: int = 10) -> float:
    """Return the mean excess of the largest of ordered values over the next smaller one.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cells.checks.gaps import mean_excess
    >>> mean_excess(np.arange(101.0))
    5.5
    """
    m = min(max(fewest, int(share * len(body))), len(body) - 1)
    return float(np.mean(body[-m:]) - body[-m - 1])


def is_surprising(body: FloatArray, k: int, width: float) -> bool:
    """Return whether a gap between ordered values and k larger ones is wide for their tail.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cells.checks.gaps import is_surprising
    >>> is_surprising(np.arange(101.0), 1, 20.0), is_surprising(np.arange(101.0), 1, 80.0)
    (False, True)
    """
    if len(np.unique(body)) < MIN_DISTINCT:
        return False
    outer = body[-max(len(body) // 4, 2) :]
    return bool(k * width >= SURPRISE * mean_excess(body) and width >= WIDER * np.diff(outer).max())
