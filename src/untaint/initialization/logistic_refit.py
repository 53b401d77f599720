r"""Concentration steps of logistic regression: Newton's method and reweighting in alternation.

.. math:: f \leftarrow \arg\min_f \sum_i w_i \ell(y_i, f(x_i)) + \alpha \|f\|^2, \qquad
          w \leftarrow h'(\ell(f))

for any trimming rule h. Only the rough shape of f matters, so that steps are few and loose.
"""

from dataclasses import dataclass, field
from typing import final

import numpy as np

from .._typing import FloatArray
from ..optim.base import Fit
from ..optim.c_steps import ExactRefits, c_steps
from ..optim.newton import Newton
from ..optim.newton_step import KernelSpace
from ..optim.ridge_primal import PrimalRidge
from .continuation import Candidate, SubsetRefit

# Unknowns of a fit, of all classes together.
MAX_UNKNOWNS = 500
# Alternations at one alpha, and the tolerance of each.
C_STEPS_PER_ALPHA = 6
TOLERANCE = 1e-2


@final
@dataclass(frozen=True, eq=False)
class LogisticRefit(SubsetRefit):
    """Logistic regression on the samples that a trimming rule keeps."""

    # A Newton solver keeps its preconditioner from one alpha to the next of the same width.
    _newtons: dict[int, Newton[KernelSpace]] = field(default_factory=dict, init=False)

    @property
    def curvature(self) -> float:
        """Second derivative p (1 - p) of the log-loss at p = 1 / K."""
        k = self.y.shape[1]
        return 0.25 if k == 1 else (1.0 - 1.0 / k) / k

    def c_steps(self, columns: FloatArray, alpha: float, start: Candidate) -> Candidate:
        """Alternate from the start's weights, the first fit near the start's predictions."""
        newton = self._newton(columns)
        around = None if start.fit is None else start.fit.predictions

        def solve(weights: FloatArray, fit: Fit | None, tol: float) -> Fit:
            return newton.solve(weights, alpha, fit, tol, around)

        data = (self.y, self.sample_weight, start.weights, alpha)
        process = ExactRefits(solve, self.loss, self.rule, *data, TOLERANCE, excluded=~self.near)
        fit = c_steps(process, max_iter=C_STEPS_PER_ALPHA).fit
        return Candidate(self.trim(self.loss.value(self.y, fit.predictions)), fit)

    def objective(self, columns: FloatArray, alpha: float, candidate: Candidate) -> float:
        """Return the trimmed objective of the candidate's fit."""
        fit = candidate.fit
        assert fit is not None
        losses = np.where(self.near, self.loss.value(self.y, fit.predictions), np.inf)
        return self.rule.value(losses, self.sample_weight) + alpha * fit.squared_norm

    def _newton(self, columns: FloatArray) -> Newton[KernelSpace]:
        width = max(1, min(columns.shape[1] - 1, MAX_UNKNOWNS // self.y.shape[1]))
        if width not in self._newtons:
            system = PrimalRidge(np.ascontiguousarray(columns[:, 1 : width + 1]))
            self._newtons[width] = Newton(KernelSpace(system), self.loss, self.y)
        return self._newtons[width]
