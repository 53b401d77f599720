r"""Where a sequence of fits is heading: Anderson's extrapolation.

Concentration maps a function x to the fit g(x) of the rows that x selects, and closes in on its
fixed point by a constant factor a step. With residuals :math:`r_j = g(x_j) - x_j` of the last few
steps, the combination of their fits

.. math:: x = \sum_j \theta_j\, g(x_j), \qquad \theta = \arg\min_{\sum \theta = 1}
          \Big\|\sum_j \theta_j r_j\Big\|

is often as good as several steps more. It costs no pass over the rows, because functions add up
like their values. Who uses it checks that the objective is lower there, and else goes on as usual.
"""

from __future__ import annotations

from typing import final

import numpy as np

from .._typing import FloatArray
from .base import Fit

# Fits that are combined, and rows whose values the residuals are compared by.
DEPTH = 6
COMPARED_ROWS = 20_000


@final
class AndersonAcceleration:
    """Combines the last few fits on the same features.

    Parameters
    ----------
    n_rows : int

    Examples
    --------
    >>> import numpy as np
    >>> def fit(x):
    ...     return Fit(np.array([[x]]), np.zeros(1), np.full((1, 1), x), x * x)
    >>> anderson = AndersonAcceleration(1)
    >>> anderson.propose(fit(4.0), fit(2.0)) is None  # one step says nothing of the next
    True
    >>> float(anderson.propose(fit(2.0), fit(1.0)).coef[0, 0])  # halving ends at zero
    0.0
    """

    def __init__(self, n_rows: int) -> None:
        self.step = max(1, n_rows // COMPARED_ROWS)
        self._fits: list[Fit] = []
        self._residuals: list[FloatArray] = []

    def propose(self, point: Fit, fit: Fit) -> Fit | None:
        """Where fits are heading, after the step from a point to its fit."""
        residual = (fit.predictions - point.predictions)[:: self.step].ravel()
        self._fits = [*self._fits, fit][-DEPTH:]
        self._residuals = [*self._residuals, residual][-DEPTH:]
        if len(self._fits) < 2:
            return None
        changes = np.column_stack([residual - r for r in self._residuals[:-1]])
        theta, *_ = np.linalg.lstsq(changes, residual, rcond=1e-8)
        return _combined([*theta, 1.0 - float(theta.sum())], self._fits)

    def reset(self) -> None:
        """Begin anew."""
        self._fits, self._residuals = [], []

    def state_dict(self) -> dict[str, FloatArray]:
        """The last fits and residuals, by name."""
        state: dict[str, FloatArray] = {}
        for j, (fit, residual) in enumerate(zip(self._fits, self._residuals, strict=True)):
            state |= {
                f"ahead_coef{j}": fit.coef,
                f"ahead_intercept{j}": fit.intercept,
                f"ahead_predictions{j}": fit.predictions,
                f"ahead_residual{j}": residual,
            }
        return state

    def load_state_dict(self, state: dict[str, FloatArray]) -> None:
        """Go on with such fits."""
        count = sum(name.startswith("ahead_coef") for name in state)
        self._residuals = [state[f"ahead_residual{j}"] for j in range(count)]
        self._fits = [
            Fit(
                state[f"ahead_coef{j}"],
                state[f"ahead_intercept{j}"],
                state[f"ahead_predictions{j}"],
                float(np.vdot(state[f"ahead_coef{j}"], state[f"ahead_coef{j}"])),
            )
            for j in range(count)
        ]


def _combined(coefficients: list[float], fits: list[Fit]) -> Fit:
    coef = sum(coefficient * fit.coef for coefficient, fit in zip(coefficients, fits, strict=True))
    intercept = sum(
        coefficient * fit.intercept for coefficient, fit in zip(coefficients, fits, strict=True)
    )
    predictions = np.zeros_like(fits[0].predictions)
    for coefficient, fit in zip(coefficients, fits, strict=True):
        predictions += coefficient * fit.predictions
    coef = np.asarray(coef)
    return Fit(coef, np.asarray(intercept), predictions, float(np.vdot(coef, coef)))
