r"""How likely each label is to be right.

Ridge regression on the indicators of the classes predicts the chance of each label without the row
itself: :math:`\eta_{ik} \propto \max(f_k^{-i}(x_i), \delta)^T`. It is made to all rows, for those
that a trimmed fit keeps were kept because their labels agree, and would be too sure. What wrong
labels blur, the exponent T sharpens again: it is the one under which the labels as they are become
likeliest, when a share :math:`\epsilon` of them was exchanged for any other,

.. math:: P(y_i) = (1 - \epsilon)\, \eta_{i y_i} + \epsilon\, \frac{1 - \eta_{i y_i}}{K - 1}.

The first term's part of the sum is the probability that the label is right.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import softmax

from .._threads import single_threaded_blas
from .._typing import FloatArray, IntArray
from ..design.base import Design, Sketch
from ..design.features import FeatureDesign
from ..losses import Loss, SquaredLoss
from ..optim.leave_one_out import deletion_residuals
from ..optim.ridge_path import RidgePath

# Ridges tried, in units of the features' squares.
ALPHAS = 10.0 ** np.arange(-2.0, 2.1, 0.5)
MIN_PROBABILITY = 1e-3
# Accuracy of chances that come from very many rows.
PROBABILITY_TOL = 1e-3


def loo_class_probabilities(
    rows: Design, codes: IntArray, n_classes: int, weights: FloatArray, contamination: float
) -> FloatArray:
    """Probability of each class at each row, by the other rows.

    Parameters
    ----------
    rows : Rows
    codes : array of shape (n,), int
    n_classes : int
    weights : array of shape (n,)
        Of the rows that have a say.
    contamination : float
        Of wrong labels.

    Returns
    -------
    array of shape (n, n_classes)
    """
    y = np.eye(n_classes)[codes]
    features, sample_weight = rows.loo_features, rows.sample_weight
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        path = RidgePath(features, weights)
        alphas = ALPHAS * float(path.values.sum()) / path.total
        alpha = min(alphas, key=lambda alpha: _brier(path, y, alpha, sample_weight))
        residuals, _ = path.leave_one_out(y, alpha, sample_weight)
    logs = _logs(y - residuals)
    exponent = _exponent(logs, codes, sample_weight, contamination) if contamination > 0 else 1.0
    return np.asarray(softmax(exponent * logs, axis=1))


def loo_class_probabilities_blocked(
    design: FeatureDesign,
    codes: IntArray,
    n_classes: int,
    weights: FloatArray,
    contamination: float,
) -> FloatArray:
    """The same for very many rows: some of them choose the ridge and the exponent.

    Parameters
    ----------
    design : FeatureDesign
        With a pilot.
    codes, n_classes, weights, share
        As in :func:`loo_class_probabilities`.
    """
    rows = design.subsample_rows
    assert rows is not None
    y, ones = np.eye(n_classes)[codes], np.ones(len(rows))
    sketch = Sketch(design.kernel, design.X[rows], ones, design.alpha, design.fit_intercept)
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        path = RidgePath(sketch.loo_features, (weights[rows] > 0).astype(float))
        alphas = ALPHAS * float(path.values.sum()) / path.total
        alpha = min(alphas, key=lambda alpha: _brier(path, y[rows], alpha, ones))
    design.alpha = alpha * float(design.sample_weight.sum()) / len(rows)
    fit = design.newton(SquaredLoss(), y).solve(weights, design.alpha, tol=PROBABILITY_TOL)
    q = design.leverages(weights)
    residuals, _ = deletion_residuals(y - fit.predictions, weights, design.sample_weight, q)
    logs = _logs(y - residuals)
    exponent = _exponent(logs[rows], codes[rows], ones, contamination) if contamination > 0 else 1.0
    return np.asarray(softmax(exponent * logs, axis=1))


def _logs(scores: FloatArray) -> FloatArray:
    return np.log(np.minimum(np.maximum(np.nan_to_num(scores), MIN_PROBABILITY), 1.0))


def leave_one_out_scores(
    rows: Design, y: FloatArray, weights: FloatArray, loss: Loss
) -> FloatArray:
    """Scores of the classes at each row by the others, at the ridge that stands for the loss's own.

    Parameters
    ----------
    rows : Rows
    y : array of shape (n, 1) or (n, K)
        Targets of the loss.
    weights : array of shape (n,)
    loss : Loss

    Returns
    -------
    array of shape (n, K)
    """
    # Where nothing is known the loss has this curvature, and a ridge of alpha weighs as much.
    curvature = float(loss.hessian(y[:1], np.zeros_like(y[:1])).entry(0, 0)[0])
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        path = RidgePath(rows.loo_features, weights, rows.fit_intercept)
        alpha = max(2.0 * rows.alpha / curvature, np.finfo(float).eps * path.total)
        residuals, _ = path.leave_one_out(y, alpha, rows.sample_weight)
    scores = np.nan_to_num(y - residuals)
    return np.column_stack([1.0 - scores, scores]) if scores.shape[1] == 1 else scores


def label_quality(probabilities: FloatArray, codes: IntArray, contamination: float) -> FloatArray:
    """Of each label, when a share of them was exchanged for any other.

    Examples
    --------
    >>> import numpy as np
    >>> probabilities = np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> label_quality(probabilities, np.array([0, 0]), 0.5).round(2)
    array([0.9, 0.1])
    """
    own = np.take_along_axis(probabilities, codes[:, None], axis=1)[:, 0]
    right = (1.0 - contamination) * own
    wrong = contamination * (1.0 - own) / (probabilities.shape[1] - 1)
    both = right + wrong
    return np.divide(right, both, out=np.ones_like(right), where=both > 0)


def _exponent(
    logs: FloatArray, codes: IntArray, sample_weight: FloatArray, contamination: float
) -> float:
    """The exponent that makes the labels likeliest."""

    def neg_log_likelihood(log_exponent: float) -> float:
        probabilities = softmax(np.exp(log_exponent) * logs, axis=1)
        own = np.take_along_axis(probabilities, codes[:, None], axis=1)[:, 0]
        likelihood = (1.0 - contamination) * own + contamination * (1.0 - own) / (
            probabilities.shape[1] - 1
        )
        return -float(sample_weight @ np.log(np.maximum(likelihood, np.finfo(float).tiny)))

    return float(
        np.exp(minimize_scalar(neg_log_likelihood, bounds=(-3.0, 3.0), method="bounded").x)
    )


def _brier(path: RidgePath, y: FloatArray, alpha: float, sample_weight: FloatArray) -> float:
    residuals, _ = path.leave_one_out(y, alpha, sample_weight)
    inside = path.weights > 0
    return float(path.weights[inside] @ np.sum(residuals[inside] ** 2, axis=1))
