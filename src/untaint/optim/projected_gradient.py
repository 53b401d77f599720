r"""The papers' projected functional gradient method.

With trimming weights w and f given by dual coefficients a,

.. math:: f \leftarrow \mathrm{Proj}\bigl(f - \eta\, (\textstyle\sum_i w_i \ell'_i\, k(x_i, \cdot)
          + 2 \alpha f)\bigr)

which in coefficients is a <- a - eta (w l' + 2 alpha a): Algorithm 1 of the second version,
Algorithm 3 of the first. The intercept takes a Newton step of its own, which is exact for the
squared loss. Accelerations:

* momentum, eqs. (59)-(60): b <- mu b + gradient(f), f <- f - eta b;
* Nesterov, eqs. (62)-(63): b = (1 + mu) f - mu f_previous, f <- b - eta gradient(b). The papers
  print the gradient at f, which makes (62)-(63) the same method as (59)-(60).

The method is slow. It is the reference for the other solvers, and for figures over iterations.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from .._typing import FloatArray
from ..losses import Loss
from ..weighting.base import TrimmingRule
from .base import Callback, Fit, Progress, Solution, no_callback
from .norm_ball import project

StepSchedule = Callable[[int], float]
Acceleration = Literal["momentum", "nesterov"] | None

# Iterations over which the objective must change by more than tol.
PATIENCE = 10


@final
@dataclass(frozen=True)
class TrimmedProblem:
    """The objective, its gradient and its smoothness as functions of the dual coefficients."""

    K: FloatArray
    loss: Loss
    weighting: TrimmingRule
    y: FloatArray
    sample_weight: FloatArray
    alpha: float
    fit_intercept: bool = True
    norm_bound: float | None = None

    def function(self, coef: FloatArray, intercept: FloatArray) -> Fit:
        """Return the projection of a function to the ball, after a step of its intercept."""
        smooth = self.K @ coef
        squared_norm = max(0.0, float(np.sum(coef * smooth)))
        fit = project(Fit(coef, np.zeros_like(intercept), smooth, squared_norm), self.norm_bound)
        if self.fit_intercept:
            shifted = fit.predictions + intercept
            weights = self.weights(shifted)
            slopes = self._slopes(weights, shifted).sum(axis=0)
            intercept = intercept - slopes / (self.loss.curvature * weights.sum())
        return Fit(fit.coef, intercept, fit.predictions + intercept, fit.squared_norm)

    def weights(self, predictions: FloatArray) -> FloatArray:
        """Return the weight that each row keeps."""
        return self.weighting.weights(self.loss.value(self.y, predictions), self.sample_weight)

    def objective(self, fit: Fit) -> float:
        """Return the trimmed loss plus the ridge penalty."""
        losses = self.loss.value(self.y, fit.predictions)
        return self.weighting.value(losses, self.sample_weight) + self.alpha * fit.squared_norm

    def gradient(self, fit: Fit) -> FloatArray:
        """Return the dual coefficients of the functional gradient."""
        weights = self.weights(fit.predictions)
        return self._slopes(weights, fit.predictions) + 2 * self.alpha * fit.coef

    def smoothness(self) -> float:
        """Return the largest curvature: that of the loss times the top eigenvalue of K."""
        root = np.sqrt(self.sample_weight)[:, None]
        # A regular vector may be orthogonal to the top eigenvector of a regular design.
        vector = np.random.default_rng(0).standard_normal(root.shape)
        top = 0.0
        for _ in range(100):
            image = root * (self.K @ (root * vector))
            norm = float(np.linalg.norm(image))
            if norm == 0 or abs(norm - top) <= 1e-6 * norm:
                break
            top, vector = norm, image / norm
        # Power iteration converges from below: one percent more is safe.
        return 1.01 * self.loss.curvature * top + 2 * self.alpha

    def _slopes(self, weights: FloatArray, predictions: FloatArray) -> FloatArray:
        slopes = weights[:, None] * self.loss.gradient(self.y, predictions)
        return np.where(weights[:, None] > 0, slopes, 0.0)


def projected_gradient(
    problem: TrimmedProblem,
    coef: FloatArray,
    *,
    acceleration: Acceleration = None,
    learning_rate: float | StepSchedule | None = None,
    momentum: float = 0.9,
    tol: float = 1e-7,
    max_iter: int = 1000,
    callback: Callback = no_callback,
) -> Solution:
    """Minimise the trimmed objective from dual coefficients (n, k).

    The learning rate may be a function of the iteration; None is one over the smoothness constant
    of the objective. ``momentum`` is mu. The iteration has converged where ten steps change the
    objective relatively by less than ``tol``.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # the remedy reports divergence
        rate = 1.0 / problem.smoothness() if learning_rate is None else learning_rate
        fit = problem.function(coef, np.zeros(coef.shape[1]))
        previous, velocity, weights = fit, np.zeros_like(coef), problem.weights(fit.predictions)
        path = [problem.objective(fit)]
        for iteration in range(1, max_iter + 1):
            base, inertia = fit, momentum if acceleration == "momentum" else 0.0
            if acceleration == "nesterov":
                ahead = (1 + momentum) * fit.coef - momentum * previous.coef
                base = problem.function(ahead, fit.intercept)
            velocity = inertia * velocity + problem.gradient(base)
            eta = rate(iteration) if callable(rate) else rate
            previous, fit = fit, problem.function(base.coef - eta * velocity, base.intercept)
            path.append(problem.objective(fit))
            if not np.isfinite(path[-1]):
                remedy = "lower learning_rate or momentum: the steps diverge"
                return Solution(previous, weights, path, iteration, converged=False, remedy=remedy)
            before, weights = weights, problem.weights(fit.predictions)
            n_changed = int(np.count_nonzero(before != weights))
            callback(Progress(iteration, max_iter, path[-1], n_changed))
            recent = path[-1 - PATIENCE :]
            if len(recent) > PATIENCE and abs(recent[0] - path[-1]) <= tol * abs(path[-1]):
                return Solution(fit, weights, path, iteration)
        remedy = 'raise max_iter or tol, or use solver="exact"'
        return Solution(fit, weights, path, max_iter, converged=False, remedy=remedy)
