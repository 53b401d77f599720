r"""Rows that weigh as much as they are likely to be good, when all rows are many.

A sample's residuals are read as two groups (:mod:`untaint.contamination.two_groups`); they tell the
share and the shape of the groups as well as a million of them. Each row is then trusted by its own
residual, under every function that rows are asked about: there are so many of them that none bends
the function towards itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from .._typing import BoolArray, FloatArray
from ..design.partitioned import PartitionedData
from ..optim.oracle import Aggregates
from ..optim.threshold_prediction import ThresholdPredictor
from ..weighting.histogram import HistogramGrid
from ..weighting.threshold import SampleLosses
from .loo_diagnostics import ROUNDING
from .residual_mixture import OutlierPosterior, ResidualMixture, overall_contamination
from .residual_norm import ResidualNorm, fit_residual_norm
from .two_groups import TwoGroups


@final
@dataclass(frozen=True)
class MixtureWeights:
    """Rows by the chance that they are good.

    Attributes
    ----------
    candidate : TwoGroups
    residual_norm : Sizing
        Makes one number of several outputs.
    rounding : float
        Residuals that are but rounding errors, which accuse nobody.
    """

    candidate: TwoGroups
    residual_norm: ResidualNorm
    rounding: float

    def weights(self, rows: SampleLosses) -> FloatArray:
        """Chance times the row's own weight."""
        good = self.candidate.inlier_probability(self.signed(rows.deviations))
        return np.where(rows.excluded, 0.0, good) * rows.sample_weight

    def signed(self, deviations: FloatArray) -> FloatArray:
        """One residual a row."""
        signed = self.residual_norm.signed(deviations)
        return np.where(np.abs(signed) <= self.rounding, 0.0, signed)


@final
class MixtureWeighting:
    """Weighs rows by what a sample's residuals say.

    Parameters
    ----------
    data : Crowd
    excluded : bool array of shape (m,)
        Rows of the sample that are not heard.
    inlier_weight : array of shape (m,)
        How far each of its rows is trusted at first.
    """

    comparable = False
    hard = False

    def __init__(
        self, data: PartitionedData, excluded: BoolArray, inlier_weight: FloatArray
    ) -> None:
        self.data = data
        self.predictor = ThresholdPredictor(1, data.total / (data.unit or 1.0))
        self.inlier_weight = inlier_weight
        #: What the sample said last, and how rows were weighed by it.
        self.subsample_posterior: OutlierPosterior | None = None
        self.rule: MixtureWeights | None = None
        self._mixture = ResidualMixture(data.y, np.ones(len(excluded)), excluded)
        self._rounding = ROUNDING * float(np.median(np.abs(data.y)))

    @property
    def grid(self) -> HistogramGrid:
        """Narrow around the loss that as much weight stays below as is trusted."""
        return self.predictor.grid

    def update(self, sample: SampleLosses) -> MixtureWeights:
        """By the sample's residuals."""
        residual_norm = fit_residual_norm(sample.deviations, self.inlier_weight)
        signed = residual_norm.signed(sample.deviations)
        signed = np.where(np.abs(signed) <= self._rounding, 0.0, signed)
        self.subsample_posterior = self._mixture.fit(signed[:, None], self.inlier_weight)
        self.rule = MixtureWeights(
            self.subsample_posterior.candidates[0], residual_norm, self._rounding
        )
        self.inlier_weight = self.rule.weights(sample)
        kept = float(self.inlier_weight.sum())
        self.predictor.predict(sample, lambda: _reached(sample.losses, kept))
        return self.rule

    def observe(self, aggregates: Aggregates, sample: SampleLosses) -> None:
        """The loss that as much weight stays below as was trusted."""
        histogram = aggregates.histogram
        self.predictor.observe(histogram.losses_at(aggregates.kept), histogram.grid, sample)

    def refined(self) -> MixtureWeights:
        """Rows are weighed as they were."""
        assert self.rule is not None
        self.predictor.refine()
        return self.rule

    def value(self, aggregates: Aggregates) -> float:
        """The weighted losses."""
        return aggregates.loss

    def settled(self, aggregates: Aggregates) -> bool:
        """Rows are weighed by the function that they are asked about."""
        return True

    def exact(self, aggregates: Aggregates) -> bool:
        """Weights follow from a row's own residual."""
        return True

    def contamination(self, aggregates: Aggregates) -> tuple[float, tuple[float, float]]:
        """Share of bad rows, those included that were not heard, and its interval."""
        assert self.subsample_posterior is not None
        return overall_contamination(
            self.subsample_posterior.candidates[0],
            self.subsample_posterior.residuals,
            self._mixture.included,
            aggregates.excluded / self.data.total,
        )

    def posterior(self, aggregates: Aggregates, rows: SampleLosses) -> OutlierPosterior:
        """The verdict on all rows, where they are at hand."""
        assert self.subsample_posterior is not None and self.rule is not None
        contamination, interval = self.contamination(aggregates)
        signed = self.rule.signed(rows.deviations)
        good = np.where(rows.excluded, 0.0, self.rule.candidate.inlier_probability(signed))
        return replace(
            self.subsample_posterior,
            inlier_probability=good,
            residuals=signed,
            contamination=contamination,
            interval=interval,
        )

    def state_dict(self) -> dict[str, FloatArray]:
        """How far the sample is trusted."""
        return self.predictor.state_dict() | {"trusted": self.inlier_weight}

    def load_state_dict(self, state: dict[str, FloatArray]) -> None:
        """Go on with it."""
        self.predictor.load_state_dict(state)
        self.inlier_weight = state["trusted"]


def _reached(losses: FloatArray, kept: float) -> FloatArray:
    """The loss of that rank."""
    rank = min(max(int(np.ceil(kept - 1e-9)), 1), len(losses))
    return np.array([np.partition(losses, rank - 1)[rank - 1]])
