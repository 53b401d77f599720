r"""Rows and settings that agree: which rows to trust, and which kernel and ridge they ask for.

Two questions wait for one another's answer. A setting can be chosen by leave-one-out errors once
the rows to trust are known; and rows can be judged by leave-one-out residuals once the setting is
known. So take turns:

1. For each setting, the leave-one-out residuals of the fit to the present weights. The best setting
   has the smallest mean square over the present weights: all settings are scored on the same rows,
   for a setting that could choose its rows would choose those that it fits.
2. Judge all rows by their residuals under that setting, in units of what such a prediction leaves
   open, and weigh them anew.

One decomposition a kernel serves every ridge (:mod:`~untaint.solvers.ridge_path`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import FloatArray
from .ridge_path import RidgePath

# Turns, and the mean change of a weight at which they end.
TURNS = 8
SETTLED = 2e-3
# Largest predictive variance that excuses a row's error.
LARGEST_EXCUSE = 1.0

Judge = Callable[[FloatArray, FloatArray], FloatArray]
Features = Callable[[], FloatArray]


@dataclass(frozen=True)
class Agreement:
    """What was agreed upon.

    Attributes
    ----------
    kernel, ridge : int
        Positions of the setting.
    weights : array of shape (n,)
    residuals : array of shape (n, k)
        Leave-one-out residuals under that setting, over the deviation of such a prediction.
    deviations : array of shape (n,)
        Which is one and more, in units of the noise.
    errors : array of shape (n_kernels, n_ridges)
        Mean square of the leave-one-out residuals, over the weights of the last turn that scored
        the setting.
    turns : int
    """

    kernel: int
    ridge: int
    weights: FloatArray
    residuals: FloatArray
    deviations: FloatArray
    errors: FloatArray
    turns: int


def agree(
    features: Sequence[Features],
    ridges: Sequence[float] | FloatArray,
    y: FloatArray,
    row_weights: FloatArray,
    weights: FloatArray,
    judge: Judge,
    *,
    first: tuple[int, int] = (0, 0),
    fit_intercept: bool = True,
) -> Agreement:
    """Take turns until neither the setting nor the weights change.

    Parameters
    ----------
    features : sequence of callables
        One a kernel, each returning its features, (n, m). Neighbours in the sequence are alike.
    ridges : sequence of float
    y : array of shape (n, k)
    row_weights, weights : array of shape (n,)
        Of the rows themselves, and those to begin with.
    judge : callable (residuals, weights) -> weights
    first : pair of int
        Kernel and ridge of the first turn: the setting that the first weights were found with.
    fit_intercept : bool

    Returns
    -------
    Agreement
    """
    table = _Table(features, ridges, y, row_weights, fit_intercept)
    everything = range(len(features))
    choice, turns = first, 0
    kernels: Sequence[int] = [first[0]]
    while True:
        previous = choice
        if turns == 0:
            path = table.path(first[0], weights)
        else:
            choice, path = table.best(kernels, weights)
        residuals, deviations = standard_residuals(path, y, ridges[choice[1]], row_weights)
        judged = judge(residuals, weights)
        moved = float(np.abs(judged - weights).sum()) / float(row_weights.sum())
        weights, turns = judged, turns + 1
        settled = moved <= SETTLED and choice == previous
        if turns >= TURNS or (settled and len(kernels) == len(features) and table.complete):
            if table.errors.size == 1:  # nothing to choose from, but still to be reported
                table.errors[:] = _error(path, y, ridges[0], row_weights)
            return Agreement(*choice, weights, residuals, deviations, table.errors, turns)
        # All kernels, then those next to the best, which are all in play; in the end all again.
        if turns == 1 or settled or turns == TURNS - 1:
            kernels = everything
        else:
            kernels = everything[max(0, choice[0] - 1) : choice[0] + 2]


class _Table:
    """Leave-one-out errors of all settings."""

    def __init__(
        self,
        features: Sequence[Features],
        ridges: Sequence[float] | FloatArray,
        y: FloatArray,
        row_weights: FloatArray,
        fit_intercept: bool,
    ) -> None:
        self.features, self.ridges, self.y = features, ridges, y
        self.row_weights, self.fit_intercept = row_weights, fit_intercept
        self.errors = np.full((len(features), len(ridges)), np.inf)

    @property
    def complete(self) -> bool:
        """Whether every setting has been scored, or there is only one."""
        return self.errors.size == 1 or bool(np.isfinite(self.errors).all())

    def path(self, kernel: int, weights: FloatArray) -> RidgePath:
        return RidgePath(self.features[kernel](), weights, self.fit_intercept)

    def best(
        self, kernels: Iterable[int], weights: FloatArray
    ) -> tuple[tuple[int, int], RidgePath]:
        """The setting of the smallest error among these kernels; of equals the largest ridge."""
        best, least = None, np.inf
        for kernel in kernels:
            path = self.path(kernel, weights)
            for j, ridge in enumerate(self.ridges):
                self.errors[kernel, j] = _error(path, self.y, ridge, self.row_weights)
                if best is None or self.errors[kernel, j] <= least:
                    best, least = ((kernel, j), path), self.errors[kernel, j]
        assert best is not None
        return best


def standard_residuals(
    path: RidgePath, y: FloatArray, ridge: float, row_weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Leave-one-out residuals over the deviation of such a prediction, and that deviation."""
    residuals, variances = path.leave_one_out(y, ridge, row_weights)
    deviations = np.sqrt(1.0 + np.minimum(variances, LARGEST_EXCUSE))
    return residuals / deviations[:, None], deviations


def _error(path: RidgePath, y: FloatArray, ridge: float, row_weights: FloatArray) -> float:
    """Mean square over the rows that have a say."""
    inside = path.weights > 0
    residuals, _ = path.leave_one_out(y, ridge, row_weights)
    squares = np.einsum("ij,ij->i", residuals[inside], residuals[inside])
    return float(path.weights[inside] @ squares) / path.total
