r"""Posterior probability of each row being an inlier, from a mixture of leave-one-out residuals.

Standardised leave-one-out residuals are modelled as two groups
(:mod:`untaint.contamination.two_groups`): inliers, and outliers with a share :math:`\epsilon`. A
row's weight in the fit is its posterior probability of belonging to the inliers,

.. math:: p_i = (1 - \epsilon)\, f_0(r_i) / f(r_i).

Rows with outlying features are excluded a priori. With a part e of the weight excluded, the share
of all rows is :math:`e + (1 - e)\,\epsilon`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from .._typing import BoolArray, FloatArray
from .residual_norm import median_distance, resolution, signed_norms
from .two_groups import AMBIGUITY, MAX_CONTAMINATION, MAX_RESIDUAL, TwoGroups, as_rows, two_groups

# A cluster of outliers of this share might be the majority of the truth.
RIVAL_CONTAMINATION = 0.3
# An interquartile range of at most so many scales is that of one cluster (a Gaussian one has 1.35).
CLUSTER_IQR = 2.5
# Log-likelihood by which a clustered rival may be behind and is still mentioned.
CLUSTERED_CALL = 3.5
# Candidates whose contamination differs by less are the same to a user.
SAME_CONTAMINATION = 0.15
# Part of the included weight that posterior weights keep at least: a majority of rows is good.
MIN_KEPT = 0.25
# Noise of any target, in units of the targets' median distance from their median.
MIN_NOISE = 1e-3

Interval = tuple[float, float]


@final
@dataclass(frozen=True)
class OutlierPosterior:
    """Posterior of a residual mixture: probabilities that rows are inliers, and how they follow.

    The residuals are signed leave-one-out residuals over the standard deviation of such
    predictions. The contamination counts rows with outlying features too, and has a 95 % interval.
    The candidates are fitted models of the residuals, the likeliest first.
    """

    inlier_probability: FloatArray
    residuals: FloatArray
    contamination: float
    interval: Interval
    candidates: list[TwoGroups]

    def of_samples(
        self, residuals: FloatArray, excluded: BoolArray, contamination: float, interval: Interval
    ) -> OutlierPosterior:
        """Return the posterior of other samples by the likeliest model; zero if excluded."""
        probability = np.where(excluded, 0.0, self.candidates[0].inlier_probability(residuals))
        return OutlierPosterior(probability, residuals, contamination, interval, self.candidates)

    @property
    def scale(self) -> float:
        """The scale of the inliers' residuals."""
        return self.candidates[0].scale

    @property
    def scores(self) -> FloatArray:
        """Absolute residuals in units of the scale; excluded rows have at least the largest one."""
        included = self.inlier_probability > 0
        with np.errstate(over="ignore"):
            scores = np.nan_to_num(np.abs(self.residuals) / self.scale)
        largest = scores[included].max(initial=0.0)
        return np.where(~included & (scores < largest), largest, scores)

    @property
    def ambiguity_message(self) -> str:
        """Both explanations, in words, where the data cannot decide between two; else empty."""
        return self._cluster_message() or self._rival_message()

    def _cluster_message(self) -> str:
        """Name the two parts if the outliers are many and agree with one another."""
        flagged = self.inlier_probability < 0.5
        if self.candidates[0].contamination < RIVAL_CONTAMINATION or not flagged.any():
            return ""
        low, middle, high = np.quantile(self.residuals[flagged], [0.25, 0.5, 0.75])
        if not high - low < CLUSTER_IQR * self.scale:
            return ""
        part, rest = f"{flagged.mean():.0%}", f"{1 - flagged.mean():.0%}"
        return (
            f"{part} of the rows agree with one another on targets that are {middle:+.3g} "
            f"away from what the other {rest} say: either these {part} are wrong (which "
            "was assumed), or the others are"
        )

    def _rival_message(self) -> str:
        """Name a candidate of about the same likelihood and another contamination."""
        best = self.candidates[0]
        for rival in self.candidates[1:]:
            behind = best.log_likelihood - rival.log_likelihood
            clustered = rival.clustered and not best.clustered
            second_truth = clustered and rival.contamination >= RIVAL_CONTAMINATION
            difference = abs(rival.contamination - best.contamination)
            if not (second_truth or difference >= SAME_CONTAMINATION):
                continue
            if behind <= (CLUSTERED_CALL if second_truth else AMBIGUITY):
                shift = f", by {rival.centre - rival.offset:+.3g}" if rival.clustered else ""
                return (
                    f"that {best.contamination:.0%} of the rows are wrong (which was assumed) "
                    "explains the residuals about as well as that "
                    f"{rival.contamination:.0%} are{shift}"
                )
        return ""


@final
class ResidualMixture:
    """Fits the mixture to residuals of targets, (n, k), and returns posterior weights.

    Feature outliers are excluded a priori.
    """

    def __init__(
        self, y: FloatArray, sample_weight: FloatArray, feature_outlier: BoolArray
    ) -> None:
        self.sample_weight, self.feature_outlier = sample_weight, feature_outlier
        self.included = np.where(feature_outlier, 0.0, sample_weight)
        self.min_scale = MIN_NOISE * median_distance(y, self.included)
        self.step = resolution(y, self.included)

    def posterior_weights(self, residuals: FloatArray, weights: FloatArray) -> FloatArray:
        """Return new weights from residuals of a fit with the given ones."""
        return self.fit(residuals, weights).inlier_probability * self.included

    def fit(self, residuals: FloatArray, weights: FloatArray) -> OutlierPosterior:
        """Return the posterior given residuals of a fit with these weights."""
        signed = signed_norms(residuals, weights)
        relative = weights / np.where(self.sample_weight > 0, self.sample_weight, 1.0)
        candidates = two_groups(signed, self.included, relative, self.min_scale, self.step)
        good = candidates[0].inlier_probability(signed)
        if float(self.included @ good) < MIN_KEPT * float(self.included.sum()):
            # A candidate may concentrate on equal targets, which have no noise, and reject others.
            good = relative
        excluded = 1.0 - float(self.included.sum() / self.sample_weight.sum())
        found = overall_contamination(candidates[0], signed, self.included, excluded)
        contamination, (low, high) = found
        interval, good = (min(low, contamination), high), np.where(self.feature_outlier, 0.0, good)
        return OutlierPosterior(good, signed, contamination, interval, candidates)

    def log_predictive_density(
        self, residuals: FloatArray, deviations: FloatArray, weights: FloatArray
    ) -> float:
        """Return the log-density of the targets of all included rows, each given the others.

        Residuals are in units of the prediction's standard deviation, whose logarithm is the
        Jacobian.
        """
        likelihood = self.fit(residuals, weights).candidates[0].log_likelihood
        return likelihood - float(as_rows(self.included) @ np.log(deviations))


def overall_contamination(
    candidate: TwoGroups, signed: FloatArray, included: FloatArray, excluded: float
) -> tuple[float, Interval]:
    """Return the share of outliers among all rows, and its interval.

    The candidate models residuals of rows that weigh ``included``; ``excluded`` is the part of the
    total weight that was excluded a priori.
    """
    # Gross outliers count even if they are too few to form a group.
    gross = np.abs(signed - candidate.offset) > MAX_RESIDUAL * candidate.scale
    found = float(included @ gross) / max(float(included.sum()), 1e-300)
    found = max(candidate.contamination, found)
    contamination = min(excluded + (1.0 - excluded) * found, MAX_CONTAMINATION)
    low, high = (float(excluded + (1.0 - excluded) * end) for end in candidate.interval)
    return float(contamination), (low, max(high, float(contamination)))
