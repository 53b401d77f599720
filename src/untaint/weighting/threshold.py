r"""Weights of rows by thresholds that somebody else has found.

A selection looks at all losses, finds its thresholds and applies them. Where rows are so many that
no one has all their losses at hand, these are two acts: thresholds are found from a profile of the
losses (:mod:`.profile`), and applied to each part of the rows by itself,

.. math:: w_i = v_i\, [l_i \le t_{g_i}] \qquad\text{or}\qquad w_i = v_i\, \sigma(\lambda (t_{g_i} -
          l_i)).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np
from scipy.special import expit

from .._typing import BoolArray, FloatArray, IntArray
from .trimmed import around


@final
@dataclass(frozen=True)
class SampleLosses:
    """What some rows say to a function.

    Attributes
    ----------
    losses : array of shape (n,)
    deviations : array of shape (n, k)
        Targets less values.
    sample_weight : array of shape (n,)
    groups : array of shape (n,), int
        Class of each row; all zero where there is none.
    excluded : bool array of shape (n,)
        Rows that are not heard.
    """

    losses: FloatArray
    deviations: FloatArray
    sample_weight: FloatArray
    groups: IntArray
    excluded: BoolArray


class WeightFunction(Protocol):
    """Rows to weights, each by itself."""

    def weights(self, rows: SampleLosses) -> FloatArray:
        """Between 0 and the row's own weight."""


@final
@dataclass(frozen=True)
class ThresholdWeights:
    """Rows up to their class's threshold.

    Parameters
    ----------
    thresholds : array of shape (K,)
        Infinite where nothing is given up.
    smoothing : float, optional
        lambda of a soft edge; None is a hard one.
    tied : array of shape (K,), optional
        Part that is kept of the rows that tie with the threshold; None keeps them.

    Examples
    --------
    >>> import numpy as np
    >>> losses, groups = np.array([1.0, 3.0, 3.0]), np.array([0, 0, 1])
    >>> rows = SampleLosses(losses, losses[:, None], np.ones(3), groups, np.zeros(3, bool))
    >>> ThresholdWeights(np.array([2.0, 4.0])).weights(rows)
    array([1., 0., 1.])
    """

    thresholds: FloatArray
    smoothing: float | None = None
    tied: FloatArray | None = None

    def weights(self, rows: SampleLosses) -> FloatArray:
        """Sigmoid of how far each loss lies below, or 0 and 1."""
        t = _own(self.thresholds, rows.groups)
        if self.tied is not None:
            below, tied = around(rows.losses, t)
            part = np.where(tied, _own(self.tied, rows.groups), below)
            weights = part * rows.sample_weight
        elif self.smoothing is None:
            weights = np.where(rows.losses <= t, rows.sample_weight, 0.0)
        else:
            with np.errstate(over="ignore", invalid="ignore"):
                weights = rows.sample_weight * expit(self.smoothing * (t - rows.losses))
        weights[rows.excluded] = 0.0
        return weights


def _own(values: FloatArray, groups: IntArray) -> Any:
    """Of each row's class."""
    return values[groups] if len(values) > 1 else values[0]
