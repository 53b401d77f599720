"""Where a kernel and rows become what the solvers need.

A problem is either dual, with the kernel matrix of all rows, or primal, with the columns of X as
features of the linear kernel. Both offer the same three things: features to search on, a ridge
system to refit with, and coefficients to predict with.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, final

import numpy as np
from scipy import sparse

from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray, IntArray
from ..kernels import Kernel, Precomputed
from ..losses import Loss
from ..screening import (
    BEYOND_REACH,
    centre,
    near_rows,
    radii,
    radii_of_matrix,
    representatives,
    screen,
)
from ..selection import Selection
from ..solvers import (
    ExactRidge,
    Fit,
    IterativeRidge,
    PrimalRidge,
    RidgeSystem,
    Sample,
    Search,
    Settled,
    coarse_to_fine,
    nystroem_features,
    search_labels,
)
from ..solvers.gram import WeightedGram

# Rows and landmarks of the search: it looks for a rough shape, which few of them show.
SCOUT_ROWS = 400
SEARCH_ROWS = 1000
SEARCH_LANDMARKS = 80
# Landmarks of the fits that rows are judged and settings are chosen by.
JUDGING_LANDMARKS = 400
# Rows up to which factorising is as quick as iterating.
EXACT_ROWS = 600
# Rows up to which the matrix is kept in double precision.
DOUBLE_ROWS = 4000

# Cost of a preconditioner that couples several outputs, in units of one output's.
COUPLING = 3.0


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
    def wild(self) -> BoolArray:
        """Rows whose features are implausible."""
        if isinstance(self.kernel, Precomputed):
            return ~near_rows(self.radius, self.row_weights, BEYOND_REACH)
        return screen(self.X, self.row_weights).wild

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


class Problem(Rows):
    """Rows that a fit can be made to."""

    #: Whether refits are by conjugate gradients, to a tolerance.
    iterative = False
    #: Whether a fit consists of products too small to be worth more than one thread.
    small_products = False

    @abstractmethod
    def system(self) -> RidgeSystem:
        """What refits."""

    @abstractmethod
    def newton_systems(self, n_outputs: int) -> list[RidgeSystem]:
        """What multiplies and preconditions in Newton steps, a cheap stand-in first if it pays."""

    @abstractmethod
    def dual_coef(self, fit: Fit, y: FloatArray, weights: FloatArray) -> FloatArray:
        """One coefficient a row and output."""

    def hopeless(self, selection: Selection, reach: float = BEYOND_REACH) -> BoolArray:
        """Rows beyond reach, if they are few enough to be given up; else none."""
        near = near_rows(self.radius, self.row_weights, reach)
        enough = float(self.row_weights[near].sum()) >= selection.kept_total(self.row_weights)
        return ~near if enough else np.zeros_like(near)


@final
class DualProblem(Problem):
    """Any kernel, by its matrix.

    Parameters
    ----------
    kernel, X, row_weights, ridge, fit_intercept
        As in :class:`Problem`.
    K : array of shape (n, n)
    iterative : bool
        Refit by conjugate gradients and not by factorisation.
    """

    def __init__(
        self,
        kernel: Kernel,
        X: Any,
        row_weights: FloatArray,
        ridge: float,
        fit_intercept: bool,
        K: FloatArray,
        iterative: bool,
    ) -> None:
        super().__init__(kernel, X, row_weights, ridge, fit_intercept)
        self.K = K
        self.iterative = iterative
        # Conjugate gradients read the matrix once a step: memory is what they wait for.
        self.small_products = iterative or len(K) <= EXACT_ROWS

    @cached_property
    def search_features(self) -> FloatArray:
        """Nystroem features of few landmarks."""
        return self._nystroem(SEARCH_LANDMARKS)

    @cached_property
    def judging_features(self) -> FloatArray:
        """Nystroem features of more landmarks, all rows if they are few."""
        return self._nystroem(JUDGING_LANDMARKS)

    @cached_property
    def features(self) -> FloatArray:
        """Nystroem features of more landmarks: the preconditioner."""
        return self._nystroem(preconditioner_size(len(self.K)))

    @cached_property
    def gram(self) -> WeightedGram:
        """Of these features, shared by whoever refits with them."""
        return WeightedGram(self.features)

    def system(self) -> RidgeSystem:
        """Factorise or iterate."""
        if not self.iterative:
            return ExactRidge(self.K, self.fit_intercept)
        return IterativeRidge(self.K, self.features, self.fit_intercept, self.gram)

    def newton_systems(self, n_outputs: int) -> list[RidgeSystem]:
        """Factorise one output of few rows; several are coupled and always iterated on."""
        if n_outputs == 1:
            return [self.system()]
        features = self._nystroem(preconditioner_size(len(self.K), n_outputs))
        full = IterativeRidge(self.K, features, self.fit_intercept)
        # Few rows are read as quickly in full.
        return [PrimalRidge(features, self.fit_intercept), full] if self.iterative else [full]

    def low_rank_system(self) -> RidgeSystem:
        """Cheap stand-in for the iterative system."""
        return PrimalRidge(self.features, self.fit_intercept, self.gram)

    def dual_coef(self, fit: Fit, y: FloatArray, weights: FloatArray) -> FloatArray:
        """The fit's own."""
        return fit.coef

    def _nystroem(self, count: int) -> FloatArray:
        landmarks = self.representatives(count).rows
        return nystroem_features(self.K[landmarks], landmarks)


