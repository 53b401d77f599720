"""Trimmed kernel ridge regression whose hyperparameters are chosen from the corrupted data.

Kernel scale, alpha and contamination are selected jointly: see
:mod:`untaint.model_selection.joint`. A transformation of the targets is selected before them: see
:mod:`untaint.model_selection.target_transform`.
"""

from __future__ import annotations

from typing import Any

from .._typing import FloatArray
from .._validation import check_choice
from ..contamination.residual_mixture import OutlierPosterior
from ..design.base import measured_from
from ..kernels import Linear
from ..learners.regression import KernelRegressor
from ..model_selection.grid import ALPHA_FACTORS, LINEAR_ALPHA_FACTORS
from ..model_selection.joint import FEWEST_ROWS, JointSelection, select_hyperparameters
from ..model_selection.target_transform import (
    CHOICES,
    TransformData,
    confirms,
    fit_target_scale,
    select_target_transform,
)
from ..target_transform import STATISTICS
from .base import SubquantileEstimator
from .engine import target_origin
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
    target_transform : {"auto", "log", "power", None}, default="auto"
        Scale of the targets that the function is fitted on. Prices, wages and counts are skewed,
        and scatter more where they are larger; their logarithm does not. ``"log"`` needs positive
        targets. ``"power"`` is the transformation of Yeo and Johnson of the targets minus their
        median, with an exponent chosen from the data, and takes targets of any sign. ``"auto"``
        tries the logarithm of positive targets that span some orders, and takes it if the
        leave-one-out predictive likelihood rises clearly and the squared error of predictions
        hardly; else, and for several outputs, targets stay as they are.
    target_statistic : {"mean", "median"}, default="mean"
        What ``predict`` returns where the targets were transformed, in the targets' own units: the
        mean of the target given the features, by Duan's smearing estimate, or its median.
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
        on the scale of the fit: under the last weights for kernels near the one chosen, under
        those of an earlier round for others.
    target_transform_ : {None, "log", "power"}
        The transformation used. Coefficients, losses and scores are those of transformed targets;
        predictions, and the targets of ``audit()``, are in the targets' own units.
    target_transformer_ : LogTransform, PowerTransform or None
        The transformation as an object: ``forward(y)`` are targets on the scale of the fit.
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

    Wages differ by factors, and so does their noise: the function is fitted to their logarithms.

    >>> wages = np.exp(3 + np.sin(X[:, 0]) + 0.4 * rng.normal(size=200))
    >>> model = SubquantileRegressorCV().fit(X, wages)
    >>> model.target_transform_, model.contamination_
    ('log', 0.0)
    >>> median = SubquantileRegressorCV(target_statistic="median").fit(X, wages)
    >>> ratio = model.predict(X) / median.predict(X)  # the mean is larger by exp(0.4**2 / 2)
    >>> bool(np.allclose(ratio, np.exp(0.08), atol=0.03))
    True
    """

    alphas: Any
    gammas: Any
    target_transform: str | None
    target_statistic: Any

    def __init__(
        self,
        *,
        alphas: Any = "auto",
        gammas: Any = "auto",
        contamination: float | str = "auto",
        target_transform: str | None = "auto",
        target_statistic: str = "mean",
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
        check_choice("target_transform", self.target_transform, CHOICES)
        check_choice("target_statistic", self.target_statistic, STATISTICS)

    def _select(
        self, task: Task, X: Any, y: FloatArray, counts: FloatArray, sample_weight: FloatArray
    ) -> Hyperparameters:
        linear = self.kernel == "linear" or isinstance(self.kernel, Linear)
        grid = make_grid(self, X, counts, LINEAR_ALPHA_FACTORS if linear else ALPHA_FACTORS)
        sample, part, designs = tuning_designs(self, grid, X, sample_weight)
        contamination = task.contamination
        if contamination is None and designs[0].size < FEWEST_ROWS:
            contamination = 0.0
        alphas, search = part * grid.alphas, (contamination, self.n_starts)
        asked = self._transform_asked(y)
        tuning = (y[sample.rows, 0], designs, alphas, *search, task.rng(), grid.first)
        transform = select_target_transform(asked, TransformData(*tuning))

        def select(z: FloatArray) -> tuple[JointSelection, OutlierPosterior | None]:
            shifted = measured_from(target_origin(self, task, z, sample_weight), z)[sample.rows]
            parts = (designs, alphas, shifted, *search, task.rng(), grid.first)
            return select_hyperparameters(*parts)

        z = y if transform is None else transform.forward(y)
        found, posterior = select(z)
        if transform is not None and asked == "auto":
            plain = select(y)
            rows = (y[sample.rows, 0], sample.weights)
            if not confirms(transform, *rows, plain, (found, posterior)):
                transform, (found, posterior) = None, plain
        attributes = fitted_attributes(grid, found.kernel, found.alpha, found.errors)
        back = None
        if transform is not None:
            back = fit_target_scale(transform, self.target_statistic, z[sample.rows, 0], found)
        attributes["target_transform_"] = None if transform is None else transform.name
        attributes["target_transformer_"], attributes["_back_transform"] = transform, back
        if len(sample.rows) < len(y):
            posterior = None  # it is that of these rows alone
        kernel = grid.kernels[found.kernel]
        return Hyperparameters(kernel, attributes["alpha_"], posterior, None, attributes, transform)

    def _transform_asked(self, y: FloatArray) -> str | None:
        """Return the parameter ``target_transform``, after a check that it suits the targets."""
        asked = self.target_transform
        if y.shape[1] == 1 and not (asked == "log" and y.min() <= 0):
            return asked
        if asked in (None, "auto"):
            return None
        found = f"{y.shape[1]} outputs" if y.shape[1] > 1 else f"the smallest target {y.min():.6g}"
        needed = "one output" if y.shape[1] > 1 else "positive targets"
        raise ValueError(f"target_transform={asked!r} needs {needed}, got {found}.")
