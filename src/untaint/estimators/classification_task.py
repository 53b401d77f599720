r"""Classification: log-losses, trimmed within classes.

With ``contamination="auto"`` the share of wrong labels is estimated by how often confident
predictions are contradicted, and by the likelihood of a label-noise channel on leave-one-out
scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from .._policy import policy
from .._typing import BoolArray, FloatArray, IntArray
from ..contamination.disagreement import MAX_CONTAMINATION, estimate_disagreement
from ..contamination.label_noise import NoiseRate, estimate_noise_rate
from ..contamination.label_quality import (
    label_quality,
    leave_one_out_scores,
    loo_class_probabilities,
    loo_class_probabilities_blocked,
)
from ..design.base import Design, FitDesign, SystemDesign
from ..design.features import FeatureDesign
from ..initialization.multistart import StartingPoint, find_label_inliers
from ..learners.classification import likeliest, loss_of
from ..learners.function import as_2d
from ..losses import class_codes
from ..optim.base import Fit, RidgeSystem
from ..optim.c_steps import LOOSE
from ..optim.newton import Newton
from ..optim.newton_step import KernelSpace
from ..outliers.audit import LooDiagnostics
from ..outliers.scores import MIN_THRESHOLD, class_scores
from ..screening.radius import near_rows
from ..weighting.base import TrimmingRule
from ..weighting.class_balanced import ClassBalanced
from ..weighting.class_balanced_soft import SoftClassBalanced
from .state import Hyperparameters, InitialState, Solve, SolverStage
from .task import Task

if TYPE_CHECKING:
    from .base import SubquantileEstimator

# Contamination of the initial search while the contamination itself is being estimated.
INITIAL_CONTAMINATION = 0.4
# Fewest rows from which a contamination is estimated, and the smallest one that is trimmed.
FEWEST_ROWS = 20
MIN_CONTAMINATION = 0.02
# Tolerance of a stage that only prepares the next.
ROUGH = 1e-4
# Smoothing for several classes. Two classes are trimmed hard. With several, hard trimming would
# move the rows between overlapping classes back and forth until one class has lost all of them.
SOFT_EDGE = 2.0


@final
class ClassificationTask(Task):
    """Kernel logistic regression of two classes or several (softmax)."""

    exclusion_radius = 25.0  # a label says little about a row that lies so far out

    def __init__(
        self,
        params: SubquantileEstimator,
        contamination: float | None,
        seed: int,
        classes: NDArray[Any],
    ) -> None:
        super().__init__(params, contamination, seed)
        self.classes = classes
        self.loss = loss_of(len(classes))

    def groups(self, y: FloatArray) -> IntArray:
        """Return the class codes."""
        return class_codes(y)

    def weighting(self, contamination: float, y: FloatArray) -> TrimmingRule:
        """Return class-balanced trimming, hard or with a soft edge."""
        codes, n_classes, smoothing = class_codes(y), len(self.classes), self.params.smoothing
        if isinstance(smoothing, str):
            smoothing = None if n_classes == 2 else SOFT_EDGE
        if smoothing is None:
            return ClassBalanced(contamination, codes, n_classes)
        return SoftClassBalanced(contamination, codes, n_classes, float(smoothing))

    def initialise(self, design: FitDesign, y: FloatArray, hyper: Hyperparameters) -> InitialState:
        """Return class-balanced trimming and the inliers that a search found."""
        rng, contamination, interval = self.rng(), self.contamination, None
        if contamination is None:
            found = hyper.label_noise or self.estimate(design, y, rng)
            contamination, interval, _ = self.overall(design, found)
        rule = self.weighting(contamination, y)
        if contamination == 0 or self.params.solver == "gradient":
            return InitialState(rule, design.sample_weight, interval=interval)
        if self.params.init == "auto":
            start = self._search(design, y, rule, rng)
            return InitialState(rule, start.weights, start.predictions, interval=interval)
        losses = self.loss.value(y, np.zeros_like(y))
        if self.params.init == "random":
            losses = rng.random(len(y))
        return InitialState(rule, rule.weights(losses, design.sample_weight), interval=interval)

    def estimate(self, design: Design, y: FloatArray, rng: np.random.Generator) -> NoiseRate:
        """Estimate the share of wrong labels among the rows that are not excluded a priori."""
        if design.size < FEWEST_ROWS:
            return NoiseRate(0.0, (0.0, MAX_CONTAMINATION), 0.0)
        rule = self.weighting(INITIAL_CONTAMINATION, y)
        raw = self._search(design, y, rule, rng).predictions
        assert raw is not None
        scores = np.column_stack([-raw, raw]) if raw.shape[1] == 1 else raw
        codes, weights, near = class_codes(y), design.sample_weight, self._near(design)
        disagreement = estimate_disagreement(scores[near], codes[near], weights[near])
        loo = leave_one_out_scores(design, y, np.where(near, weights, 0.0), self.loss)
        sample = design.representatives(policy().label_noise_rows, np.flatnonzero(near))
        rows = sample.rows
        return estimate_noise_rate(loo[rows], codes[rows], sample.weights, disagreement)

    def overall(self, design: Design, found: NoiseRate) -> NoiseRate:
        """Return the contamination of all rows of a design, excluded ones included."""
        if design.size < FEWEST_ROWS:
            return found
        weights = design.sample_weight
        excluded = float(weights[~self._near(design)].sum() / weights.sum())
        low, contamination, high = (
            min(excluded + (1.0 - excluded) * value, MAX_CONTAMINATION)
            for value in (found.interval[0], found.contamination, found.interval[1])
        )
        if contamination < MIN_CONTAMINATION:
            contamination, low = 0.0, 0.0
        return found._replace(contamination=contamination, interval=(low, high))

    def _near(self, design: Design) -> BoolArray:
        near = near_rows(design.radius, design.sample_weight, self.exclusion_radius)
        return ~design.feature_outlier & near

    def _search(
        self, design: Design, y: FloatArray, rule: TrimmingRule, rng: np.random.Generator
    ) -> StartingPoint:
        n_starts = self.params.n_starts
        if n_starts is None:  # a soft edge has few local minima
            n_starts = 1 if isinstance(rule, SoftClassBalanced) else 6
        return find_label_inliers(design, y, self.loss, rule, n_starts, rng)

    def stages(self, design: FitDesign, y: FloatArray, initial: InitialState) -> list[SolverStage]:
        """Return Newton's method, after a low-rank stage where that settles most trimming."""
        if isinstance(design, FeatureDesign):
            return [self.feature_stage(design, y, initial)]
        assert isinstance(design, SystemDesign)
        latest = initial.predictions

        def solve_with(system: RidgeSystem) -> Solve:
            newton = Newton(KernelSpace(system), self.loss, y)

            def solve(weights: FloatArray, alpha: float, start: Fit | None, tol: float) -> Fit:
                nonlocal latest
                fit = newton.solve(weights, alpha, start, tol, latest)
                latest = fit.predictions
                return fit

            return solve

        *rough, full = design.newton_systems(y.shape[1])
        stages = [SolverStage(solve_with(full), LOOSE)]
        if initial.weighting.contamination > 0:
            stages = [SolverStage(solve_with(system), LOOSE, ROUGH) for system in rough] + stages
        return stages

    def outlier_attributes(
        self, losses: FloatArray, weighting: TrimmingRule, present: IntArray
    ) -> dict[str, Any]:
        """Return thresholds by class, mask, and scores as losses over these thresholds."""
        assert isinstance(weighting, ClassBalanced)
        # Whatever the edge of the fit, the mask is that of hard trimming.
        hard = ClassBalanced(weighting.contamination, weighting.groups, weighting.n_groups)
        record = self.params._training
        codes, weights = class_codes(record.targets), record.sample_weight[present]
        thresholds = hard.class_thresholds(losses[present], weights)
        kept = hard.weights(losses[present], weights)
        mask = losses <= thresholds[codes]
        mask[present] = kept >= 0.5 * weights
        totals = np.bincount(codes[present], weights)
        return {
            "loss_threshold_": hard.threshold(losses[present], weights),
            "class_thresholds_": thresholds,
            "inlier_mask_": mask,
            "class_contamination_": 1.0 - np.bincount(codes[present], kept) / totals,
            "outlier_scores_": class_scores(losses, thresholds[codes]),
        }

    def loo_diagnostics(self, feature_outlier: BoolArray) -> LooDiagnostics:
        """Return the quality of each label under leave-one-out class probabilities."""
        model, record = self.params, self.params._record()
        included = np.where(feature_outlier, 0.0, record.sample_weight)
        codes, contamination = class_codes(record.targets), model.contamination_
        parts = (codes, len(self.classes), included, contamination)
        if record.is_large:
            design = record.feature_design(model.memory_limit, model._n_threads)
            probabilities = loo_class_probabilities_blocked(design, *parts)
        else:
            probabilities = loo_class_probabilities(record.sketch(), *parts)
        own = np.take_along_axis(probabilities, codes[:, None], axis=1)[:, 0]
        score = -np.log(np.maximum(own, np.finfo(float).tiny))
        return LooDiagnostics(
            score / max(model.loss_threshold_, MIN_THRESHOLD),
            label_quality(probabilities, codes, contamination),
            self.classes[likeliest(as_2d(model._raw(record.X)))],
            np.zeros(len(codes), dtype=bool),
        )

    def audit_columns(self, diagnostics: LooDiagnostics) -> dict[str, NDArray[Any]]:
        """Return the suggested labels."""
        return {"suggested": diagnostics.expected}
