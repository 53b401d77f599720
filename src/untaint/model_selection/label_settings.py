r"""Kernel and ridge parameter of a fit to labels of which an unknown part is wrong.

**A fit to all samples** (:func:`select_label_setting`). Ridge regression on the indicators of the
classes predicts the probability of a label, and the leave-one-out Brier error

.. math:: B = \frac1n \sum_i \sum_k \bigl(y_{ik} - f_k^{-i}(x_i)\bigr)^2

is a proper score of it. Labels that are wrong at random add the same amount to the B of every
setting and shrink the predictable part, so that more of them favour a smoother fit, from which
the search for right labels begins. Of kernels whose errors differ by at most one standard
error of the paired difference, the smoothest is taken, for at 40 % wrong labels few differences
are significant. One decomposition per kernel serves every alpha. At the constant fit the log-loss
has curvature c, so that its alpha corresponds to :math:`2 \alpha / c` here.

**A trimmed fit** (:func:`select_alpha_by_auc`). Most wrong labels are trimmed, and alpha may be
smaller by up to a factor of ten. It is selected by the pairwise AUC
(:mod:`~untaint.model_selection.pairwise_auc`) of trimmed fits on held-out labels: wrong labels
lower that score by one factor for every alpha, also when all errors are of one class, which biases
an accuracy. The fits are the steps of one continuation, from the largest alpha down.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ..design.subsample import Subset
from ..initialization.continuation import Candidate, Continuation
from ..initialization.logistic_refit import LogisticRefit
from ..losses import Loss, class_codes
from ..optim.ridge_path import RidgePath
from ..weighting.base import TrimmingRule
from .joint import Features
from .pairwise_auc import pairwise_auc

N_FOLDS = 10
# Smallest alpha of a trimmed fit, as a part of the one for all samples.
SMALLEST_PART = 0.1
# Degrees of freedom, per class, of the fit that the continuation begins with.
FIRST_DOF = 6.0
# Samples of a class whose predictions differ by at most this are copies of one another.
SAME = 1e-9


class LabelSetting(NamedTuple):
    """The positions of the selected kernel and alpha, and the scores, (n_kernels, n_alphas).

    ``errors`` are leave-one-out Brier errors, ``aucs`` the pairwise AUC of trimmed fits on held-out
    labels, nan for settings that were not compared. ``predictions``, (n, 1) or (n, K), are the
    leave-one-out ones of ridge regression at the setting that the errors selected.
    """

    kernel: int
    alpha: int
    errors: FloatArray
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
    """Select kernel and alpha of a fit to all samples, whatever part of the labels is wrong.

    The features are those of each kernel, the smoothest first. The alphas are ridge parameters of
    the log-loss, positive, and y its targets: 0 and 1, or indicators. Only ``near`` samples take
    part.
    """
    inside = np.ones(len(y), dtype=bool) if near is None else near
    weights = np.where(inside, sample_weight, 0.0)
    curvature = float(loss.hessian(y[:1], np.zeros_like(y[:1])).entry(0, 0)[0])
    alphas = 2.0 * np.asarray(alphas, dtype=float) / curvature
    scores = [
        _score_alphas(RidgePath(make(), weights, fit_intercept), alphas, y, sample_weight, inside)
        for make in features
    ]
    errors = np.array([score.errors for score in scores])
    winner = int(np.argmin(errors.min(axis=1)))
    squares = np.array([score.squares[inside] for score in scores])
    kernel = _smoothest(squares, winner, weights[inside])
    best = scores[kernel]
    return LabelSetting(kernel, best.alpha, errors, np.full_like(errors, np.nan), best.predictions)


class _KernelScore(NamedTuple):
    """Errors of a kernel at every alpha; squared errors and predictions at its best one."""

    alpha: int
    errors: FloatArray
    squares: FloatArray
    predictions: FloatArray


def _score_alphas(
    path: RidgePath, alphas: FloatArray, y: FloatArray, sample_weight: FloatArray, inside: BoolArray
) -> _KernelScore:
    errors, weights = np.full(len(alphas), np.inf), sample_weight[inside]
    best = _KernelScore(int(np.argmax(alphas)), errors, np.zeros(len(y)), np.zeros(y.shape))
    # The largest alpha comes first, and wins ties.
    for alpha in np.argsort(-alphas, kind="stable"):
        residuals, _ = path.leave_one_out(y, alphas[alpha], sample_weight)
        squares = np.einsum("ij,ij->i", residuals, residuals)
        error, _ = _mean(squares[inside], weights)
        if error < errors.min():
            best = _KernelScore(int(alpha), errors, squares, y - residuals)
        errors[alpha] = error
    return best


def _smoothest(squares: FloatArray, winner: int, weights: FloatArray) -> int:
    """Return the first kernel whose error exceeds the winner's by at most a standard error."""
    for kernel in range(winner):
        excess, deviation = _mean(squares[kernel] - squares[winner], weights)
        if excess <= deviation:
            return kernel
    return winner


