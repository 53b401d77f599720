r"""Ridge regression from noisy features, in closed form.

.. math:: \hat w = ((S - share \, \Sigma)_+ + \lambda I)^{-1} c

S and c are the moments of the noisy rows, :math:`\Sigma` is the covariance of their noise. How much
of it is removed, and the ridge, are chosen such that correcting does not hurt: :mod:`.guard`.
"""

from __future__ import annotations

from typing import Any

from .._typing import FloatArray
from .._validation import check_at_most, check_choice, check_flag, check_real
from .guard import SHARES
from .leader import Plan
from .linear_base import LinearRegressor
from .sums import LinearSums
from .views import Views


class CorrectedRidge(LinearRegressor):
    """Ridge regression corrected for known noise in the features.

    Only sums are kept: ``partial_fit`` in pieces gives what ``fit`` gives at once.

    Parameters
    ----------
    noise_cov : number, array of shape (d,) or (d, d), dict, optional
        Covariance of the noise in X: one variance, one for each feature, or a matrix. Not needed if
        a second copy of each row is given, from which it is then estimated.
    alpha : float or "auto"
        Ridge, in the units of scikit-learn's ``Ridge``; ``"auto"`` chooses it, for features scaled
        to unit variance.
    share : float in [0, 1] or "auto"
        Share of the noise to remove: 0 is the naive fit and 1 the unbiased one.
    fit_intercept : bool
        Whether to fit an intercept.
    missing : {"error", "random"}
        What NaN in X means: a mistake, or entries missing at random.

    Attributes
    ----------
    coef_ : array of shape (d,)
    intercept_ : float
    share_, alpha_ : float
        What was chosen.
    noise_cov_ : array of shape (d, d)
        Covariance of the noise of one copy, given or estimated.
    n_rounds_, n_features_in_ : int

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
    ) -> None:
        self.noise_cov = noise_cov
        self.alpha = alpha
        self.share = share
        self.fit_intercept = fit_intercept
        self.missing = missing

    @property
    def share_(self) -> float:
        """Share of the noise that was removed."""
        return self._leading()[0].choice.share

    @property
    def alpha_(self) -> float:
        """Ridge, in the units of the parameter."""
        if not isinstance(self.alpha, str):
            return float(self.alpha)
        return self._leading()[0].choice.ridge * self._kept.leader.moments.total()[0][0, 0]

    @property
    def noise_cov_(self) -> FloatArray:
        """Covariance of the noise of one copy."""
        return self._kept.single_noise()

    def _check_parameters(self) -> None:
        if self.alpha != "auto":
            check_real("alpha", self.alpha, low=0)
        if self.share != "auto":
            check_real("share", self.share, low=0)
            check_at_most("share", self.share, 1.0)
        check_flag("fit_intercept", self.fit_intercept)
        check_choice("missing", self.missing, ("error", "random"))

    def _start(self, views: Views) -> None:
        plan = Plan(
            shares=SHARES if isinstance(self.share, str) else (float(self.share),),
            alpha=None if isinstance(self.alpha, str) else float(self.alpha),
            centred=self.fit_intercept,
            scaled=isinstance(self.alpha, str),
        )
        self._sums = LinearSums(views, plan, gaps=self._gaps)

    def _learn(self, views: Views) -> None:
        self._kept.add(views)

    def _complete(self) -> None:
        self._kept.leader.tune()

    def _point(self) -> tuple[FloatArray, float]:
        return self._leading()[1:]
