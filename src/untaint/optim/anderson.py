r"""Anderson acceleration of a sequence of fits.

Concentration steps map a function x to the fit g(x) of the samples that x keeps, and converge
linearly to a fixed point. With residuals :math:`r_j = g(x_j) - x_j` of the last few steps, the
combination of their fits

.. math:: x = \sum_j \theta_j\, g(x_j), \qquad \theta = \arg\min_{\sum \theta = 1}
          \Big\|\sum_j \theta_j r_j\Big\|

often saves several steps and costs no pass, as functions combine like their values. The caller
takes the plain step where the objective is not lower there.
"""

from typing import final

import numpy as np

from .._typing import FloatArray
from .base import Fit

# Fits that are combined, and rows on which residuals are compared.
DEPTH = 6
COMPARED_ROWS = 20_000
# Parts of a fit that are linear in it.
PARTS = ("coef", "intercept", "predictions")


@final
class AndersonAcceleration:
    """Extrapolation from the last few fits on the same features of ``n_rows`` rows."""

    def __init__(self, n_rows: int) -> None:
        self.step = max(1, n_rows // COMPARED_ROWS)
        self._fits: list[Fit] = []
        self._residuals: list[FloatArray] = []

    def propose(self, point: Fit, fit: Fit) -> Fit | None:
        """Return the extrapolation after the step from a point to its fit, if there are two."""
        residual = (fit.predictions - point.predictions)[:: self.step].ravel()
        self._fits = [*self._fits, fit][-DEPTH:]
        self._residuals = [*self._residuals, residual][-DEPTH:]
        if len(self._fits) < 2:
            return None
        changes = np.column_stack([residual - r for r in self._residuals[:-1]])
        theta, *_ = np.linalg.lstsq(changes, residual, rcond=1e-8)
        pairs = list(zip([*theta, 1.0 - float(theta.sum())], self._fits, strict=True))
        parts = (sum(factor * getattr(fit, name) for factor, fit in pairs) for name in PARTS)
        return Fit.on_features(*map(np.asarray, parts))

    def reset(self) -> None:
        """Forget all fits."""
        self._fits, self._residuals = [], []

    def state_dict(self) -> dict[str, FloatArray]:
        """Return the last fits and residuals, stacked."""
        if not self._fits:
            return {}
        parts = {name: np.stack([getattr(fit, name) for fit in self._fits]) for name in PARTS}
        return parts | {"residuals": np.stack(self._residuals)}

    def load_state_dict(self, state: dict[str, FloatArray]) -> None:
        """Continue from such a state."""
        self.reset()
        if state:
            parts = zip(*(state[name] for name in PARTS), strict=True)
            self._fits = [Fit.on_features(*part) for part in parts]
            self._residuals = list(state["residuals"])
