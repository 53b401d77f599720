"""Trimmed kernel logistic regression without a knob.

Kernel scale and ridge are chosen from labels as they are, right or wrong: see
:mod:`untaint.model_selection.label_settings` and :mod:`untaint.model_selection.label_alpha`.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from .._threads import single_threaded_blas
from .._typing import FloatArray
from ..design.base import Sketch
from ..learners.base import take
from ..model_selection.grid import LABEL_ALPHA_FACTORS, Grid
from ..model_selection.label_alpha import select_alpha_by_auc
from ..model_selection.label_settings import LabelSetting, select_label_setting
from .base import Hyperparameters
from .classifier import SubquantileClassifier
from .parameters import Common
from .tuned import Tuned


class SubquantileClassifierCV(Tuned, SubquantileClassifier):
    """Kernel logistic regression on the rows whose labels can be trusted, with nothing to set.

    The kernel scale is chosen by leave-one-out errors of all rows, which wrong labels raise for
    every scale alike; the ridge by how well trimmed fits order labels that they have not seen.

    Parameters
    ----------
    alphas : "auto" or sequence of float, default="auto"
        Ridge strengths to choose from; ``"auto"`` adapts them to the kernel and to the number of
        rows.
    gammas : "auto" or sequence of float, default="auto"
        Kernel scales to choose from; ``"auto"`` takes multiples of one over the median distance
        between two rows, of those whose features are not far out.
    contamination : float or "auto", default="auto"
        Share of wrong labels, in [0, 0.5), or ``"auto"``: estimated from the data.
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
        One entry a setting: ``params``, ``param_alpha``, ``param_gamma``, ``rank_test_score`` and
        ``mean_test_score``, minus the leave-one-out Brier error of all rows.
    classes_, contamination_, contamination_interval_, inlier_mask_, outlier_scores_, ...
        As in :class:`SubquantileClassifier`.

    See Also
    --------
    SubquantileClassifier : The same for one setting.

    Examples
    --------
    >>> import numpy as np
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

    _alpha_factors: ClassVar[FloatArray] = LABEL_ALPHA_FACTORS

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
        Common.__init__(
            self,
            contamination=contamination,
            kernel=kernel,
            degree=degree,
            coef0=coef0,
            shape=shape,
            norm_bound=norm_bound,
            fit_intercept=fit_intercept,
            solver=solver,
            init=init,
            acceleration=acceleration,
            learning_rate=learning_rate,
            momentum=momentum,
            smoothing=smoothing,
            approximation=approximation,
            n_components=n_components,
            memory_limit=memory_limit,
            checkpoint=checkpoint,
            n_starts=n_starts,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            verbose=verbose,
            n_jobs=n_jobs,
        )
        self.alphas = alphas
        self.gammas = gammas
        self.class_weight = class_weight

    def _select(
        self,
        X: Any,
        y: FloatArray,
        counts: FloatArray,
        sample_weight: FloatArray,
        contamination: float | None,
    ) -> Hyperparameters:
        grid = self._grid(X, counts)
        sample = self._tuning_sample(grid, X, sample_weight)
        part = float(sample.weights.sum() / sample_weight.sum())
        rows = take(X, sample.rows, self._pairwise)
        candidates = [self._sketch(kernel, rows, sample.weights, part) for kernel in grid.kernels]
        with single_threaded_blas():
            choice = self._choose(grid, candidates, y[sample.rows], part, contamination)
        self._store_choice(grid, choice.kernel, choice.alpha, choice.errors)
        return Hyperparameters(grid.kernels[choice.kernel], self.alpha_)

    def _choose(
        self,
        grid: Grid,
        candidates: list[Sketch],
        y: FloatArray,
        part: float,
        contamination: float | None,
    ) -> LabelSetting:
        """The setting of a fit to all rows; then, if rows are given up, how free it may be."""
        alphas, included = part * grid.alphas, ~candidates[0].feature_outlier
        choice = select_label_setting(
            [partial(getattr, rows, "loo_features") for rows in candidates],
            alphas,
            y,
            self._loss,
            candidates[0].sample_weight,
            near=included,
            fit_intercept=self.fit_intercept,
        )
        rows = candidates[choice.kernel]
        rows.alpha = float(alphas[choice.alpha])
        if contamination is None:
            contamination = self._estimate_contamination(rows, y, self._generator()).contamination
        if contamination == 0:
            return choice
        return select_alpha_by_auc(
            choice,
            rows.loo_features,
            alphas,
            y,
            self._loss,
            self._make_weighting(contamination, y),
            rows.sample_weight,
            near=included,
        )
