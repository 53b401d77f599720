r"""Label quality: the posterior probability that each label is correct.

Ridge regression on class indicators gives leave-one-out class probabilities
:math:`\eta_{ik} \propto \max(f_k^{-i}(x_i), \delta)^T`. It is fitted to all samples, because those
that a trimmed fit keeps were selected for agreeing with it, which biases probabilities towards 0
and 1. The exponent T undoes the smoothing by wrong labels: it maximises the likelihood of the
observed labels if a fraction :math:`\epsilon` of them was replaced by any other class,

.. math:: P(y_i) = (1 - \epsilon)\, \eta_{i y_i} + \epsilon\, \frac{1 - \eta_{i y_i}}{K - 1}.

The quality of a label is the first term over the sum.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import softmax

from .._threads import single_threaded_blas
from .._typing import FloatArray, IntArray
from ..design.base import Design, Sketch
from ..design.features import FeatureDesign
from ..losses import CorrectedLogLoss, Loss, SquaredLoss
from ..optim.laplace import MAX_LEVERAGE
from ..optim.leave_one_out import deletion_residuals
from ..optim.ridge_path import RidgePath

# Candidate ridge parameters, in units of the mean squared norm of the features.
ALPHAS = 10.0 ** np.arange(-2.0, 2.1, 0.5)
MIN_PROBABILITY = 1e-3
# Tolerance of the fit to a blocked design.
PROBABILITY_TOL = 1e-3


def loo_class_probabilities(
    design: Design, codes: IntArray, n_classes: int, weights: FloatArray, contamination: float
) -> FloatArray:
    """Return leave-one-out class probabilities, (n, n_classes).

    The weights of the fit are zero for excluded samples.
    """
    y = np.eye(n_classes)[codes]
    sample_weight = design.sample_weight
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        path = RidgePath(design.loo_features, weights)
        residuals, _ = path.leave_one_out(y, _best_alpha(path, y, sample_weight), sample_weight)
    return _calibrated(y - residuals, codes, np.arange(len(y)), sample_weight, contamination)


def loo_class_probabilities_blocked(
    design: FeatureDesign,
    codes: IntArray,
    n_classes: int,
    weights: FloatArray,
    contamination: float,
) -> FloatArray:
    """Return leave-one-out class probabilities of a large design, (n, n_classes).

    Ridge parameter and exponent are selected on its subsample.
    """
    rows = design.subsample_rows
    assert rows is not None
    y, ones = np.eye(n_classes)[codes], np.ones(len(rows))
    sketch = Sketch(design.kernel, design.X[rows], ones, design.alpha, design.fit_intercept)
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        path = RidgePath(sketch.loo_features, (weights[rows] > 0).astype(float))
        alpha = _best_alpha(path, y[rows], ones)
    design.alpha = alpha * float(design.sample_weight.sum()) / len(rows)
    fit = design.newton(SquaredLoss(), y).solve(weights, design.alpha, tol=PROBABILITY_TOL)
    q = design.leverages(weights)
    residuals, _ = deletion_residuals(y - fit.predictions, weights, design.sample_weight, q)
    return _calibrated(y - residuals, codes, rows, ones, contamination)


def corrected_loo_blocked(
    design: FeatureDesign,
    loss: Loss,
    y: FloatArray,
    weights: FloatArray,
    noise_matrix: FloatArray,
) -> FloatArray:
    """Return approximate leave-one-out scores (n, k) under a noise matrix, of a large design.

    The loss is the plain log-loss, whose fit is where the corrected one begins.
    """
    corrected, alpha = CorrectedLogLoss(noise_matrix), design.alpha
    plain = design.newton(loss, y).solve(weights, alpha, tol=PROBABILITY_TOL)
    fit = design.newton(corrected, y).solve(weights, alpha, plain, PROBABILITY_TOL)
    gradient = corrected.gradient(y, fit.predictions) * weights[:, None]
    curvatures = weights[:, None] * np.maximum(*corrected.curvatures(y, fit.predictions))
    scores = fit.predictions.astype(float)
    design.alpha = 2.0 * alpha  # that of the second-order expansion
    for k, h in enumerate(curvatures.T):
        q = design.leverages(h)
        scores[:, k] += q * gradient[:, k] / (1.0 - np.minimum(q * h, MAX_LEVERAGE))
    design.alpha = alpha
    return scores


def label_quality(probabilities: FloatArray, codes: IntArray, contamination: float) -> FloatArray:
    """Return the posterior probability that each label is correct."""
    right, both = _likelihoods(probabilities, codes, contamination)
    return np.divide(right, both, out=np.ones_like(right), where=both > 0)


def _likelihoods(
    probabilities: FloatArray, codes: IntArray, contamination: float
) -> tuple[FloatArray, FloatArray]:
    """Return the likelihoods of the labels as correct ones, and altogether."""
    own = np.take_along_axis(probabilities, codes[:, None], axis=1)[:, 0]
    right = (1.0 - contamination) * own
    return right, right + contamination * (1.0 - own) / (probabilities.shape[1] - 1)


def _calibrated(
    scores: FloatArray, codes: IntArray, rows: IntArray, weights: FloatArray, contamination: float
) -> FloatArray:
    """Return probabilities with the exponent of the largest likelihood of the labels of ``rows``.

    The exponent is 1 if all labels are correct.
    """
    logs = np.log(np.minimum(np.maximum(np.nan_to_num(scores), MIN_PROBABILITY), 1.0))
    if contamination == 0:
        return np.asarray(softmax(logs, axis=1))
    known, labels = logs[rows], codes[rows]

    def neg_log_likelihood(log_exponent: float) -> float:
        probabilities = softmax(np.exp(log_exponent) * known, axis=1)
        _, likelihood = _likelihoods(probabilities, labels, contamination)
        return -float(weights @ np.log(np.maximum(likelihood, np.finfo(float).tiny)))

    found = minimize_scalar(neg_log_likelihood, bounds=(-3.0, 3.0), method="bounded")
    return np.asarray(softmax(float(np.exp(found.x)) * logs, axis=1))


def _best_alpha(path: RidgePath, y: FloatArray, sample_weight: FloatArray) -> float:
    """Return the candidate ridge parameter of the smallest leave-one-out Brier score."""
    inside = path.weights > 0

    def brier(alpha: float) -> float:
        residuals, _ = path.leave_one_out(y, alpha, sample_weight)
        return float(path.weights[inside] @ np.sum(residuals[inside] ** 2, axis=1))

    return float(min(ALPHAS * float(path.values.sum()) / path.total, key=brier))
