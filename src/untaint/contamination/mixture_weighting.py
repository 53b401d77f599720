r"""Posterior probabilities as weights of many samples.

The mixture of two groups (:mod:`untaint.contamination.two_groups`) is fitted to the residuals of a
subsample, which determine it as well as a million would. Each of all samples is then weighted by
its own residual under every function,

.. math:: w_i = v_i\, (1 - \epsilon)\, f_0(r_i) / f(r_i),

without leave-one-out corrections: among so many samples none bends the function towards itself.
The mixture is fitted again where the predictions have changed by more than a small part of the
noise.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple, final

import numpy as np

from .._threads import map_blocks
from .._typing import FloatArray
from ..design.partitioned import PartitionedDesign
from ..optim.checkpoint import nested, part_of
from ..optim.oracle import PassResult
from ..optim.threshold_prediction import WeightingStrategy
from ..weighting.threshold import SampleLosses
from ..weighting.trimmed import loss_reached
from .expectation_maximisation import Residuals
from .loo_diagnostics import rounding_of, without_rounding
from .residual_mixture import (
    OutlierPosterior,
    ResidualMixture,
    ResidualModel,
    overall_contamination,
)
from .residual_norm import ResidualNorm, fit_residual_norm

# Root mean square of a change of predictions, in units of the noise, that the model ignores.
SMALL_CHANGE = 0.03
# Samples whose posterior one thread computes at a time.
BLOCK_ROWS = 20_000


class _FittedTo(NamedTuple):
    """What the mixture was last fitted to: deviations, predictions and weights of the subsample."""

    deviations: FloatArray
    predictions: FloatArray
    weights: FloatArray


@final
@dataclass(frozen=True)
class MixtureWeights:
    """Weights by the posterior probability that a sample is an inlier.

    Signed residuals up to the size ``rounding`` are rounding errors, and count as zero.
    """

    model: ResidualModel
    residual_norm: ResidualNorm
    rounding: float

    def weights(self, rows: SampleLosses) -> FloatArray:
        """Return the posterior probabilities times the samples' own weights; zero if excluded."""
        probability = self.model.groups.inlier_probability(self.residuals(rows))
        return np.where(rows.excluded, 0.0, probability) * rows.sample_weight

    def residuals(self, rows: SampleLosses) -> Residuals:
        """Return one signed residual for each sample, with its noise scale."""
        signed = without_rounding(self.residual_norm.signed(rows.deviations), self.rounding)
        return self.model.residuals(signed, rows.predictions)

    def scores(self, rows: SampleLosses) -> FloatArray:
        """Return absolute residuals in units of the noise of each sample."""
        return self.model.scores(self.residuals(rows))

    def largest_score(self, deviation: float) -> float:
        """Return a score that no sample exceeds whose deviation is at most the one given."""
        signed = self.residual_norm.signed(np.array([[deviation]]))
        return float(signed[0]) / (self.model.groups.scale * self.model.noise_scale.smallest)


