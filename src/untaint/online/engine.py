"""The interface of the predictors behind :class:`~untaint.online.NoisyKernelRegressor`."""

from abc import ABC, abstractmethod

from .._typing import FloatArray
from .mixture import KernelMixture
from .noisy_batch import NoisyBatch


class Engine(ABC):
    """Base class of the kernel predictors that learn from noisy rows."""

    @abstractmethod
    def prepare(self, mixture: KernelMixture, cov: FloatArray, n_copies: int) -> None:
        """Set the kernel and the noise covariance; called again when features have been added."""

    @abstractmethod
    def learn(self, batch: NoisyBatch, target_bound: float | None) -> None:
        """Learn from a batch of noisy rows."""

    @abstractmethod
    def predict(self, X: FloatArray, input_cov: FloatArray | None) -> FloatArray:
        """Return predictions, or their means over Gaussian rows X with covariance ``input_cov``."""

    @abstractmethod
    def clean_error(self, batch: NoisyBatch) -> float:
        """Return an unbiased estimate of the mean squared error on the clean rows."""

    def removed_share(self) -> float:
        """Return the share of the noise from which the predictor has been corrected."""
        return 1.0

    def refit_rounds(self, rounds: int) -> tuple[int, int]:
        """Return the last round that predictions use, and the next one at which this changes."""
        return rounds, rounds + 1
