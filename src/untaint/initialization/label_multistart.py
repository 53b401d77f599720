r"""Where to begin when labels are wrong.

A free fit reaches wrong labels and then believes them. So the search begins with fits too stiff for
that, of a few degrees of freedom, lets them settle on the rows that they explain, and loosens them
by factors of ten down to the ridge asked for. Several starts are made on few rows; the best two are
carried on to more rows, and the best of these predicts all.

Everything happens on features, few of them: those that a ridge shrinks to a tenth or less have no
part at its rung.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray
from ..design.base import Design
from ..design.subsample import Subset
from ..losses import Loss
from ..optim.base import Fit
from ..optim.c_steps import alternate
from ..optim.newton import Newton
from ..optim.newton_step import KernelSpace
from ..optim.ridge_primal import PrimalRidge
from ..weighting.base import TrimmingRule
from .continuation import ALPHA_STEP, NEGLIGIBLE, alpha_of_dof, principal_rotation
from .multistart import FINALISTS

# Degrees of freedom of the starts, a class; the last start is at the ridge asked for.
DOFS = (3.0, 12.0, 6.0, 24.0, 48.0, np.inf)
# Unknowns of a fit, all classes together: beyond, the rough shape is not rough any more.
MOST_UNKNOWNS = 500
# Rounds of weighing and refitting on one rung, and how well each is solved.
ROUNDS = 6
ACCURACY = 1e-2


@dataclass(frozen=True)
class StartingPoint:
    """Rows that were found to agree, and what a rough fit to them predicts."""

    weights: FloatArray
    predictions: FloatArray


def find_label_inliers(
    design: Design,
    y: FloatArray,
    loss: Loss,
    weighting: TrimmingRule,
    n_starts: int,
    rng: np.random.Generator,
) -> StartingPoint:
    """Search a design for the samples to start from; see :func:`search_labels`."""
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        return search_labels(
            design.init_features,
            y,
            design.levels,
            loss,
            weighting,
            design.alpha,
            near=design.near,
            n_starts=n_starts,
            rng=rng,
        )


def search_labels(
    features: FloatArray,
    y: FloatArray,
    levels: Sequence[Subset],
    loss: Loss,
    weighting: TrimmingRule,
    alpha: float,
    *,
    near: BoolArray,
    n_starts: int = 6,
    rng: np.random.Generator,
) -> StartingPoint:
    """Search for the share of rows whose labels agree best with their features.

    Parameters
    ----------
    features : array of shape (n, m)
    y : array of shape (n, k)
    levels : sequence of Subset
        Each within the next, the last being all rows with their own weights.
    loss : Loss
    weighting : Selection
        Of all rows.
    alpha : float
    near : bool array of shape (n,)
        Rows that may take part; the others are judged later.
    n_starts : int
        Beyond six, the starts are made on random halves of the rows.
    rng : Generator

    Returns
    -------
    Settled
    """
    total = float(levels[-1].weights.sum())

    def continuation_on(sample: Subset) -> LogisticContinuation:
        rows, weights = sample.rows, sample.weights
        part = float(weights.sum()) / total
        return LogisticContinuation(
            features[rows],
            y[rows],
            weights,
            near[rows],
            loss,
            weighting.among(rows),
            part * alpha,
        )

    *sampled, everything = levels
    level, continuation = levels[0], continuation_on(levels[0])
    states = [
        continuation.follow_path(continuation.start(members), continuation.alpha_for_dof(dof))
        for dof, members in _starts(len(level.rows), n_starts, rng)
    ]
    for wider in sampled[1:]:
        best = _best(states, FINALISTS)
        continuation, inside = continuation_on(wider), np.searchsorted(wider.rows, level.rows)
        states = [
            continuation.c_steps(continuation.extend(inside, state.weights), continuation.alpha)
            for state in best
        ]
        level = wider
    (state,) = _best(states, 1)
    if level is everything:
        return StartingPoint(state.weights, state.fit.predictions)
    # From here on the full model is quicker than another rough one: it only needs to be told.
    predictions = continuation.predict(state.fit, features)
    losses = np.where(near, loss.value(y, predictions), np.inf)
    return StartingPoint(weighting.weights(losses, everything.weights), predictions)


def _starts(n_rows: int, n_starts: int, rng: np.random.Generator) -> list[tuple[float, BoolArray]]:
    everyone = np.ones(n_rows, dtype=bool)
    return [
        (
            DOFS[start % len(DOFS)],
            everyone if start < len(DOFS) else rng.random(n_rows) < 0.5,
        )
        for start in range(n_starts)
    ]


@dataclass(frozen=True)
class _State:
    fit: Fit
    weights: FloatArray
    objective: float


def _best(states: list[_State], count: int) -> list[_State]:
    """The lowest objectives, equal weights counted once."""
    distinct: list[_State] = []
    for state in sorted(states, key=lambda state: state.objective):
        if not any(np.array_equal(state.weights, known.weights) for known in distinct):
            distinct.append(state)
    return distinct[:count]


@final
class LogisticContinuation:
    """Trimmed fits to labels on features, from a stiff ridge down to the one asked for."""

    def __init__(
        self,
        features: FloatArray,
        y: FloatArray,
        sample_weight: FloatArray,
        near: BoolArray,
        loss: Loss,
        weighting: TrimmingRule,
        alpha: float,
    ) -> None:
        self.y = y
        self.sample_weight = sample_weight
        self.near = near
        self.loss = loss
        self.weighting = weighting
        self.alpha = alpha
        frame = np.where(near, sample_weight, 0.0)
        self.values, self._rotate = principal_rotation(np.asarray(features, dtype=float), frame)
        self.rotated = self._rotate(features)
        self._newtons: dict[int, Newton[KernelSpace]] = {}

    @property
    def middle_curvature(self) -> float:
        """Second derivative of the loss where nothing is known: p (1 - p) at p = 1 / classes."""
        k = self.y.shape[1]
        return 0.25 if k == 1 else (1.0 - 1.0 / k) / k

    def alpha_for_dof(self, dof: float) -> float:
        """Ridge at which a fit has so many degrees of freedom, or the one asked for if larger."""
        size = max(float(self.sample_weight.sum()), len(self.y))
        strong_alpha = alpha_of_dof(
            0.5 * self.middle_curvature * self.values, min(dof, max(1.0, size / 10.0))
        )
        return max(self.alpha, strong_alpha if np.isfinite(dof) else 0.0)

    def start(self, members: BoolArray) -> FloatArray:
        """Weights to begin with: everybody's, or some members'."""
        return np.where(members & self.near, self.sample_weight, 0.0)

    def follow_path(self, weights: FloatArray, alpha: float) -> _State:
        """Settle at ever smaller ridges."""
        state = self.c_steps(weights, alpha)
        while alpha > self.alpha:
            alpha = max(alpha / ALPHA_STEP, self.alpha)
            state = self.c_steps(state.weights, alpha, state.fit.predictions)
        return state

    def extend(self, inside: np.ndarray, weights: FloatArray) -> FloatArray:
        """Weights here, from weights found on some of these rows."""
        extended = np.zeros(len(self.y))
        extended[inside] = weights
        return extended

    def predict(self, fit: Fit, features: FloatArray) -> FloatArray:
        """Raw predictions of a fit made here at any rows."""
        return self._rotate(features)[:, : len(fit.coef)] @ fit.coef + fit.intercept

    def c_steps(
        self, weights: FloatArray, alpha: float, around: FloatArray | None = None
    ) -> _State:
        """Fit and weigh, a few times."""
        solution = alternate(
            self._refit(alpha, around),
            self.loss,
            self.weighting,
            self.y,
            self.sample_weight,
            weights,
            alpha,
            tol=ACCURACY,
            max_iter=ROUNDS,
            excluded=~self.near,
        )
        losses = self.loss.value(self.y, solution.fit.predictions)
        losses[~self.near] = np.inf
        chosen = self.weighting.weights(losses, self.sample_weight)
        return _State(solution.fit, chosen, solution.objective_path[-1])

    def _refit(
        self, alpha: float, around: FloatArray | None
    ) -> Callable[[FloatArray, Fit | None, float], Fit]:
        matter = int(
            np.count_nonzero(0.5 * self.middle_curvature * self.values > NEGLIGIBLE * alpha)
        )
        width = max(1, min(matter, MOST_UNKNOWNS // self.y.shape[1], self.rotated.shape[1]))
        if width not in self._newtons:
            system = PrimalRidge(np.ascontiguousarray(self.rotated[:, :width]))
            self._newtons[width] = Newton(KernelSpace(system), self.loss, self.y)
        newton = self._newtons[width]
        return lambda weights, fit, tol: newton.solve(weights, alpha, fit, tol, around)
