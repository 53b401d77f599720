"""What a kernel predictor that learns from noisy rows can be asked."""

from __future__ import annotations

from abc import ABC, abstractmethod

from .._typing import FloatArray
from .mixture import Mixture
from .views import Views


class Engine(ABC):
    """A kernel predictor that learns."""

    @abstractmethod
    def prepare(self, mixture: Mixture, cov: FloatArray, n_copies: int) -> None:
        """Get ready for rows with so much noise; again, if they have got more features."""

    @abstractmethod
    def learn(self, views: Views, target_bound: float | None) -> None:
        """Learn a batch."""

    @abstractmethod
    def values(self, X: FloatArray, doubt: FloatArray | None) -> FloatArray:
        """Predictions; their mean over Gaussian rows about X if a covariance is given."""

    @abstractmethod
    def clean_error(self, views: Views) -> float:
        """Unbiased estimate of the mean squared error on the clean rows."""

    def share(self) -> float:
        """Share of the noise that the predictor is free of."""
        return 1.0

    def due(self, rounds: int) -> tuple[int, int]:
        """The round up to which predictions see the stream, and the next such round."""
        return rounds, rounds + 1

    def dual_coef(self) -> FloatArray:
        """Coefficients of the support rows."""
        raise AttributeError("dual_coef_ is kept by Algorithm 2 without a budget only")

    def support(self) -> FloatArray:
        """Support rows."""
        raise AttributeError("support_ is kept by Algorithm 2 without a budget only")

    def coef(self) -> FloatArray:
        """Weights of the random features."""
        raise AttributeError("coef_ belongs to random features: learning_rate='auto', or a budget")

    def frequencies(self) -> FloatArray:
        """Frequencies of the random features."""
        raise AttributeError(
            "frequencies_ belongs to random features: learning_rate='auto', or a budget"
        )

    def regret_bound(self, rounds: int) -> float:
        """Largest expected regret."""
        raise AttributeError('regret_bound_ is known for learning_rate="theory" only')
