r"""Regression: squared residuals, trimmed or weighted by posterior inlier probabilities.

With ``contamination="auto"`` a mixture model of leave-one-out residuals gives each row a posterior
probability of being an inlier, which is its weight; with a number, the rows of the smallest losses
are kept.
"""

from functools import partial
from typing import Any, final

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ..contamination.expectation_maximisation import MAX_CONTAMINATION
from ..contamination.loo_diagnostics import loo_diagnostics, loo_diagnostics_blocked
from ..design.base import FitDesign, SystemDesign
from ..design.features import FeatureDesign
from ..initialization.multistart import find_inliers
from ..learners.function import as_2d
from ..losses import SquaredLoss
from ..model_selection.joint import FEWEST_ROWS
from ..model_selection.small_samples import posterior_by_tests
from ..optim.base import RidgeSystem
from ..optim.c_steps import LOOSE
from ..outliers.audit import LooDiagnostics, beyond_range
from ..outliers.scores import score_scale
from ..screening.radius import EXCLUSION_RADIUS
from ..weighting.base import TrimmingRule
from ..weighting.fixed import FixedWeights
from ..weighting.softplus import Softplus
from ..weighting.trimmed import Trimmed
from .extended_posterior import posterior_of
from .state import Hyperparameters, InitialState, SolverStage
from .task import Task


@final
class RegressionTask(Task):
    """Kernel ridge regression on one output or several."""

    loss = SquaredLoss()
    exclusion_radius = EXCLUSION_RADIUS

    def groups(self, y: FloatArray) -> IntArray:
        """Return one group for all rows."""
        return np.zeros(len(y), dtype=np.intp)

    def weighting(self, contamination: float, y: FloatArray) -> TrimmingRule:
        """Return hard or softplus-smoothed trimming."""
        if self.params.smoothing is None:
            return Trimmed(contamination)
        return Softplus(contamination, float(self.params.smoothing))

    def initialise(self, design: FitDesign, y: FloatArray, hyper: Hyperparameters) -> InitialState:
        """Return posterior weights, or trimming and the inliers that a search found."""
        rng, contamination, interval, posterior = self.rng(), self.contamination, None, None
        if contamination is None and design.size < FEWEST_ROWS:
            contamination, interval = 0.0, (0.0, MAX_CONTAMINATION)
        if contamination is None:
            parts = (design, self.loss, y, self.params.n_starts, rng)
            posterior = hyper.posterior or posterior_of(*parts)
            contamination, interval = posterior.contamination, posterior.interval
            if self.params.init == "auto" and self.params.smoothing is None:
                fixed = FixedWeights(contamination, posterior.inlier_probability)
                weights = posterior.inlier_probability * design.sample_weight
                return InitialState(fixed, weights, None, posterior, interval)
        rule = self.weighting(contamination, y)
        start = self._start(design, y, contamination, rng)
        return InitialState(rule, start, None, posterior, interval)

    def _start(
        self, design: FitDesign, y: FloatArray, contamination: float, rng: np.random.Generator
    ) -> FloatArray:
        """Return the weights to start from."""
        params = self.params
        if contamination == 0 or params.solver == "gradient":
            return design.sample_weight
        if params.init == "auto":
            return find_inliers(design, y, contamination, params.n_starts, rng).weights
        scores = self.loss.value(y, np.zeros_like(y))
        if params.init == "random":
            scores = rng.random(len(y))
        return Trimmed(contamination).weights(scores, design.sample_weight)

    def stages(self, design: FitDesign, y: FloatArray, initial: InitialState) -> list[SolverStage]:
        """Return the ridge solver, after a low-rank one where that settles most of the trimming."""
        loose = LOOSE if design.iterative else 0.0
        weighting = initial.weighting
        trimmed = weighting.contamination > 0 and not isinstance(weighting, FixedWeights)

        def stage(system: RidgeSystem) -> SolverStage:
            return SolverStage(partial(system.solve, y), loose)

        if isinstance(design, FeatureDesign):
            stages = [self.feature_stage(design, y, initial)]
        else:
            assert isinstance(design, SystemDesign)
            stages = [stage(design.system())]
        rough = design.low_rank_system() if trimmed else None
        return stages if rough is None else [stage(rough), *stages]

    def outlier_attributes(
        self,
        predictions: FloatArray,
        losses: FloatArray,
        initial: InitialState,
        present: IntArray,
    ) -> dict[str, Any]:
        """Return threshold, mask and scores in robust standard deviations."""
        record, weighting = self.params._training, initial.weighting
        weights = record.sample_weight[present]
        t = weighting.threshold(losses[present], weights)
        threshold = float(t if np.isfinite(t) else losses[np.isfinite(losses)].max(initial=0.0))
        mask = losses <= threshold
        mask[present] = record.fit_weight[present] >= 0.5 * weights
        n_outputs = record.targets.shape[1]
        scale = 1.0
        # Rows of a posterior have scales of their own.
        if initial.posterior is None or len(present) < len(losses):
            scale = score_scale(losses[present], weights, weighting.contamination, n_outputs)
        return {
            "loss_threshold_": threshold,
            "inlier_mask_": mask,
            "outlier_scores_": np.sqrt(losses) / scale,
            "noise_scale_": np.full(len(losses), scale),
        }

    def loo_diagnostics(self, feature_outlier: BoolArray) -> LooDiagnostics:
        """Return posterior probabilities and expected targets from leave-one-out residuals."""
        model, record = self.params, self.params._record()
        y = record.targets.astype(float)
        kept = np.where(feature_outlier, 0.0, record.fit_weight)
        if record.is_large:
            design = record.feature_design(model.memory_limit, model._n_threads)
            predictions = as_2d(model._raw(record.X))
            blocked = (y, predictions, kept, feature_outlier)
            residuals, posterior = loo_diagnostics_blocked(design, *blocked)
        else:
            sketch, auto = record.sketch(), isinstance(model.contamination, str)
            parts = (sketch, y, kept, feature_outlier, record.misfit)
            residuals, posterior = loo_diagnostics(*parts)
            tested = posterior_by_tests(sketch, y, model.n_starts, self.rng()) if auto else None
            posterior = tested or posterior
        expected = y - residuals
        # Where an outlying row lies the fit knows nothing.
        expected[feature_outlier] = kept @ y / kept.sum()
        score = posterior.model.scores(posterior.residuals)
        return LooDiagnostics(
            np.minimum(score, np.finfo(float).max),
            posterior.inlier_probability,
            model._shaped_dual(model._to_own_units(expected)),
            beyond_range(y, kept > 0),
        )
