r"""Algorithm 2 with support rows: gradient descent in the surrogate's space in O(t) a round.

.. math:: \tilde g = 2 (\hat f(\tilde x') - y), \quad \alpha_t = -\eta \tilde g, \quad
          r = \|\hat w\|^2, \quad \alpha \leftarrow \alpha \min\{1, W / \sqrt r\}

As printed, r is a sum over all pairs in every round. Adding a row changes it by :math:`2 \alpha_t
\hat f(\tilde x_t) + \alpha_t^2 R^2` only. Scaling all coefficients is O(1) if the common scale is
stored separately, and the mean of all iterates follows from its running sum.
"""

from math import sqrt
from typing import final

import numpy as np

from .._typing import FloatArray
from .step_size import StepSize
from .surrogate import SurrogateKernel

_BLOCK = 256  # rounds for which the kernel matrix is computed at once
_MIN_SCALE = 1e-100  # below it the scale is multiplied into the coefficients


@final
class GrowingExpansion:
    """A GrowingExpansion is a predictor given by support rows and their coefficients."""

    def __init__(self, n_features: int, step_size: StepSize, radius: float | None) -> None:
        self.step_size, self.radius = step_size, radius
        self.n = 0
        self._rows = np.empty((_BLOCK, n_features))
        self._coef = np.empty(_BLOCK)  # to be multiplied by _scale
        self._sum_on_arrival = np.empty(_BLOCK)  # _scale_sum when the row was added
        self._absorbed = np.zeros(_BLOCK)  # sum of coefficients until the scale was absorbed
        self._scale = 1.0
        self._scale_sum = 0.0
        self._squared_norm = 0.0

    @property
    def rows(self) -> FloatArray:
        """The support rows."""
        return self._rows[: self.n]

    def coef(self, average: bool) -> FloatArray:
        """Return the coefficients, or their means over all rounds."""
        coef = self._coef[: self.n]
        if not average:
            return self._scale * coef
        return (
            coef * (self._scale_sum - self._sum_on_arrival[: self.n]) + self._absorbed[: self.n]
        ) / max(self.n, 1)

    def learn(
        self, surrogate: SurrogateKernel, X: FloatArray, X_copy: FloatArray, y: FloatArray
    ) -> None:
        """Perform one round of Algorithm 2 for each row."""
        for start in range(0, len(y), _BLOCK):
            part = slice(start, start + _BLOCK)
            self._learn_block(surrogate, X[part], X_copy[part], y[part])

    def _learn_block(
        self, surrogate: SurrogateKernel, X: FloatArray, X_copy: FloatArray, y: FloatArray
    ) -> None:
        first = self.n
        self._reserve(first + len(y))
        self._rows[first : first + len(y)] = X
        known = self._rows[: first + len(y)]
        K_copy, K_row = surrogate.matrix(X_copy, known), surrogate.matrix(X, known)
        for t, target in enumerate(y.tolist()):
            coef = self._coef[: self.n]
            slope = 2.0 * (self._scale * float(K_copy[t, : self.n] @ coef) - target)
            value = self._scale * float(K_row[t, : self.n] @ coef)
            self._add(slope, value, surrogate.diagonal)

    def _add(self, slope: float, value: float, diagonal: float) -> None:
        rate = self.step_size(self.n + 1, np.array([slope * sqrt(diagonal)]), np.array([self.norm]))
        new_coef = -rate * slope
        self._squared_norm = max(
            self._squared_norm + 2.0 * new_coef * value + new_coef**2 * diagonal, 0.0
        )
        self._coef[self.n] = new_coef / self._scale
        self._sum_on_arrival[self.n], self._absorbed[self.n] = self._scale_sum, 0.0
        self.n += 1
        if self.radius is not None and self._squared_norm > self.radius**2:
            self._scale *= self.radius / sqrt(self._squared_norm)
            self._squared_norm = self.radius**2
            if self._scale < _MIN_SCALE:
                self._absorb_scale()
        self._scale_sum += self._scale

    @property
    def norm(self) -> float:
        """The norm of the predictor in the surrogate's space."""
        return sqrt(self._squared_norm)

    def expand(self, n_features: int) -> None:
        """Add columns for new features, which are zero in the earlier rows."""
        rows = np.zeros((len(self._rows), n_features))
        rows[:, : self._rows.shape[1]] = self._rows
        self._rows = rows

    def _absorb_scale(self) -> None:
        coef, sum_on_arrival = self._coef[: self.n], self._sum_on_arrival[: self.n]
        self._absorbed[: self.n] += coef * (self._scale_sum - sum_on_arrival)
        coef *= self._scale
        sum_on_arrival[:] = 0.0
        self._scale, self._scale_sum = 1.0, 0.0

    def _reserve(self, n: int) -> None:
        if n > len(self._coef):
            size = max(n, 2 * len(self._coef))
            for name in ("_rows", "_coef", "_sum_on_arrival", "_absorbed"):
                old = getattr(self, name)
                new = np.zeros((size, *old.shape[1:]))
                new[: self.n] = old[: self.n]
                setattr(self, name, new)
