r"""Base class of the linear learners: coefficients, predictions and the corrected score.

The clean squared error of :math:`f(x) = \langle w, x \rangle + b` is estimated without bias by
:math:`(f(\tilde x) - y)^2 - w^T \Sigma w`, or from two copies by :math:`(f(a) - y) (f(b) - y)`.
"""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from .._typing import FloatArray
from .._validation import check_real, is_word
from .linear_statistics import LinearStatistics
from .noise import is_estimated
from .noisy_batch import NoisyBatch
from .replicates import mean_of_copies
from .river_api import NoisyLearner


class LinearRegressor(RegressorMixin, NoisyLearner):
    """Base class of the linear regressors that correct for known noise in the features."""

    _statistics: LinearStatistics | None

    def _linear_model(self) -> tuple[FloatArray, float]:
        """Return coefficients and intercept of the current model."""
        return self._fitted_statistics.fit()[:2]

    @property
    def coef_(self) -> FloatArray:
        """The coefficients of the features."""
        self._bring_up_to_date()
        return self._linear_model()[0].copy()

    @property
    def intercept_(self) -> float:
        """The intercept of the linear model."""
        self._bring_up_to_date()
        return self._linear_model()[1]

    @property
    def _fitted_statistics(self) -> LinearStatistics:
        if self.__dict__.get("_statistics") is None:
            check_is_fitted(self, "n_rounds_")
            if self._waits_for_scaling:
                raise ValueError(
                    "the learner has not started: it waits for the rows from which the scaler in "
                    f"front takes its scales, and has seen {self.n_rounds_}."
                )
            raise ValueError(
                "noisy=True needs the second moments of the features, which are not kept for so "
                "many of them."
            )
        assert self._statistics is not None
        return self._statistics

    def _predict_rows(self, X: FloatArray, noisy: bool) -> FloatArray:
        coef, intercept = self._linear_model()
        if noisy or np.isnan(X).any():
            X = self._fitted_statistics.posterior_mean(X, noisy=noisy, share=self._share_removed())
        return X @ coef + intercept

    def _share_removed(self) -> float:
        """Return the share of the noise from which the coefficients have been corrected."""
        return self._fitted_statistics.fit().shrinkage.share

    def _clean_error(self, batch: NoisyBatch) -> float:
        assert isinstance(batch.noise, np.ndarray)
        coef, intercept = self._linear_model()
        residual = batch.X @ coef + intercept - batch.y
        once = residual**2 - coef @ batch.noise @ coef
        if batch.X_copy is None:
            return float(np.mean(once))
        copy = batch.X_copy if batch.X_copy.ndim == 2 else mean_of_copies(batch.X_copy)
        products = residual * (copy @ coef + intercept - batch.y)
        return float(np.mean(np.where(np.isnan(products), once, products)))

    def _copy_noise_cov(self) -> FloatArray:
        return self._fitted_statistics.copy_noise_cov()

    def _expand(self, n_features: int) -> None:
        self._fitted_statistics.expand(n_features)

    def _refit_rounds(self) -> tuple[int, int]:
        return self._fitted_statistics.leader.refit_rounds(self.n_rounds_)

    def _check_noise_factor(self) -> None:
        if not is_word(self.noise_factor, "estimate"):
            check_real("noise_factor", self.noise_factor, low=0, inclusive=False)
        elif self.noise_cov is not None and is_estimated(self.noise_cov):
            raise ValueError(
                'noise_factor must be 1 with noise_cov="replicates", which estimates all of the '
                "covariance."
            )

    def _check_declared_noise(self) -> None:
        if self._statistics is not None:
            self._statistics.check_noise(self._feature_index.names, self._was_scaled)
