r"""One Newton step: the minimiser of a loss's second order, in the kernel's space.

At a function with dual coefficients a, intercept b and weighted gradients G and Hessians H at the
rows, the step (da, db) solves

.. math:: (H K + \rho I)\, da + H 1\, db = -(G + \rho a), \qquad 1^T (G + H (K da + 1 db)) = 0

for the ridge :math:`\rho = 2\alpha`. The second line gives db for any da. What is left is a system
for da, symmetric in the inner product :math:`\langle a, c\rangle = a^T K c` of the kernel's space.
Conjugate gradients in that inner product lower, with every iteration, the very objective that the
step is after: one that is solved badly still points downhill. An iteration multiplies by K once.

The preconditioner is symmetric only nearly, so directions are made conjugate by what the residual
really did (Polak and Ribiere), and never turn uphill.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._typing import FloatArray
from ..losses import Hessian
from .base import Fit, Precondition, RidgeSystem

MAX_ITER = 200
# Coefficients that K sends to zero must not grow unseen: the inner product takes K + delta I, delta
# being this part of the ridge. Predictions differ by as much, and not by more.
DELTA = 1e-6
# Iterations are never thought to converge more slowly than this.
SLOWEST = 0.99


@dataclass(frozen=True)
class DualStep:
    """Where a step leads, what it cost, and the fall of the second order that it brings."""

    goal: Fit
    iterations: int


def newton_step(
    system: RidgeSystem,
    fit: Fit,
    gradient: FloatArray,
    hessian: Hessian,
    penalty: float,
    precondition: Precondition,
    tol: float,
) -> DualStep:
    """Solve for the step.

    Parameters
    ----------
    system : RidgeSystem
    fit : Fit
        With dual coefficients.
    gradient : array of shape (n, k)
        G.
    hessian : Hessian
        H.
    penalty : float, positive
        rho.
    precondition : callable
        Close to the inverse of H K + rho I.
    tol : float
        The square of this is the part of all that was gained that may be left.
    """
    assert fit.dual is not None
    shift = _intercept(hessian, system.fit_intercept)
    db = -shift(gradient)
    residual = -(gradient + hessian.times(np.broadcast_to(db, gradient.shape)) + penalty * fit.dual)
    da, K_da = np.zeros(residual.shape), np.zeros(residual.shape)
    direction = K_direction = previous = np.zeros(residual.shape)
    delta = DELTA * penalty
    gain = gained = rho = 0.0
    iterations = 0
    while iterations < MAX_ITER:
        z = precondition(residual)
        K_z = system.times(z) + delta * z
        rho, old_rho = float(np.vdot(residual, K_z)), rho
        if not rho > 0:
            # A preconditioner so poor is worse than none.
            z = residual / penalty
            K_z = system.times(z) + delta * z
            rho = float(np.vdot(residual, K_z))
            direction, K_direction, previous = 0.0 * z, 0.0 * z, residual
            precondition = _plain(penalty)
        if not rho > 0:
            break
        turn = 0.0
        if iterations > 0:
            turn = max(0.0, (rho - float(np.vdot(previous, K_z))) / old_rho)
        direction, K_direction = z + turn * direction, K_z + turn * K_direction
        bent = hessian.times(K_direction)
        image = bent - hessian.times(np.broadcast_to(shift(bent), bent.shape)) + penalty * direction
        bend = float(np.vdot(K_direction, image))
        if not bend > 0:  # nothing but rounding is left
            break
        length = float(np.vdot(residual, K_direction)) / bend
        da, K_da = da + length * direction, K_da + length * K_direction
        previous, residual = residual, residual - length * image
        iterations += 1
        last, gain = gain, length * float(np.vdot(previous, K_direction))
        gained += gain
        # What is left if iterations go on to bring less and less at the present rate.
        rate = min(gain / last, SLOWEST) if last > 0 else SLOWEST
        if gain * rate / (1.0 - rate) <= tol**2 * gained:
            break
    db = db - shift(hessian.times(K_da))
    smooth = fit.predictions - fit.intercept + K_da - delta * da
    return DualStep(system.from_dual(fit.dual + da, smooth, fit.intercept + db), iterations)


def _plain(penalty: float) -> Precondition:
    return lambda v: v / penalty


def _intercept(hessian: Hessian, wanted: bool) -> Precondition:
    """The map from slopes at the rows to the intercepts that undo their sum."""
    if not wanted:
        return lambda slopes: np.zeros(slopes.shape[1])
    # The scores of a softmax may all be raised alike: its k x k matrix has a null space.
    inverse = np.linalg.pinv(hessian.total(), rcond=1e-10, hermitian=True)
    return lambda slopes: inverse @ slopes.sum(axis=0)
