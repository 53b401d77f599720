r"""Newton's method on explicit features, by passes over the rows.

.. math:: \min_c \; \sum_i w_i \ell(y_i, \phi_i^T c) + \alpha\, c^T P c

with P the identity but for the intercept. A step d solves

.. math:: (\Phi^T H \Phi + 2 \alpha P)\, d = -(\Phi^T g + 2 \alpha P c)

by conjugate gradients, preconditioned by sums over rows that are followed as weights change
(:mod:`.followed_gram`). Each iteration is one pass: the values :math:`\Phi d` of a direction and
what they pull, :math:`\Phi^T H \Phi d`, come from a block while it is at hand. So no pass is needed
to know the values of the sum of all steps, nor to search along one. A squared loss takes one step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np

from .._typing import FloatArray, IntArray
from ..losses import Hessian, Loss
from .base import Fit, Precondition
from .followed_gram import TolerantGram

MAX_STEPS = 50
MAX_PASSES = 60
# Part of the fall of a step's objective that a pass must bring to be worth the next.
LOOSE_STEP, TIGHT_STEP = 0.1, 1e-4
# Passes of a step beyond which the sums should follow the weights more closely.
PATIENCE = 8
ARMIJO, SHORTEST = 1e-4, 1e-6
# A step that promises less than this of a row's loss, on average, is as good as its second order.
SURE = 1e-4
# Without a ridge separable classes have no best fit: so much of one, for each row, stands in.
MIN_ALPHA = 1e-10


#: From the rows of a block and their values to what is pulled back.
Slopes = Callable[[slice, FloatArray], FloatArray]


class Features(Protocol):
    """What passes over rows can do."""

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
        """Weighted sums of squares of each feature, for each column of weights."""

    def gram(self, weights: FloatArray, rows: IntArray | None = None) -> FloatArray:
        """Weighted sums of products."""

    def rmatvec(self, slopes: FloatArray) -> FloatArray:
        """Phi^T u."""

    def matvec_rmatvec(self, coef: FloatArray, slopes: Slopes) -> tuple[FloatArray, FloatArray]:
        """Phi c, and Phi^T u of slopes u of these values."""


@dataclass(frozen=True)
class FeatureStep:
    """Direction, its values at the rows, how far its objective falls, and passes made."""

    coef: FloatArray
    values: FloatArray
    gained: float
    passes: int


@final
class FeatureNewton:
    """Minimises a loss on features, time and again, for weights and ridges that change.

    Parameters
    ----------
    features : Features
    loss : Loss
    y : array of shape (n, k)
    sample : array of indices, ascending, optional
        Rows that stand for all in the preconditioner.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.feature_maps import BlockedFeatures, IdentityMap, Plan
    >>> from untaint.losses import SquaredLoss
    >>> X, y = np.array([[-1.0], [1.0]]), np.array([[0.0], [4.0]])
    >>> features = BlockedFeatures(IdentityMap(np.zeros(1)), X, True, Plan(2, 0))
    >>> newton = FeatureNewton(features, SquaredLoss(), y)
    >>> newton.solve(np.ones(2), alpha=2.0).predictions.ravel().round(6)
    array([1., 3.])
    """

    def __init__(
        self, features: Features, loss: Loss, y: FloatArray, sample: IntArray | None = None
    ) -> None:
        self.features = features
        self.loss = loss
        self.y = y
        self._sample = sample
        self._scale = 1.0 if sample is None else features.n_rows / len(sample)
        self._grams: list[TolerantGram] = []

    def solve(
        self, weights: FloatArray, alpha: float, start: Fit | None = None, tol: float = 1e-8
    ) -> Fit:
        """Minimiser for these weights.

        Parameters
        ----------
        weights : array of shape (n,)
        alpha : float
        start : Fit, optional
            On the same features.
        tol : float
            Relative accuracy of the objective is ``tol ** 1.5``.
        """
        if not self.loss.quadratic:
            alpha = max(alpha, MIN_ALPHA * float(weights.sum()))
        coef, values = self._start(start, weights)
        if self.loss.quadratic:
            value = self._objective(coef, values, weights, alpha)
            step = self._step(coef, values, weights, alpha, tol**0.75, value)
            return self._fit(coef + step.coef, values + step.values)
        total, gain = float(weights.sum()), 1.0
        for _ in range(MAX_STEPS):
            inner = float(np.clip(gain, TIGHT_STEP, LOOSE_STEP))
            step = self._step(coef, values, weights, alpha, inner, None)
            if not step.gained > 0:
                break
            # Of losses that are about one a row.
            gain = step.gained / total
            length = 1.0 if gain < SURE else self._search(coef, values, step, weights, alpha)
            coef, values = coef + length * step.coef, values + length * step.values
            # What is left: the step's own inexactness, and what the second order did not foresee.
            if length == 0 or gain * (inner**2 + gain) <= tol**1.5:
                break
        return self._fit(coef, values)

    def state_dict(self) -> dict[str, FloatArray]:
        """The sums that it follows, by name."""
        state: dict[str, FloatArray] = {}
        for j, gram in enumerate(self._grams):
            state |= {f"{name}{j}": value for name, value in gram.state_dict().items()}
        return state

    def load_state_dict(self, state: dict[str, FloatArray]) -> None:
        """Go on with such sums."""
        count = sum(name.startswith("sums") for name in state)
        if not count:
            return
        self._grams = [self._new_gram() for _ in range(count)]
        for j, gram in enumerate(self._grams):
            gram.load_state_dict(
                {name: state[f"{name}{j}"] for name in ("sums", "weights", "stale")}
            )

    def _new_gram(self) -> TolerantGram:
        return TolerantGram(self.features, self._sample, self._scale)

    def _start(self, start: Fit | None, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        if start is None:
            coef = np.zeros((self.features.width, self.y.shape[1]))
            if self.loss.quadratic and self.features.fit_intercept:
                inside = weights > 0
                coef[-1] = weights[inside] @ self.y[inside] / weights[inside].sum()
            return coef, np.tile(coef[-1], (len(self.y), 1))
        if not self.features.fit_intercept:
            return start.coef, start.predictions
        return np.vstack([start.coef, start.intercept]), start.predictions

    def _fit(self, coef: FloatArray, values: FloatArray) -> Fit:
        intercept = np.zeros(coef.shape[1])
        if self.features.fit_intercept:
            coef, intercept = coef[:-1], coef[-1]
            if not self.loss.quadratic and len(intercept) > 1:
                # Scores of classes may all be raised alike: by nothing, then.
                values, intercept = values - intercept.mean(), intercept - intercept.mean()
        return Fit(coef, intercept, values, float(np.vdot(coef, coef)))

    def _step(
        self,
        coef: FloatArray,
        values: FloatArray,
        weights: FloatArray,
        alpha: float,
        tol: float,
        value: float | None,
    ) -> FeatureStep:
        """Minimiser of the second order around a function, by conjugate gradients."""
        penalty = 2.0 * alpha * self.features.penalised
        slopes = _weighted(weights, self.loss.gradient(self.y, values))
        gradient = self.features.rmatvec(slopes) + penalty[:, None] * coef
        del slopes
        return self._descend(gradient, values, weights, penalty, tol, value)

    def solve_step(
        self,
        gradient: FloatArray,
        values: FloatArray,
        weights: FloatArray,
        alpha: float,
        tol: float,
        extra: FloatArray | None = None,
    ) -> FloatArray:
        """The step that the second order here suggests for a gradient from elsewhere.

        Parameters
        ----------
        gradient : array of shape (p, k)
        values : array of shape (n, k)
            Of the function to step away from.
        weights : array of shape (n,)
        alpha : float
        tol : float
            Relative accuracy of the step.
        extra : array of shape (p, k), optional
            Added to the diagonal of the second order.
        """
        penalty = 2.0 * alpha * self.features.penalised
        if extra is not None and extra.any():
            penalty = penalty[:, None] + extra
        return self._descend(gradient, values, weights, penalty, tol, None).coef

    def _descend(
        self,
        gradient: FloatArray,
        values: FloatArray,
        weights: FloatArray,
        penalty: FloatArray,
        tol: float,
        value: float | None,
    ) -> FeatureStep:
        """Conjugate gradients; their accuracy is of the objective, or else of what is gained."""
        residual = -gradient
        hessian = self.loss.hessian(self.y, values).weighted(weights)
        precondition = self._preconditioner(hessian, penalty)
        d, d_values = np.zeros(gradient.shape), np.zeros(self.y.shape)
        direction = np.zeros(gradient.shape)
        gained, rho, passes, left = 0.0, 0.0, 0, np.inf
        while passes < MAX_PASSES:
            z = precondition(residual)
            rho, old = float(np.vdot(residual, z)), rho
            left = 0.5 * rho
            enough = tol**2 * (gained if value is None else abs(value - gained))
            if not rho > 0 or left <= enough:
                break
            if passes > 1 and rho > 0.9 * old and tol > 0 and gained > 0 and left < 1e-6 * gained:
                break  # rounding: single precision can do no more
            direction = z + (rho / old if old > 0 else 0.0) * direction
            moved, bent = self.features.matvec_rmatvec(direction, _Bend(hessian))
            image = bent + (penalty[:, None] if penalty.ndim == 1 else penalty) * direction
            bend = float(np.vdot(direction, image))
            if not bend > 0:
                break
            length = rho / bend
            d, d_values = d + length * direction, d_values + length * moved
            residual = residual - length * image
            gained += 0.5 * length * rho
            passes += 1
        if passes > PATIENCE:
            for gram in self._grams:
                gram.follow_exactly()
        return FeatureStep(d, d_values, gained, passes)

    def _preconditioner(self, hessian: Hessian, penalty: FloatArray) -> Precondition:
        """Each output as if the others stood still."""
        k = self.y.shape[1]
        shared = self.loss.quadratic
        if not self._grams:
            count = 1 if shared else k
            self._grams = [self._new_gram() for _ in range(count)]
        inverses = [
            gram.inverse(hessian.entry(j, j), penalty if penalty.ndim == 1 else penalty[:, j])
            for j, gram in enumerate(self._grams)
        ]
        if shared or k == 1:
            return inverses[0]

        def separately(v: FloatArray) -> FloatArray:
            return np.column_stack([inverse(x) for inverse, x in zip(inverses, v.T, strict=True)])

        return separately

    def _search(
        self,
        coef: FloatArray,
        values: FloatArray,
        step: FeatureStep,
        weights: FloatArray,
        alpha: float,
    ) -> float:
        """Halve the step until the objective falls."""
        value = self._objective(coef, values, weights, alpha)
        length, slope = 1.0, -2.0 * step.gained
        while length > SHORTEST:
            reached = self._objective(
                coef + length * step.coef, values + length * step.values, weights, alpha
            )
            if reached <= value + ARMIJO * length * slope + 1e-13 * abs(value):
                return length
            length *= 0.5
        return 0.0

    def _objective(
        self, coef: FloatArray, values: FloatArray, weights: FloatArray, alpha: float
    ) -> float:
        inside = weights > 0
        if inside.all():
            losses = self.loss.value(self.y, values)
        else:
            losses, weights = self.loss.value(self.y[inside], values[inside]), weights[inside]
        squares = self.features.penalised @ (coef * coef)
        return float(weights @ losses) + alpha * float(np.sum(squares))


@final
class _Bend:
    """H times values, for the rows of a block."""

    def __init__(self, hessian: Hessian) -> None:
        self.hessian = hessian

    def __call__(self, rows: slice, values: FloatArray) -> FloatArray:
        return self.hessian.among(rows).times(values)


def _weighted(weights: FloatArray, gradient: FloatArray) -> FloatArray:
    """Row by row; a row beyond all bounds that has no weight pulls nowhere."""
    with np.errstate(invalid="ignore"):
        gradient *= weights[:, None]
    if not np.isfinite(gradient).all():
        gradient[weights == 0] = 0.0
    return gradient
