r"""Online linear regression from noisy rows: Algorithm 1, and a leader that needs no step.

Algorithm 1 moves against unbiased estimates of the clean gradient, :mod:`.unbiased`, and stays in a
ball, :mod:`.descent`; Theorem 1 gives its step and its regret, :mod:`.steps`. By default, and while
the features are few enough for a matrix, the best fit to the corrected sums is followed instead,
:mod:`.leader`: no step, no horizon, and the accuracy of a batch fit after one pass.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from .._typing import FloatArray
from .._validation import check_choice, check_count, check_flag, check_real
from .descent import Descent
from .leader import Plan
from .linear_base import LinearRegressor
from .noise import Noise, RowNoise
from .steps import DistanceOverGradients, Theory, check_learning_rate, make_step
from .sums import LinearSums
from .unbiased import gradient_from_copies, gradient_from_covariance, observed_entries
from .views import Views

FEW = 500  # features whose second moments are kept


class NoisyLinearRegressor(LinearRegressor):
    """Online linear regression from noisy features.

    The stream must tell either the covariance of the noise in each row (``noise_cov``) or a second,
    independently noisy copy of it (``X_copy``). Targets may be noisy.

    Parameters
    ----------
    noise_cov : number, array of shape (d,) or (d, d), dict, optional
        Covariance of the noise in X: one variance, one for each feature, or a matrix.
    norm_bound : float, optional
        Radius of the ball that the weights stay in; None means no ball.
    learning_rate : "auto", "adaptive", "theory", float or function of the round
        ``"auto"`` needs no step: up to 500 features it follows the best corrected fit so far, for
        more it is ``"adaptive"``. ``"adaptive"`` moves against corrected gradients by the distance
        travelled over the root of their summed squares. ``"theory"`` is the theorem's step for
        ``horizon`` rounds in the ball of radius ``norm_bound``.
    horizon : int, optional
        Number of rounds, for ``"theory"``.
    feature_bound, target_bound : float, optional
        Bounds of the rows' Euclidean norm and of the targets, for ``"theory"``. If they are not
        given, or not kept, the largest seen take their place.
    average : bool or "auto"
        Whether to predict with the average of the iterates, as in online-to-batch conversion.
        ``"auto"``: under ``"adaptive"`` only. The leader has no use for it.
    fit_intercept : bool, optional
        Whether to fit an intercept. None: under ``"auto"`` and ``"adaptive"``, and not where the
        algorithm is run as printed.
    missing : {"error", "random"}
        What NaN in X means (for river, an absent feature): a mistake (zero), or entries missing at
        random.

    Attributes
    ----------
    coef_ : array of shape (d,)
    intercept_ : float
    regret_bound_ : float
        Largest expected regret on the clean rows, for ``"theory"``.
    n_rounds_, n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.online import NoisyLinearRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((1000, 2))
    >>> y = X @ [1.0, 2.0]
    >>> first, second = (X + 0.5 * rng.standard_normal(X.shape) for _ in range(2))
    >>> model = NoisyLinearRegressor().fit(first, y, X_copy=second)
    >>> bool(np.abs(model.coef_ - [1.0, 2.0]).max() < 0.1)
    True
    >>> stream = NoisyLinearRegressor(noise_cov=0.25)
    >>> for x, target in zip(first, y):
    ...     stream.learn_one({"a": x[0], "b": x[1]}, target)
    >>> round(stream.predict_one({"a": 1.0, "b": 1.0}))
    3
    """

    _descent: Descent | None

    def __init__(
        self,
        *,
        noise_cov: Any = None,
        norm_bound: float | None = None,
        learning_rate: float | str | Callable[[int], float] = "auto",
        horizon: int | None = None,
        feature_bound: float | None = None,
        target_bound: float | None = None,
        average: bool | str = "auto",
        fit_intercept: bool | None = None,
        missing: str = "error",
    ) -> None:
        self.noise_cov = noise_cov
        self.norm_bound = norm_bound
        self.learning_rate = learning_rate
        self.horizon = horizon
        self.feature_bound = feature_bound
        self.target_bound = target_bound
        self.average = average
        self.fit_intercept = fit_intercept
        self.missing = missing

    @property
    def regret_bound_(self) -> float:
        """Largest expected regret on the clean rows."""
        check_is_fitted(self, "n_rounds_")
        self._catch_up()
        if self._descent is None or not isinstance(self._descent.step, Theory):
            raise AttributeError('regret_bound_ is known for learning_rate="theory" only')
        return self._descent.step.regret_bound(self.n_rounds_)

    def _check_parameters(self) -> None:
        check_learning_rate(self.learning_rate, self.horizon, self.norm_bound)
        check_real("norm_bound", self.norm_bound, low=0, inclusive=False, optional=True)
        check_count("horizon", self.horizon, optional=True)
        check_real("feature_bound", self.feature_bound, low=0, optional=True)
        check_real("target_bound", self.target_bound, low=0, optional=True)
        if self.average != "auto":
            check_flag("average", self.average)
        if self.fit_intercept is not None:
            check_flag("fit_intercept", self.fit_intercept)
        check_choice("missing", self.missing, ("error", "random"))

    def _start(self, views: Views) -> None:
        d = views.X.shape[1]
        plan = Plan(centred=self._intercept, norm_bound=self.norm_bound)
        self._sums = LinearSums(views, plan, gaps=self._gaps) if d <= FEW else None
        self._descent = None
        if self.learning_rate != "auto" or d > FEW:
            step = make_step(self.learning_rate, self.norm_bound, self.horizon)
            self._descent = Descent(d + 1, step, self.norm_bound)
        self._seen = np.zeros(d + 1)  # rows, and how many of them had the feature

    def _learn(self, views: Views) -> None:
        if self._sums is not None:
            self._sums.add(views)
        if self._descent is not None:
            self._descend(self._descent, views)

    def _descend(self, descent: Descent, views: Views) -> None:
        """One step of Algorithm 1 a row."""
        if self._gaps:
            views = self._filled(views)
        longest: list[float] = []
        if isinstance(descent.step, Theory):
            longest = self._longest(descent.step, views)
            self._say_if_late(descent.step, descent.rounds, descent.rounds + len(views.y))
        constant = np.full(len(views.y), float(self._intercept))
        a, noise = (views.X, None) if views.noise is None else views.merged()
        a, b = np.column_stack([constant, a]), None
        if noise is None and views.copy is not None:
            b = np.column_stack([constant, views.copy])
        for t, y in enumerate(views.y.tolist()):
            w = descent.w
            if views.weights is not None and views.weights[t] == 0.0:
                continue
            if isinstance(descent.step, Theory):
                descent.step.allow(longest[t], descent.rounds + 1)
            elif isinstance(descent.step, DistanceOverGradients) and not descent.step.begun:
                length = float(np.linalg.norm(a[t] if b is None else (a[t] + b[t]) / 2))
                descent.step.see(abs(y) / length if length else 0.0)
            if b is not None:
                gradient = gradient_from_copies(w, a[t], b[t], y)
            else:
                gradient = gradient_from_covariance(w, a[t], y, _noise_of(noise, t, w))
            descent.move(gradient if views.weights is None else views.weights[t] * gradient)

    def _longest(self, step: Theory, views: Views) -> list[float]:
        """What the theorem's constant has to be for each of the rows."""
        squares = (views.X**2).sum(axis=1)
        if views.copy is not None:
            squares = np.maximum(squares, (views.copy**2).sum(axis=1))
        x = np.maximum(np.sqrt(squares + float(self._intercept)), self.feature_bound or 0.0)
        y = np.maximum(np.abs(views.y), self.target_bound or 0.0)
        noise = 0.0 if views.noise is None else _largest_variances(views.noise)
        longest = 2 * ((step.radius * x + y) * x + noise * step.radius)
        return (longest if views.weights is None else views.weights * longest).tolist()

    def _say_if_late(self, step: Theory, before: int, after: int) -> None:
        if before <= step.horizon < after:
            warnings.warn(
                f"more rounds than horizon={step.horizon}: the step is too long for them, and "
                "regret_bound_ grows in proportion.",
                stacklevel=6,
            )

    def _filled(self, views: Views) -> Views:
        """Rows without gaps: entries missing at random as noise."""
        if views.copy is not None or views.noise is None:
            raise ValueError(
                'missing="random" with gradient steps needs noise_cov (0 if there is no noise '
                "beside the gaps) and no X_copy."
            )
        there = np.column_stack([np.ones(len(views.y)), ~np.isnan(views.X)]).cumsum(axis=0)
        there += self._seen
        self._seen = there[-1]
        rates = np.maximum(there[:, 1:], 1.0) / there[:, :1]
        X, gaps = observed_entries(views.X, rates)
        noise = views.noise
        if isinstance(noise, RowNoise) and noise.kind == "variances":
            return Views(
                X, views.y, None, RowNoise("variances", noise.values + gaps), views.weights
            )
        matrices = noise.values if isinstance(noise, RowNoise) else noise
        matrices = matrices + gaps[:, :, None] * np.eye(X.shape[1])
        return Views(X, views.y, None, RowNoise("matrices", matrices), views.weights)

    def _widen(self, n_features: int) -> None:
        if self._sums is not None:
            self._sums.widen(n_features)
        self._seen = np.concatenate([self._seen, np.zeros(n_features + 1 - len(self._seen))])
        if self._descent is not None:
            self._descent.widen(n_features + 1)

    def _point(self) -> tuple[FloatArray, float]:
        if self._descent is None:
            return self._leading()[1:]
        average = (isinstance(self.average, str) and self._parameter_free) or self.average is True
        w = self._descent.point(average)
        return w[1:], float(w[0])

    def _share_removed(self) -> float:
        return super()._share_removed() if self._descent is None else 1.0

    def _due(self) -> tuple[int, int]:
        if self._descent is not None:
            return self.n_rounds_, self.n_rounds_ + 1
        return super()._due()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self.learning_rate != "auto"  # steps may be short
        return tags

    @property
    def _parameter_free(self) -> bool:
        return self.learning_rate in ("auto", "adaptive")

    @property
    def _intercept(self) -> bool:
        return self._parameter_free if self.fit_intercept is None else bool(self.fit_intercept)


def _noise_of(noise: Noise | None, t: int, w: FloatArray) -> FloatArray:
    """Sigma w, with a zero for the constant, which carries no noise."""
    out = np.zeros_like(w)
    if isinstance(noise, RowNoise):
        out[1:] = noise.times(t, w[1:])
    elif noise is not None:
        out[1:] = noise @ w[1:]
    return out


def _largest_variances(noise: Noise) -> FloatArray | float:
    """Spectral norm of the covariances, of each row if they differ."""
    if isinstance(noise, RowNoise):
        if noise.kind == "variances":
            return noise.values.max(axis=1)
        return np.linalg.eigvalsh(noise.values)[:, -1]
    return float(np.linalg.eigvalsh(noise)[-1])
