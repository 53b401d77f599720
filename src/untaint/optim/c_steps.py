r"""Concentration: weigh the rows, refit, weigh again.

.. math:: w \leftarrow h'(\ell(f)), \qquad f \leftarrow \arg\min_f \sum_i w_i \ell_i(f) +
          \alpha \|f\|^2

lowers :math:`h(\ell(f)) + \alpha \|f\|^2` at either step, because h is concave: the objective never
rises, and with trimming it ends after finitely many steps. This is the papers' alternation of
eqs. (9) and (10) with the exact minimiser in place of a gradient step.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._typing import BoolArray, FloatArray
from ..losses import Loss
from ..weighting.base import WeightingRule
from .base import Callback, Fit, Progress, Solution, no_callback
from .checkpoint import CheckpointSlot, LoopState

Refit = Callable[[FloatArray, Fit | None, float], Fit]

# Loosest tolerance of a refit whose rows are about to change anyway.
LOOSE = 1e-2
# Tolerance of the others, as a multiple of the share of rows on the move.
ACCURACY = 1.0
# Tolerances from here on are of single precision.
SINGLE = 1e-6


def alternate(
    refit: Refit,
    loss: Loss,
    weighting: WeightingRule,
    y: FloatArray,
    sample_weight: FloatArray,
    weights: FloatArray,
    alpha: float,
    *,
    tol: float,
    max_iter: int,
    loose: float = LOOSE,
    excluded: BoolArray | None = None,
    report: Callback = no_callback,
    start: Fit | None = None,
    slot: CheckpointSlot | None = None,
) -> Solution:
    """Alternate from some weights until they no longer change.

    Parameters
    ----------
    refit : callable (weights, start, tol) -> Fit
        Minimiser of the weighted problem; may be inexact, to a relative residual of tol.
    loss : Loss
    weighting : Rule
    y : array of shape (n, k)
    sample_weight : array of shape (n,)
        The rows' own weights.
    weights : array of shape (n,)
        Where to begin.
    alpha : float
    tol : float
        Of the last refits. Two steps that lower the objective by less than a hundredth of it,
        relatively, count as settled.
    max_iter : int
    loose : float
        Tolerance of the first refits; tol or less for a refit that is exact in any case.
    excluded : bool array of shape (n,), optional
        Rows that are given up whatever they lose.
    report : callable
    start : Fit, optional
        A function to begin the first refit with.
    slot : Slot, optional
        Of a checkpoint: where to go on, and where to write how far it is.

    Returns
    -------
    Solution
    """
    path: list[float] = []
    fit = start

    def reweigh(fit: Fit) -> tuple[FloatArray, float]:
        """Weights that the rows deserve under a fit, and the objective there."""
        losses = loss.value(y, fit.predictions)
        if excluded is not None:
            losses[excluded] = np.inf
        chosen = weighting.weights(losses, sample_weight)
        return chosen, weighting.value_at(chosen, losses, sample_weight) + alpha * fit.squared_norm

    inner = max(tol, loose)
    # Soft weights never stop changing: their last refits are as good as the objective asks for.
    soft = weighting.soft and loose > tol
    reached, first = slot.load() if slot is not None else None, 1
    if reached is not None:
        fit, weights, path, inner = reached.fit, reached.weights, reached.path, reached.inner
        first, fitted = reached.iteration + 1, weights
    for iteration in range(first, max_iter + 1):
        fit = refit(weights, fit, inner)
        chosen, value = reweigh(fit)
        path.append(value)
        moved = float(np.abs(chosen - weights).sum()) / float(sample_weight.sum())
        n_changed = int(np.count_nonzero(chosen != weights))
        report(Progress(iteration, max_iter, path[-1], n_changed))
        exact = inner <= (np.sqrt(tol) if soft else tol)
        if exact and (moved < 1e-12 or _settled(path, tol, soft)):
            return Solution(fit, weights, path, iteration)
        # Few rows on the move: worth solving well. None: the next refit is the last.
        inner = min(inner, max(tol, ACCURACY * moved)) if loose > tol else inner
        fitted, weights = weights, chosen
        if slot is not None:
            slot.save(LoopState(iteration, fit, weights, path, inner))
    assert fit is not None
    remedy = "raise max_iter, or alpha if the kept rows keep changing"
    return Solution(fit, fitted, path, max_iter, converged=False, remedy=remedy)


def _settled(path: list[float], tol: float, soft: bool) -> bool:
    """Whether the last two steps brought nothing: rows that tie may change places for ever."""
    little = 1e-2 * tol
    if soft:
        # Soft weights close in step by step, and the objective is flat there: predictions agree to
        # the root of it. Single precision cannot see as much.
        little = 1e-4 * tol if tol < SINGLE else tol
    return len(path) > 2 and path[-3] - path[-1] <= little * abs(path[-1])