@final
class PrimalProblem(Problem):
    """The linear kernel, by the columns of X."""

    @cached_property
    def centre(self) -> FloatArray:
        """Subtracted from dense rows where an intercept takes it up again."""
        if not self.fit_intercept:
            return np.zeros(self.X.shape[1])
        return centre(self.X, self.row_weights)

    @cached_property
    def features(self) -> Any:
        """Centred columns; sparse ones as they are."""
        if sparse.issparse(self.X) or not self.centre.any():
            return self.X
        return self.X - self.centre.astype(self.X.dtype)

    @cached_property
    def search_features(self) -> FloatArray:
        """The columns themselves while they are few, else Nystroem features."""
        return self._dense(SEARCH_LANDMARKS)

    @cached_property
    def judging_features(self) -> FloatArray:
        """The same, with more landmarks."""
        return self._dense(JUDGING_LANDMARKS)

    def _dense(self, count: int) -> FloatArray:
        """At most so many features."""
        if self.X.shape[1] <= count:
            dense = self.features.toarray() if sparse.issparse(self.features) else self.features
            return np.asarray(dense, dtype=float)
        landmarks = self.representatives(count).rows
        columns = self.features[landmarks] @ self.features.T
        if sparse.issparse(columns):
            columns = columns.toarray()
        return nystroem_features(np.asarray(columns), landmarks)

    @cached_property
    def gram(self) -> WeightedGram:
        """Of the columns; follows the weights."""
        return WeightedGram(self.features)

    def system(self) -> RidgeSystem:
        """Normal equations."""
        return PrimalRidge(self.features, self.fit_intercept, self.gram)

    def newton_systems(self, n_outputs: int) -> list[RidgeSystem]:
        """The same."""
        return [self.system()]

    def primal_coef(self, fit: Fit) -> tuple[FloatArray, FloatArray]:
        """Coefficients of the columns as given, and the intercept that goes with them."""
        return fit.coef, fit.intercept - self.centre @ fit.coef

    def dual_coef(self, fit: Fit, y: FloatArray, weights: FloatArray) -> FloatArray:
        """The fit's own; of a squared loss, a = w (y - f) / ridge, at the ridge of the ball."""
        if fit.dual is not None:
            return fit.dual
        slopes = weights[:, None] * np.where(weights[:, None] > 0, y - fit.predictions, 0.0)
        pull = np.asarray(self.features.T @ slopes)
        ridge = float(np.sum(pull * fit.coef)) / max(fit.squared_norm, np.finfo(float).tiny)
        G, total = self.gram.at(weights)
        if np.linalg.norm(pull) > 1e-9 * np.sqrt(np.trace(G)) * np.linalg.norm(slopes):
            return slopes / ridge
        # Without a ridge any combination of the kept rows that gives the coefficients will do.
        mean = total / weights.sum() if self.fit_intercept else np.zeros(len(total))
        inner = np.linalg.lstsq(G - np.outer(mean, total), fit.coef, rcond=None)[0]
        return weights[:, None] * (np.asarray(self.features @ inner) - mean @ inner)


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
            return nystroem_features(self.X[landmarks], landmarks)
        return nystroem_features(self.kernel.matrix(self.X[landmarks], self.X), landmarks)


def preconditioner_size(n_rows: int, n_outputs: int = 1) -> int:
    """Landmarks that pay: their cost grows with the square, the iterations they save do not."""
    size = np.clip(6.0 * np.sqrt(n_rows), 50, 700)
    # Several outputs: one Gram matrix for each pair of them.
    pairs = 0.5 * n_outputs * (n_outputs + 1)
    return int(max(20.0, size * np.sqrt(COUPLING / pairs))) if n_outputs > 1 else int(size)
