r"""Rounds of out-of-fold predictions and posterior weights, to a fixed point.

1. Predict every row by fits, with the present weights, that did not see it.
2. Model the residuals as those of inliers and outliers (:mod:`untaint.contamination`): new weights
   are the posterior probabilities of being an inlier.

Different starts lead to different ends. The end of the highest predictive density counts, and has
to explain the targets better than a fit to all rows, without outliers, does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ..contamination.misfit import flagged_groups
from ..contamination.residual_mixture import OutlierPosterior, ResidualMixture
from ..contamination.two_groups import as_rows
from ..model_selection.joint import MIN_EVIDENCE

# Mean change of a weight, as a part of it, at which rounds end.
SETTLED = 0.01
# Times that flagged rows may turn out to be misfit of the function.
MAX_GROUPS = 3

#: Out-of-fold predictions (n, k) of fits with given weights.
OutOfFold = Callable[[FloatArray], FloatArray]


@final
@dataclass(frozen=True)
class ReweightingResult:
    """Where rounds end: the last predictions (n, k), and the posterior of their residuals.

    ``moved`` is the mean change of a weight in the last round.
    """

    predictions: FloatArray
    posterior: OutlierPosterior
    n_rounds: int
    moved: float

    @property
    def log_likelihood(self) -> float:
        """The log-density of the targets given the predictions."""
        return self.posterior.log_likelihood

    @property
    def finds_outliers(self) -> bool:
        """Whether any row is probably wrong."""
        return bool((self.posterior.inlier_probability < 0.5).any())


@final
@dataclass(frozen=True, eq=False)
class Reweighting:
    """Rounds for targets (n, k) with given sample weights.

    Feature outliers are excluded a priori. ``features`` are numbers (n, d) that predict which rows
    a better function would explain, and ``known_misfit`` marks those of which that is known.
    """

    y: FloatArray
    sample_weight: FloatArray
    feature_outlier: BoolArray
    features: FloatArray
    known_misfit: BoolArray | None = None

    @cached_property
    def mixture(self) -> ResidualMixture:
        """The mixture of the residuals."""
        parts = (self.y, self.sample_weight, self.feature_outlier, self.known_misfit)
        return ResidualMixture(*parts)

    @property
    def everything(self) -> FloatArray:
        """The weights of all rows but feature outliers."""
        return self.mixture.included

    def run(
        self, out_of_fold: OutOfFold, weights: FloatArray, max_rounds: int
    ) -> ReweightingResult:
        """Alternate from given weights until they settle."""
        for number in range(1, max_rounds + 1):
            end = self.posterior(out_of_fold(weights), weights, number)
            if end.moved <= SETTLED:
                break
            weights = self.weights(end)
        return end

    def posterior(
        self, predictions: FloatArray, weights: FloatArray, number: int = 1
    ) -> ReweightingResult:
        """Return the posterior of the residuals of predictions by fits with given weights."""
        residuals, ones = self.y - predictions, np.ones(len(self.y))
        found = self.mixture.fit(residuals, ones, weights)
        moved = np.abs(found.inlier_probability * self.sample_weight - weights).sum()
        return ReweightingResult(
            predictions, found, number, float(moved / self.sample_weight.sum())
        )

    def posterior_of_all(
        self, predictions: FloatArray, rows: IntArray, weights: FloatArray
    ) -> tuple[Reweighting, ReweightingResult]:
        """Return the posterior of all rows from the weights of some, without misfit.

        Others are inliers to begin with if they are as close as those of weight.
        """
        distances = np.linalg.norm(self.y - predictions, axis=1)
        inlying = rows[weights >= 0.5 * self.sample_weight[rows]]
        close = distances <= distances[inlying].max(initial=0.0)
        first = np.where(close, self.everything, 0.0)
        first[rows] = weights
        end = self.posterior(predictions, first)
        group = self.misfit(end)
        if not group.any():
            return self, end
        rounds = self.with_misfit(group)
        return rounds, rounds.posterior(predictions, rounds.weights(end))

    def null(self, predictions: FloatArray) -> ReweightingResult:
        """Return the end of predictions by fits to all rows, without outliers."""
        ones = np.ones(len(self.y))
        found = self.mixture.fit_null(self.y - predictions, ones, self.everything)
        return ReweightingResult(predictions, found, 1, 0.0)

    def weights(self, end: ReweightingResult) -> FloatArray:
        """Return the weights that an end leads to."""
        return end.posterior.inlier_probability * self.sample_weight

    def best(
        self, ends: list[ReweightingResult], null: ReweightingResult | None = None
    ) -> ReweightingResult:
        """Return the end of the highest density, or the null unless that is much lower."""
        best = max(ends, key=lambda end: end.log_likelihood)
        if null is None or not best.finds_outliers:
            return best
        return best if best.log_likelihood >= null.log_likelihood + MIN_EVIDENCE else null

    def misfit(self, end: ReweightingResult) -> BoolArray:
        """Return flagged rows that a tree predicts from their features, without gross outliers."""
        mixture, posterior = self.mixture, end.posterior
        flagged = posterior.inlier_probability < 0.5
        flagged &= ~mixture.feature_outlier & ~mixture.misfit
        flagged &= ~posterior.model.groups.is_gross(posterior.residuals)
        return flagged_groups(self.features, flagged, as_rows(self.sample_weight))

    def with_misfit(self, misfit: BoolArray) -> Reweighting:
        """Return rounds in which more rows are misfit: they are kept, unless grossly off."""
        return replace(self, known_misfit=self.mixture.misfit | misfit)

    def among(self, rows: BoolArray) -> Reweighting:
        """Return rounds in which other rows have zero weight."""
        if rows.all():
            return self
        return replace(self, sample_weight=np.where(rows, self.sample_weight, 0.0))

    def of(self, rows: IntArray) -> Reweighting:
        """Return rounds for some of the rows."""
        outlying, misfit = self.feature_outlier[rows], self.mixture.misfit[rows]
        own = (self.y[rows], self.sample_weight[rows], outlying, self.features[rows], misfit)
        return Reweighting(*own)

    def without_misfit(self, end: ReweightingResult) -> ReweightingResult:
        """Return the end in which flagged rows that their features predict are kept."""
        group = self.misfit(end)
        if not group.any():
            return end
        again = self.with_misfit(group).posterior(end.predictions, self.weights(end))
        return replace(again, n_rounds=end.n_rounds, moved=end.moved)
