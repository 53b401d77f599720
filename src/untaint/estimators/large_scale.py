r"""From a sample to all rows: what a fit to many rows does besides asking them.

A sample says everything that takes long to find out: which rows agree, what share is bad, the rough
shape of the function, and the second order of the objective. All rows are then asked
(:mod:`untaint.optim.subsampled_c_steps`), wherever they are.
"""

from __future__ import annotations

from typing import final

import numpy as np

from .._typing import FloatArray
from ..contamination.mixture_weighting import MixtureWeighting
from ..contamination.residual_mixture import OutlierPosterior
from ..design.partitioned import PartitionedData
from ..losses import Loss
from ..optim.base import Callback, Solution
from ..optim.checkpoint import CheckpointSlot
from ..optim.oracle import Oracle
from ..optim.subsampled_c_steps import Outcome, concentrate, refine_threshold
from ..optim.subsampled_newton import SubsampledNewton
from ..optim.threshold_prediction import TrimmedWeighting
from ..screening.by_subsample import ExtremeSamples, outlyingness_filter
from ..screening.filters import RadiusFilter, SampleFilter
from ..screening.radius import centre, median_radius
from ..weighting.base import TrimmingRule
from ..weighting.fixed import FixedWeights
from ..weighting.histogram import LossHistogram
from ..weighting.threshold import SampleLosses
from .state import InitialState

# Standard deviations by which a sample may overstate the share of rows beyond reach.
DEVIATIONS = 3.0


@final
class LargeScaleFit:
    """What is to be asked, and of whom.

    Parameters
    ----------
    data : Crowd
    first : InitialState
        Of the sample.
    found : Solution
        The fit to the sample.
    reach : float
        Rows so many times farther out than the median row are given up unheard.
    loss : Loss

    Attributes
    ----------
    sample_filter : Gate or None
        Shuts out rows by their features.
    """

    def __init__(
        self, data: PartitionedData, first: InitialState, found: Solution, reach: float, loss: Loss
    ) -> None:
        self.data = data
        self.first = first
        self.start = found.fit
        self.loss = loss
        self.by_trust = isinstance(first.weighting, FixedWeights)
        self.sample_filter = self._plausible() if self.by_trust else self._within(reach)
        self.excluded = data.excluded_subsample(self.sample_filter)
        self.strategy = self._strategy()

    def run(
        self,
        oracle: Oracle,
        *,
        norm_bound: float | None,
        tol: float,
        max_iter: int,
        report: Callback,
        exact: bool = False,
        slot: CheckpointSlot | None = None,
    ) -> Outcome:
        """Ask all rows until the fit is as good as they allow; see :func:`concentrate`."""
        data, subsampled_newton = self.data, self._subsampled_newton
        # Rows that are kept or not may change places for ever.
        exact_steps = subsampled_newton.curved and self.first.weighting.contamination == 0
        return concentrate(
            oracle,
            subsampled_newton,
            self.strategy,
            self.start,
            data.subsample.alpha / data.part,
            norm_bound=norm_bound,
            enough=max(data.enough(exact_steps), tol**1.5),
            max_iter=max_iter,
            exact=exact,
            report=report,
            slot=slot,
        )

    def coef(self, outcome: Outcome) -> FloatArray:
        """Coefficients of the features, and of ones if there is an intercept."""
        return self._subsampled_newton.coef(outcome.fit)

    def histogram_of(
        self, mixture_weighting: TrimmingRule, outcome: Outcome, oracle: Oracle
    ) -> LossHistogram:
        """The losses of all rows, seen so closely that the thresholds of a hard rule are exact."""
        strategy = TrimmedWeighting(
            mixture_weighting, None, self._n_groups, self.data.total, self.data.unit
        )
        subsampled_newton = self._subsampled_newton
        return refine_threshold(oracle, subsampled_newton, strategy, outcome).histogram

    def ambiguity_message(self, final_state: OutlierPosterior) -> InitialState:
        """What the last verdict of the sample has to say of its own certainty."""
        return InitialState(self.first.weighting, self.first.weights, None, final_state)

    def final_state(self, outcome: Outcome, rows: SampleLosses) -> tuple[InitialState, FloatArray]:
        """How all rows were selected, where they are at hand, and what they weigh."""
        first, excluded = self.first, rows.excluded
        posterior = self._posterior(outcome, rows)
        if self.by_trust:
            assert posterior is not None
            given = FixedWeights(posterior.contamination, posterior.inlier_probability)
            weights: FloatArray = posterior.inlier_probability * rows.sample_weight
            return InitialState(
                given, weights, None, posterior, posterior.interval, excluded
            ), weights
        weighting = first.weighting.over(rows.groups)
        weights = weighting.weights(rows.losses, rows.sample_weight)
        return InitialState(weighting, weights, None, posterior, first.interval, excluded), weights

    def _posterior(self, outcome: Outcome, rows: SampleLosses) -> OutlierPosterior | None:
        mixture_weighting = self.mixture_weighting(outcome)
        return (
            None
            if mixture_weighting is None
            else mixture_weighting.posterior(outcome.aggregates, rows)
        )

    def mixture_weighting(self, outcome: Outcome) -> MixtureWeighting | None:
        """Who judges each row by itself, if the share was estimated that way."""
        if isinstance(self.strategy, MixtureWeighting):
            return self.strategy
        if self.first.posterior is None:
            return None
        # The share came from judging rows, but the fit was told to select otherwise.
        mixture_weighting = MixtureWeighting(
            self.data, self.excluded, self.first.posterior.inlier_probability
        )
        mixture_weighting.update(self._subsampled_newton.evaluate_losses(outcome.fit))
        return mixture_weighting

    @property
    def _subsampled_newton(self) -> SubsampledNewton:
        newton = self.data.subsample.newton(self.loss, self.data.y)
        return SubsampledNewton(newton, self.data.groups, self.excluded, self.data.part)

    def _strategy(self) -> TrimmedWeighting | MixtureWeighting:
        data, weighting = self.data, self.first.weighting
        if self.by_trust:
            assert self.first.posterior is not None
            return MixtureWeighting(data, self.excluded, self.first.posterior.inlier_probability)
        smoothing = getattr(weighting, "smoothing", None)
        return TrimmedWeighting(weighting, smoothing, self._n_groups, data.total, data.unit)

    @property
    def _n_groups(self) -> int:
        y, weighting = self.data.y, self.first.weighting
        return len(weighting.totals(np.zeros(len(y)), np.ones(len(y))))

    def _within(self, reach: float) -> SampleFilter | None:
        """Rows beyond reach, if they are few enough to be given up."""
        contamination, X = self.first.weighting.contamination, self.data.subsample.X
        if contamination == 0:
            return None
        ones, radius = np.ones(X.shape[0]), self.data.subsample.radius
        limit = reach * median_radius(radius, ones)
        beyond = float(np.mean(radius > limit))
        chance = DEVIATIONS * np.sqrt(contamination * (1.0 - contamination) / len(radius))
        return RadiusFilter(centre(X, ones), limit) if beyond <= contamination + chance else None

    def _plausible(self) -> SampleFilter:
        """What the sample and the outermost rows say is plausible."""
        data = self.data
        extremes = data.extremes(ExtremeSamples(data.subsample.X))
        return outlyingness_filter(data.subsample.X, data.sample, extremes, data.n_rows)
