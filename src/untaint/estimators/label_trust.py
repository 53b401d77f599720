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
from ..learners import FeatureProblem, Rows, Sketch
from ..losses import Loss, SquaredLoss
from ..solvers import RidgePath, without_itself

# Ridges tried, in units of the features' squares.
RIDGES = 10.0 ** np.arange(-2.0, 2.1, 0.5)
LEAST_CHANCE = 1e-3
# Accuracy of chances that come from very many rows.
CHANCE_TOL = 1e-3


def label_chances(
    rows: Rows, codes: IntArray, n_classes: int, weights: FloatArray, share: float
) -> FloatArray:
    """Probability of each class at each row, by the other rows.

    Parameters
    ----------
    rows : Rows
    codes : array of shape (n,), int
    n_classes : int
    weights : array of shape (n,)
        Of the rows that have a say.
    share : float
        Of wrong labels.

    Returns
    -------
    array of shape (n, n_classes)
    """
    y = np.eye(n_classes)[codes]
    features, row_weights = rows.judging_features, rows.row_weights
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        path = RidgePath(features, weights)
        ridges = RIDGES * float(path.values.sum()) / path.total
        ridge = min(ridges, key=lambda ridge: _brier(path, y, ridge, row_weights))
        residuals, _ = path.leave_one_out(y, ridge, row_weights)
    logs = _logs(y - residuals)
    exponent = _exponent(logs, codes, row_weights, share) if share > 0 else 1.0
    return np.asarray(softmax(exponent * logs, axis=1))


def label_chances_of_many(
    problem: FeatureProblem, codes: IntArray, n_classes: int, weights: FloatArray, share: float
) -> FloatArray:
    """The same for very many rows: some of them choose the ridge and the exponent.

    Parameters
    ----------
    problem : FeatureProblem
        With a pilot.
    codes, n_classes, weights, share
        As in :func:`label_chances`.
    """
    rows = problem.pilot_rows
    assert rows is not None
    y, ones = np.eye(n_classes)[codes], np.ones(len(rows))
    sketch = Sketch(problem.kernel, problem.X[rows], ones, problem.ridge, problem.fit_intercept)
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        path = RidgePath(sketch.judging_features, (weights[rows] > 0).astype(float))
        ridges = RIDGES * float(path.values.sum()) / path.total
        ridge = min(ridges, key=lambda ridge: _brier(path, y[rows], ridge, ones))
    problem.ridge = ridge * float(problem.row_weights.sum()) / len(rows)
    fit = problem.newton(SquaredLoss(), y).solve(weights, problem.ridge, tol=CHANCE_TOL)
    q = problem.leverages(weights)
    residuals, _ = without_itself(y - fit.predictions, weights, problem.row_weights, q)
    logs = _logs(y - residuals)
    exponent = _exponent(logs[rows], codes[rows], ones, share) if share > 0 else 1.0
    return np.asarray(softmax(exponent * logs, axis=1))


def _logs(scores: FloatArray) -> FloatArray:
    return np.log(np.minimum(np.maximum(np.nan_to_num(scores), LEAST_CHANCE), 1.0))


def leave_one_out_scores(rows: Rows, y: FloatArray, weights: FloatArray, loss: Loss) -> FloatArray:
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
        path = RidgePath(rows.judging_features, weights, rows.fit_intercept)
        ridge = max(2.0 * rows.ridge / curvature, np.finfo(float).eps * path.total)
        residuals, _ = path.leave_one_out(y, ridge, rows.row_weights)
    scores = np.nan_to_num(y - residuals)
    return np.column_stack([1.0 - scores, scores]) if scores.shape[1] == 1 else scores


def chance_of_being_right(chances: FloatArray, codes: IntArray, share: float) -> FloatArray:
    """Of each label, when a share of them was exchanged for any other.

    Examples
    --------
    >>> import numpy as np
    >>> chances = np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> chance_of_being_right(chances, np.array([0, 0]), 0.5).round(2)
    array([0.9, 0.1])
    """
    own = np.take_along_axis(chances, codes[:, None], axis=1)[:, 0]
    right = (1.0 - share) * own
    wrong = share * (1.0 - own) / (chances.shape[1] - 1)
    both = right + wrong
    return np.divide(right, both, out=np.ones_like(right), where=both > 0)


def _exponent(logs: FloatArray, codes: IntArray, row_weights: FloatArray, share: float) -> float:
    """The exponent that makes the labels likeliest."""

    def surprise(log_exponent: float) -> float:
        chances = softmax(np.exp(log_exponent) * logs, axis=1)
        own = np.take_along_axis(chances, codes[:, None], axis=1)[:, 0]
        likelihood = (1.0 - share) * own + share * (1.0 - own) / (chances.shape[1] - 1)
        return -float(row_weights @ np.log(np.maximum(likelihood, np.finfo(float).tiny)))

    return float(np.exp(minimize_scalar(surprise, bounds=(-3.0, 3.0), method="bounded").x))


def _brier(path: RidgePath, y: FloatArray, ridge: float, row_weights: FloatArray) -> float:
    residuals, _ = path.leave_one_out(y, ridge, row_weights)
    inside = path.weights > 0
    return float(path.weights[inside] @ np.sum(residuals[inside] ** 2, axis=1))