def _mean(values: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return the weighted mean, and its standard error."""
    total = float(weights.sum())
    mean = float(weights @ values) / total
    return mean, float(np.sqrt(weights @ (values - mean) ** 2)) / total


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
    """Select alpha of a trimmed fit, given the setting of a fit to all samples.

    The features are those of the selected kernel, and the new alpha is at most as large. If the
    rule trims no sample, the choice is returned as it is. Copies of a sample are held out together;
    samples that are not ``near`` are always trimmed.
    """
    alphas, codes = np.asarray(alphas, dtype=float), class_codes(y)
    inside = np.ones(len(y), dtype=bool) if near is None else near
    if weighting.contamination == 0 or len(np.unique(codes[inside])) < 2:
        return choice
    largest = alphas[choice.alpha]
    steps = np.flatnonzero((alphas <= largest) & (alphas >= SMALLEST_PART * (1 - SAME) * largest))
    steps = steps[np.argsort(-alphas[steps], kind="stable")]
    refit = LogisticRefit(y, sample_weight, inside, loss, weighting)
    folds = _folds(choice.predictions, codes, inside)
    raw = _held_out_predictions(features, refit, folds, alphas[steps])
    found = [pairwise_auc(f[inside], codes[inside], sample_weight[inside]) for f in raw]
    aucs = choice.aucs.copy()
    aucs[choice.kernel, steps] = found
    return choice._replace(alpha=int(steps[np.argmax(found)]), aucs=aucs)


def _held_out_predictions(
    features: FloatArray, refit: LogisticRefit, folds: IntArray, alphas: FloatArray
) -> FloatArray:
    """Return raw predictions of each fold by trimmed fits to the others, at descending alphas."""
    raw = np.zeros((len(alphas), *refit.y.shape))
    for fold in np.unique(folds[refit.near]):
        test, train = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        others = refit.among(Subset(train, refit.sample_weight[train]))
        # An alpha is meant for the weight of all samples; a part of them takes its part of it.
        parts = float(others.sample_weight.sum() / refit.sample_weight.sum()) * alphas
        path = Continuation(features[train], parts[-1], others)
        start = Candidate(np.where(others.near, others.sample_weight, 0.0))
        candidate = path.c_steps(start, max(path.alpha_for_dof(FIRST_DOF), parts[0]))
        for step, alpha in enumerate(parts):
            candidate = path.c_steps(candidate, alpha)
            assert candidate.fit is not None
            raw[step, test] = path.predict(candidate.fit, features[test])
    return raw


def _folds(predictions: FloatArray, codes: IntArray, inside: BoolArray) -> IntArray:
    """Return the fold of each sample, -1 for samples that are never held out.

    The samples of a class are dealt out in the order of their predictions, which makes the folds
    alike and independent of the order of the samples. Copies stay together.
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
