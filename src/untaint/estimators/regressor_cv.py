"""Trimmed kernel ridge regression without a knob.

Kernel scale, ridge and the share of bad rows are chosen together, by rows and settings that agree:
see :mod:`untaint.model_selection.joint`.
"""

from __future__ import annotations

from typing import Any

from .._typing import FloatArray
from ..learners.base import take
from ..model_selection.joint import FEWEST_ROWS, select_hyperparameters
from .base import Hyperparameters
from .parameters import Common
from .regressor import SubquantileRegressor
from .tuned import Tuned


class SubquantileRegressorCV(Tuned, SubquantileRegressor):
    """Kernel ridge regression on the rows that can be trusted, with nothing to set.

    Kernel scale, ridge and the share of bad rows are chosen from the rows as they are, bad ones
    included: settings are scored by leave-one-out errors on the rows that can be trusted, and rows
    are trusted as far as leave-one-out residuals under the best setting allow, in turns.

    Parameters
    ----------
    alphas : "auto" or sequence of float, default="auto"
        Ridge strengths to choose from; ``"auto"`` adapts them to the kernel and to the number of
        rows.
    gammas : "auto" or sequence of float, default="auto"
        Kernel scales to choose from; ``"auto"`` takes multiples of one over the median distance
        between two rows, of those whose features are not far out.
    contamination : float or "auto", default="auto"
        Share of corrupted rows, in [0, 0.5), or ``"auto"``. A given share is trimmed, as in
        :class:`SubquantileRegressor`; 0 chooses by ordinary leave-one-out errors.
    kernel, degree, coef0, shape, norm_bound, fit_intercept, solver, init, acceleration, \
    learning_rate, momentum, smoothing, approximation, n_components, memory_limit, \
    checkpoint, n_starts, max_iter, tol, random_state, \
    verbose, n_jobs
        As in :class:`SubquantileRegressor`.

    Attributes
    ----------
    alpha_, gamma_ : float
        The setting chosen; ``gamma_`` is None for a kernel without a scale.
    cv_results_ : dict
        One entry a setting: ``params``, ``param_alpha``, ``param_gamma``, ``rank_test_score`` and
        ``mean_test_score``, minus the mean squared leave-one-out error over the trusted rows.
    contamination_, contamination_interval_, inlier_mask_, outlier_scores_, ...
        As in :class:`SubquantileRegressor`.

    See Also
    --------
    SubquantileRegressor : The same for one setting.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint import SubquantileRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, size=(200, 1))
    >>> y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=200)
    >>> y[:40] = rng.normal(5, 5, size=40)  # every fifth target is wrong
    >>> model = SubquantileRegressorCV().fit(X, y)
    >>> bool(abs(model.contamination_ - 0.2) < 0.03)
    True
    >>> bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 0.1)
    True
    """

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
        solver: str = "auto",
        init: str = "auto",
        acceleration: str | None = None,
        learning_rate: Any = "auto",
        momentum: float = 0.9,
        smoothing: Any = None,
        approximation: str | None = "auto",
        n_components: int | str = "auto",
        memory_limit: int | str = "auto",
        checkpoint: Any = None,
        n_starts: Any = 6,
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
        rows, y_part = take(X, sample.rows, self._pairwise), y[sample.rows]
        alphas = part * grid.alphas
        candidates = [
            self._sketch(kernel, rows, sample.weights, float(alphas[grid.first[1]]))
            for kernel in grid.kernels
        ]
        if contamination is None and candidates[0].size < FEWEST_ROWS:
            contamination = 0.0
        found, posterior = select_hyperparameters(
            candidates, alphas, y_part, contamination, self.n_starts, self._generator(), grid.first
        )
        self._store_choice(grid, found.kernel, found.alpha, found.errors)
        complete = len(sample.rows) == len(y)
        return Hyperparameters(
            grid.kernels[found.kernel], self.alpha_, posterior if complete else None
        )
