r"""Algorithm 2 in O(t) a round: gradient descent in the surrogate's space, by support rows.

.. math:: \tilde g = 2 (\hat f(\tilde x') - y), \quad \alpha_t = -\eta \tilde g, \quad
          r = \|\hat w\|^2, \quad \alpha \leftarrow \alpha \min\{1, W / \sqrt r\}

As printed, r is a sum over all pairs in every round. Adding a row changes it by
:math:`2 \alpha_t \hat f(\tilde x_t) + \alpha_t^2 R^2` only, and scaling all coefficients is one
number if they are stored without it. The mean of all iterates needs a running sum of it, no more.
"""

from __future__ import annotations

from math import sqrt
from typing import final

import numpy as np

from .._typing import FloatArray
from .steps import Step
from .surrogate import Surrogate

_BLOCK = 256  # rounds whose kernel rows are computed at once
_TINY = 1e-100  # scale below which the coefficients take it in


@final
class Support:
    """Support rows and their coefficients."""

    def __init__(self, n_features: int, step: Step, radius: float | None) -> None:
        self.step, self.radius = step, radius
        self.n = 0
        self._rows = np.empty((_BLOCK, n_features))
        self._coef = np.empty(_BLOCK)  # without the scale
        self._since = np.empty(_BLOCK)  # running sum of scales before the row came
        self._settled = np.zeros(_BLOCK)  # sums of coefficients from before the scale was taken in
        self._scale = 1.0
        self._sum = 0.0
        self._square = 0.0

    @property
    def rows(self) -> FloatArray:
        """Support rows."""
        return self._rows[: self.n]

    def coef(self, average: bool) -> FloatArray:
        """Coefficients, or their mean over all rounds."""
        coef = self._coef[: self.n]
        if not average:
            return self._scale * coef
        return (coef * (self._sum - self._since[: self.n]) + self._settled[: self.n]) / max(
            self.n, 1
        )

    def learn(self, surrogate: Surrogate, X: FloatArray, copy: FloatArray, y: FloatArray) -> None:
        """One round a row."""
        for start in range(0, len(y), _BLOCK):
            part = slice(start, start + _BLOCK)
            self._learn_block(surrogate, X[part], copy[part], y[part])

    def _learn_block(
        self, surrogate: Surrogate, X: FloatArray, copy: FloatArray, y: FloatArray
    ) -> None:
        first = self.n
        self._reserve(first + len(y))
        self._rows[first : first + len(y)] = X
        known = self._rows[: first + len(y)]
        at_copy, at_row = surrogate.matrix(copy, known), surrogate.matrix(X, known)
        for t, target in enumerate(y.tolist()):
            coef = self._coef[: self.n]
            slope = 2.0 * (self._scale * float(at_copy[t, : self.n] @ coef) - target)
            value = self._scale * float(at_row[t, : self.n] @ coef)
            self._add(slope, value, surrogate.peak)

    def _add(self, slope: float, value: float, peak: float) -> None:
        rate = self.step(self.n + 1, np.array([slope * sqrt(peak)]), np.array([self.length]))
        alpha = -rate * slope
        self._square = max(self._square + 2.0 * alpha * value + alpha**2 * peak, 0.0)
        self._coef[self.n] = alpha / self._scale
        self._since[self.n], self._settled[self.n] = self._sum, 0.0
        self.n += 1
        if self.radius is not None and self._square > self.radius**2:
            self._scale *= self.radius / sqrt(self._square)
            self._square = self.radius**2
            if self._scale < _TINY:
                self._take_in_scale()
        self._sum += self._scale

    @property
    def length(self) -> float:
        """Norm of the predictor in the surrogate's space."""
        return sqrt(self._square)

    def widen(self, n_features: int) -> None:
        """Make room for features that have been zero so far."""
        rows = np.zeros((len(self._rows), n_features))
        rows[:, : self._rows.shape[1]] = self._rows
        self._rows = rows

    def _take_in_scale(self) -> None:
        coef, since = self._coef[: self.n], self._since[: self.n]
        self._settled[: self.n] += coef * (self._sum - since)
        coef *= self._scale
        since[:] = 0.0
        self._scale, self._sum = 1.0, 0.0

    def _reserve(self, n: int) -> None:
        if n > len(self._coef):
            size = max(n, 2 * len(self._coef))
            for name in ("_rows", "_coef", "_since", "_settled"):
                old = getattr(self, name)
                new = np.zeros((size, *old.shape[1:]))
                new[: self.n] = old[: self.n]
                setattr(self, name, new)
