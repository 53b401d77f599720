r"""Ridge regression from noisy features, in closed form.

.. math:: \hat w = ((S - share \, \Sigma)_+ + \alpha I)^{-1} c

S and c are the moments of the noisy rows, :math:`\Sigma` is the covariance of their noise. The
share of it that is removed, and alpha, are selected such that the corrected fit is not worse than
the naive one: :mod:`.shrinkage_selection`.
"""

from typing import Any

from .._typing import FloatArray
from .._validation import check_choice, check_flag
from .leader import LeaderConfig
from .linear_base import LinearRegressor
from .linear_statistics import LinearStatistics
from .noisy_batch import NoisyBatch
from .shrinkage_selection import share_and_alpha


class CorrectedRidge(LinearRegressor):
    """Ridge regression corrected for known noise in the features.

    The model keeps moments only, so that several calls of ``partial_fit`` give the same fit as one
    call of ``fit``.

    Parameters
    ----------
    noise_cov : number, array of shape (d,) or (d, d), dict, "replicates", optional
        Noise covariance of X: one variance, one for each feature, or a matrix. It is estimated from
        the copies if it is not given and ``X_copy`` is. ``"replicates"`` does so explicitly, and
        allows batches without copies.
    alpha : float or "auto"
        Ridge penalty, in the units of scikit-learn's ``Ridge``; ``"auto"`` selects it for features
        scaled to unit variance.
    share : float in [0, 1] or "auto"
        Share of the noise to remove: 0 is the naive fit and 1 the unbiased one; ``"auto"`` selects
        it.
    fit_intercept : bool
        Whether to fit an intercept.
    missing : {"error", "random"}
        Whether NaN in X raises an error or is an entry missing at random.
    noise_factor : float or "estimate"
        Factor of ``noise_cov``. ``"estimate"`` if the covariance is known up to a factor, which is
        then estimated from copies or true features of some rows; one noisy measurement of each row
        does not identify it.

    Attributes
    ----------
    coef_ : array of shape (d,)
        Coefficients of the features.
    intercept_ : float
        Intercept.
    share_ : float
        Share of the noise that was removed.
    alpha_ : float
        Ridge penalty in use.
    noise_cov_ : array of shape (d, d)
        Noise covariance of one copy, declared or estimated.
    n_rounds_ : int
        Number of rows learnt so far.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (d,)
        Names of the features; only if X has names that are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.online import CorrectedRidge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((2000, 2))
    >>> y = X @ [1.0, 2.0]
    >>> X_noisy = X + 0.5 * rng.standard_normal(X.shape)
    >>> model = CorrectedRidge(noise_cov=0.25).fit(X_noisy, y)
    >>> bool(np.abs(model.coef_ - [1.0, 2.0]).max() < 0.1)
    True
    """

    def __init__(
        self,
        *,
        noise_cov: Any = None,
        alpha: float | str = "auto",
        share: float | str = "auto",
        fit_intercept: bool = True,
        missing: str = "error",
        noise_factor: float | str = 1.0,
    ) -> None:
        self.noise_cov = noise_cov
        self.alpha = alpha
        self.share = share
        self.fit_intercept = fit_intercept
        self.missing = missing
        self.noise_factor = noise_factor

    @property
    def share_(self) -> float:
        """The share of the noise that was removed."""
        return self._fitted_statistics.fit().shrinkage.share

    @property
    def alpha_(self) -> float:
        """The ridge penalty in use, in the units of the parameter ``alpha``."""
        if not isinstance(self.alpha, str):
            return float(self.alpha)
        weight = self._fitted_statistics.leader.moments.total_gram[0, 0]
        return self._fitted_statistics.fit().shrinkage.alpha * weight

    @property
    def noise_cov_(self) -> FloatArray:
        """The noise covariance of one copy, declared or estimated."""
        return self._fitted_statistics.copy_noise_cov()

    def _check_parameters(self) -> None:
        share_and_alpha(self)
        check_flag("fit_intercept", self.fit_intercept)
        check_choice("missing", self.missing, ("error", "random"))
        self._check_noise_factor()

    def _start(self, batch: NoisyBatch) -> None:
        shares, alpha = share_and_alpha(self)
        config = LeaderConfig(
            shares=shares, alpha=alpha, centred=self.fit_intercept, scaled=alpha is None
        )
        self._statistics = LinearStatistics(batch, config, allow_missing=self._allow_missing)

    def _learn(self, batch: NoisyBatch) -> None:
        self._fitted_statistics.add(batch, overwrite=True)

    def _end_batch(self) -> None:
        self._fitted_statistics.leader.retune()
