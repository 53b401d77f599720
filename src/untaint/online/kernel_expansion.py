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
from .kernel_sgd import BLOCK, GradientEngine
from .noisy_batch import NoisyBatch
from .projected_gradient import refuse_divergence
from .step_size import StepSize
from .surrogate import SurrogateKernel

_MIN_SCALE = 1e-100  # below it the scale is multiplied into the coefficients


@final
class KernelSGD(GradientEngine):
    """KernelSGD is Algorithm 2 as printed; it keeps every row and takes O(t) a round."""

    def __init__(self, step_size: StepSize, radius: float | None, average: bool) -> None:
        super().__init__(step_size, radius, average)
        self._n = 0
        self._rows = np.empty((BLOCK, 0))
        self._coef = np.empty(BLOCK)  # to be multiplied by _scale
        self._sum_on_arrival = np.empty(BLOCK)  # _scale_sum when the row was added
        self._absorbed = np.zeros(BLOCK)  # sum of coefficients until the scale was absorbed
        self._scale = 1.0
        self._scale_sum = 0.0
        self._squared_norm = 0.0

    def _allocate(self, n_features: int) -> None:
        self._rows = np.pad(self._rows, ((0, 0), (0, n_features - self._rows.shape[1])))

    def _n_rounds(self) -> int:
        return self._n

    def _learn_block(self, batch: NoisyBatch) -> None:
        assert batch.X_copy is not None
        first, after = self._n, self._n + len(batch.y)
        self._reserve(after)
        before = vars(self).copy()
        self._rows[first:after] = batch.X
        known, diagonal = self._rows[:after], self._surrogate.diagonal
        K_copy = self._surrogate.matrix(batch.X_copy, known)
        K_row = self._surrogate.matrix(batch.X, known)
        for t, target in enumerate(batch.y.tolist()):
            coef = self._coef[: self._n]
            slope = 2.0 * (self._scale * float(K_copy[t, : self._n] @ coef) - target)
            value = self._scale * float(K_row[t, : self._n] @ coef)
            try:
                self._add(slope, value, diagonal)
            except OverflowError:
                self._squared_norm = np.inf
                break
        refuse_divergence(self, before, sqrt(self._squared_norm))

    def _add(self, slope: float, value: float, diagonal: float) -> None:
        norm, n = sqrt(self._squared_norm), self._n
        rate = self.step_size(n + 1, np.array([slope * sqrt(diagonal)]), np.array([norm]))
        new_coef = -rate * slope
        self._squared_norm = max(
            self._squared_norm + 2.0 * new_coef * value + new_coef**2 * diagonal, 0.0
        )
        self._coef[n] = new_coef / self._scale
        self._sum_on_arrival[n], self._absorbed[n] = self._scale_sum, 0.0
        self._n = n + 1
        if self.radius is not None and self._squared_norm > self.radius**2:
            self._scale *= self.radius / sqrt(self._squared_norm)
            self._squared_norm = self.radius**2
            if self._scale < _MIN_SCALE:
                self._absorb_scale()
        self._scale_sum += self._scale

    def _absorb_scale(self) -> None:
        coef, sum_on_arrival = self._coef[: self._n], self._sum_on_arrival[: self._n]
        self._absorbed[: self._n] += coef * (self._scale_sum - sum_on_arrival)
        coef *= self._scale
        sum_on_arrival[:] = 0.0
        self._scale, self._scale_sum = 1.0, 0.0

    def _reserve(self, n: int) -> None:
        if n > len(self._coef):
            size = max(n, 2 * len(self._coef))
            for name in ("_rows", "_coef", "_sum_on_arrival", "_absorbed"):
                old = getattr(self, name)
                new = np.zeros((size, *old.shape[1:]))
                new[: self._n] = old[: self._n]
                setattr(self, name, new)

    def predict(self, X: FloatArray, input_cov: FloatArray | None) -> FloatArray:
        """Evaluate the kernel expansion; ``input_cov`` widens the kernel accordingly."""
        cov = np.zeros_like(self._cov) if input_cov is None else -input_cov
        return self._evaluate(SurrogateKernel(self._mixture, cov), X)

    def _surrogate_values(self, X: FloatArray) -> FloatArray:
        return self._evaluate(self._surrogate, X)

    def _evaluate(self, kernel: SurrogateKernel, X: FloatArray) -> FloatArray:
        rows, coef = self._rows[: self._n], self.dual_coef()
        parts = [kernel.matrix(X[i : i + 512], rows) @ coef for i in range(0, len(X), 512)]
        return np.concatenate(parts) if parts else np.empty(0)

    def dual_coef(self) -> FloatArray:
        """Return the coefficients of the support rows, or their means over all rounds."""
        coef = self._coef[: self._n]
        if not self._average:
            return self._scale * coef
        since_arrival = self._scale_sum - self._sum_on_arrival[: self._n]
        return (coef * since_arrival + self._absorbed[: self._n]) / max(self._n, 1)

    def support(self) -> FloatArray:
        """Return the support rows, the first copy of each round."""
        return self._rows[: self._n].copy()
