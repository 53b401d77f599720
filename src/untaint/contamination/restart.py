"""Whether a verdict on many rows is worth a second look, from all rows.

Judging begins with the rows of a search, which gives up nearly half of them. Where the fit to the
others is far off, the rows there seem wrong, have no say, and stay wrong: turns end where they
began. InitialState with all rows ends elsewhere then, and what foretells the targets better is right.

Not where rows come in copies: a row that has a twin is foretold by it, whether it is right or
wrong, so that a fit to all rows would always seem the better one.
"""

from __future__ import annotations

import numpy as np

from .._typing import FloatArray

#: Of a share from here on; wrong rows that are fewer could not have led the search astray.
MIN_CONTAMINATION = 0.25
#: Log-likelihood by which two ends of the turns differ at least, or they are one.
MIN_GAIN = 0.5
# Rows with a twin, beyond which being foretold says nothing.
MAX_DUPLICATES = 0.1
# Features of copies are the same but for the rounding of a kernel.
ROUNDING = 1e-9


def should_restart(
    contamination: float, features: FloatArray, y: FloatArray, counts: FloatArray
) -> bool:
    """Whether to judge again, beginning with all rows.

    Parameters
    ----------
    contamination : float
        Of the rows, that was found to be bad.
    features : array of shape (n, m)
    y : array of shape (n, k)
    counts : array of shape (n,)
        How many rows each one stands for.

    Examples
    --------
    >>> import numpy as np
    >>> features = np.arange(8.0)[:, None]
    >>> [
    ...     should_restart(contamination, features, features**2, np.ones(8))
    ...     for contamination in (0.4, 0.1)
    ... ]
    [True, False]
    >>> should_restart(0.4, features // 2, features // 2, np.ones(8))
    False
    """
    return (
        contamination >= MIN_CONTAMINATION
        and duplicate_fraction(features, y, counts) <= MAX_DUPLICATES
    )


def duplicate_fraction(features: FloatArray, y: FloatArray, counts: FloatArray) -> float:
    """Share of rows that another one repeats, target included; a row of two is its own twin.

    Examples
    --------
    >>> import numpy as np
    >>> features, y = np.array([[1.0], [3.0], [1.0], [4.0]]), np.array([[5.0], [6.0], [5.0], [6.0]])
    >>> (
    ...     duplicate_fraction(features, y, np.ones(4)),
    ...     duplicate_fraction(features[1:], y[1:], np.array([1.0, 2.0, 1.0])),
    ... )
    (0.5, 0.5)
    """
    rows = np.column_stack([features, y])
    sizes = np.abs(rows).max(axis=0)
    rows = rows / np.where(sizes > 0, sizes, 1.0)
    # Along any direction copies meet, and rows that differ hardly ever do.
    direction = np.random.default_rng(0).normal(size=rows.shape[1])
    order = np.argsort(rows @ direction, kind="stable")
    close = np.diff((rows @ direction)[order]) <= ROUNDING * float(np.abs(direction).sum())
    duplicate = np.r_[False, close] | np.r_[close, False] | (counts[order] >= 2)
    return float(counts[order] @ duplicate / counts.sum())
