r"""Weights of samples by thresholds of their losses that are known beforehand.

Where no process has all losses, thresholds are found from a histogram (:mod:`.histogram`) and
applied to each part of the samples separately,

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
    """Losses of n samples under a function, its values, (n, k), and the targets' deviations.

    ``groups`` holds the class of each sample, zero where there are none, and ``excluded`` the mask
    of the samples that are excluded a priori.
    """

    losses: FloatArray
    predictions: FloatArray
    deviations: FloatArray
    sample_weight: FloatArray
    groups: IntArray
    excluded: BoolArray

    def among(self, rows: slice) -> SampleLosses:
        """Return those of some samples."""
        return SampleLosses(*(part[rows] for part in vars(self).values()))


class WeightFunction(Protocol):
    """Weights of samples, each by its own loss."""

    def weights(self, rows: SampleLosses) -> FloatArray:
        """Return weights between 0 and the samples' own."""


@final
@dataclass(frozen=True)
class ThresholdWeights:
    """Weights that keep the samples up to the threshold of their class.

    Thresholds are infinite where nothing is trimmed; ``smoothing`` is the steepness lambda of soft
    ones. ``tied`` holds the fraction that is kept of the samples tied with each threshold; None
    keeps them.
    """

    thresholds: FloatArray
    smoothing: float | None = None
    tied: FloatArray | None = None

    def weights(self, rows: SampleLosses) -> FloatArray:
        """Return the samples' own weights times 0 or 1, or a sigmoid of their margins."""
        t = _by_sample(self.thresholds, rows.groups)
        if self.tied is not None:
            below, tied = around(rows.losses, t)
            part = np.where(tied, _by_sample(self.tied, rows.groups), below)
            weights = part * rows.sample_weight
        elif self.smoothing is None:
            weights = np.where(rows.losses <= t, rows.sample_weight, 0.0)
        else:
            with np.errstate(over="ignore", invalid="ignore"):
                weights = rows.sample_weight * expit(self.smoothing * (t - rows.losses))
        weights[rows.excluded] = 0.0
        return weights


def _by_sample(values: FloatArray, groups: IntArray) -> Any:
    """Return the value of each sample's class."""
    return values[groups] if len(values) > 1 else values[0]
