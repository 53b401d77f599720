r"""Kernel and ridge of a fit to labels, however many of them are wrong.

Settings are scored by leave-one-out Brier errors.

Ridge regression on the indicators of the classes predicts the probability of a label, and

.. math:: B = \frac1n \sum_i \sum_k \bigl(y_{ik} - f_k^{-i}(x_i)\bigr)^2

is a proper score of it. Labels that are wrong at random add the same to the B of every setting and
shrink what there is to predict, so that more of them ask for a smoother fit: the one that a search
for the right rows should begin with. How far a trimmed fit may then be loosened is the question of
:mod:`~untaint.model_selection.label_alpha`.

Of kernels whose errors differ by no more than one standard error of the difference, taken row by
row, the smoothest wins: at 40 % wrong labels few differences are more than chance.

One decomposition a kernel serves every ridge. Where nothing is known the log-loss has curvature c,
so that its ridge alpha stands for a ridge of :math:`2 \alpha / c` here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import BoolArray, FloatArray
from ..losses import Loss
from ..optim.ridge_path import RidgePath

Features = Callable[[], FloatArray]


@dataclass(frozen=True)
class LabelSetting:
    """The setting, and how all settings did.

    Attributes
    ----------
    kernel, alpha : int
        Positions of the setting.
    errors, deviations : array of shape (n_kernels, n_ridges)
        Leave-one-out Brier errors, and their standard errors.
    aucs : array of shape (n_kernels, n_ridges)
        How well trimmed fits order labels held out, nan for settings that were not in play.
    predictions : array of shape (n, 1) or (n, K)
        By ridge regression at the setting that the errors chose, each row left out.
    """

    kernel: int
    alpha: int
    errors: FloatArray
    deviations: FloatArray
    aucs: FloatArray
    predictions: FloatArray


def select_label_setting(
    features: Sequence[Features],
    alphas: Sequence[float] | FloatArray,
    y: FloatArray,
    loss: Loss,
    sample_weight: FloatArray,
    *,
    near: BoolArray | None = None,
    fit_intercept: bool = True,
) -> LabelSetting:
    """Kernel and ridge of a fit to all rows; nothing need be known of the wrong labels.

    Parameters
    ----------
    features : sequence of callables
        One a kernel, the smoothest first, each returning its features, (n, m).
    alphas : sequence of float, positive
        alpha of the log-loss.
    y : array of shape (n, 1) or (n, K)
        Targets of the loss: 0 and 1, or indicators.
    loss : Loss
    sample_weight : array of shape (n,)
        A weight of k means k copies.
    near : bool array of shape (n,), optional
        Rows that take part.
    fit_intercept : bool

    Returns
    -------
    LabelSetting

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.losses import LogisticLoss
    >>> x = np.linspace(-1.0, 1.0, 40)
    >>> y = (x > 0).astype(float)[:, None]
    >>> y[::5] = 1.0 - y[::5]  # every fifth label is wrong
    >>> kernels = [lambda: np.abs(x)[:, None], lambda: x[:, None]]
    >>> select_label_setting(kernels, [0.1, 1.0], y, LogisticLoss(), np.ones(40)).kernel
    1
    """
    alphas = np.asarray(alphas, dtype=float)
    inside = np.ones(len(y), dtype=bool) if near is None else near
    weights = np.where(inside, sample_weight, 0.0)
    curvature = float(loss.hessian(y[:1], np.zeros_like(y[:1])).entry(0, 0)[0])
    shape = len(features), len(alphas)
    errors, deviations = np.full(shape, np.inf), np.full(shape, np.nan)
    best: list[_Best] = []
    for kernel, make in enumerate(features):
        path = RidgePath(make(), weights, fit_intercept)
        best.append(_Best(int(np.argmax(alphas)), np.zeros(len(y)), np.zeros(y.shape)))
        # The largest ridge first: of equals it stays.
        for alpha in np.argsort(-alphas, kind="stable"):
            residuals, _ = path.leave_one_out(y, 2.0 * alphas[alpha] / curvature, sample_weight)
            squares = np.einsum("ij,ij->i", residuals, residuals)
            error, deviation = _mean(squares[inside], weights[inside])
            if error < errors[kernel].min():
                best[-1] = _Best(int(alpha), squares, y - residuals)
            errors[kernel, alpha], deviations[kernel, alpha] = error, deviation
    kernel = _smoothest(best, int(np.argmin(errors.min(axis=1))), inside, weights)
    chosen, missing = best[kernel], np.full(shape, np.nan)
    return LabelSetting(kernel, chosen.alpha, errors, deviations, missing, chosen.predictions)


@dataclass(frozen=True, eq=False)
class _Best:
    """A kernel's best ridge: squared errors and predictions of the rows, each left out."""

    alpha: int
    squares: FloatArray
    predictions: FloatArray


def _smoothest(best: list[_Best], winner: int, inside: BoolArray, weights: FloatArray) -> int:
    """The first kernel that is not worse than the winner by more than chance."""
    for kernel, rival in enumerate(best[:winner]):
        excess, deviation = _mean((rival.squares - best[winner].squares)[inside], weights[inside])
        if excess <= deviation:
            return kernel
    return winner


def _mean(values: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Weighted mean, and its standard error."""
    total = float(weights.sum())
    mean = float(weights @ values) / total
    return mean, float(np.sqrt(weights @ (values - mean) ** 2)) / total
