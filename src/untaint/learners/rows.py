"""Rows under a kernel: what can be searched and judged, whoever fits them.

A search looks at few rows and few features, in levels; a judgement at more of both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, final

import numpy as np

from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray, IntArray
from .._validation import in_double
from ..kernels import Kernel, Precomputed
from ..losses import Loss
from ..screening import (
    BEYOND_REACH,
    Screen,
    near_rows,
    radii,
    radii_of_matrix,
    representatives,
    screen,
)
from ..selection import Selection
from ..solvers import (
    Sample,
    Search,
    Settled,
    coarse_to_fine,
    nystroem_features,
    search_labels,
)

# Rows and landmarks of the search: it looks for a rough shape, which few of them show.
SCOUT_ROWS = 400
SEARCH_ROWS = 1000
SEARCH_LANDMARKS = 80
# Landmarks of the fits that rows are judged and settings are chosen by.
JUDGING_LANDMARKS = 400


class Rows(ABC):
    """Rows under a kernel, with weights of their own: what can be searched and judged.

    Parameters
    ----------
    kernel : Kernel
    X : array or CSR of shape (n, d)
    row_weights : array of shape (n,), positive
    ridge : float
        Strength of the penalty on the squared norm.
    fit_intercept : bool
    """

    def __init__(
        self, kernel: Kernel, X: Any, row_weights: FloatArray, ridge: float, fit_intercept: bool
    ) -> None:
        self.kernel = kernel
        self.X = X
        self.row_weights = row_weights
        self.ridge = ridge
        self.fit_intercept = fit_intercept

    @property
    @abstractmethod
    def search_features(self) -> FloatArray:
        """Dense features, at most a few hundred, that show the rough shape of any fit."""

    @property
    @abstractmethod
    def judging_features(self) -> FloatArray:
        """Dense features, more of them: each row is judged by a fit to the others on these."""

    @property
    def size(self) -> float:
        """Number of rows, copies counted."""
        return max(float(self.row_weights.sum()), float(len(self.row_weights)))

    @cached_property
    def radius(self) -> FloatArray:
        """Distance of each row from the centre."""
        if isinstance(self.kernel, Precomputed):
            return radii_of_matrix(self.X, self.row_weights)
        return radii(self.X, self.row_weights)

    @cached_property
    def plausible(self) -> BoolArray:
        """Rows that may set scales and take part in first fits."""
        return near_rows(self.radius, self.row_weights)

    @cached_property
    def screen(self) -> Screen:
        """What the features alone say of each row."""
        return screen(self.X, self.row_weights)

    @property
    def wild(self) -> BoolArray:
        """Rows whose features are implausible."""
        if isinstance(self.kernel, Precomputed):
            return ~near_rows(self.radius, self.row_weights, BEYOND_REACH)
        return self.screen.wild

    def representatives(self, count: int, within: IntArray | None = None) -> Sample:
        """At most so many plausible rows, spread over all of them, or over those within."""
        near = np.flatnonzero(self.plausible) if within is None else within
        weights = self.row_weights[near]
        ties = None if isinstance(self.kernel, Precomputed) else self.X[near]
        rows, counts = representatives(ties, weights, self.radius[near], count)
        return Sample(near[rows], counts)

    @cached_property
    def levels(self) -> list[Sample]:
        """Few rows to scout on, more to search on, and all rows; fewer levels for few rows."""
        everything = Sample(np.arange(len(self.row_weights)), self.row_weights)
        levels = [everything]
        for count in (SEARCH_ROWS, SCOUT_ROWS):
            if max(levels[0].weights.sum(), len(levels[0].rows)) > count:
                within = levels[0].rows[self.plausible[levels[0].rows]]
                levels.insert(0, self.representatives(count, within))
        return levels

    def search(
        self,
        y: FloatArray,
        contamination: float,
        n_starts: int,
        rng: np.random.Generator,
    ) -> Search:
        """Rows to begin with; see :func:`~untaint.solvers.coarse_to_fine`."""
        # Many small products: threads would only wait for one another.
        with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
            return coarse_to_fine(
                self.search_features,
                y,
                self.levels,
                contamination,
                self.ridge,
                plausible=self.plausible,
                n_starts=n_starts,
                rng=rng,
            )

    def search_labels(
        self,
        y: FloatArray,
        loss: Loss,
        selection: Selection,
        n_starts: int,
        rng: np.random.Generator,
    ) -> Settled:
        """Rows to begin with; see :func:`~untaint.solvers.search_labels`."""
        with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
            return search_labels(
                self.search_features,
                y,
                self.levels,
                loss,
                selection,
                self.ridge,
                plausible=self.plausible,
                n_starts=n_starts,
                rng=rng,
            )


@final
class Sketch(Rows):
    """Any kernel, by Nystroem features and without its matrix: enough to choose a setting by."""

    @cached_property
    def search_features(self) -> FloatArray:
        """Nystroem features of few landmarks."""
        return self._nystroem(SEARCH_LANDMARKS)

    @cached_property
    def judging_features(self) -> FloatArray:
        """Nystroem features of more landmarks, all rows if they are few."""
        return self._nystroem(JUDGING_LANDMARKS)

    def _nystroem(self, count: int) -> FloatArray:
        landmarks = self.representatives(count).rows
        if isinstance(self.kernel, Precomputed):
            return nystroem_features(in_double(self.X[landmarks]), landmarks)
        values = self.kernel.matrix(self.X[landmarks], self.X, dtype=np.float64)
        return nystroem_features(values, landmarks)
