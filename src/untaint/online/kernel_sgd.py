r"""Algorithm 2: stochastic gradient descent in the surrogate's space, from two copies of each row.

One copy gives the slope, :math:`\tilde g = 2 (\hat f(\tilde x') - y)`, the other the direction,
:math:`\hat\Psi(\tilde x)`. The predictor is a sum over rows (:mod:`.kernel_expansion`), or
:class:`RandomFeatureSGD`, which has the coefficients of random features.
"""

from abc import abstractmethod
from typing import final

import numpy as np

from .._typing import FloatArray
from .engine import Engine
from .fourier import evaluate_features, fourier_features
from .mixture import KernelMixture
from .noise import log_characteristic_function
from .noisy_batch import NoisyBatch
from .projected_gradient import ProjectedGradientDescent, refuse_divergence
from .step_size import (
    DistanceOverGradients,
    StepSize,
    TheoreticalStepSize,
    regret_bound,
    warn_beyond_horizon,
)
from .surrogate import SurrogateKernel

BLOCK = 256  # rounds for which features or the kernel matrix are computed at once


class GradientEngine(Engine):
    """Base class of the two forms of Algorithm 2, which needs two copies of each row."""

    def __init__(self, step_size: StepSize, radius: float | None, average: bool) -> None:
        self.step_size, self.radius, self._average = step_size, radius, average

    def prepare(self, mixture: KernelMixture, cov: FloatArray, n_copies: int) -> None:
        """Construct the surrogate kernel; raise if there is only one copy of each row."""
        if n_copies < 2:
            raise ValueError(
                "X_copy must be given for Algorithm 2, got one copy of each row: give a second "
                'one, or use learning_rate="auto", which needs one only.'
            )
        self._mixture, self._cov = mixture, cov
        self._surrogate = SurrogateKernel(mixture, cov)
        self._allocate(len(cov))

    @abstractmethod
    def _allocate(self, n_features: int) -> None:
        """Allocate arrays for this number of features."""

    def learn(self, batch: NoisyBatch, target_bound: float | None) -> None:
        """Perform one round for each row."""
        ends = [0, len(batch.y)]  # between them the gradient bound is constant
        if isinstance(self.step_size, TheoreticalStepSize):
            largest_target = np.maximum.accumulate(np.maximum(np.abs(batch.y), target_bound or 0.0))
            ends[1:1] = (np.flatnonzero(np.diff(largest_target)) + 1).tolist()
        for rows in map(slice, ends, ends[1:]):
            part = batch[rows]
            self._raise_gradient_bound(part, target_bound)
            for start in range(0, len(part.y), BLOCK):
                self._learn_block(part[start : start + BLOCK])

    @abstractmethod
    def _learn_block(self, batch: NoisyBatch) -> None:
        """Perform one round for each of a few rows."""

    @abstractmethod
    def _surrogate_values(self, X: FloatArray) -> FloatArray:
        """Return unbiased estimates of the predictions at the clean rows, given noisy ones."""

    @abstractmethod
    def _n_rounds(self) -> int:
        """Return the number of rounds so far."""

    def clean_error(self, batch: NoisyBatch) -> float:
        """Return the mean product of the two copies' residuals, which is unbiased."""
        assert batch.X_copy is not None
        first, second = self._surrogate_values(batch.X), self._surrogate_values(batch.X_copy)
        return float(np.mean((first - batch.y) * (second - batch.y)))

    def regret_bound(self) -> float:
        """Return the bound of Theorem 2, with the cross term that the printed one lacks."""
        return regret_bound(self.step_size, self._n_rounds())

    def _raise_gradient_bound(self, batch: NoisyBatch, target_bound: float | None) -> None:
        """Raise the gradient bound sqrt(G) = 2 (W R + B_y) R to cover the targets of a batch."""
        if batch.sample_weight is not None and not np.all(batch.sample_weight == 1.0):
            raise ValueError("sample_weight must be None, or all ones, for Algorithm 2.")
        R = float(np.sqrt(self._surrogate.diagonal))
        if isinstance(self.step_size, DistanceOverGradients):
            first = batch.y[np.argmax(batch.y != 0.0)]  # while y is zero the gradient is zero
            self.step_size.start(R, float(first))
        if not isinstance(self.step_size, TheoreticalStepSize):
            return
        largest_target = max(float(np.abs(batch.y).max(initial=0.0)), target_bound or 0.0)
        self.step_size.raise_gradient_bound(
            2 * (self.step_size.radius * R + largest_target) * R, self._n_rounds() + 1
        )
        warn_beyond_horizon(self.step_size, self._n_rounds(), len(batch.y), 7)


@final
class RandomFeatureSGD(GradientEngine):
    r"""RandomFeatureSGD is Algorithm 2 on random features of the surrogate, in O(budget) a round.

    With frequencies from the surrogate's spectrum :math:`\hat\phi = R (\cos, \sin) / \sqrt D` has
    exactly the norm R. The kernel's own spectrum is the surrogate's times :math:`c(\omega)`, so
    that :math:`\langle \hat w, c \hat\phi(x) \rangle` is the predictor in the kernel's space.
    """

    def __init__(
        self, step_size: StepSize, radius: float | None, average: bool, budget: int, seed: int
    ) -> None:
        super().__init__(step_size, radius, average)
        self._budget, self._seed = budget, seed
        self._descent = ProjectedGradientDescent(2 * budget, step_size, radius)

    def _allocate(self, n_features: int) -> None:
        self._omega = self._surrogate.sample_frequencies(self._budget, self._seed)
        damping = np.exp(log_characteristic_function(self._omega, self._cov, "gaussian"))
        self._damping = np.tile(damping, 2)
        self._amplitude = np.sqrt(self._surrogate.diagonal / self._budget)

    def _n_rounds(self) -> int:
        return self._descent.rounds

    def _learn_block(self, batch: NoisyBatch) -> None:
        assert batch.X_copy is not None
        descent = self._descent
        before = vars(descent).copy()
        phi_row = self._amplitude * fourier_features(batch.X, self._omega)
        phi_copy = self._amplitude * fourier_features(batch.X_copy, self._omega)
        for t, y in enumerate(batch.y.tolist()):
            descent.update(2.0 * (float(descent.w @ phi_copy[t]) - y) * phi_row[t])
        refuse_divergence(descent, before, np.abs(descent.w).max())

    def predict(self, X: FloatArray, input_cov: FloatArray | None) -> FloatArray:
        """Evaluate the random features; ``input_cov`` damps each of them accordingly."""
        return evaluate_features(X, self._omega, self.coef(), input_cov)

    def _surrogate_values(self, X: FloatArray) -> FloatArray:
        return self._amplitude * (
            fourier_features(X, self._omega) @ self._descent.iterate(self._average)
        )

    def coef(self) -> FloatArray:
        """Return the coefficients of the cosines, then of the sines."""
        return self._amplitude * self._damping * self._descent.iterate(self._average)

    def frequencies(self) -> FloatArray:
        """Return the frequencies, one in each row."""
        return self._omega.copy()
