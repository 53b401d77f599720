r"""Posterior probability of each row being an inlier, from a mixture of leave-one-out residuals.

Standardised leave-one-out residuals are modelled as two groups
(:mod:`untaint.contamination.two_groups`): inliers, and outliers with a share :math:`\epsilon`. A
row's weight in the fit is its posterior probability of belonging to the inliers,

.. math:: p_i = (1 - \epsilon)\, f_0(r_i) / f(r_i).

The noise has one scale, or one that varies with the prediction (:mod:`.noise_scale`): the varying
scale has to pay for its parameters, and the model of the larger likelihood is taken.

Rows with outlying features are excluded a priori. With a part e of the weight excluded, the share
of all rows is :math:`e + (1 - e)\,\epsilon`. Rows at a value that censors the targets do not count
for the mixture, because their noise is that of the censoring (:func:`.residual_norm.censored`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, final

import numpy as np

from .._typing import BoolArray, FloatArray
from .expectation_maximisation import MAX_CONTAMINATION, Residuals
from .noise_scale import CONSTANT, NoiseScale, fit_noise_scale
from .null_models import root_mean_square
from .residual_norm import censored, median_distance, resolution, signed_norms
from .target_density import TargetDensity, fit_target_density
from .two_groups import (
    AMBIGUITY,
    FINE,
    ROUGH,
    Effort,
    MixtureStart,
    TwoGroups,
    as_rows,
    contamination_interval,
    refit_two_groups,
    two_groups_of_each,
)

# A cluster of outliers of this share might be the majority of the truth.
AMBIGUOUS_CONTAMINATION = 0.3
# An interquartile range of at most so many scales is that of one cluster (a Gaussian one has 1.35).
CLUSTER_IQR = 2.5
# Log-likelihood by which a clustered candidate may be behind and is still mentioned.
CLUSTERED_CALL = 3.5
# Candidates whose contamination differs by less are the same to a user.
SAME_CONTAMINATION = 0.15
# Part of the included weight that posterior weights keep at least: a majority of rows is good.
MIN_KEPT = 0.25
# Noise of any target, in units of the targets' median distance from their median.
MIN_NOISE = 1e-3
# Parameters that a varying noise scale has to pay for: it is relative, and has five windows.
SCALE_PARAMETERS = 4.0
# The varying scale is fitted to all rows, and then so often to the inliers found.
SCALE_REFITS = 2

Interval = tuple[float, float]


@final
@dataclass(frozen=True)
class ResidualModel:
    """A fitted model of residuals given predictions: two groups, noise scale, density of targets.

    Without a density no target is taken for that of another row.
    """

    groups: TwoGroups
    noise_scale: NoiseScale = CONSTANT
    target_density: TargetDensity | None = None

    def residuals(
        self, signed: FloatArray, predictions: FloatArray, deviations: FloatArray | float = 1.0
    ) -> Residuals:
        """Return residuals in units of ``deviations`` with the densities that the model needs."""
        parts = (signed, predictions, np.broadcast_to(deviations, len(signed)))
        return conditional_residuals(*parts, self.noise_scale, self.target_density)

    def scores(self, residuals: Residuals) -> FloatArray:
        """Return absolute residuals in units of the noise of each row."""
        with np.errstate(over="ignore"):
            scores = np.abs(residuals.values) / self.groups.scales(residuals)
            return np.asarray(np.nan_to_num(scores))


def conditional_residuals(
    signed: FloatArray,
    predictions: FloatArray,
    deviations: FloatArray,
    scale: NoiseScale,
    density: TargetDensity | None,
) -> Residuals:
    """Return residuals with the scale at their predictions, (n, k), if there is one output."""
    if predictions.shape[1] > 1:
        return Residuals.of(signed)
    f, background = predictions[:, 0], None
    if density is not None:
        background = density(f + signed * deviations) + np.log(deviations)
    residuals = Residuals.of(signed, scale(f), background)
    return residuals._replace(targets=f + signed * deviations, log_unit=np.log(deviations))


@final
@dataclass(frozen=True)
class OutlierPosterior:
    """Posterior of a residual mixture: probabilities that rows are inliers, and how they follow.

    The residuals are signed leave-one-out residuals over the standard deviation of such
    predictions. The contamination counts rows with outlying features too, and has a 95 % interval.
    The candidates are fitted models of the residuals, the likeliest first; ``own_interval`` is that
    of the first of them, for included rows. ``misfit`` marks rows that are kept because their
    features tell them from the others.
    """

    inlier_probability: FloatArray
    residuals: Residuals
    contamination: float
    interval: Interval
    candidates: list[TwoGroups]
    own_interval: Interval
    model: ResidualModel
    log_likelihood: float
    misfit: BoolArray

    def of_samples(
        self, residuals: Residuals, excluded: BoolArray, contamination: float, interval: Interval
    ) -> OutlierPosterior:
        """Return the posterior of other samples by the likeliest model; zero if excluded."""
        probability = np.where(excluded, 0.0, self.model.groups.inlier_probability(residuals))
        return replace(
            self,
            inlier_probability=probability,
            residuals=residuals,
            contamination=contamination,
            interval=interval,
            misfit=np.zeros(len(probability), dtype=bool),
        )

    @property
    def noise_scale(self) -> FloatArray:
        """The noise of each row."""
        return self.model.groups.scales(self.residuals)

    @property
    def scores(self) -> FloatArray:
        """Absolute residuals in units of the noise; excluded rows have at least the largest one."""
        included, scores = self.inlier_probability > 0, self.model.scores(self.residuals)
        largest = scores[included].max(initial=0.0)
        return np.where(~included & (scores < largest), largest, scores)

    @property
    def ambiguity_message(self) -> str:
        """Both explanations, in words, where the data cannot decide between two; else empty."""
        return self._misfit_message() or self._cluster_message() or self._alternative_message()

    def _misfit_message(self) -> str:
        """Name the rows that are off where others of like features are off as well."""
        if not self.misfit.any():
            return ""
        part = f"{self.misfit.mean():.0%} of the rows"
        return (
            f"{part} can be told from the others by their features: either the function does not "
            "fit where they lie (which was assumed; they are kept), or their targets are wrong"
        )

    def _cluster_message(self) -> str:
        """Name the two parts if the outliers are many and agree with one another."""
        flagged = self.inlier_probability < 0.5
        if self.candidates[0].contamination < AMBIGUOUS_CONTAMINATION or not flagged.any():
            return ""
        low, middle, high = np.quantile(self.residuals.values[flagged], [0.25, 0.5, 0.75])
        if not high - low < CLUSTER_IQR * self.model.groups.scale:
            return ""
        part, rest = f"{flagged.mean():.0%}", f"{1 - flagged.mean():.0%}"
        return (
            f"{part} of the rows agree with one another on targets that are {middle:+.3g} "
            f"away from what the other {rest} say: either these {part} are wrong (which "
            "was assumed), or the others are"
        )

    def _alternative_message(self) -> str:
        """Name a candidate of about the same likelihood and another contamination."""
        best = self.candidates[0]
        for alternative in self.candidates[1:]:
            behind = best.log_likelihood - alternative.log_likelihood
            clustered = alternative.clustered and not best.clustered
            second_truth = clustered and alternative.contamination >= AMBIGUOUS_CONTAMINATION
            difference = abs(alternative.contamination - best.contamination)
            if not (second_truth or difference >= SAME_CONTAMINATION):
                continue
            if behind <= (CLUSTERED_CALL if second_truth else AMBIGUITY):
                shift = (
                    f", by {alternative.centre - alternative.offset:+.3g}"
                    if alternative.clustered
                    else ""
                )
                return (
                    f"that {best.contamination:.0%} of the rows are wrong (which was assumed) "
                    "explains the residuals about as well as that "
                    f"{alternative.contamination:.0%} are{shift}"
                )
        return ""


class MixtureRows(NamedTuple):
    """Signed residuals, (n,), in units of ``deviations``, of predictions, (n, k), and weights.

    ``effort`` is the amount of computation.
    """

    signed: FloatArray
    predictions: FloatArray
    deviations: FloatArray
    weights: FloatArray
    effort: Effort = FINE

    def residuals(self, scale: NoiseScale, density: TargetDensity | None) -> Residuals:
        """Return the residuals with their relative scales, and with a density of targets."""
        return conditional_residuals(self.signed, self.predictions, self.deviations, scale, density)


class FittedMixture(NamedTuple):
    """A fit of the mixture: what weights follow from, without intervals."""

    inlier_probability: FloatArray
    residuals: Residuals
    candidates: list[TwoGroups]
    model: ResidualModel
    log_likelihood: float


@final
class ResidualMixture:
    """Fits the mixture to residuals of targets, (n, k), and returns posterior weights.

    Feature outliers are excluded a priori. Rows of groups that a better model would explain,
    ``misfit``, do not count for the mixture and are kept, unless they are grossly off.
    """

    def __init__(
        self,
        y: FloatArray,
        sample_weight: FloatArray,
        feature_outlier: BoolArray,
        misfit: BoolArray | None = None,
    ) -> None:
        self.y, self.sample_weight, self.feature_outlier = y, sample_weight, feature_outlier
        self.misfit = np.zeros(len(y), dtype=bool) if misfit is None else misfit
        self.included = np.where(feature_outlier, 0.0, sample_weight)
        self.excluded = 1.0 - float(self.included.sum() / sample_weight.sum())
        apart = censored(y, self.included) | self.misfit
        self.fitted = np.where(apart, 0.0, self.included)
        self.counts = as_rows(self.fitted)
        self.min_scale = MIN_NOISE * median_distance(y, self.included)
        self.step = resolution(y, self.included)
        # An alternation often begins with the rows that were asked about before it.
        self._latest: dict[Effort, tuple[tuple[bytes, ...], FittedMixture]] = {}

    def fit_null(
        self,
        residuals: FloatArray,
        deviations: FloatArray,
        weights: FloatArray,
        *,
        thorough: bool = False,
    ) -> OutlierPosterior:
        """Return the posterior by the likeliest model without outliers."""
        effort = FINE._replace(null=True, thorough=thorough)
        rows = self.rows(residuals, deviations, weights)._replace(effort=effort)
        return self._posterior(self.fit_once(rows))

    def finds_outliers(
        self, residuals: FloatArray, deviations: FloatArray, weights: FloatArray
    ) -> bool:
        """Return whether the likeliest model of residuals of a fit has outliers."""
        rows = self.rows(residuals, deviations, weights)._replace(effort=ROUGH)
        found = self.fit_once(rows)
        gross = (found.inlier_probability < 0.5) & (self.included > 0)
        return found.model.groups.contamination > 0 or bool(gross.any())

    def fit(
        self, residuals: FloatArray, deviations: FloatArray, weights: FloatArray
    ) -> OutlierPosterior:
        """Return the posterior given residuals of a fit with these weights.

        Residuals are in units of the prediction's standard deviation ``deviations``.
        """
        return self._posterior(self._fit_all(self.rows(residuals, deviations, weights)))

    def fit_signed(
        self,
        signed: FloatArray,
        predictions: FloatArray,
        deviations: FloatArray,
        weights: FloatArray,
    ) -> OutlierPosterior:
        """Return the posterior given one signed residual for each row, and predictions, (n, k)."""
        return self._posterior(self._fit_all(MixtureRows(signed, predictions, deviations, weights)))

    def rows(
        self, residuals: FloatArray, deviations: FloatArray, weights: FloatArray
    ) -> MixtureRows:
        """Return what the mixture is fitted to: signed residuals with their predictions."""
        predictions = self.y - residuals * deviations[:, None]
        return MixtureRows(signed_norms(residuals, weights), predictions, deviations, weights)

    def _fit_all(self, rows: MixtureRows) -> FittedMixture:
        """Return the best fit, with scales that are fitted to ever better inliers."""
        best = self._fit_scales(rows, np.ones(len(rows.signed)))
        if rows.predictions.shape[1] > 1:
            return best
        best = self._with_better_scale(rows, best, None)
        alternative = self._with_permuted_targets(rows, best)
        if alternative is not best and alternative.model.groups.permuted:
            alternative = self._with_better_scale(
                rows, alternative, alternative.model.target_density
            )
        return max(best, alternative, key=lambda fitted: fitted.log_likelihood)

    def fit_once(self, rows: MixtureRows) -> FittedMixture:
        """Return the best fit with a scale that is fitted to the present inliers."""
        key = tuple(part.tobytes() for part in (rows.signed, rows.deviations, rows.weights))
        latest = self._latest.get(rows.effort)
        if latest is not None and latest[0] == key:
            return latest[1]
        best = self._fit_scales(rows, self._relative(rows.weights))
        if rows.predictions.shape[1] == 1:
            alternative = self._with_permuted_targets(rows, best)
            best = max(best, alternative, key=lambda fitted: fitted.log_likelihood)
        self._latest[rows.effort] = key, best
        return best

    def _fit_scales(self, rows: MixtureRows, inlier_probability: FloatArray) -> FittedMixture:
        """Return the better fit of one scale, and of one that varies as that of the inliers."""
        scales = [CONSTANT]
        if rows.predictions.shape[1] == 1:
            inlying = self.counts * inlier_probability
            scale = fit_noise_scale(rows.signed, rows.predictions[:, 0], inlying)
            scales += [scale] if scale.varies else []
        return max(self._fit(rows, scales, None), key=lambda fitted: fitted.log_likelihood)

    def _with_better_scale(
        self, rows: MixtureRows, best: FittedMixture, density: TargetDensity | None
    ) -> FittedMixture:
        """Return the best of a fit and those under scales fitted to ever better inliers."""
        for _ in range(SCALE_REFITS):
            inlying = self.counts * best.inlier_probability
            scale = fit_noise_scale(rows.signed, rows.predictions[:, 0], inlying)
            if not scale.varies:
                break
            (alternative,) = self._fit(rows, [scale], density)
            if not alternative.log_likelihood > best.log_likelihood:
                break
            best = alternative
        return best

    def _with_permuted_targets(self, rows: MixtureRows, best: FittedMixture) -> FittedMixture:
        """Return the fit of a model in which outliers have targets of inliers."""
        density = self._target_density(rows, best.inlier_probability)
        if density is None or rows.effort.null:
            return best
        (found,) = self._fit(rows, [best.model.noise_scale], density, best.candidates)
        return found

    def _target_density(
        self, rows: MixtureRows, inlier_probability: FloatArray
    ) -> TargetDensity | None:
        """Return the density of the targets of inliers."""
        inlying = as_rows(self.included) * inlier_probability
        noise = root_mean_square(rows.signed, rows.weights)
        return fit_target_density(self.y[:, 0], inlying, noise)

    def _relative(self, weights: FloatArray) -> FloatArray:
        """Return weights relative to those of the rows."""
        return weights / np.where(self.sample_weight > 0, self.sample_weight, 1.0)

    def _start(self, inlier_probability: FloatArray, effort: Effort) -> MixtureStart:
        return MixtureStart(self.fitted, inlier_probability, self.min_scale, self.step, effort)

    def _fit(
        self,
        rows: MixtureRows,
        scales: Sequence[NoiseScale],
        density: TargetDensity | None,
        known: Sequence[TwoGroups] = (),
    ) -> list[FittedMixture]:
        """Return the fits under some relative noise scales.

        ``known`` are the candidates under a single one without a density of targets.
        """
        views = [rows.residuals(scale, density) for scale in scales]
        start = self._relative(rows.weights)
        found = two_groups_of_each(views, self._start(start, rows.effort), known)
        return [
            self._fitted(view, ResidualModel(candidates[0], scale, density), candidates, start)
            for view, scale, candidates in zip(views, scales, found, strict=True)
        ]

    def refit(self, rows: MixtureRows, model: ResidualModel) -> FittedMixture | None:
        """Return the fit of the same model of outliers to other residuals, None if it fails."""
        start, scale, density = self._relative(rows.weights), model.noise_scale, None
        if scale.varies:
            scale = fit_noise_scale(rows.signed, rows.predictions[:, 0], self.counts * start)
        if model.groups.permuted:
            density = self._target_density(rows, start)
        residuals = rows.residuals(scale, density)
        groups = refit_two_groups(model.groups, residuals, self._start(start, rows.effort))
        if groups is None:
            return None
        return self._fitted(residuals, ResidualModel(groups, scale, density), [groups], start)

    def _fitted(
        self,
        residuals: Residuals,
        model: ResidualModel,
        candidates: list[TwoGroups],
        start: FloatArray,
    ) -> FittedMixture:
        """Return a fit with its inlier probabilities."""
        groups = model.groups
        good = groups.inlier_probability(residuals)
        if float(self.included @ good) < MIN_KEPT * float(self.included.sum()):
            # A candidate may concentrate on equal targets, which have no noise, and reject others.
            good = start
        good = np.where(self.misfit, ~groups.is_gross(residuals), good)
        likelihood = groups.log_likelihood
        if model.noise_scale.varies:
            likelihood -= 0.5 * SCALE_PARAMETERS * float(np.log(self.counts.sum()))
        good = np.where(self.feature_outlier, 0.0, good)
        return FittedMixture(good, residuals, candidates, model, likelihood)

    def _posterior(self, fitted: FittedMixture) -> OutlierPosterior:
        """Return the posterior of a fit, with the contamination of all rows and its interval."""
        residuals = fitted.residuals
        own = contamination_interval(fitted.candidates, residuals, self.fitted)
        found = overall_contamination(fitted.model, own, residuals, self.included, self.excluded)
        contamination, (low, high) = found
        return OutlierPosterior(
            fitted.inlier_probability,
            residuals,
            contamination,
            (min(low, contamination), high),
            fitted.candidates,
            own,
            fitted.model,
            fitted.log_likelihood,
            self.misfit,
        )


def overall_contamination(
    model: ResidualModel,
    interval: Interval,
    residuals: Residuals,
    included: FloatArray,
    excluded: float,
) -> tuple[float, Interval]:
    """Return the share of outliers among all rows, and its interval.

    The model and the interval of its contamination are those of residuals of rows that weigh
    ``included``; ``excluded`` is the part of the total weight that was excluded a priori.
    """
    groups = model.groups
    # Gross outliers count even if they are too few to form a group.
    gross = groups.is_gross(residuals)
    found = float(included @ gross) / max(float(included.sum()), 1e-300)
    found = max(groups.contamination, found)
    contamination = min(excluded + (1.0 - excluded) * found, MAX_CONTAMINATION)
    low, high = (float(excluded + (1.0 - excluded) * end) for end in interval)
    return float(contamination), (low, max(high, float(contamination)))
