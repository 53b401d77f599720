r"""Which kernel and ridge wrong labels allow: a score that they cannot steer, then one that counts.

**First, all settings, by leave-one-out Brier error.** Ridge regression on the indicators of the
classes predicts the probability of a label, and

.. math:: B = \frac1n \sum_i \sum_k \bigl(y_{ik} - f_k^{-i}(x_i)\bigr)^2

is a proper score of it. Labels that are wrong at random add the same to the B of every setting and
shrink what there is to predict, so that more of them ask for a smoother fit: the fit that a search
for the right rows should begin with. One decomposition a kernel serves every ridge. Where nothing
is known the log-loss has curvature c, so that its ridge alpha corresponds to :math:`2\alpha / c`
of the squared loss.

**Then a few ridges of the best kernel, by how trimmed fits order labels that they have not seen.**
Trimmed rows are noise that the first score still had to smooth away: the ridge may be smaller, by
up to a factor of ten. For classes j and k,

.. math:: A_{jk} = P\bigl(f_j(x) - f_k(x) > f_j(x') - f_k(x') \mid y = j,\; y' = k\bigr),

over rows held out. Wrong labels take A nearer to one half by a factor that all settings share,
whatever their rates in either direction, while they move accuracies of one-sided errors at will.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ..losses import Loss
from ..selection import Selection
from .label_search import LabelLadder
from .ridge_path import RidgePath

N_FOLDS = 10
# Smallest ridge of a trimmed fit, as a part of the one that the first score asks for.
LEAST_PART = 0.1
# Degrees of freedom a class of the fit that trimming starts from.
FREEDOM = 6.0
# Rows of a class whose predictions differ by no more are copies of one another.
SAME = 1e-9

Features = Callable[[], FloatArray]


@dataclass(frozen=True)
class LabelChoice:
    """The setting, and how all settings did.

    Attributes
    ----------
    kernel, ridge : int
        Positions of the setting.
    errors, deviations : array of shape (n_kernels, n_ridges)
        Leave-one-out Brier errors, and their standard errors.
    agreements : array of shape (n_kernels, n_ridges)
        Mean A of trimmed fits, nan where the first score ruled a setting out.
    """

    kernel: int
    ridge: int
    errors: FloatArray
    deviations: FloatArray
    agreements: FloatArray


def choose_label_setting(
    features: Sequence[Features],
    ridges: Sequence[float] | FloatArray,
    y: FloatArray,
    loss: Loss,
    selection: Selection,
    row_weights: FloatArray,
    *,
    plausible: BoolArray | None = None,
    fit_intercept: bool = True,
) -> LabelChoice:
    """Choose a kernel and a ridge from labels of which some are wrong.

    Parameters
    ----------
    features : sequence of callables
        One a kernel, each returning its features, (n, m).
    ridges : sequence of float, positive
        alpha of the log-loss.
    y : array of shape (n, 1) or (n, K)
        Targets of the loss: 0 and 1, or indicators.
    loss : Loss
    selection : Selection
        Of these rows, with the share that the fit is going to give up. Without one, the first
        score decides.
    row_weights : array of shape (n,)
        A weight of k means k copies, which are held out together.
    plausible : bool array of shape (n,), optional
        Rows that take part; the others are only given up.
    fit_intercept : bool

    Returns
    -------
    LabelChoice

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.losses import LogisticLoss
    >>> from untaint.selection import Balanced
    >>> x = np.linspace(-1.0, 1.0, 40)
    >>> codes = (x > 0).astype(int)
    >>> codes[::5] = 1 - codes[::5]  # every fifth label is wrong
    >>> choice = choose_label_setting(
    ...     [lambda: np.cos(9 * x)[:, None], lambda: x[:, None]],
    ...     [0.1, 1.0],
    ...     codes[:, None].astype(float),
    ...     LogisticLoss(),
    ...     Balanced(0.2, codes, n_groups=2),
    ...     np.ones(40),
    ... )
    >>> choice.kernel
    1
    """
    alphas = np.asarray(ridges, dtype=float)
    inside = np.ones(len(y), dtype=bool) if plausible is None else plausible
    weights = np.where(inside, row_weights, 0.0)
    curvature = float(loss.hessian(y[:1], np.zeros_like(y[:1])).entry(0, 0)[0])
    shape = len(features), len(alphas)
    errors, deviations = np.empty(shape), np.empty(shape)
    best: tuple[int, int] | None = None
    for kernel, make in enumerate(features):
        columns = make()
        path = RidgePath(columns, weights, fit_intercept)
        # The largest ridge first: of equals the smoothest.
        for ridge in np.argsort(-alphas, kind="stable"):
            residuals, _ = path.leave_one_out(y, 2.0 * alphas[ridge] / curvature, row_weights)
            error, deviation = _mean_square(residuals[inside], weights[inside])
            errors[kernel, ridge], deviations[kernel, ridge] = error, deviation
            if best is None or error < errors[best]:
                best, kept, predicted = (kernel, int(ridge)), columns, y - residuals
    assert best is not None
    agreements = np.full(shape, np.nan)
    if selection.contamination > 0:
        steps = np.flatnonzero(
            (alphas <= alphas[best[1]]) & (alphas >= LEAST_PART * (1 - SAME) * alphas[best[1]])
        )
        steps = steps[np.argsort(-alphas[steps], kind="stable")]
        held_out = _HeldOut(kept, y, loss, selection, row_weights, inside)
        folds = _folds(predicted, _codes(y), inside)
        found = held_out.agreements(folds, alphas[steps])
        agreements[best[0], steps] = found
        if np.isfinite(found).all():
            best = best[0], int(steps[np.argmax(found)])
    return LabelChoice(*best, errors, deviations, agreements)


@dataclass(frozen=True, eq=False)
class _HeldOut:
    """Trimmed fits on most rows, which predict the others."""

    features: FloatArray
    y: FloatArray
    loss: Loss
    selection: Selection
    row_weights: FloatArray
    plausible: BoolArray

    def agreements(self, folds: IntArray, alphas: FloatArray) -> FloatArray:
        """Mean A at each of these ridges, the largest first."""
        raw = np.zeros((len(alphas), *self.y.shape))
        for fold in np.unique(folds[self.plausible]):
            test = np.flatnonzero(folds == fold)
            raw[:, test] = self._predict(np.flatnonzero(folds != fold), test, alphas)
        codes, weights = _codes(self.y)[self.plausible], self.row_weights[self.plausible]
        return np.array([pairwise_agreement(f[self.plausible], codes, weights) for f in raw])

    def _predict(self, train: IntArray, test: IntArray, alphas: FloatArray) -> FloatArray:
        """Predictions at each ridge; each fit begins with the rows that the last one kept."""
        part = float(self.row_weights[train].sum() / self.row_weights.sum())
        ladder = LabelLadder(
            self.features[train],
            self.y[train],
            self.row_weights[train],
            self.plausible[train],
            self.loss,
            self.selection.among(train),
            part * float(alphas[-1]),
        )
        start = ladder.start(np.ones(len(train), dtype=bool))
        state = ladder.settle(start, max(ladder.stiff_ridge(FREEDOM), part * float(alphas[0])))
        predictions = []
        for alpha in alphas:
            state = ladder.settle(state.weights, part * float(alpha), state.fit.predictions)
            predictions.append(ladder.predict(state.fit, self.features[test]))
        return np.array(predictions)


def pairwise_agreement(raw: FloatArray, codes: IntArray, weights: FloatArray) -> float:
    """A_jk, averaged over pairs of classes by the harmonic mean of their sizes; nan without any.

    Examples
    --------
    >>> import numpy as np
    >>> raw = np.array([[-1.0], [0.0], [0.0], [2.0]])
    >>> pairwise_agreement(raw, np.array([0, 0, 1, 1]), np.ones(4))
    0.875
    """
    scores = np.column_stack([np.zeros(len(raw)), raw]) if raw.shape[1] == 1 else raw
    sizes = np.bincount(codes, weights, minlength=scores.shape[1])
    total = agreed = 0.0
    for j, k in zip(*np.triu_indices(len(sizes), 1), strict=True):
        if sizes[j] > 0 and sizes[k] > 0:
            size = sizes[j] * sizes[k] / (sizes[j] + sizes[k])
            apart = scores[:, j] - scores[:, k]
            total += size
            agreed += size * _above(apart, codes == j, codes == k, weights)
    return agreed / total if total > 0 else float("nan")


def _above(values: FloatArray, upper: BoolArray, lower: BoolArray, weights: FloatArray) -> float:
    """Share of pairs whose upper row has the larger value; ties count half."""
    levels, at = np.unique(values[lower], return_inverse=True)
    reached = np.r_[0.0, np.cumsum(np.bincount(at, weights[lower]))]
    below = reached[np.searchsorted(levels, values[upper], side="left")]
    not_above = reached[np.searchsorted(levels, values[upper], side="right")]
    won = weights[upper] @ (0.5 * (below + not_above))
    return float(won / (weights[upper].sum() * reached[-1]))


def _folds(predicted: FloatArray, codes: IntArray, inside: BoolArray) -> IntArray:
    """Fold of each row, -1 for rows that are never held out.

    Rows of a class are dealt out in the order of what the first score's fit predicts: folds are
    alike, and the same whatever the order of the rows. Copies stay together.
    """
    own = predicted[:, 0] if predicted.shape[1] == 1 else predicted[np.arange(len(codes)), codes]
    folds, dealt = np.full(len(codes), -1), 0
    for code in np.unique(codes[inside]):
        rows = np.flatnonzero(inside & (codes == code))
        rows = rows[np.argsort(own[rows], kind="stable")]
        ranks = np.r_[0, np.cumsum(np.diff(own[rows]) > SAME)]
        folds[rows] = (dealt + ranks) % N_FOLDS
        dealt += int(ranks[-1]) + 1
    return folds


def _mean_square(residuals: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Weighted mean over rows of the summed squares, and its standard error."""
    squares = np.einsum("ij,ij->i", residuals, residuals)
    total = float(weights.sum())
    mean = float(weights @ squares) / total
    return mean, float(np.sqrt(weights @ (squares - mean) ** 2)) / total


def _codes(y: FloatArray) -> IntArray:
    return y[:, 0].astype(np.intp) if y.shape[1] == 1 else y.argmax(axis=1)
