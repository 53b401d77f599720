"""Trimmed kernel ridge regression whose hyperparameters are chosen from the corrupted data.

Kernel scale, alpha and contamination are selected jointly: see
:mod:`untaint.model_selection.joint`.
"""

from __future__ import annotations

from typing import Any

from .._typing import FloatArray
from ..kernels import Linear
from ..learners.regression import KernelRegressor
from ..model_selection.grid import ALPHA_FACTORS, LINEAR_ALPHA_FACTORS
from ..model_selection.joint import FEWEST_ROWS, select_hyperparameters
from .base import SubquantileEstimator
from .regressor import SubquantileRegressor
from .search import check_grids, fitted_attributes, make_grid, tuning_designs
from .state import Hyperparameters
from .task import Task


class SubquantileRegressorCV(SubquantileEstimator, KernelRegressor):
    """Robust kernel ridge regression with hyperparameters chosen from the corrupted data itself.

    Kernel scale, alpha and the contamination are chosen from the rows as they are, outliers
    included: settings are scored by leave-one-out errors under the present weights, and weights
    follow from the leave-one-out residuals under the best setting, in alternation. With
    ``contamination="auto"`` a weight is the posterior probability of being good under a mixture
    model of these residuals; with a number, the fit is trimmed.

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
        One entry for each setting: ``params``, ``param_alpha``, ``param_gamma``,
        ``rank_test_score`` and ``mean_test_score``, minus the mean squared leave-one-out error
        under the final weights.
    contamination_, contamination_interval_, inlier_mask_, outlier_scores_, ...
        As in :class:`SubquantileRegressor`.

    See Also
    --------
    SubquantileRegressor : The estimator for one given setting.

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
        solver: str = "auto",
        init: str = "auto",
        acceleration: str | None = None,
        learning_rate: Any = "auto",
        momentum: float = 0.9,
        smoothing: float | None = None,
        approximation: str | None = "auto",
        n_components: int | str = "auto",
        memory_limit: int | str = "auto",
        checkpoint: Any = None,
        n_starts: int = 6,
        max_iter: int | None = None,
        tol: float = 1e-8,
        random_state: Any = None,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    _task = SubquantileRegressor._task
    leave_one_out_residuals = SubquantileRegressor.leave_one_out_residuals

    def _check_hyperparameters(self) -> None:
        check_grids(self)

    def _select(
        self, task: Task, X: Any, y: FloatArray, counts: FloatArray, sample_weight: FloatArray
    ) -> Hyperparameters:
        linear = self.kernel == "linear" or isinstance(self.kernel, Linear)
        grid = make_grid(self, X, counts, LINEAR_ALPHA_FACTORS if linear else ALPHA_FACTORS)
        sample, part, designs = tuning_designs(self, grid, X, sample_weight)
        contamination = task.contamination
        if contamination is None and designs[0].size < FEWEST_ROWS:
            contamination = 0.0
        parts = (designs, part * grid.alphas, y[sample.rows], contamination)
        found, posterior = select_hyperparameters(*parts, self.n_starts, task.rng(), grid.first)
        attributes = fitted_attributes(grid, found.kernel, found.alpha, found.errors)
        kernel, start = grid.kernels[found.kernel], found.weights if contamination else None
        if len(sample.rows) < len(y):
            posterior = start = None  # they are those of these rows alone
        return Hyperparameters(kernel, attributes["alpha_"], posterior, None, attributes, start)
