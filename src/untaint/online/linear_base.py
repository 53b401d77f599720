r"""What the linear learners share: weights and intercept, and what follows from them.

The clean squared error of :math:`f(x) = \langle w, x \rangle + b` is estimated without bias by
:math:`(f(\tilde x) - y)^2 - w^T \Sigma w`, or from two copies by :math:`(f(a) - y) (f(b) - y)`.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._typing import FloatArray
from .base import NoisyRegressor
from .leader import Fit
from .noise import RowNoise
from .sums import LinearSums
from .views import Views


class LinearRegressor(NoisyRegressor):
    """Base of the linear learners, which keep sums."""

    _sums: LinearSums | None

    @abstractmethod
    def _point(self) -> tuple[FloatArray, float]:
        """Weights and intercept."""

    @property
    def coef_(self) -> FloatArray:
        """Weights of the features."""
        check_is_fitted(self, "n_rounds_")
        self._catch_up()
        return self._point()[0].copy()

    @property
    def intercept_(self) -> float:
        """Intercept."""
        check_is_fitted(self, "n_rounds_")
        self._catch_up()
        return self._point()[1]

    def _line(self) -> tuple[FloatArray, float] | None:
        return self._point()

    @property
    def _kept(self) -> LinearSums:
        if self.__dict__.get("_sums") is None:
            check_is_fitted(self, "n_rounds_")
            raise ValueError(
                "noisy=True needs the second moments of the features, which are not kept for so "
                "many of them."
            )
        assert self._sums is not None
        return self._sums

    def _leading(self) -> tuple[Fit, FloatArray, float]:
        return self._kept.fit()

    def _evaluate(self, X: FloatArray, noisy: bool) -> FloatArray:
        coef, intercept = self._point()
        if noisy or np.isnan(X).any():
            X = self._kept.expected(X, noisy=noisy, share=self._share_removed())
        return X @ coef + intercept

    def _share_removed(self) -> float:
        """Share of the noise that the weights are free of."""
        return self._leading()[0].choice.share

    def _clean_error(self, views: Views) -> float:
        coef, intercept = self._point()
        residual = views.X @ coef + intercept - views.y
        if views.copy is not None:
            return float(np.mean(residual * (views.copy @ coef + intercept - views.y)))
        noise = views.noise
        if isinstance(noise, RowNoise):
            excess = float(np.mean([coef @ noise.times(t, coef) for t in range(len(views.y))]))
        else:
            assert noise is not None
            excess = float(coef @ noise @ coef)
        return float(np.mean(residual**2)) - excess

    def _noise_of_one_copy(self) -> FloatArray:
        return self._kept.single_noise()

    def _widen(self, n_features: int) -> None:
        self._kept.widen(n_features)

    def _due(self) -> tuple[int, int]:
        return self._kept.leader.marks(self.n_rounds_)

    def _check_noise(self) -> None:
        if self._sums is not None:
            self._sums.check_noise(self._columns.names)
