"""Trimmed kernel logistic regression whose hyperparameters are chosen from the corrupted labels.

Kernel scale and alpha are selected from labels as they are, right or wrong: together with the noise
of the labels (:mod:`untaint.model_selection.label_noise`), or, for a trimmed fit, as in
:mod:`untaint.model_selection.label_settings`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .._threads import single_threaded_blas
from .._typing import FloatArray, IntArray
from ..design.base import Sketch
from ..learners.classification import KernelClassifier
from ..model_selection.grid import LABEL_ALPHA_FACTORS
from ..model_selection.joint import Features, loo_features_of
from ..model_selection.label_noise import LabelNoise, known_noise, select_label_noise
from ..model_selection.label_settings import (
    LabelSetting,
    select_alpha_by_auc,
    select_label_setting,
)
from .base import SubquantileEstimator
from .classification_task import FEWEST_ROWS, ClassificationTask
from .classifier import SubquantileClassifier
from .search import check_grids, fitted_attributes, make_grid, tuning_designs
from .state import Hyperparameters
from .task import Task


class SubquantileClassifierCV(SubquantileEstimator, KernelClassifier):
    """Robust kernel logistic regression with hyperparameters chosen from the corrupted labels.

    Kernel scale, alpha and the noise matrix of the labels are chosen together, by their marginal
    likelihood. If the contamination is given, the kernel scale is chosen by leave-one-out errors of
    all rows, which wrong labels raise for every scale alike, and alpha by the AUC of trimmed fits
    on held-out labels.

    Parameters
    ----------
    alphas : "auto" or sequence of float, default="auto"
        Ridge strengths to choose from; ``"auto"`` adapts them to the kernel and to the number of
        rows.
    gammas : "auto" or sequence of float, default="auto"
        Kernel scales to choose from; ``"auto"`` takes multiples of one over the median distance
        between two rows, of those whose features are not far out.
    contamination : float or "auto", default="auto"
        Share of rows to trim, in [0, 0.5). ``"auto"`` trims none and corrects for the label noise
        that it finds.
    kernel, degree, coef0, shape, norm_bound, fit_intercept, class_weight, solver, init, \
    acceleration, learning_rate, momentum, smoothing, approximation, n_components, \
    memory_limit, checkpoint, n_starts, max_iter, tol, \
    random_state, verbose, n_jobs
        As in :class:`SubquantileClassifier`.

    Attributes
    ----------
    alpha_, gamma_ : float
        The setting chosen; ``gamma_`` is None for a kernel without a scale.
    cv_results_ : dict
        One entry for each setting: ``params``, ``param_alpha``, ``param_gamma``,
        ``rank_test_score`` and ``mean_test_score``, minus the leave-one-out Brier error of all
        rows.
    classes_, contamination_, noise_matrix_, noise_matrix_interval_, inlier_mask_, ...
        As in :class:`SubquantileClassifier`.

    See Also
    --------
    SubquantileClassifier : The estimator for one given setting.

    Examples
    --------
    >>> from functools import partial

    import numpy as np
    >>> from untaint import SubquantileClassifierCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> truth = np.where(X[:, 0] ** 2 + X[:, 1] ** 2 > 1.4, "out", "in")
    >>> y = truth.copy()
    >>> y[:40] = np.where(truth[:40] == "in", "out", "in")  # every fifth label is wrong
    >>> model = SubquantileClassifierCV().fit(X, y)
    >>> bool((model.predict(X) == truth).mean() > 0.9)
    True
    """

    alphas: Any
    gammas: Any

    def __init__(
        self,
        *,
        alphas: Any = "auto",
        gammas: Any = "auto",
        contamination: float | str = "auto",
        kernel: Any = "rbf",
        degree: int = 3,
        coef0: float = 1.0,
        shape: float = 1.0,
        norm_bound: float | None = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        solver: str = "auto",
        init: str = "auto",
        acceleration: str | None = None,
        learning_rate: Any = "auto",
        momentum: float = 0.9,
        smoothing: float | str | None = "auto",
        approximation: str | None = "auto",
        n_components: int | str = "auto",
        memory_limit: int | str = "auto",
        checkpoint: Any = None,
        n_starts: int | None = None,
        max_iter: int | None = None,
        tol: float = 1e-8,
        random_state: Any = None,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    _by_size = SubquantileClassifier._by_size
    _starts_optional = SubquantileClassifier._starts_optional
    _check_smoothing = SubquantileClassifier._check_smoothing
    _class_weighted = SubquantileClassifier._class_weighted
    _task = SubquantileClassifier._task

    def _check_hyperparameters(self) -> None:
        check_grids(self)

    def _select(
        self, task: Task, X: Any, y: FloatArray, counts: FloatArray, sample_weight: FloatArray
    ) -> Hyperparameters:
        assert isinstance(task, ClassificationTask)
        grid = make_grid(self, X, counts, LABEL_ALPHA_FACTORS)
        sample, part, designs = tuning_designs(self, grid, X, sample_weight)
        with single_threaded_blas():
            choice, found = self._choose(task, designs, y[sample.rows], part * grid.alphas)
        attributes = fitted_attributes(grid, choice.kernel, choice.alpha, choice.errors)
        kernel = grid.kernels[choice.kernel]
        return Hyperparameters(kernel, attributes["alpha_"], None, found, attributes)

    def _choose(
        self, task: ClassificationTask, designs: list[Sketch], y: FloatArray, alphas: FloatArray
    ) -> tuple[LabelSetting, LabelNoise | None]:
        """Select the setting of a fit to all rows; then, if rows are trimmed, a smaller alpha."""
        first, near = designs[0], ~designs[0].feature_outlier
        features = [loo_features_of(design) for design in designs]
        parts = (features, alphas, y, task.loss, first.sample_weight)
        choice = select_label_setting(*parts, near=near, fit_intercept=self.fit_intercept)
        design = designs[choice.kernel].with_alpha(float(alphas[choice.alpha]))
        if task.contamination is None:
            return self._choose_with_noise(task, choice, features, alphas, y, first)
        if task.contamination == 0:
            return choice, None
        selected = (choice, design.loo_features, alphas, y, task.loss)
        rule = task.weighting(task.contamination, y)
        return select_alpha_by_auc(*selected, rule, first.sample_weight, near=near), None

    def _choose_with_noise(
        self,
        task: ClassificationTask,
        choice: LabelSetting,
        features: list[Features],
        alphas: FloatArray,
        y: FloatArray,
        design: Sketch,
    ) -> tuple[LabelSetting, LabelNoise]:
        """Select setting and label noise together, from the setting of a fit to all rows."""
        if design.size < FEWEST_ROWS:
            return choice, known_noise(np.eye(len(task.classes)))
        sample = task.noise_sample(design)
        part = float(sample.weights.sum() / design.sample_weight.sum())
        found = select_label_noise(
            [partial(_rows_of, make, sample.rows) for make in features],
            part * alphas,
            y[sample.rows],
            sample.weights,
            first=(choice.kernel, choice.alpha),
            fit_intercept=self.fit_intercept,
        )
        return choice._replace(kernel=found.kernel, alpha=found.alpha), found.noise


def _rows_of(features: Features, rows: IntArray) -> FloatArray:
    return features()[rows]
