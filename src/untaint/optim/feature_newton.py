r"""Newton steps on explicit features, by passes over the rows.

.. math:: \min_c \; \sum_i w_i \ell(y_i, \phi_i^T c) + \alpha\, c^T P c

with P the identity but for the intercept. A step d solves

.. math:: (\Phi^T H \Phi + 2 \alpha P)\, d = -(\Phi^T g + 2 \alpha P c)

by conjugate gradients, preconditioned by a Gram matrix that follows the weights approximately
(:mod:`.gram`). Each iteration is one pass: :math:`\Phi d` and :math:`\Phi^T H \Phi d` come from a
block of features while it is in memory. A line search needs no further pass.
"""

from collections.abc import Callable
from functools import partial
from typing import Protocol, final

import numpy as np

from .._typing import FloatArray, IntArray
from ..losses import Hessian
from .base import Fit, Precondition, by_output
from .gram import IncrementalGram
from .newton import NewtonSpace, Step, WeightedObjective

MAX_PASSES = 60
# Relative change of a weight that the preconditioner ignores.
GRAM_TOLERANCE = 0.1
# Passes of a step beyond which the Gram matrix should follow the weights exactly.
PATIENCE = 8

#: Slopes to pull back, from the rows of a block and their values.
Slopes = Callable[[slice, FloatArray], FloatArray]


class BlockFeatures(Protocol):
    """Features of rows that are read in blocks."""

    n_rows: int

    @property
    def width(self) -> int:
        """Number of columns, that of an intercept included."""

    @property
    def penalised(self) -> FloatArray:
        """Diagonal of P."""

    @property
    def fit_intercept(self) -> bool:
        """Whether the last column is of ones."""

    @property
    def of_columns(self) -> bool:
        """Whether features are columns of the rows, some of which may be rare."""

    def squares(self, weights: FloatArray) -> FloatArray:
        """Return weighted sums of squares of each feature, for each column of weights."""

    def squared_sizes(self, coef: FloatArray) -> FloatArray:
        """Return the sum over functions of their squared values, at each row."""

    def gram(self, weights: FloatArray, rows: IntArray | None = None) -> FloatArray:
        """Return weighted sums of products of features, over all rows or over some."""

    def rmatvec(self, slopes: FloatArray) -> FloatArray:
        """Return Phi^T u."""

    def matvec_rmatvec(self, coef: FloatArray, slopes: Slopes) -> tuple[FloatArray, FloatArray]:
        """Return Phi c, and Phi^T u for the slopes u of these values."""


