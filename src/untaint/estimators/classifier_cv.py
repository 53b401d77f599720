"""Trimmed kernel logistic regression without a knob.

Kernel scale and ridge are chosen from labels as they are, right or wrong: see
:mod:`untaint.solvers.label_tuning` and :mod:`untaint.solvers.label_loosening`.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from .._threads import single_threaded_blas
from .._typing import FloatArray
from ..learners import Sketch, take
from ..solvers.label_loosening import loosen_label_setting
from ..solvers.label_tuning import LabelChoice, choose_label_setting
from .base import Setting
from .classifier import SubquantileClassifier
from .grid import LABEL_ALPHA_FACTORS, Grid
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

    def _setting(
        self,
        X: Any,
        y: FloatArray,
        copies: FloatArray,
        row_weights: FloatArray,
        share: float | None,
    ) -> Setting:
        grid = self._grid(X, copies)
        sample = self._tuning_sample(grid, X, row_weights)
        part = float(sample.weights.sum() / row_weights.sum())
        rows = take(X, sample.rows, self._pairwise)
        candidates = [self._sketch(kernel, rows, sample.weights, part) for kernel in grid.kernels]
        with single_threaded_blas():
            choice = self._choose(grid, candidates, y[sample.rows], part, share)
        self._store_choice(grid, choice.kernel, choice.ridge, choice.errors)
        return Setting(grid.kernels[choice.kernel], self.alpha_)

    def _choose(
        self,
        grid: Grid,
        candidates: list[Sketch],
        y: FloatArray,
        part: float,
        share: float | None,
    ) -> LabelChoice:
        """The setting of a fit to all rows; then, if rows are given up, how free it may be."""
        ridges, heard = part * grid.alphas, ~candidates[0].wild
        choice = choose_label_setting(
            [partial(getattr, rows, "judging_features") for rows in candidates],
            ridges,
            y,
            self._loss,
            candidates[0].row_weights,
            plausible=heard,
            fit_intercept=self.fit_intercept,
        )
        rows = candidates[choice.kernel]
        rows.ridge = float(ridges[choice.ridge])
        if share is None:
            share = self._estimate_share(rows, y, self._generator()).share
        if share == 0:
            return choice
        return loosen_label_setting(
            choice,
            rows.judging_features,
            ridges,
            y,
            self._loss,
            self._make_selection(share, y),
            rows.row_weights,
            plausible=heard,
        )
