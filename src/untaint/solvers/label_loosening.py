r"""How free a trimmed fit to labels may be.

A fit to all rows has to smooth wrong labels away (:mod:`~untaint.solvers.label_tuning`). A trimmed
fit has given most of them up, and its ridge may be smaller, by up to a factor of ten. Which of the
ridges in between, is decided by how well trimmed fits order labels that they have not seen, as
measured by :func:`~untaint.selection.label_order.pairwise_order`: wrong labels lower that
score for all ridges alike, also when all errors go one way, where they would steer an accuracy.

Each fit begins with the rows that the one before it kept, from a stiff fit down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ..losses import Loss
from ..selection import Selection
from ..selection.label_order import pairwise_order
from .label_search import LabelLadder
from .label_tuning import LabelChoice

N_FOLDS = 10
# Smallest ridge of a trimmed fit, as a part of the one for all rows.
LEAST_PART = 0.1
# Degrees of freedom a class of the fit that trimming starts from.
FREEDOM = 6.0
# Rows of a class whose predictions differ by no more are copies of one another.
SAME = 1e-9


def loosen_label_setting(
    choice: LabelChoice,
    features: FloatArray,
    ridges: Sequence[float] | FloatArray,
    y: FloatArray,
    loss: Loss,
    selection: Selection,
    row_weights: FloatArray,
    *,
    plausible: BoolArray | None = None,
) -> LabelChoice:
    """The ridge of a trimmed fit, where the one of a fit to all rows is known.

    Parameters
    ----------
    choice : LabelChoice
        Of :func:`~untaint.solvers.label_tuning.choose_label_setting`, for the same rows.
    features : array of shape (n, m)
        Of the kernel that was chosen.
    ridges : sequence of float, positive
    y : array of shape (n, 1) or (n, K)
    loss : Loss
    selection : Selection
        Of these rows, with the share that the fit is going to give up; of none, nothing changes.
    row_weights : array of shape (n,)
        A weight of k means k copies, which are held out together.
    plausible : bool array of shape (n,), optional
        Rows that take part; the others are only given up.

    Returns
    -------
    LabelChoice
        The same kernel, and a ridge that is at most as large.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.losses import LogisticLoss
    >>> from untaint.selection import Balanced
    >>> from untaint.solvers.label_tuning import choose_label_setting
    >>> x, ridges = np.linspace(-1.0, 1.0, 40)[:, None], [0.01, 0.1, 1.0]
    >>> y = (x > 0).astype(float)
    >>> y[::5] = 1.0 - y[::5]
    >>> first = choose_label_setting([lambda: x], ridges, y, LogisticLoss(), np.ones(40))
    >>> rule = Balanced(0.2, y[:, 0].astype(int), n_groups=2)
    >>> final = loosen_label_setting(first, x, ridges, y, LogisticLoss(), rule, np.ones(40))
    >>> final.ridge <= first.ridge
    True
    """
    alphas = np.asarray(ridges, dtype=float)
    inside = np.ones(len(y), dtype=bool) if plausible is None else plausible
    if selection.contamination == 0 or len(np.unique(_codes(y)[inside])) < 2:
        return choice
    most = alphas[choice.ridge]
    steps = np.flatnonzero((alphas <= most) & (alphas >= LEAST_PART * (1 - SAME) * most))
    steps = steps[np.argsort(-alphas[steps], kind="stable")]
    folds = _folds(choice.predictions, _codes(y), inside)
    held_out = _HeldOut(features, y, loss, selection, row_weights, inside)
    found = held_out.orders(folds, alphas[steps])
    orders = choice.orders.copy()
    orders[choice.kernel, steps] = found
    return replace(choice, ridge=int(steps[np.argmax(found)]), orders=orders)


@dataclass(frozen=True, eq=False)
class _HeldOut:
    """Trimmed fits on most rows, which predict the others."""

    features: FloatArray
    y: FloatArray
    loss: Loss
    selection: Selection
    row_weights: FloatArray
    plausible: BoolArray

    def orders(self, folds: IntArray, alphas: FloatArray) -> FloatArray:
        """Of predictions and labels at each of these ridges, the largest first."""
        raw = np.zeros((len(alphas), *self.y.shape))
        for fold in np.unique(folds[self.plausible]):
            test = np.flatnonzero(folds == fold)
            raw[:, test] = self._predict(np.flatnonzero(folds != fold), test, alphas)
        codes, weights = _codes(self.y)[self.plausible], self.row_weights[self.plausible]
        return np.array([pairwise_order(f[self.plausible], codes, weights) for f in raw])

    def _predict(self, train: IntArray, test: IntArray, alphas: FloatArray) -> FloatArray:
        # The ridges are meant for the weight of all rows; a part of them takes its part of it.
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


def _folds(predictions: FloatArray, codes: IntArray, inside: BoolArray) -> IntArray:
    """Fold of each row, -1 for rows that are never held out.

    Rows of a class are dealt out in the order of their predictions: folds are alike, and the same
    whatever the order of the rows. Copies stay together.
    """
    columns = np.zeros(len(codes), dtype=np.intp) if predictions.shape[1] == 1 else codes
    own = predictions[np.arange(len(codes)), columns]
    folds, dealt = np.full(len(codes), -1), 0
    for code in np.unique(codes[inside]):
        rows = np.flatnonzero(inside & (codes == code))
        rows = rows[np.argsort(own[rows], kind="stable")]
        ranks = np.r_[0, np.cumsum(np.diff(own[rows]) > SAME)]
        folds[rows] = (dealt + ranks) % N_FOLDS
        dealt += int(ranks[-1]) + 1
    return folds


def _codes(y: FloatArray) -> IntArray:
    """Class of each row, from the loss's own targets."""
    return y[:, 0].astype(np.intp) if y.shape[1] == 1 else y.argmax(axis=1)
