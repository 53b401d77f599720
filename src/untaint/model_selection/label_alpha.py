r"""How free a trimmed fit to labels may be.

A fit to all rows has to smooth wrong labels away (:mod:`~untaint.model_selection.label_settings`). A trimmed
fit has given most of them up, and its ridge may be smaller, by up to a factor of ten. Which of the
ridges in between, is decided by how well trimmed fits order labels that they have not seen, as
measured by :func:`~untaint.model_selection.pairwise_auc.pairwise_auc`: wrong labels lower that
score for all ridges alike, also when all errors go one way, where they would steer an accuracy.

Each fit begins with the rows that the one before it kept, from a stiff fit down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ..initialization.continuation import Candidate, Continuation
from ..initialization.logistic_refit import LogisticRefit
from ..losses import Loss
from ..weighting.base import TrimmingRule
from .label_settings import LabelSetting
from .pairwise_auc import pairwise_auc

N_FOLDS = 10
# Smallest ridge of a trimmed fit, as a part of the one for all rows.
LEAST_PART = 0.1
# Degrees of freedom a class of the fit that trimming starts from.
DOF = 6.0
# Rows of a class whose predictions differ by no more are copies of one another.
SAME = 1e-9


def select_alpha_by_auc(
    choice: LabelSetting,
    features: FloatArray,
    alphas: Sequence[float] | FloatArray,
    y: FloatArray,
    loss: Loss,
    weighting: TrimmingRule,
    sample_weight: FloatArray,
    *,
    near: BoolArray | None = None,
) -> LabelSetting:
    """The ridge of a trimmed fit, where the one of a fit to all rows is known.

    Parameters
    ----------
    choice : LabelSetting
        Of :func:`~untaint.model_selection.label_settings.select_label_setting`, for the same rows.
    features : array of shape (n, m)
        Of the kernel that was chosen.
    alphas : sequence of float, positive
    y : array of shape (n, 1) or (n, K)
    loss : Loss
    weighting : Selection
        Of these rows, with the share that the fit is going to give up; of none, nothing changes.
    sample_weight : array of shape (n,)
        A weight of k means k copies, which are held out together.
    near : bool array of shape (n,), optional
        Rows that take part; the others are only given up.

    Returns
    -------
    LabelSetting
        The same kernel, and a ridge that is at most as large.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.losses import LogisticLoss
    >>> from untaint.weighting import ClassBalanced
    >>> from untaint.model_selection.label_settings import select_label_setting
    >>> x, alphas = np.linspace(-1.0, 1.0, 40)[:, None], [0.01, 0.1, 1.0]
    >>> y = (x > 0).astype(float)
    >>> y[::5] = 1.0 - y[::5]
    >>> first = select_label_setting([lambda: x], alphas, y, LogisticLoss(), np.ones(40))
    >>> rule = ClassBalanced(0.2, y[:, 0].astype(int), n_groups=2)
    >>> final = select_alpha_by_auc(first, x, alphas, y, LogisticLoss(), rule, np.ones(40))
    >>> final.alpha <= first.alpha
    True
    """
    alphas = np.asarray(alphas, dtype=float)
    inside = np.ones(len(y), dtype=bool) if near is None else near
    if weighting.contamination == 0 or len(np.unique(_codes(y)[inside])) < 2:
        return choice
    most = alphas[choice.alpha]
    steps = np.flatnonzero((alphas <= most) & (alphas >= LEAST_PART * (1 - SAME) * most))
    steps = steps[np.argsort(-alphas[steps], kind="stable")]
    folds = _folds(choice.predictions, _codes(y), inside)
    held_out = _HeldOut(features, y, loss, weighting, sample_weight, inside)
    found = held_out.aucs(folds, alphas[steps])
    aucs = choice.aucs.copy()
    aucs[choice.kernel, steps] = found
    return replace(choice, alpha=int(steps[np.argmax(found)]), aucs=aucs)


@dataclass(frozen=True, eq=False)
class _HeldOut:
    """Trimmed fits on most rows, which predict the others."""

    features: FloatArray
    y: FloatArray
    loss: Loss
    weighting: TrimmingRule
    sample_weight: FloatArray
    near: BoolArray

    def aucs(self, folds: IntArray, alphas: FloatArray) -> FloatArray:
        """Of predictions and labels at each of these ridges, the largest first."""
        raw = np.zeros((len(alphas), *self.y.shape))
        for fold in np.unique(folds[self.near]):
            test = np.flatnonzero(folds == fold)
            raw[:, test] = self._predict(np.flatnonzero(folds != fold), test, alphas)
        codes, weights = _codes(self.y)[self.near], self.sample_weight[self.near]
        return np.array([pairwise_auc(f[self.near], codes, weights) for f in raw])

    def _predict(self, train: IntArray, test: IntArray, alphas: FloatArray) -> FloatArray:
        # The ridges are meant for the weight of all rows; a part of them takes its part of it.
        part = float(self.sample_weight[train].sum() / self.sample_weight.sum())
        refit = LogisticRefit(
            self.y[train],
            self.sample_weight[train],
            self.near[train],
            self.loss,
            self.weighting.among(train),
        )
        path = Continuation(self.features[train], part * float(alphas[-1]), refit)
        start = Candidate(np.where(refit.near, refit.sample_weight, 0.0))
        fitted = path.c_steps(start, max(path.alpha_for_dof(DOF), part * float(alphas[0])))
        predictions = []
        for alpha in alphas:
            fitted = path.c_steps(fitted, part * float(alpha))
            assert fitted.fit is not None
            predictions.append(path.predict(fitted.fit, self.features[test]))
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