@final
class MixtureWeighting(WeightingStrategy):
    """Weights samples by a mixture model of the subsample's residuals.

    ``inlier_weight`` holds the weights of the subsample, at first the initial ones. ``predict``
    sets ``subsample_posterior``, the mixture last fitted to it, and the ``rule`` that follows.
    """

    comparable = False
    subsample_posterior: OutlierPosterior
    rule: MixtureWeights

    def __init__(self, design: PartitionedDesign, inlier_weight: FloatArray) -> None:
        super().__init__(1, design.total / (design.unit or 1.0))
        self.inlier_weight = inlier_weight
        self._total = design.total
        self._mixture = ResidualMixture(design.y, np.ones(len(design.y)), design.excluded)
        self._rounding = rounding_of(design.y)
        self._fitted_to: _FittedTo | None = None

    def predict(self, sample: SampleLosses) -> MixtureWeights:
        """Return the weights of a mixture fitted to the residuals of the subsample."""
        if self._fitted_to is None or self._has_moved(sample):
            self._fit(_FittedTo(sample.deviations, sample.predictions, self.inlier_weight))
        else:
            found = self.subsample_posterior
            residuals, excluded = self.rule.residuals(sample), self._mixture.feature_outlier
            numbers = (found.contamination, found.interval)
            self.subsample_posterior = found.of_samples(residuals, excluded, *numbers)
        self.inlier_weight = self.rule.weights(sample)
        ones = np.ones(len(sample.losses))
        losses, kept = sample.losses, float(self.inlier_weight.sum())
        self._predict_thresholds(sample, lambda: np.array([loss_reached(losses, ones, kept)]))
        return self.rule

    def _has_moved(self, sample: SampleLosses) -> bool:
        """Whether the predictions of inliers are others than those of the mixture's residuals."""
        assert self._fitted_to is not None
        moved = np.sum((sample.predictions - self._fitted_to.predictions) ** 2, axis=1)
        weights = np.where(self._fitted_to.weights > 0, self._fitted_to.weights, 0.0)
        allowed = SMALL_CHANGE * self.rule.model.groups.scale
        return not float(weights @ moved) <= allowed**2 * float(weights.sum())

    def _fit(self, data: _FittedTo) -> None:
        residual_norm = fit_residual_norm(data.deviations, data.weights)
        signed = without_rounding(residual_norm.signed(data.deviations), self._rounding)
        parts = (signed, data.predictions, np.ones(len(signed)), data.weights)
        self.subsample_posterior = self._mixture.fit_signed(*parts)
        self.rule = MixtureWeights(self.subsample_posterior.model, residual_norm, self._rounding)
        self._fitted_to = data

    def observe(self, result: PassResult, sample: SampleLosses) -> None:
        """Find the loss up to which the samples weigh as much as was kept."""
        histogram = result.histogram
        self._observe_thresholds(histogram.losses_at(result.kept), histogram.grid, sample)

    def refine(self) -> MixtureWeights:
        """Return the same weights, with finer bins."""
        self._refine_grid()
        return self.rule

    def objective(self, result: PassResult) -> float:
        """Return the weighted loss."""
        return result.loss

    def is_reliable(self, result: PassResult) -> bool:
        """Whether weights are those of the function: always, as they follow from residuals."""
        return True

    def is_exact(self, result: PassResult) -> bool:
        """Whether weights are known exactly: always, as they follow from residuals."""
        return True

    def contamination(self, result: PassResult) -> tuple[float, tuple[float, float]]:
        """Return the share of outliers, excluded samples included, and its interval."""
        residuals, excluded = self.subsample_posterior.residuals, result.excluded / self._total
        included = self._mixture.included
        interval = self.subsample_posterior.own_interval
        return overall_contamination(self.rule.model, interval, residuals, included, excluded)

    def posterior(self, result: PassResult, rows: SampleLosses) -> OutlierPosterior:
        """Return the posterior of all samples, where they are in memory."""
        n = len(rows.losses)
        probability, residuals = np.empty(n), Residuals(*(np.empty(n) for _ in Residuals._fields))

        def fill(own: slice) -> None:
            part = rows.among(own)
            found = self.rule.residuals(part)
            for whole, values in zip(residuals, found, strict=True):
                whole[own] = values
            inlying = self.rule.model.groups.inlier_probability(found)
            probability[own] = np.where(part.excluded, 0.0, inlying)

        map_blocks(fill, n, BLOCK_ROWS)
        contamination, interval = self.contamination(result)
        return replace(
            self.subsample_posterior,
            inlier_probability=probability,
            residuals=residuals,
            contamination=contamination,
            interval=interval,
            misfit=np.zeros(n, dtype=bool),
        )

    def state_dict(self) -> dict[str, FloatArray]:
        """Return thresholds, weights of the subsample, and what the mixture is fitted to."""
        state = super().state_dict() | {"inlier_weight": self.inlier_weight}
        fitted_to = {} if self._fitted_to is None else self._fitted_to._asdict()
        return state | nested("fitted_to", fitted_to)

    def load_state_dict(self, state: dict[str, FloatArray]) -> None:
        """Continue from such a state."""
        super().load_state_dict(state)
        self.inlier_weight = state["inlier_weight"]
        fitted_to = part_of("fitted_to", state)
        if fitted_to:
            self._fit(_FittedTo(**fitted_to))
