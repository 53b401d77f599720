"""Trimmed kernel ridge regression on Dask collections."""

from functools import partial
from typing import Any, final

import numpy as np

from .. import estimators
from .._typing import FloatArray
from ..contamination.mixture_weighting import MixtureWeighting
from ..estimators.large_scale import LargeScaleFit
from ..learners.function import as_2d
from ..optim.threshold_prediction import TrimmedWeighting
from ..outliers.scores import score_scale
from ..weighting.threshold import ThresholdWeights, WeightFunction
from .base import DaskEstimator
from .dask_design import DaskDesign
from .partitioned_source import PartitionedSource
from .scoring import (
    PartitionScorer,
    RowScores,
    constant_noise,
    mixture_noise,
    mixture_scores,
    residual_scores,
)


@final
class SubquantileRegressor(DaskEstimator, estimators.SubquantileRegressor):
    """Outlier-robust kernel ridge regression on Dask collections.

    This is :class:`untaint.SubquantileRegressor` with the same parameters, for Dask arrays and data
    frames of any size, on the active ``dask.distributed`` client or Dask's default scheduler. NumPy
    arrays and other rows in memory are fitted as by that class.

    Up to 20,000 rows are collected on the client and fitted there, with any ``solver`` and
    ``approximation``. More rows stay in their chunks and are fitted on features: the columns
    themselves for the linear kernel, otherwise Nystroem or random Fourier features.

    Attributes
    ----------
    inlier_mask_ : dask array of shape (n,), bool
        True for the rows that were kept: those whose weight in the fit is at least one half; lazy,
        in the chunks of the rows.
    inlier_probability_ : dask array of shape (n,)
        Posterior probability that a row is right; 1 or 0 if the contamination was given; lazy, in
        the chunks of the rows.
    outlier_scores_ : dask array of shape (n,)
        Absolute residual of each row in units of its noise; lazy, in the chunks of the rows.
    noise_scale_ : dask array of shape (n,)
        Noise scale of each row's target; the same for all rows if the contamination was given;
        lazy, in the chunks of the rows.
    statistics_ : Statistics
        Passes over the rows, with their seconds and bytes, and what was kept in memory.
    contamination_ : float
        The contamination used, given or estimated.
    contamination_interval_ : tuple of float
        95 % interval of the contamination; ``(contamination, contamination)`` if it was given.
    loss_threshold_ : float
        Loss that separates kept from trimmed rows.
    objective_path_ : array
        Objective after each refit; it never increases under exact solves.
    n_iter_ : int
        Number of iterations of the solver.
    converged_ : bool
        Whether the solver converged within ``max_iter`` iterations.
    dual_coef_ : array of shape (n,) or (n, k)
        Coefficients of the kernel expansion; zero for trimmed rows.
    intercept_ : float or array of shape (k,)
        Intercept of each output.
    coef_ : array of shape (d,) or (k, d)
        Slopes; only for the linear kernel.
    X_fit_ : array or CSR matrix of shape (n, d)
        Rows of the kernel expansion: the training rows, or the landmarks.
    feature_map_ : FeatureMap
        Random Fourier features; only for ``approximation="rff"``, in place of ``X_fit_``.
    feature_coef_ : array of shape (p,) or (p, k)
        Coefficients of these features, in place of ``dual_coef_``.
    kernel_ : Kernel
        The kernel with the scale that was used.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (d,)
        Names of the features; only if X has names that are strings.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from untaint.distributed import SubquantileRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(30_000, 2))
    >>> y = X @ [1.0, -2.0] + 0.1 * rng.normal(size=30_000)
    >>> y[::5] += 50  # every fifth value is wrong
    >>> rows = da.from_array(X, chunks=(10_000, 2))
    >>> targets = da.from_array(y, chunks=10_000)
    >>> model = SubquantileRegressor(kernel="linear").fit(rows, targets)
    >>> model.coef_.round(2)
    array([ 1., -2.])
    >>> model.inlier_mask_.compute().sum().item()
    24000
    """

    _labelled = False
    _row_attributes = (*DaskEstimator._row_attributes, "noise_scale_")
    _in_memory = estimators.SubquantileRegressor

    def _output(self, method: str) -> tuple[tuple[int, ...], Any]:
        return () if self._flat else np.atleast_1d(self.intercept_).shape, float

    def leave_one_out_residuals(self) -> FloatArray:
        """Return leave-one-out residuals; they exist only if all rows were fitted on the client."""
        with self._rows_in_memory("leave_one_out_residuals()"):
            return super().leave_one_out_residuals()

    def _learn_targets(self, chunks: PartitionedSource) -> None:
        outputs = chunks.about.outputs
        if len(outputs) != 1:
            raise ValueError(
                f"y must have as many columns in each chunk, got {sorted(outputs)} of them."
            )
        self._flat = outputs == {0}

    def _targets_of(self, y: Any) -> FloatArray:
        return as_2d(np.asarray(y, dtype=float))

    def _partition_scorer(self, large_scale: LargeScaleFit, design: DaskDesign) -> PartitionScorer:
        strategy, result, initial = large_scale.strategy, large_scale.result, large_scale.initial
        histogram, interval = result.histogram, initial.interval
        self.contamination_ = initial.weighting.contamination
        if isinstance(strategy, MixtureWeighting):
            self.contamination_, interval = strategy.contamination(result)
            self.loss_threshold_ = float(histogram.losses_at(result.kept)[0])
            weight_function: WeightFunction = strategy.rule
        else:
            assert isinstance(strategy, TrimmedWeighting)
            weight_function = strategy.threshold_weights(result)
            t = float(weight_function.thresholds[0])
            self.loss_threshold_ = t if np.isfinite(t) else float(histogram.max_loss[0])
        self.contamination_interval_ = interval or (self.contamination_,) * 2
        losses, weights, _ = histogram.points(design.unit or 1.0)
        scale = score_scale(losses, weights, self.contamination_, design.y.shape[1])
        scores, noise = self._row_scores(large_scale, scale)
        hard = ThresholdWeights(np.array([self.loss_threshold_]))
        absent = (hard, partial(residual_scores, scale=scale, largest=np.inf))
        coef = design.raw_coef(large_scale.coef)
        return PartitionScorer(design.context, coef, (weight_function, scores), absent, noise)

    def _row_scores(self, large_scale: LargeScaleFit, scale: float) -> tuple[RowScores, RowScores]:
        """Return scores and noise by the kept residuals, or by those of a mixture's inliers."""
        largest = float(np.sqrt(large_scale.result.histogram.max_loss[0]))
        mixture = large_scale.mixture()
        if mixture is None:
            scores = partial(residual_scores, scale=scale, largest=largest / scale)
            return scores, partial(constant_noise, scale=scale)
        posterior = mixture.subsample_posterior
        self._warn_if_ambiguous(posterior)
        worst = mixture.rule.largest_score(largest)
        scores = partial(mixture_scores, rule=mixture.rule, largest=worst)
        return scores, partial(mixture_noise, rule=mixture.rule)
