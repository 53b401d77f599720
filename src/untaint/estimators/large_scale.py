r"""Fits to many samples: a fit to a subsample, then concentration steps on all of them.

The subsample determines all that takes long to find: initial weights, the contamination, a start
and the Hessian of the objective. All samples, in memory or in partitions, are then evaluated in
passes, one for each step (:mod:`untaint.optim.subsampled_c_steps`).
"""

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from .._typing import FloatArray
from ..contamination.mixture_weighting import MixtureWeighting
from ..design.partitioned import InMemoryDesign, PartitionedDesign
from ..model_selection.label_noise import LabelNoise
from ..optim.base import Callback, Solution, no_callback
from ..optim.c_steps import c_steps
from ..optim.checkpoint import CheckpointSlot
from ..optim.oracle import PassResult
from ..optim.subsampled_c_steps import SubsampledSteps, refine_thresholds
from ..optim.subsampled_newton import SubsampledNewton
from ..optim.threshold_prediction import TrimmedWeighting, WeightingStrategy
from ..screening.by_subsample import ExtremeSamples, outlyingness_filter
from ..screening.filters import RadiusFilter, SampleFilter
from ..screening.radius import centre, median_radius
from ..weighting.base import TrimmingRule
from ..weighting.class_balanced import ClassBalanced
from ..weighting.fixed import FixedWeights
from ..weighting.histogram import LossHistogram
from .state import InitialState

# Standard deviations by which a subsample may overstate the share of rows beyond the radius.
DEVIATIONS = 3.0


@final
@dataclass(frozen=True)
class LargeScaleFit:
    """A fit to many samples, of which the design may exclude some a priori.

    The initial state is that of the subsample, the solution the function at the subsample and the
    last pass over all samples.
    """

    design: PartitionedDesign
    initial: InitialState
    newton: SubsampledNewton
    strategy: WeightingStrategy
    solution: Solution

    @property
    def result(self) -> PassResult:
        """The last pass over all samples."""
        assert self.solution.result is not None
        return self.solution.result

    @property
    def coef(self) -> FloatArray:
        """Coefficients of the features, that of the column of ones last."""
        return self.newton.coef(self.solution.fit)

    def histogram_of(self, rule: TrimmingRule) -> LossHistogram:
        """Return a histogram of all losses in which the thresholds of a hard rule are exact."""
        design, fit = self.design, self.solution.fit
        strategy = TrimmedWeighting(rule, design.total, design.unit, self.strategy.n_groups)
        return refine_thresholds(design, self.newton, strategy, fit, self.result).histogram

    def mixture(self) -> MixtureWeighting | None:
        """Return the mixture model of the residuals, if the contamination was estimated by one."""
        if isinstance(self.strategy, MixtureWeighting):
            return self.strategy
        if self.initial.posterior is None:
            return None
        # The contamination came from a mixture, but the weights of the fit are those of a rule.
        mixture = MixtureWeighting(self.design, self.initial.posterior.inlier_probability)
        mixture.predict(self.newton.evaluate_losses(self.solution.fit))
        return mixture

    def label_noise(self) -> LabelNoise | None:
        """Return the label noise, calibrated by the subsample, if it was estimated."""
        noise = self.initial.label_noise
        if noise is None or not noise.corrects:
            return noise
        sample = self.newton.evaluate_losses(self.solution.fit)
        weights = np.where(sample.excluded, 0.0, sample.sample_weight)
        return noise.calibrated(sample.predictions, sample.groups, weights)

    def for_all_samples(self) -> tuple[InitialState, Solution]:
        """Return the weighting rule and the solution of all samples, where they are in memory."""
        assert isinstance(self.design, InMemoryDesign) and self.result.predictions is not None
        rows, mixture = self.design.samples.losses(self.result.predictions), self.mixture()
        posterior = None if mixture is None else mixture.posterior(self.result, rows)
        rule, interval = self.initial.weighting, self.initial.interval
        if isinstance(rule, FixedWeights) and posterior is None:
            rule = FixedWeights(rule.contamination, 1.0 - rows.excluded)
        elif mixture is self.strategy and posterior is not None:
            rule = FixedWeights(posterior.contamination, posterior.inlier_probability)
            interval = posterior.interval
        else:
            rule = rule.over(rows.groups)
        weights = rule.weights(rows.losses, rows.sample_weight)
        fit = replace(self.solution.fit, predictions=self.result.predictions)
        parts = (rule, weights, None, posterior, interval, rows.excluded)
        state = InitialState(*parts, self.label_noise())
        return state, replace(self.solution, fit=fit, weights=weights, result=None)


def fit_large_scale(
    design: PartitionedDesign,
    initial: InitialState,
    start: Solution,
    *,
    max_radius: float,
    norm_bound: float | None,
    tol: float,
    max_iter: int,
    callback: Callback = no_callback,
    exact: bool = False,
    slot: CheckpointSlot | None = None,
) -> LargeScaleFit:
    """Fit all samples of a design, from the initial state of its subsample and the fit to it.

    Rows ``max_radius`` times farther from the centre than the median row are excluded a priori.
    ``exact`` is whether the thresholds of the solution are refined until they are exact.
    """
    sample_filter = _sample_filter(design, initial.weighting, max_radius)
    if sample_filter is not None:
        design = design.filtered(sample_filter)
    solver = design.subsample.newton(design.loss, design.y)
    # Hard weights may change for ever, and the Hessian of a subsample is inexact.
    trims = initial.weighting.contamination > 0
    own = (design.groups, design.excluded, design.part)
    newton = SubsampledNewton(solver, *own, exact=not trims)
    strategy = _weighting_strategy(design, initial)
    process = SubsampledSteps(
        design,
        newton,
        strategy,
        start.fit,
        design.subsample.alpha / design.part,
        min_decrease=max(design.min_decrease(newton.sums_gram and not trims), tol**1.5),
        norm_bound=norm_bound,
        exact=exact,
    )
    solution = c_steps(process, max_iter=max_iter, callback=callback, slot=slot)
    return LargeScaleFit(design, initial, newton, strategy, solution)


def _weighting_strategy(design: PartitionedDesign, initial: InitialState) -> WeightingStrategy:
    rule, m = initial.weighting, len(design.y)
    if isinstance(rule, FixedWeights):
        if initial.posterior is not None:
            return MixtureWeighting(design, initial.posterior.inlier_probability)
        rule = ClassBalanced(0.0, design.groups, int(design.groups.max()) + 1)
    n_groups = len(rule.totals(np.zeros(m), np.ones(m)))
    return TrimmedWeighting(rule, design.total, design.unit, n_groups)


def _sample_filter(
    design: PartitionedDesign, rule: TrimmingRule, max_radius: float
) -> SampleFilter | None:
    """Return a filter of feature outliers, or of rows beyond the radius if these are few enough."""
    X, contamination = design.subsample.X, rule.contamination
    if isinstance(rule, FixedWeights):
        extremes = design.extremes(ExtremeSamples(X))
        return outlyingness_filter(X, design.rows, extremes, design.n_samples)
    if contamination == 0:
        return None
    ones, radius = np.ones(X.shape[0]), design.subsample.radius
    limit = max_radius * median_radius(radius, ones)
    beyond = float(np.mean(radius > limit))
    chance = DEVIATIONS * np.sqrt(contamination * (1.0 - contamination) / len(radius))
    return RadiusFilter(centre(X, ones), limit) if beyond <= contamination + chance else None
