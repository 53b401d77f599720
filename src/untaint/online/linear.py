"""Online linear regression from noisy rows: Algorithm 1, and follow-the-leader without a step size.

Algorithm 1 moves against unbiased estimates of the clean gradient (:mod:`.unbiased_gradient`) and
projects on a ball (:mod:`.projected_gradient`); Theorem 1 gives its step size and its regret
(:mod:`.step_size`). By default, and while the features are few enough for a matrix, the model is
the best fit to the corrected moments instead (:mod:`.leader`): it needs neither step size nor
horizon, and is as accurate as a batch fit after one pass.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import Tags

from .._typing import FloatArray
from .._validation import check_choice, check_flag, check_real
from .leader import LeaderConfig
from .linear_base import LinearRegressor
from .linear_statistics import LinearStatistics
from .noise import RowNoise
from .noisy_batch import NoisyBatch
from .projected_gradient import ProjectedGradientDescent, refuse_divergence
from .step_size import (
    DistanceOverGradients,
    SecondMomentStepSize,
    TheoreticalStepSize,
    check_descent_parameters,
    make_step_size,
    regret_bound,
    warn_beyond_horizon,
)
from .unbiased_gradient import (
    gradient_from_copies,
    gradient_from_covariance,
    largest_variances,
    noise_matvec,
    rescale_observed,
    with_one_copy,
)

MAX_MOMENT_FEATURES = 500  # beyond it no d x d second moments are kept


class NoisyLinearRegressor(LinearRegressor):
    """Online linear regression from noisy features.

    Either the noise covariance (``noise_cov``) or a second copy of each row with independent noise
    (``X_copy``) must be given. Targets may be noisy.

    Parameters
    ----------
    noise_cov : number, array of shape (d,) or (d, d), dict, "replicates", optional
        Noise covariance of X: one variance, one for each feature, or a matrix. ``"replicates"``
        estimates it from the rows that were measured more than once.
    norm_bound : float, optional
        Upper bound of the norm of the coefficients; None means no bound.
    learning_rate : "auto", "adaptive", "theory", float or function of the round
        ``"auto"`` needs no step size: up to 500 features the model is the best corrected fit so
        far, with more it is ``"adaptive"``. ``"adaptive"`` takes corrected gradient steps; their
        size is the distance travelled over the root of the summed squared gradients. ``"theory"``
        is the step size of Theorem 1 for ``horizon`` rounds in the ball of radius ``norm_bound``.
    horizon : int, optional
        Number of rounds, for ``"theory"``.
    feature_bound : float, optional
        Bound of the features, for ``"theory"``. With two copies it bounds the second moment of the
        theorem: the mean squared norm of the noisy rows is at most ``feature_bound ** 2``. With one
        copy it bounds the norm of every row. A bound that is not given, or is exceeded, is taken
        from the rows so far.
    target_bound : float, optional
        Bound of the targets, for ``"theory"``. With two copies the mean of the squared targets is
        at most ``target_bound ** 2``; with one copy the bound holds for every target. A bound that
        is not given, or is exceeded, is taken from the rows so far.
    average : bool or "auto"
        Whether to predict with the average of the iterates, as in online-to-batch conversion.
        ``"auto"`` averages with the adaptive step size only. The best corrected fit ignores it.
    fit_intercept : bool, optional
        Whether to fit an intercept. None means that it is fitted with ``"auto"`` and
        ``"adaptive"``, and not with the other step sizes, for which the algorithm is as printed.
    missing : {"error", "random"}
        Whether NaN in X raises an error or is an entry missing at random. Features absent from a
        dictionary are zero with ``"error"``, and missing with ``"random"``.
    forgetting : {"auto", None}
        Whether the best corrected fit may forget: where the stream has changed, it is the fit to a
        window of the last rows, whose length is chosen by the losses of earlier predictions. None
        always fits all rows, as do more than 64 features and ``missing="random"``.
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
    regret_bound_ : float
        Upper bound of the expected regret on the clean rows, for ``"theory"``.
    n_rounds_ : int
        Number of rows learnt so far.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (d,)
        Names of the features; only if X has names that are strings.

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

    _descent: ProjectedGradientDescent | None

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
        forgetting: str | None = "auto",
        noise_factor: float | str = 1.0,
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
        self.forgetting = forgetting
        self.noise_factor = noise_factor

    @property
    def regret_bound_(self) -> float:
        """The upper bound of the expected regret on the clean rows, for ``"theory"``."""
        self._bring_up_to_date()
        step_size = None if self._descent is None else self._descent.step_size
        return regret_bound(step_size, self.n_rounds_)

    def _check_parameters(self) -> None:
        check_descent_parameters(self)
        check_real("feature_bound", self.feature_bound, low=0, optional=True)
        if self.fit_intercept is not None:
            check_flag("fit_intercept", self.fit_intercept)
        check_choice("missing", self.missing, ("error", "random"))
        self._check_noise_factor()
        check_choice("forgetting", self.forgetting, ("auto", None))

    def _start(self, batch: NoisyBatch) -> None:
        d = batch.X.shape[1]
        config = LeaderConfig(
            centred=self._fits_intercept,
            norm_bound=self.norm_bound,
            forgets=self.forgetting == "auto",
        )
        self._statistics = None
        if d <= MAX_MOMENT_FEATURES:
            self._statistics = LinearStatistics(batch, config, allow_missing=self._allow_missing)
        self._descent = None
        if self.learning_rate != "auto" or d > MAX_MOMENT_FEATURES:
            step_size = make_step_size(self.learning_rate, self.norm_bound, self.horizon)
            if isinstance(step_size, TheoreticalStepSize) and batch.noise is None:
                step_size = SecondMomentStepSize(
                    step_size.radius, step_size.horizon, self.feature_bound, self.target_bound
                )
            self._descent = ProjectedGradientDescent(d + 1, step_size, self.norm_bound)
        self._n_observed = np.zeros(d + 1)  # number of rows, then of observed entries per feature

    def _learn(self, batch: NoisyBatch) -> None:
        if self._statistics is not None:
            self._statistics.add(batch, overwrite=self._descent is None)
        if self._descent is not None:
            self._gradient_steps(self._descent, batch)

    def _gradient_steps(self, descent: ProjectedGradientDescent, batch: NoisyBatch) -> None:
        """Perform one step of Algorithm 1 for each row."""
        batch = with_one_copy(batch)
        if self._allow_missing:
            batch = self._fill_missing(batch)
        bounds: list[float] = []
        squares: list[list[float]] = []
        if isinstance(descent.step_size, TheoreticalStepSize):
            bounds = self._gradient_bounds(descent.step_size, batch)
        elif isinstance(descent.step_size, SecondMomentStepSize):
            squares = self._squares(batch)
        warn_beyond_horizon(descent.step_size, descent.rounds, len(batch.y), 6)
        before = vars(descent).copy()
        constant = np.full(len(batch.y), float(self._fits_intercept))
        a, noise = (batch.X, None) if batch.noise is None else batch.merged()
        a, b = np.column_stack([constant, a]), None
        if noise is None and batch.X_copy is not None:
            b = np.column_stack([constant, batch.X_copy])
        for t, y in enumerate(batch.y.tolist()):
            w = descent.w
            if batch.sample_weight is not None and batch.sample_weight[t] == 0.0:
                continue
            if isinstance(descent.step_size, TheoreticalStepSize):
                descent.step_size.raise_gradient_bound(bounds[t], descent.rounds + 1)
            elif isinstance(descent.step_size, SecondMomentStepSize):
                descent.step_size.observe(*squares[t])
            elif isinstance(descent.step_size, DistanceOverGradients):
                x = a[t] if b is None else (a[t] + b[t]) / 2
                descent.step_size.start(float(np.linalg.norm(x)), y)
            if b is not None:
                gradient = gradient_from_copies(w, a[t], b[t], y)
            else:
                gradient = gradient_from_covariance(w, a[t], y, noise_matvec(noise, t, w))
            descent.update(
                gradient if batch.sample_weight is None else batch.sample_weight[t] * gradient
            )
        refuse_divergence(descent, before, np.abs(descent.w).max())

    def _squares(self, batch: NoisyBatch) -> list[list[float]]:
        """Return the squared norm of each row, averaged over its copies, and of its target."""
        x = (batch.X**2).sum(axis=1)
        if batch.X_copy is not None:
            x = (x + (batch.X_copy**2).sum(axis=1)) / 2
        squares = np.column_stack([x + float(self._fits_intercept), batch.y**2])
        if batch.sample_weight is not None:
            squares *= batch.sample_weight[:, None]
        return squares.tolist()

    def _gradient_bounds(self, step_size: TheoreticalStepSize, batch: NoisyBatch) -> list[float]:
        """Return the gradient bound sqrt(G) that each row requires."""
        squares = (batch.X**2).sum(axis=1)
        if batch.X_copy is not None:
            squares = np.maximum(squares, (batch.X_copy**2).sum(axis=1))
        x = np.maximum(np.sqrt(squares + float(self._fits_intercept)), self.feature_bound or 0.0)
        y = np.maximum(np.abs(batch.y), self.target_bound or 0.0)
        noise = 0.0 if batch.noise is None else largest_variances(batch.noise)
        bounds = 2 * ((step_size.radius * x + y) * x + noise * step_size.radius)
        return (bounds if batch.sample_weight is None else batch.sample_weight * bounds).tolist()

    def _fill_missing(self, batch: NoisyBatch) -> NoisyBatch:
        """Replace missing entries, and add the variance of that to the noise of each row."""
        if batch.X_copy is not None or batch.noise is None:
            raise ValueError(
                'missing="random" with gradient steps needs noise_cov (0 if there is no noise '
                "beside the gaps) and no X_copy."
            )
        n_present = np.column_stack([np.ones(len(batch.y)), ~np.isnan(batch.X)]).cumsum(axis=0)
        n_present += self._n_observed
        self._n_observed = n_present[-1]
        rates = np.maximum(n_present[:, 1:], 1.0) / n_present[:, :1]
        X, missing_variances = rescale_observed(batch.X, rates)
        noise = batch.noise
        if isinstance(noise, RowNoise) and noise.kind == "variances":
            filled = RowNoise("variances", noise.values + missing_variances)
        else:
            matrices = noise.values if isinstance(noise, RowNoise) else noise
            filled = RowNoise(
                "matrices", matrices + missing_variances[:, :, None] * np.eye(X.shape[1])
            )
        return replace(batch, X=X, noise=filled, rows=None)

    def _expand(self, n_features: int) -> None:
        if self._statistics is not None:
            self._statistics.expand(n_features)
        self._n_observed = np.pad(self._n_observed, (0, n_features + 1 - len(self._n_observed)))
        if self._descent is not None:
            self._descent.expand(n_features + 1)
            if isinstance(self._descent.step_size, SecondMomentStepSize):
                self._descent.step_size.expand(n_features + 1)

    def _linear_model(self) -> tuple[FloatArray, float]:
        if self._descent is None:
            return super()._linear_model()
        average = (isinstance(self.average, str) and self._parameter_free) or self.average is True
        w = self._descent.iterate(average)
        return w[1:], float(w[0])

    def _share_removed(self) -> float:
        return super()._share_removed() if self._descent is None else 1.0

    def _refit_rounds(self) -> tuple[int, int]:
        if self._descent is not None:
            return self.n_rounds_, self.n_rounds_ + 1
        return super()._refit_rounds()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self.learning_rate != "auto"  # it may need more rounds
        return tags

    @property
    def _parameter_free(self) -> bool:
        return self.learning_rate in ("auto", "adaptive")

    @property
    def _fits_intercept(self) -> bool:
        return self._parameter_free if self.fit_intercept is None else bool(self.fit_intercept)
