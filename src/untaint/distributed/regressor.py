"""Trimmed kernel ridge regression on Dask collections."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import estimators
from .._typing import FloatArray
from ..contamination.mixture_weighting import MixtureWeighting
from ..estimators.large_scale import LargeScaleFit
from ..learners.function import as_2d
from ..optim.subsampled_c_steps import Outcome
from ..outliers.scores import score_scale
from ..weighting.threshold import ThresholdWeights
from .base import OnChunks
from .chunks import Chunks
from .scoring import MixtureScore, PartitionScorer, ResidualScore
from .source import is_distributed


@final
class SubquantileRegressor(OnChunks, estimators.SubquantileRegressor):  # type: ignore[misc]
    """Kernel ridge regression on the rows that can be trusted, wherever they are.

    :class:`untaint.SubquantileRegressor` with the same parameters, for Dask arrays and data frames
    of any size, on the active ``dask.distributed`` client or Dask's default scheduler. Rows that
    lie in memory are fitted to as by that class.

    Up to 20,000 rows come to the client and are fitted to there, by whatever ``solver`` and
    ``approximation`` say. More rows stay in their chunks, on features: the columns themselves for
    the linear kernel, else Nystroem or random Fourier features.

    Attributes
    ----------
    inlier_mask_, outlier_scores_ : dask array of shape (n,)
        Lazy, in the chunks of the rows.
    statistics_ : Statistics
        Passes over the rows, with their seconds and bytes, and what was kept in memory.
    coef_, intercept_, dual_coef_, X_fit_, kernel_, contamination_, contamination_interval_, \
loss_threshold_, objective_path_, n_iter_, converged_, n_features_in_, feature_names_in_
        As on one machine, as far as they do not have a value for each row.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from untaint.distributed import SubquantileRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(30_000, 2))
    >>> y = X @ [1.0, -2.0] + 0.1 * rng.normal(size=30_000)
    >>> y[::5] += 50  # every fifth value is wrong
    >>> rows, targets = da.from_array(X, chunks=(10_000, 2)), da.from_array(y, chunks=10_000)
    >>> model = SubquantileRegressor(kernel="linear").fit(rows, targets)
    >>> model.coef_.round(2)
    array([ 1., -2.])
    >>> model.inlier_mask_.compute().sum().item()
    24000
    """

    _labelled = False

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, persist: bool | str = "auto"
    ) -> SubquantileRegressor:
        """Fit to rows of which some are wrong.

        Parameters
        ----------
        X : dask array or data frame of shape (n, d), or rows in memory
            Chunks may be of unknown sizes.
        y : dask array, series or data frame of shape (n,) or (n, k), in the same chunks
        sample_weight : dask array or series of shape (n,), optional
            A weight of k means k copies of the row, exactly.
        persist : bool or "auto", default="auto"
            Whether rows and features stay in the workers' memory between passes. ``"auto"`` keeps
            them if they take less than two fifths of it; what is not kept is computed again.

        Returns
        -------
        SubquantileRegressor
            The estimator itself.
        """
        self._fit_any(X, y, sample_weight, persist)
        return self

    def predict(self, X: Any) -> Any:
        """Predict targets, lazily for Dask collections.

        Parameters
        ----------
        X : dask array or data frame, or rows in memory, of shape (m, d)

        Returns
        -------
        array of shape (m,) or (m, k)
        """
        if not is_distributed(X):
            return super().predict(X)
        check_is_fitted(self)
        width = None if self._flat else len(np.atleast_1d(self.intercept_))
        return self._lazily("predict", X, float, width)

    def leave_one_out_residuals(self) -> FloatArray:
        """Only where all rows have come to the client; see the estimator of one machine."""
        with self._at_hand("leave_one_out_residuals()"):
            return super().leave_one_out_residuals()

    def _learn_targets(self, chunks: Chunks) -> None:
        outputs = chunks.about.outputs
        if len(outputs) != 1:
            raise ValueError(
                f"y must have as many columns in each chunk, got {sorted(outputs)} of them."
            )
        self._flat = outputs == {0}

    def _targets_of(self, y: Any) -> FloatArray:
        return as_2d(np.asarray(y, dtype=float))

    def _partition_scorer(
        self, chunks: Chunks, large_scale: LargeScaleFit, outcome: Outcome, oracle: Any
    ) -> PartitionScorer:
        strategy, histogram = large_scale.strategy, outcome.aggregates.histogram
        weighting, interval = large_scale.first.weighting, large_scale.first.interval
        self.contamination_ = weighting.contamination
        losses, weights, _ = histogram.points(self._unit or 1.0)
        n_outputs = large_scale.data.y.shape[1]
        if isinstance(strategy, MixtureWeighting):
            self.contamination_, interval = strategy.contamination(outcome.aggregates)
            self.loss_threshold_ = float(histogram.losses_at(outcome.aggregates.kept)[0])
            weight_function: Any = strategy.rule
        else:
            weight_function = strategy.threshold_weights(outcome.aggregates)
            t = float(weight_function.thresholds[0])
            self.loss_threshold_ = t if np.isfinite(t) else float(histogram.max_loss[0])
        scale = score_scale(losses, weights, self.contamination_, n_outputs)
        mixture_weighting = large_scale.mixture_weighting(outcome)
        scoring: Any = ResidualScore(scale, float(np.sqrt(histogram.max_loss[0])) / scale)
        if mixture_weighting is not None:
            scoring = self._mixture_score(
                large_scale, mixture_weighting, float(histogram.max_loss[0])
            )
        absent = (ThresholdWeights(np.array([self.loss_threshold_])), ResidualScore(scale, np.inf))
        self.contamination_interval_ = interval or (self.contamination_,) * 2
        return PartitionScorer(
            oracle.context,
            oracle.raw_coef(large_scale.coef(outcome)),
            weight_function,
            scoring,
            absent,
        )

    def _mixture_score(
        self, large_scale: LargeScaleFit, mixture_weighting: MixtureWeighting, max_loss: float
    ) -> MixtureScore:
        """Scores by the two groups of residuals, with a warning if these may be read otherwise."""
        assert (
            mixture_weighting.rule is not None and mixture_weighting.subsample_posterior is not None
        )
        self._warn_if_ambiguous(
            large_scale.ambiguity_message(mixture_weighting.subsample_posterior)
        )
        one = np.zeros((1, large_scale.data.y.shape[1]))
        one[0, 0] = np.sqrt(max_loss)
        worst = float(
            np.abs(mixture_weighting.rule.signed(one))[0]
            / mixture_weighting.subsample_posterior.scale
        )
        return MixtureScore(mixture_weighting.rule, worst)

    def _alone(self) -> estimators.SubquantileRegressor:
        alone = estimators.SubquantileRegressor(**self.get_params())
        self._copied(alone)
        return alone