@final
class FeatureSpace(NewtonSpace):
    """Functions by their coefficients on blocked features.

    In the preconditioner the Gram matrix of ``sample``, ascending indices of rows, may stand for
    that of all rows.
    """

    in_passes = True

    def __init__(self, features: BlockFeatures, sample: IntArray | None = None) -> None:
        self.features = features
        self._sample = sample
        self._scale = 1.0 if sample is None else features.n_rows / len(sample)
        self._grams: list[IncrementalGram] = []

    def start(self, objective: WeightedObjective, around: FloatArray | None) -> Fit:
        """Return the zero function, or the mean for a quadratic loss."""
        y, inside = objective.y, objective.weights > 0
        coef = np.zeros((self.features.width - self.features.fit_intercept, y.shape[1]))
        intercept, weights = np.zeros(y.shape[1]), objective.weights[inside]
        if objective.loss.quadratic and self.features.fit_intercept:
            intercept = weights @ y[inside] / weights.sum()
        return Fit(coef, intercept, np.tile(intercept, (len(y), 1)), 0.0)

    def step(
        self, objective: WeightedObjective, fit: Fit, tol: float, value: float | None = None
    ) -> Step:
        """Minimise the second-order expansion around a fit; see :meth:`NewtonSpace.step`."""
        start, penalised = self.coef(fit), self.features.penalised[:, None]
        gradient = self.features.rmatvec(objective.gradient(fit.predictions))
        gradient = gradient + 2.0 * objective.alpha * penalised * start
        parts = (objective, gradient, fit.predictions)
        direction, values, decrease = self.solve_step(*parts, tol, value=value)

        def moved(length: float) -> Fit:
            return self.fit(start + length * direction, fit.predictions + length * values)

        return Step(decrease, moved)

    def coef(self, fit: Fit) -> FloatArray:
        """Return the coefficients of all columns, that of the intercept included."""
        return np.vstack([fit.coef, fit.intercept]) if self.features.fit_intercept else fit.coef

    def fit(self, coef: FloatArray, predictions: FloatArray) -> Fit:
        """Return the function of coefficients of all columns."""
        intercept = np.zeros(coef.shape[1])
        if self.features.fit_intercept:
            coef, intercept = coef[:-1], coef[-1]
        return Fit.on_features(coef, intercept, predictions)

    def normalised(self, fit: Fit) -> Fit:
        """Return the fit with intercepts of mean zero: classes only differ by their scores."""
        if len(fit.intercept) == 1 or not self.features.fit_intercept:
            return fit
        shift = fit.intercept.mean()
        return Fit(fit.coef, fit.intercept - shift, fit.predictions - shift, fit.squared_norm)

    def state_dict(self) -> dict[str, FloatArray]:
        """Return what a checkpoint stores: Gram matrices and the weights that they belong to."""
        states = enumerate(gram.state_dict() for gram in self._grams)
        return {f"{name}{j}": value for j, state in states for name, value in state.items()}

    def load_state_dict(self, state: dict[str, FloatArray]) -> None:
        """Restore what :meth:`state_dict` returned."""
        names, count = ("sums", "weights", "tolerance"), sum(n.startswith("sums") for n in state)
        self._grams = [self._new_gram() for _ in range(count)]
        for j, gram in enumerate(self._grams):
            gram.load_state_dict({name: state[f"{name}{j}"] for name in names})

    def _new_gram(self) -> IncrementalGram:
        return IncrementalGram(self.features, GRAM_TOLERANCE, self._sample, self._scale)

    def solve_step(
        self,
        objective: WeightedObjective,
        gradient: FloatArray,
        values: FloatArray,
        tol: float,
        extra: FloatArray | None = None,
        value: float | None = None,
        *,
        positive: bool = False,
    ) -> tuple[FloatArray, FloatArray, float]:
        """Return the step (p, k) for any gradient, its values at the rows, and the decrease.

        The loss is expanded at the function of ``values``, (n, k), with ``extra``, (p, k), added to
        the diagonal of the Hessian, which is a ``positive`` one or the exact one. For the accuracy
        see :meth:`NewtonSpace.step`.
        """
        penalty = 2.0 * objective.alpha * self.features.penalised[:, None]
        if extra is not None and extra.any():
            penalty = penalty + extra
        convex = hessian = objective.hessian(values)
        if not (positive or objective.loss.convex):
            hessian = objective.exact_hessian(values)
        precondition = self._preconditioner(objective, convex, penalty)
        residual, direction = -gradient, np.zeros(gradient.shape)
        step, step_values = np.zeros(gradient.shape), np.zeros(values.shape)
        decrease, rho, passes = 0.0, 0.0, 0
        while passes < MAX_PASSES:
            z = precondition(residual)
            rho, last = float(np.vdot(residual, z)), rho
            enough = tol**2 * (decrease if value is None else abs(value - decrease))
            stalled = passes > 1 and rho > 0.9 * last and tol > 0 and 0.5 * rho < 1e-6 * decrease
            if not rho > 0 or 0.5 * rho <= enough or stalled:  # stalled: by single precision
                break
            direction = z + (rho / last if last > 0 else 0.0) * direction
            moved, image = self.features.matvec_rmatvec(direction, partial(_times, hessian))
            image = image + penalty * direction
            curvature = float(np.vdot(direction, image))
            if not curvature > 0:
                if passes > 0 or hessian is convex:
                    break
                hessian, rho = convex, 0.0
                continue
            length = rho / curvature
            step, step_values = step + length * direction, step_values + length * moved
            residual = residual - length * image
            decrease += 0.5 * length * rho
            passes += 1
        if passes > PATIENCE:  # an approximate Gram matrix costs more passes than it saves
            for gram in self._grams:
                gram.tolerance = 0.0
        return step, step_values, decrease

    def _preconditioner(
        self, objective: WeightedObjective, hessian: Hessian, penalty: FloatArray
    ) -> Precondition:
        """Return the inverse of each output's own block; a quadratic loss has one for all."""
        n_outputs = objective.y.shape[1]
        if not self._grams:
            count = 1 if objective.loss.quadratic else n_outputs
            self._grams = [self._new_gram() for _ in range(count)]
        diagonals = np.broadcast_to(penalty, (len(penalty), n_outputs)).T
        entries = [hessian.entry(j, j) for j in range(len(self._grams))]
        parts = zip(self._grams, entries, diagonals, strict=False)
        return by_output([gram.inverse(weights, diagonal) for gram, weights, diagonal in parts])


def _times(hessian: Hessian, rows: slice, values: FloatArray) -> FloatArray:
    """Return the Hessians of some rows times their values."""
    return hessian.among(rows).times(values)
