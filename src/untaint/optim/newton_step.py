r"""Newton steps in the kernel's space, by conjugate gradients on dual coefficients.

At a function with dual coefficients a, intercept b and weighted gradients G and Hessians H at the
rows, the step (da, db) solves

.. math:: (H K + \rho I)\, da + H 1\, db = -(G + \rho a), \qquad 1^T (G + H (K da + 1 db)) = 0

for the penalty :math:`\rho = 2\alpha`. The second equation gives db for any da. What is left is a
system for da, symmetric in the inner product :math:`\langle a, c\rangle = a^T K c` of the kernel's
space. Conjugate gradients in that inner product lower the second-order expansion with every
iteration, one product with K: a step of a loose tolerance is still a descent direction.

The preconditioner is only nearly symmetric, so directions are made conjugate by the change of the
residual (Polak and Ribiere), with a restart where that would be negative.
"""

from functools import partial
from typing import final

import numpy as np

from .._typing import FloatArray
from ..losses import Hessian
from .base import Fit, Precondition, RidgeSystem
from .newton import LOOSE_STEP, NewtonSpace, Step, WeightedObjective

MAX_ITER = 200
# Iterations of a step beyond which a new preconditioner pays.
PATIENCE = 6
# The inner product takes K + delta I, with delta this part of the penalty, so that coefficients in
# the null space of K stay bounded. Predictions differ by as much, and not by more.
DELTA = 1e-6
# Slowest rate of convergence that is assumed when the rest is extrapolated.
SLOWEST = 0.99


@final
class KernelSpace(NewtonSpace):
    """Functions by their dual coefficients; a preconditioner serves until a step is slow."""

    in_passes = False

    def __init__(self, system: RidgeSystem) -> None:
        self.system = system
        self._precondition: Precondition | None = None

    def start(self, objective: WeightedObjective, around: FloatArray | None) -> Fit:
        """Return the zero function, or the minimiser of the expansion around some predictions."""
        zero = self.system.zero(objective.y)
        if around is None:
            return zero
        hessian = objective.hessian(around)
        gradient = objective.gradient(around) - hessian.times(around)
        self._precondition = self._preconditioner(objective, hessian)
        problem = (gradient, hessian, 2 * objective.alpha, self._precondition)
        fit, _ = newton_step(self.system, zero, *problem, LOOSE_STEP)
        if objective.value(fit) < objective.value(zero):
            return fit
        self._precondition = None  # near certainty the second derivatives vanish
        return zero

    def step(
        self, objective: WeightedObjective, fit: Fit, tol: float, value: float | None = None
    ) -> Step:
        """Minimise the second-order expansion around a fit; see :meth:`NewtonSpace.step`."""
        values = fit.predictions
        gradient, hessian = objective.gradient(values), objective.hessian(values)
        if self._precondition is None:
            self._precondition = self._preconditioner(objective, hessian)
        parts = (2 * objective.alpha, self._precondition, tol)
        target, iterations = fit, 0
        if not objective.loss.convex:
            exact = objective.exact_hessian(values)
            target, iterations = newton_step(self.system, fit, gradient, exact, *parts)
        if iterations == 0:
            target, iterations = newton_step(self.system, fit, gradient, hessian, *parts)
        if iterations > PATIENCE:
            self._precondition = None
        slope = float(np.vdot(gradient, target.predictions - fit.predictions))
        slope += 2 * objective.alpha * (self.system.inner(fit, target) - fit.squared_norm)
        return Step(-0.5 * slope, partial(self.system.interpolate, fit, target))

    def _preconditioner(self, objective: WeightedObjective, hessian: Hessian) -> Precondition:
        n_outputs = objective.y.shape[1]
        return self.system.newton_preconditioner(hessian, n_outputs, 2 * objective.alpha)


def newton_step(
    system: RidgeSystem,
    fit: Fit,
    gradient: FloatArray,
    hessian: Hessian,
    penalty: float,
    precondition: Precondition,
    tol: float,
) -> tuple[Fit, int]:
    """Return the minimiser of the second-order expansion, and the number of iterations made.

    The fit has dual coefficients. Gradients G, (n, k), and Hessian H are weighted, the penalty is
    rho > 0, and ``precondition`` is close to the inverse of H K + rho I. The square of ``tol`` is
    the part of the decrease that may be missing.
    """
    assert fit.dual is not None
    expansion = _Expansion(system, hessian, penalty)
    db = -expansion.intercept(gradient)
    residual = -(gradient + hessian.times(np.broadcast_to(db, gradient.shape)) + penalty * fit.dual)
    da, K_da = np.zeros(residual.shape), np.zeros(residual.shape)
    direction = K_direction = previous = np.zeros(residual.shape)
    gain = total = rho = 0.0
    iterations = 0
    while iterations < MAX_ITER:
        last_rho, restart = rho, iterations == 0
        z, K_z, rho = expansion.descent(precondition, residual)
        if not rho > 0:  # the preconditioner is not positive definite
            precondition, restart = (lambda v: v / penalty), True
            z, K_z, rho = expansion.descent(precondition, residual)
        if not rho > 0:
            break
        beta = 0.0 if restart else max(0.0, (rho - float(np.vdot(previous, K_z))) / last_rho)
        direction, K_direction = z + beta * direction, K_z + beta * K_direction
        image = expansion.image(direction, K_direction)
        curvature = float(np.vdot(K_direction, image))
        if not curvature > 0:  # rounding
            break
        length = float(np.vdot(residual, K_direction)) / curvature
        da, K_da = da + length * direction, K_da + length * K_direction
        previous, residual = residual, residual - length * image
        iterations += 1
        last, gain = gain, length * float(np.vdot(previous, K_direction))
        total += gain
        # The gains of all further iterations if they go on to shrink at the present rate.
        rate = min(gain / last, SLOWEST) if last > 0 else SLOWEST
        if gain * rate / (1.0 - rate) <= tol**2 * total:
            break
    db = db - expansion.intercept(hessian.times(K_da))
    smooth = fit.predictions - fit.intercept + K_da - expansion.delta * da
    return system.from_dual(fit.dual + da, smooth, fit.intercept + db), iterations


@final
class _Expansion:
    """The operator H K + rho I of a step, its intercept eliminated, and the inner product."""

    def __init__(self, system: RidgeSystem, hessian: Hessian, penalty: float) -> None:
        self.system, self.hessian, self.penalty = system, hessian, penalty
        self.delta = DELTA * penalty
        self._inverse: FloatArray | None = None
        if system.fit_intercept:
            # A constant added to all scores of a softmax changes nothing: k x k, but singular.
            self._inverse = np.linalg.pinv(hessian.total(), rcond=1e-10, hermitian=True)

    def intercept(self, slopes: FloatArray) -> FloatArray:
        """Return the intercepts whose second-order effect cancels the sum of some slopes."""
        if self._inverse is None:
            return np.zeros(slopes.shape[1])
        return np.asarray(self._inverse @ slopes.sum(axis=0))

    def descent(
        self, precondition: Precondition, residual: FloatArray
    ) -> tuple[FloatArray, FloatArray, float]:
        """Return the preconditioned residual z, its product with the kernel, and their pairing."""
        z = precondition(residual)
        K_z = self.system.times(z) + self.delta * z
        return z, K_z, float(np.vdot(residual, K_z))

    def image(self, direction: FloatArray, K_direction: FloatArray) -> FloatArray:
        """Return the operator times a direction."""
        bent = self.hessian.times(K_direction)
        shift = np.broadcast_to(self.intercept(bent), bent.shape)
        return bent - self.hessian.times(shift) + self.penalty * direction
