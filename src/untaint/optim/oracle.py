r"""Result of one pass over all samples: a first-order oracle whose parts add up.

Under the function of coefficients c, with weights :math:`w_i = w(\ell_i)` of the samples, a pass
returns

.. math:: \sum_i w_i \ell_i, \qquad \sum_i w_i, \qquad \sum_i w_i \ell_i'(\phi_i^T c)\, \phi_i,
          \qquad \sum_i w_i \ell_i''\, \phi_i \phi_i^T \text{ or its diagonal},

and a histogram of the losses. The results of disjoint parts add up, wherever these are stored. A
pass keeps no state: the weight of a sample follows from the arguments of the pass alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np

from .._sums import Sum
from .._typing import BoolArray, FloatArray, IntArray
from ..losses import Loss
from ..weighting.histogram import HistogramGrid, LossHistogram
from ..weighting.threshold import SampleLosses, WeightFunction

#: Second-order sums of a pass: none, the weighted Gram matrix, or the weighted squares of columns.
Curvature = Literal["gram", "squares"] | None
# The sums of a pass besides the histogram.
SUMS = ("totals", "gradients", "grams", "column_squares")


@final
@dataclass(frozen=True)
class PassResult:
    """Sums over samples, which add up over disjoint parts of them.

    ``totals`` are the weighted loss of the kept samples, the weight of those excluded a priori and
    the kept weight by class; ``gradients`` is (p, k). The second derivatives, if requested, are
    ``grams`` (p, p), common to all outputs, or their diagonal ``column_squares`` (p, k). Where the
    samples are in memory, ``predictions`` are the values (n, k) of the function.
    """

    totals: Sum
    histogram: LossHistogram
    gradients: Sum
    grams: Sum | None = None
    column_squares: Sum | None = None
    predictions: FloatArray | None = None

    @classmethod
    def of(cls, parts: Sequence[PassResult]) -> PassResult:
        """Return the result of all parts."""
        sums = dict[str, Any]()
        for name in SUMS:
            found = [each for each in (getattr(part, name) for part in parts) if each is not None]
            if found:
                sums[name] = Sum.of(found)
        return cls(histogram=LossHistogram.of([part.histogram for part in parts]), **sums)

    def __add__(self, other: PassResult) -> PassResult:
        """Return the result of both parts."""
        return self.of([self, other])

    @property
    def loss(self) -> float:
        """Weighted loss of the kept samples."""
        return float(self.totals.value[0])

    @property
    def excluded(self) -> float:
        """Weight of the samples that are excluded a priori."""
        return float(self.totals.value[1])

    @property
    def kept(self) -> FloatArray:
        """Weight of the kept samples, by class."""
        return self.totals.value[2:]

    @property
    def gradient(self) -> FloatArray:
        """Gradient of the weighted loss, of shape (p, k)."""
        return self.gradients.value

    @property
    def gram(self) -> FloatArray | None:
        """Hessian of the weighted loss for one output, if it was requested."""
        return None if self.grams is None else self.grams.value

    @property
    def squares(self) -> FloatArray | None:
        """Diagonal of the Hessian, of shape (p, k), if it was requested."""
        return None if self.column_squares is None else self.column_squares.value


class Oracle(ABC):
    """Samples whose losses, gradient and curvature are summed in one pass."""

    @abstractmethod
    def evaluate(
        self,
        coef: FloatArray,
        weight_function: WeightFunction,
        grid: HistogramGrid,
        curvature: Curvature = None,
    ) -> PassResult:
        """Return the sums over all samples, with their losses in the bins of a grid.

        The coefficients of the features are (p, k), that of the column of ones last.
        """


def evaluate_losses(
    loss: Loss,
    y: FloatArray,
    values: FloatArray,
    sample_weight: FloatArray,
    groups: IntArray,
    excluded: BoolArray,
) -> SampleLosses:
    """Return the losses of samples under values of a function; excluded ones lose infinitely."""
    losses = loss.value(y, values)
    losses[excluded] = np.inf
    return SampleLosses(losses, values, y - values, sample_weight, groups, excluded)
