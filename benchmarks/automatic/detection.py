"""Measures of outlier detection, against the rows that are truly bad.

false discoveries   share of the flagged rows that are good; 0 where none is flagged
recall              share of the bad rows that are flagged
recall allowed      the largest recall of a score, over the thresholds whose share of false
                    discoveries is at most a given one
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Mask: TypeAlias = NDArray[np.bool_]

# Shares of whole rows: equal ones may differ in their last bits.
ROUNDING = 1e-9


def false_discoveries(flagged: Mask, bad: Mask) -> float:
    """Return share of the flagged rows that are good."""
    return float(np.mean(~bad[flagged])) if flagged.any() else 0.0


def recall(flagged: Mask, bad: Mask) -> float:
    """Return share of the bad rows that are flagged; nan without bad rows."""
    return float(np.mean(flagged[bad])) if bad.any() else float("nan")


def recall_allowed(score: NDArray[np.float64], bad: Mask, share: float) -> float:
    """Return best recall of a score with at most this share of false discoveries.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.automatic.detection import recall_allowed
    >>> score = np.array([4.0, 3.0, 2.0, 1.0])
    >>> bad = np.array([True, False, True, False])
    >>> recall_allowed(score, bad, 0.0), recall_allowed(score, bad, 0.4)
    (0.5, 1.0)
    """
    order = np.argsort(-score, kind="stable")
    found, ranks = np.cumsum(bad[order]), np.arange(1, len(bad) + 1)
    # A threshold cannot part rows of the same score.
    last = np.append(np.diff(score[order]) != 0, True)
    allowed = last & ((ranks - found) / ranks <= share + ROUNDING)
    return float(found[allowed].max(initial=0) / found[-1]) if bad.any() else float("nan")
