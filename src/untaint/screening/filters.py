r"""Filters that exclude samples a priori, by their features alone.

A filter is fitted to a subsample and applied to any part of the data, sample by sample:

* :class:`RadiusFilter` excludes samples farther than a limit from a centre;
* :class:`OutlyingnessFilter` excludes samples beyond the limits of a screen (:mod:`.screen`), of
  single features or of all together. Samples of the subsample keep the outlyingness that the
  screen gave them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from .radius import by_blocks, distances_from
from .screen import ScreenModel


class SampleFilter(Protocol):
    """A rule that excludes samples from a fit a priori."""

    def excluded_mask(self, X: Any, numbers: IntArray | int = 0) -> BoolArray:
        """Return the mask of the excluded rows of X.

        ``numbers`` holds their indices among all samples, or that of the first if consecutive.
        """


@final
@dataclass(frozen=True)
class RadiusFilter:
    """A filter that excludes samples farther than ``limit`` from ``centre``."""

    centre: FloatArray
    limit: float

    def excluded_mask(self, X: Any, numbers: IntArray | int = 0) -> BoolArray:
        """Return the mask of the rows of X farther than ``limit`` from the centre."""
        return distances_from(X, self.centre) > self.limit


@final
@dataclass(frozen=True)
class OutlyingnessFilter:
    """A filter that excludes samples beyond the limits of a fitted screen.

    ``rows`` holds the ascending indices of the subsample among all samples, and ``outlying`` the
    screen's outlyingness of it. The model is None if there were too few samples to fit limits.
    """

    screen_model: ScreenModel | None
    rows: IntArray
    outlying: FloatArray

    def excluded_mask(self, X: Any, numbers: IntArray | int = 0) -> BoolArray:
        """Return the mask of the rows of X whose outlyingness exceeds 1."""
        model = self.screen_model
        return self._with_subsample(None if model is None else model.beyond_one, X, numbers) > 1

    def outlyingness(self, X: Any, numbers: IntArray | int = 0) -> FloatArray:
        """Return the outlyingness of each row of X; beyond 1 it is a feature outlier."""
        model = self.screen_model
        return self._with_subsample(None if model is None else model.total, X, numbers)

    def _with_subsample(
        self, measure: Callable[[Any], FloatArray] | None, X: Any, numbers: IntArray | int
    ) -> FloatArray:
        """Return a measure of each row of X, at least the outlyingness that the screen gave it."""
        out = np.zeros(X.shape[0]) if measure is None else by_blocks(measure, X)
        if isinstance(numbers, np.ndarray):
            places = np.searchsorted(self.rows, numbers)
            own = np.flatnonzero(np.append(self.rows, -1)[places] == numbers)
            places = places[own]
        else:
            places = np.arange(*np.searchsorted(self.rows, [numbers, numbers + X.shape[0]]))
            own = self.rows[places] - numbers
        out[own] = np.maximum(out[own], self.outlying[places])
        return out
