"""Trimmed kernel ridge regression on Dask collections."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import estimators
from .._typing import FloatArray
from ..estimators.campaign import Campaign
from ..estimators.trusting import ByTrust
from ..learners import columns
from ..learners.scores import score_scale
from ..selection import Cut
from ..solvers.concentrating import Outcome
from .base import OnChunks
from .chunks import Chunks
from .source import is_distributed
from .verdicts import ByReading, BySize, Judge


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
        return columns(np.asarray(y, dtype=float))

    def _conclude(self, chunks: Chunks, campaign: Campaign, outcome: Outcome, poll: Any) -> Judge:
        steering, profile = campaign.steering, outcome.tally.profile
        selection, interval = campaign.first.selection, campaign.first.interval
        self.contamination_ = selection.contamination
        losses, weights, _ = profile.points(self._unit or 1.0)
        n_outputs = campaign.crowd.y.shape[1]
        if isinstance(steering, ByTrust):
            self.contamination_, interval = steering.share(outcome.tally)
            self.loss_threshold_ = float(profile.losses_at(outcome.tally.kept)[0])
            weigh: Any = steering.rule
        else:
            weigh = steering.cut(outcome.tally)
            t = float(weigh.thresholds[0])
            self.loss_threshold_ = t if np.isfinite(t) else float(profile.furthest[0])
        scale = score_scale(losses, weights, self.contamination_, n_outputs)
        trusting = campaign.trusting(outcome)
        scoring: Any = BySize(scale, float(np.sqrt(profile.furthest[0])) / scale)
        if trusting is not None:
            scoring = self._by_reading(campaign, trusting, float(profile.furthest[0]))
        absent = (Cut(np.array([self.loss_threshold_])), BySize(scale, np.inf))
        self.contamination_interval_ = interval or (self.contamination_,) * 2
        return Judge(poll.setting, poll.raw_coef(campaign.coef(outcome)), weigh, scoring, absent)

    def _by_reading(self, campaign: Campaign, trusting: ByTrust, furthest: float) -> ByReading:
        """Scores by the two groups of residuals, with a warning if these may be read otherwise."""
        assert trusting.rule is not None and trusting.verdict is not None
        self._warn_of_doubt(campaign.doubt(trusting.verdict))
        one = np.zeros((1, campaign.crowd.y.shape[1]))
        one[0, 0] = np.sqrt(furthest)
        worst = float(np.abs(trusting.rule.signed(one))[0] / trusting.verdict.scale)
        return ByReading(trusting.rule, worst)

    def _alone(self) -> estimators.SubquantileRegressor:
        alone = estimators.SubquantileRegressor(**self.get_params())
        self._copied(alone)
        return alone
