r"""Classification: log-losses, trimmed within classes or corrected for label noise.

With ``contamination="auto"`` the noise matrix of the labels is estimated by its marginal likelihood
(:mod:`untaint.model_selection.label_noise`), and the fit corrects the log-loss for it: no row is
trimmed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from .._policy import policy
from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray, IntArray
from .._validation import in_double
from ..contamination.label_posterior import shares_of_labels, wrong_label_scores
from ..contamination.label_quality import (
    corrected_loo_blocked,
    label_quality,
    loo_class_probabilities,
    loo_class_probabilities_blocked,
)
from ..design.base import Design, FitDesign, Sketch, SystemDesign
from ..design.features import FeatureDesign
from ..design.subsample import LABELS_PER_FEATURE, Subset
from ..initialization.multistart import StartingPoint, find_label_inliers
from ..kernels import Precomputed
from ..learners.base import take
from ..learners.classification import likeliest, loss_of
from ..losses import CorrectedLogLoss, Loss, class_codes, class_probabilities
from ..model_selection.grid import smoother_kernels
from ..model_selection.joint import loo_features_of
from ..model_selection.label_noise import LabelNoise, known_noise, select_label_noise
from ..optim.base import Fit, RidgeSystem
from ..optim.c_steps import LOOSE
from ..optim.laplace import LaplaceApproximation
from ..optim.newton import MIN_ALPHA, Newton
from ..optim.newton_step import KernelSpace
from ..outliers.audit import LooDiagnostics
from ..outliers.scores import MIN_THRESHOLD, class_scores
from ..screening.radius import near_rows
from ..weighting.base import TrimmingRule
from ..weighting.class_balanced import ClassBalanced
from ..weighting.class_balanced_soft import SoftClassBalanced
from ..weighting.fixed import FixedWeights
from .state import Hyperparameters, InitialState, Solve, SolverStage
from .task import Task

# Fewest rows from which a contamination is estimated, and the smallest one that is trimmed.
FEWEST_ROWS = 20
MIN_CONTAMINATION = 0.02
# Alphas under which noise is looked for, as multiples of the one of the fit.
ALPHA_FACTORS = 10.0 ** np.arange(-5.0, 1.1, 0.5)
# Coefficients of the fit by which an audit scores labels, for all classes together.
AUDIT_UNKNOWNS = 600
# Tolerance of the first refit to a kernel matrix, and of a stage that only prepares the next.
FIRST, ROUGH = 3e-2, 1e-4
# Smoothing for several classes. Two classes are trimmed hard. With several, hard trimming would
# move the rows between overlapping classes back and forth until one class has lost all of them.
SOFT_EDGE = 2.0


@final
@dataclass(eq=False)
class ClassificationTask(Task):
    """Kernel logistic regression of two classes or several (softmax)."""

    classes: NDArray[Any]
    exclusion_radius = 25.0  # labels of rows beyond carry little information
    # Of the half a unit of log-likelihood, for each unknown, that the sampling itself changes.
    sampling_slack = 0.1

    def __post_init__(self) -> None:
        self.loss = loss_of(len(self.classes))

    @property
    def rows_per_feature(self) -> int:
        """Rows of the subsample for each feature: more where labels are trimmed."""
        return LABELS_PER_FEATURE if self.contamination else super().rows_per_feature

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
        if self.contamination is None:
            return self._correct(design, hyper.label_noise or self.estimate(design, y))
        rule, rng = self.weighting(self.contamination, y), self.rng()
        if self.contamination == 0 or self.params.solver == "gradient":
            return InitialState(rule, design.sample_weight)
        if self.params.init == "auto":
            start = self._search(design, y, rule, rng)
            return InitialState(rule, start.weights, start.predictions)
        losses = self.loss.value(y, np.zeros_like(y))
        if self.params.init == "random":
            losses = rng.random(len(y))
        return InitialState(rule, rule.weights(losses, design.sample_weight))

    def estimate(self, design: Design, y: FloatArray) -> LabelNoise:
        """Estimate the label noise from representative rows of a design.

        Noise is a matter of the labels: it is looked for under smoother kernels and other alphas,
        too, where that of the fit would take it for overlap.
        """
        if design.size < FEWEST_ROWS:
            return known_noise(np.eye(len(self.classes)))
        sample = self.noise_sample(design)
        part = float(sample.weights.sum() / design.sample_weight.sum())
        least = MIN_ALPHA * float(sample.weights.sum())
        alphas = np.maximum(part * design.alpha * ALPHA_FACTORS, least)
        rows = take(design.X, sample.rows, isinstance(design.kernel, Precomputed))
        parts = (in_double(rows), sample.weights, design.alpha, design.fit_intercept)
        kernels, sketch = smoother_kernels(design.kernel), Sketch(design.kernel, *parts)
        sketches = [sketch.with_kernel(kernel) for kernel in kernels]
        with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
            found = select_label_noise(
                [loo_features_of(sketch) for sketch in sketches],
                alphas,
                y[sample.rows],
                sample.weights,
                first=(len(kernels) - 1, int(np.argmax(ALPHA_FACTORS == 1.0))),
                fit_intercept=design.fit_intercept,
            )
        return found.noise

    def noise_sample(self, design: Design) -> Subset:
        """Return the rows that the label noise is estimated from."""
        near = np.flatnonzero(self.near(design))
        return design.representatives(policy().label_noise_rows, near)

    def _correct(self, design: FitDesign, noise: LabelNoise) -> InitialState:
        """Return the weights of a fit that corrects its loss for the label noise.

        Rows that lie far from all others are excluded, unless they are few and no label is wrong.
        """
        near, weights = self.near(design), design.sample_weight
        excluded = float(weights[~near].sum() / weights.sum())
        shares = np.array([noise.contamination, *noise.contamination_interval])
        contamination, low, high = (excluded + (1.0 - excluded) * shares).tolist()
        if contamination < MIN_CONTAMINATION and not noise.corrects:
            near, contamination, low = np.ones_like(near), 0.0, 0.0
        rule = FixedWeights(contamination, near.astype(float))
        start = rule.weights(weights, weights)
        return InitialState(rule, start, interval=(low, high), excluded=~near, label_noise=noise)

    def fit_loss(self, initial: InitialState) -> Loss:
        """Return the log-loss, corrected for the label noise that was estimated."""
        noise = initial.label_noise
        if noise is None or not noise.corrects:
            return self.loss
        return CorrectedLogLoss(noise.fitted)

    def near(self, design: Design) -> BoolArray:
        """Return the mask of the rows that do not lie far from all others."""
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
        latest, loss = initial.predictions, self.fit_loss(initial)

        def solve_with(system: RidgeSystem) -> Solve:
            space = KernelSpace(system)
            newton, plain = (Newton(space, each, y) for each in (loss, self.loss))

            def solve(weights: FloatArray, alpha: float, start: Fit | None, tol: float) -> Fit:
                nonlocal latest
                if start is None and not loss.convex:  # the plain fit is where to begin
                    start = plain.solve(weights, alpha, None, LOOSE)
                fit = newton.solve(weights, alpha, start, tol, latest)
                latest = fit.predictions
                return fit

            return solve

        *rough, full = design.newton_systems(y.shape[1])
        stages = [SolverStage(solve_with(full), FIRST)]
        if initial.weighting.contamination > 0:
            stages = [SolverStage(solve_with(system), LOOSE, ROUGH) for system in rough] + stages
        return stages

    def feature_stage(
        self, design: FeatureDesign, y: FloatArray, initial: InitialState
    ) -> SolverStage:
        """Return the solver on features, from the plain fit if the loss is not convex."""
        loss = self.fit_loss(initial)
        if loss is self.loss:
            return super().feature_stage(design, y, initial)
        newton, plain = design.newton(loss, y), design.newton(self.loss, y)

        def solve(weights: FloatArray, alpha: float, start: Fit | None, tol: float) -> Fit:
            start = start or plain.solve(weights, alpha, None, ROUGH)
            return newton.solve(weights, alpha, start, tol)

        return SolverStage(solve, LOOSE, system=newton.space)

    def outlier_attributes(
        self,
        predictions: FloatArray,
        losses: FloatArray,
        initial: InitialState,
        present: IntArray,
    ) -> dict[str, Any]:
        """Return thresholds by class, mask, scores and the noise matrix."""
        weighting, noise = initial.weighting, initial.label_noise
        record = self.params._training
        if noise is not None:  # rows that were excluded have an infinite loss, and no threshold
            present = present[np.isfinite(losses[present])]
        codes, weights = class_codes(record.targets), record.sample_weight[present]
        # Whatever the edge of the fit, the mask is that of hard trimming.
        share = 0.0 if noise is not None else weighting.contamination
        hard = ClassBalanced(share, codes[present], len(self.classes))
        own = losses[present]
        kept, thresholds = hard.weights_and_thresholds(own, weights)
        mask = losses <= thresholds[codes]
        mask[present] = kept >= 0.5 * weights
        totals = np.bincount(hard.groups, weights)
        found = {
            "loss_threshold_": hard.threshold(own, weights),
            "class_thresholds_": thresholds,
            "inlier_mask_": mask,
            "class_contamination_": 1.0 - np.bincount(hard.groups, kept) / totals,
            "outlier_scores_": class_scores(losses, thresholds[codes]),
        }
        if noise is None:
            return found | self._trimmed_noise(predictions, mask)
        return found | self._corrected_attributes(noise, predictions, losses)

    def _trimmed_noise(self, predictions: FloatArray, mask: BoolArray) -> dict[str, Any]:
        """Return the noise matrix of the trimmed rows, whose true class is the predicted one."""
        record, k = self.params._training, len(self.classes)
        codes, weights = class_codes(record.targets), record.sample_weight
        true = np.where(mask, codes, likeliest(predictions))
        matrix = shares_of_labels(true, codes, weights, k)
        return {"noise_matrix_": matrix, "noise_matrix_interval_": np.stack([matrix, matrix])}

    def _corrected_attributes(
        self, noise: LabelNoise, scores: FloatArray, losses: FloatArray
    ) -> dict[str, Any]:
        """Return the attributes of each row by the posterior of the label noise."""
        record, known = self.params._training, np.isfinite(losses)
        codes = class_codes(record.targets)
        found: dict[str, Any] = {
            "noise_matrix_": noise.fitted,
            "noise_matrix_interval_": noise.interval,
        }
        if not noise.corrects:
            return found
        if not record.is_large:  # the subsample of many rows has calibrated them already
            noise = noise.calibrated(scores, codes, np.where(known, record.sample_weight, 0.0))
        right = np.where(known, noise.right_label(scores, codes), 0.0)
        return found | {
            "class_thresholds_": noise.loss_thresholds,
            "loss_threshold_": float(noise.loss_thresholds.min()),
            "inlier_mask_": right >= 0.5,
            "inlier_probability_": right,
            "class_contamination_": noise.class_contamination,
            "outlier_scores_": wrong_label_scores(right),
        }

    def loo_diagnostics(self, feature_outlier: BoolArray) -> LooDiagnostics:
        """Return the probability that each label is right, by leave-one-out probabilities."""
        model, record = self.params, self.params._record()
        included = np.where(feature_outlier, 0.0, record.sample_weight)
        codes, noise = class_codes(record.targets), record.label_noise
        nowhere = np.zeros(len(codes), dtype=bool)
        if noise is not None and noise.corrects:
            scores = self._corrected_scores(noise, included)
            posterior = noise.calibrated(scores, codes, included).posterior(scores, codes)
            right = np.take_along_axis(posterior, codes[:, None], axis=1)[:, 0]
            expected = self.classes[posterior.argmax(axis=1)]
            return LooDiagnostics(wrong_label_scores(right), right, expected, nowhere, posterior)
        probabilities = self.loo_probabilities(included)
        own = np.take_along_axis(probabilities, codes[:, None], axis=1)[:, 0]
        score = -np.log(np.maximum(own, np.finfo(float).tiny))
        return LooDiagnostics(
            score / max(model.loss_threshold_, MIN_THRESHOLD),
            label_quality(probabilities, codes, model.contamination_),
            self.classes[probabilities.argmax(axis=1)],
            nowhere,
            probabilities,
        )

    def loo_probabilities(self, weights: FloatArray) -> FloatArray:
        """Return leave-one-out class probabilities (n, K) of rows with given weights."""
        model, record = self.params, self.params._record()
        codes, noise = class_codes(record.targets), record.label_noise
        if noise is not None and noise.corrects:
            return class_probabilities(self._corrected_scores(noise, weights))
        parts = (codes, len(self.classes), weights, model.contamination_)
        if record.is_large:
            design = record.feature_design(model.memory_limit, model._n_threads)
            return loo_class_probabilities_blocked(design, *parts)
        return loo_class_probabilities(record.sketch(), *parts)

    def _corrected_scores(self, noise: LabelNoise, weights: FloatArray) -> FloatArray:
        """Return leave-one-out scores under the noise matrix of the fit."""
        model, record = self.params, self.params._record()
        y = record.targets
        if record.is_large:
            design = record.feature_design(model.memory_limit, model._n_threads)
            return np.nan_to_num(corrected_loo_blocked(design, self.loss, y, weights, noise.fitted))
        sketch = record.sketch()
        with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
            parts = (y, weights, record.fit_intercept, AUDIT_UNKNOWNS)
            approximation = LaplaceApproximation(sketch.loo_features, *parts)
            alpha = max(record.alpha, MIN_ALPHA * float(weights.sum()))
            plain = approximation.mode(alpha, np.eye(len(self.classes)))
            start = (plain.predictions, plain.curvature)
            found = approximation.mode(alpha, noise.fitted, *start)
            return np.nan_to_num(approximation.leave_one_out(alpha, noise.fitted, found))

    def audit_columns(self, diagnostics: LooDiagnostics) -> dict[str, NDArray[Any]]:
        """Return the suggested labels with their probabilities."""
        assert diagnostics.probabilities is not None
        probability = diagnostics.probabilities.max(axis=1)
        return {"suggested": diagnostics.expected, "suggested_probability": probability}
