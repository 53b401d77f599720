r"""The constants of the convergence theory, evaluated on a fit.

All are in the papers' units, where the objective is a mean over the kept weight
:math:`n p = (1-\epsilon) \sum v`:

.. math:: \Psi(f) = \frac{1}{n p}\Bigl(h(\ell(f)) + \alpha \|f\|^2\Bigr).

* Lemma 13, Lipschitz constant of the loss part over a ball of radius R. With :math:`s_i` the
  largest slope of sample i's loss there, :math:`2 (R \sqrt{k_{ii}} + |y_i|)` for the squared loss
  with the intercept subtracted from y, 1 for the logistic and :math:`\sqrt 2` for the softmax loss
  (Lemmas 18 and 20 of the first version, left blank in print), it is
  :math:`\frac{1}{np} \sum s_i \sum \sqrt{k_{ii}}`. The argument applied to each sample gives
  :math:`\frac{1}{np} \sum s_i \sqrt{k_{ii}}`, which is never larger.
* Lemmas 8 and 14, smoothness: :math:`\frac{2}{np} (\mathrm{Tr} K + \alpha)`, and the sharper
  :math:`\frac{2}{np} (\lambda_{\max}(K) + \alpha)` by the largest eigenvalue. They bound the
  curvature from above:
  :math:`\Psi(f + h) \le \Psi(f) + \langle \nabla\Psi(f), h\rangle + \frac{\beta}{2}\|h\|^2`. The
  gradient itself is discontinuous where two samples exchange ranks, so Lemma 8 holds between
  functions that keep the same samples.
* Definition 9 to 11 and Lemma 22, stationarity: the norm of the projected gradient
  :math:`\beta\,(f - \mathrm{Proj}(f - \nabla\Psi(f)/\beta))`, and the norm of the gradient of the
  Moreau envelope, :math:`(f - \hat f) / \lambda` with the proximal point
  :math:`\hat f = \arg\min \Psi(g) + \frac{1}{2\lambda}\|g - f\|^2` and
  :math:`\lambda = 1/(2\beta)`, found by descent from f. A trimmed objective is a minimum of convex
  functions and so not weakly convex: the point found is a local proximal point, and need not be
  the global one.
* The worst-case fraction of inliers that is trimmed, :math:`\gamma = \epsilon / (1 - 2\epsilon)`
  (second version, after Corollary 8), and the effective dimension
  :math:`\mathrm{Tr}\, K (K + \alpha I)^{-1}` of the kept samples.
"""

import numpy as np
from scipy.linalg import eigvalsh
from sklearn.utils import Bunch

from ._typing import FloatArray
from .losses import Loss
from .optim.base import Fit
from .optim.projected_gradient import TrimmedProblem
from .weighting.base import TrimmingRule

# Largest number of samples whose spectrum is computed; of more, a systematic subsample is used.
SPECTRUM_ROWS = 3000
PROXIMAL_STEPS = 300


class Diagnostics(Bunch):
    """The constants of the convergence theory by name, as keys or attributes.

    The names are ``lipschitz``, ``lipschitz_rowwise``, ``smoothness``, ``smoothness_top``,
    ``step_size``, ``stationarity``, ``moreau_gradient_norm``, ``worst_case_gamma``,
    ``effective_dimension``, ``norm``.
    """


def diagnose(
    *,
    K: FloatArray,
    y: FloatArray,
    coef: FloatArray,
    intercept: FloatArray,
    sample_weight: FloatArray,
    weighting: TrimmingRule,
    loss: Loss,
    alpha: float,
    norm_bound: float | None,
    fit_intercept: bool,
) -> Diagnostics:
    """Evaluate the constants of the convergence theory on a fit.

    Parameters
    ----------
    K : array of shape (n, n)
    y, coef : array of shape (n, k)
    intercept : array of shape (k,)
    sample_weight : array of shape (n,)
    weighting : TrimmingRule
    loss : Loss
    alpha : float
    norm_bound : float or None
        Radius R; None means the norm of the fit.
    fit_intercept : bool
    """
    problem = TrimmedProblem(K, loss, weighting, y, sample_weight, alpha, fit_intercept, norm_bound)
    smooth = K @ coef
    norm = float(np.sqrt(max(0.0, np.sum(coef * smooth))))
    fit = Fit(coef, intercept, smooth + intercept, norm**2)
    kept = weighting.kept_total(sample_weight)
    contamination = weighting.contamination
    top = problem.smoothness() / kept
    roots = np.sqrt(np.diag(K))
    radius = norm if norm_bound is None else norm_bound
    slopes = loss.slope_bound(y - intercept, radius * roots)
    total = float(sample_weight @ roots)
    rowwise = float(sample_weight @ (slopes * roots)) / kept
    printed = float(sample_weight @ slopes) * total / kept
    return Diagnostics(
        lipschitz=max(printed, rowwise),  # weights below one make the printed form too small
        lipschitz_rowwise=rowwise,
        smoothness=(loss.curvature * float(sample_weight @ roots**2) + 2 * alpha) / kept,
        smoothness_top=top,
        step_size=1 / top,
        stationarity=_projected_gradient_norm(problem, fit, kept, top),
        moreau_gradient_norm=_moreau_gradient_norm(problem, fit, kept, top),
        worst_case_gamma=contamination / (1 - 2 * contamination),
        effective_dimension=_effective_dimension(K, problem.weights(fit.predictions), alpha),
        norm=norm,
    )


def _projected_gradient_norm(problem: TrimmedProblem, fit: Fit, kept: float, top: float) -> float:
    """Return the norm of top * (f - Proj(f - gradient / top))."""
    stepped = problem.function(fit.coef - problem.gradient(fit) / kept / top, fit.intercept)
    return top * _norm(problem.K, fit.coef - stepped.coef)


def _moreau_gradient_norm(problem: TrimmedProblem, fit: Fit, kept: float, top: float) -> float:
    """Return the norm of (f - prox(f)) / lambda, with the proximal point by gradient descent.

    With lambda = 1 / (2 top) the proximal objective has curvature between about 2 top and 3 top: a
    step of 1 / (3 top) reduces the error to a third or less.
    """
    inverse = 2 * top
    point = fit
    for _ in range(PROXIMAL_STEPS):
        gradient = problem.gradient(point) / kept + inverse * (point.coef - fit.coef)
        moved = problem.function(point.coef - gradient / (top + inverse), point.intercept)
        change = _norm(problem.K, moved.coef - point.coef)
        point = moved
        if change <= 1e-14 * (1 + np.sqrt(fit.squared_norm)):
            break
    return inverse * _norm(problem.K, fit.coef - point.coef)


def _norm(K: FloatArray, coef: FloatArray) -> float:
    return float(np.sqrt(max(0.0, float(np.sum(coef * (K @ coef))))))


def _effective_dimension(K: FloatArray, weights: FloatArray, alpha: float) -> float:
    rows = np.flatnonzero(weights > 0)
    if len(rows) > SPECTRUM_ROWS:
        chosen = rows[np.linspace(0, len(rows) - 1, SPECTRUM_ROWS).astype(int)]
    else:
        chosen = rows
    d = np.sqrt(weights[chosen])
    values = np.maximum(eigvalsh(d[:, None] * K[np.ix_(chosen, chosen)] * d), 0.0)
    values *= len(rows) / len(chosen)
    if alpha == 0:
        return float(np.count_nonzero(values > 1e-12 * values.max()))
    return float(np.sum(values / (values + alpha)))
