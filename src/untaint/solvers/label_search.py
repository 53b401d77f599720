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

from .._typing import BoolArray, FloatArray
from ..losses import Loss
from ..selection import Selection
from .alternating import alternate
from .base import Fit
from .ladder import NEGLIGIBLE, RUNG, principal_rotation, ridge_of_dimension
from .newton import Newton
from .primal_ridge import PrimalRidge
from .search import FINALISTS, Sample

# Degrees of freedom of the starts, a class; the last start is at the ridge asked for.
FREEDOMS = (3.0, 12.0, 6.0, 24.0, 48.0, np.inf)
# Unknowns of a fit, all classes together: beyond, the rough shape is not rough any more.
MOST_UNKNOWNS = 500
# Rounds of weighing and refitting on one rung, and how well each is solved.
ROUNDS = 6
ACCURACY = 1e-2


@dataclass(frozen=True)
class Settled:
    """Rows that were found to agree, and what a rough fit to them predicts."""

    weights: FloatArray
    predictions: FloatArray


def search_labels(
    features: FloatArray,
    y: FloatArray,
    levels: Sequence[Sample],
    loss: Loss,
    selection: Selection,
    ridge: float,
    *,
    plausible: BoolArray,
    n_starts: int = 6,
    rng: np.random.Generator,
) -> Settled:
    """Search for the share of rows whose labels agree best with their features.

    Parameters
    ----------
    features : array of shape (n, m)
    y : array of shape (n, k)
    levels : sequence of Sample
        Each within the next, the last being all rows with their own weights.
    loss : Loss
    selection : Selection
        Of all rows.
    ridge : float
    plausible : bool array of shape (n,)
        Rows that may take part; the others are judged later.
    n_starts : int
        Beyond six, the starts are made on random halves of the rows.
    rng : Generator

    Returns
    -------
    Settled
    """
    total = float(levels[-1].weights.sum())

    def ladder_on(sample: Sample) -> LabelLadder:
        rows, weights = sample.rows, sample.weights
        part = float(weights.sum()) / total
        return LabelLadder(
            features[rows],
            y[rows],
            weights,
            plausible[rows],
            loss,
            selection.among(rows),
            part * ridge,
        )

    *sampled, everything = levels
    level, ladder = levels[0], ladder_on(levels[0])
    states = [
        ladder.climb_down(ladder.start(members), ladder.stiff_ridge(freedom))
        for freedom, members in _starts(len(level.rows), n_starts, rng)
    ]
    for wider in sampled[1:]:
        best = _best(states, FINALISTS)
        ladder, inside = ladder_on(wider), np.searchsorted(wider.rows, level.rows)
        states = [
            ladder.settle(ladder.extend(inside, state.weights), ladder.ridge) for state in best
        ]
        level = wider
    (state,) = _best(states, 1)
    if level is everything:
        return Settled(state.weights, state.fit.predictions)
    # From here on the full model is quicker than another rough one: it only needs to be told.
    predictions = ladder.predict(state.fit, features)
    losses = np.where(plausible, loss.value(y, predictions), np.inf)
    return Settled(selection.weights(losses, everything.weights), predictions)


def _starts(n_rows: int, n_starts: int, rng: np.random.Generator) -> list[tuple[float, BoolArray]]:
    everyone = np.ones(n_rows, dtype=bool)
    return [
        (
            FREEDOMS[start % len(FREEDOMS)],
            everyone if start < len(FREEDOMS) else rng.random(n_rows) < 0.5,
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
class LabelLadder:
    """Trimmed fits to labels on features, from a stiff ridge down to the one asked for."""

    def __init__(
        self,
        features: FloatArray,
        y: FloatArray,
        row_weights: FloatArray,
        plausible: BoolArray,
        loss: Loss,
        selection: Selection,
        ridge: float,
    ) -> None:
        self.y = y
        self.row_weights = row_weights
        self.plausible = plausible
        self.loss = loss
        self.selection = selection
        self.ridge = ridge
        frame = np.where(plausible, row_weights, 0.0)
        self.values, self._rotate = principal_rotation(np.asarray(features, dtype=float), frame)
        self.columns = self._rotate(features)
        self._newtons: dict[int, Newton] = {}

    @property
    def middle_curvature(self) -> float:
        """Second derivative of the loss where nothing is known: p (1 - p) at p = 1 / classes."""
        k = self.y.shape[1]
        return 0.25 if k == 1 else (1.0 - 1.0 / k) / k

    def stiff_ridge(self, freedom: float) -> float:
        """Ridge at which a fit has so many degrees of freedom, or the one asked for if larger."""
        size = max(float(self.row_weights.sum()), len(self.y))
        stiff = ridge_of_dimension(
            0.5 * self.middle_curvature * self.values, min(freedom, max(1.0, size / 10.0))
        )
        return max(self.ridge, stiff if np.isfinite(freedom) else 0.0)

    def start(self, members: BoolArray) -> FloatArray:
        """Weights to begin with: everybody's, or some members'."""
        return np.where(members & self.plausible, self.row_weights, 0.0)

    def climb_down(self, weights: FloatArray, ridge: float) -> _State:
        """Settle at ever smaller ridges."""
        state = self.settle(weights, ridge)
        while ridge > self.ridge:
            ridge = max(ridge / RUNG, self.ridge)
            state = self.settle(state.weights, ridge, state.fit.predictions)
        return state

    def extend(self, inside: np.ndarray, weights: FloatArray) -> FloatArray:
        """Weights here, from weights found on some of these rows."""
        spread = np.zeros(len(self.y))
        spread[inside] = weights
        return spread

    def predict(self, fit: Fit, features: FloatArray) -> FloatArray:
        """Raw predictions of a fit made here at any rows."""
        return self._rotate(features)[:, : len(fit.coef)] @ fit.coef + fit.intercept

    def settle(self, weights: FloatArray, ridge: float, around: FloatArray | None = None) -> _State:
        """Fit and weigh, a few times."""
        solution = alternate(
            self._refit(ridge, around),
            self.loss,
            self.selection,
            self.y,
            self.row_weights,
            weights,
            ridge,
            tol=ACCURACY,
            max_iter=ROUNDS,
            hopeless=~self.plausible,
        )
        losses = self.loss.value(self.y, solution.fit.predictions)
        losses[~self.plausible] = np.inf
        chosen = self.selection.weights(losses, self.row_weights)
        return _State(solution.fit, chosen, solution.objective_path[-1])

    def _refit(
        self, ridge: float, around: FloatArray | None
    ) -> Callable[[FloatArray, Fit | None, float], Fit]:
        matter = int(
            np.count_nonzero(0.5 * self.middle_curvature * self.values > NEGLIGIBLE * ridge)
        )
        width = max(1, min(matter, MOST_UNKNOWNS // self.y.shape[1], self.columns.shape[1]))
        if width not in self._newtons:
            system = PrimalRidge(np.ascontiguousarray(self.columns[:, :width]))
            self._newtons[width] = Newton(system, self.loss, self.y)
        newton = self._newtons[width]
        return lambda weights, fit, tol: newton.solve(weights, ridge, fit, tol, around)
