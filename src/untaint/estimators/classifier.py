r"""Robust kernel logistic regression, of two classes or several.

With a given contamination the fit is trimmed:

.. math:: \min_{g, b} \; \min_w \; \sum_i w_i \ell(y_i, g(x_i) + b) + \sum_k n_k \log(K \pi_k)
          + \alpha \|g\|^2, \qquad \|g\| \le R

with the log-loss of the logistic function or the softmax, weights w that keep the share
:math:`1-\epsilon`, and the second sum of :mod:`untaint.weighting.class_balanced`, which keeps
trimming from removing a class. Subquantile Minimization, first version, 3.4 and 3.5, second
version, Algorithm 2.

With ``contamination="auto"`` no row is trimmed: the log-loss is corrected for a noise matrix that
is estimated (:mod:`untaint.losses.corrected`, :mod:`untaint.model_selection.label_noise`).

The CV class selects kernel scale and alpha from labels as they are, right or wrong: together with
the noise of the labels, or, for a trimmed fit, as in :mod:`untaint.model_selection.label_settings`.
"""

from functools import partial
from typing import Any, ClassVar

import numpy as np

from .._threads import single_threaded_blas
from .._typing import FloatArray, IntArray
from .._validation import check_class_sizes, check_class_weight, check_contamination
from ..design.base import Sketch
from ..learners.classification import KernelClassifier
from ..losses import class_codes
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
from .search import check_grids, fitted_attributes, make_grid, tuning_designs
from .state import Hyperparameters
from .task import Task


class SubquantileClassifier(SubquantileEstimator, KernelClassifier):
    """Kernel logistic regression that is robust against label noise.

    With ``contamination="auto"`` the fit estimates the rates at which labels of each class are
    wrong, and minimises the log-loss of labels observed through this noise. Where the labels are
    explained as well without noise, the fit is plain kernel logistic regression.

    With a given contamination the fit minimises the summed log-loss over the share
    ``1 - contamination`` of the rows whose labels are explained best, plus ``alpha`` times the
    squared norm of the function; the remaining rows have zero weight. The number of trimmed rows of
    each class follows from the data, and no class is removed.

    Parameters
    ----------
    contamination : float or "auto", default="auto"
        Share of rows to trim, in [0, 0.5). ``"auto"`` trims none and corrects the loss for the
        label noise that it estimates.
    kernel : str, callable or Kernel, default="rbf"
        ``"linear"``, ``"poly"``, ``"rbf"``, ``"laplacian"`` (Manhattan distance), ``"exponential"``
        (Euclidean distance), ``"rational_quadratic"``, ``"precomputed"``, a function of two sets of
        rows, or an object of :mod:`untaint.kernels`.
    gamma : float, "median" or "scale", default="median"
        Inverse scale of the kernel. ``"median"`` is one over the median distance between two rows,
        in the distance that the kernel uses, which outlying rows do not change; ``"scale"`` is that
        of :class:`~sklearn.svm.SVC`.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1.0
        Constant term of the polynomial kernel.
    shape : float, default=1.0
        Shape parameter of the rational quadratic kernel.
    alpha : float, default=1.0
        Ridge strength. For the linear kernel ``alpha`` is ``1 / (2 C)`` of
        :class:`~sklearn.linear_model.LogisticRegression`.
    fit_intercept : bool, default=True
        Whether to fit an intercept for each class, which is not penalised.
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights of rows, by label; ``"balanced"`` gives all classes the same total
        weight.
    approximation : {"auto", "nystroem", "rff", None}, default="auto"
        ``"nystroem"`` fits on Nystroem features from landmark rows, and ``"rff"`` on random Fourier
        features, which kernels of a distance have (all but the linear and polynomial ones). None is
        exact. ``"auto"`` is exact while the kernel matrix fits in ``memory_limit``, and
        ``"nystroem"`` beyond. The linear kernel needs no approximation for any number of rows.
    n_components : int or "auto", default="auto"
        Number of landmarks or random features. ``"auto"`` is twice the effective dimension of the
        kernel at this ridge, between 100 and 1,000, or what ``memory_limit`` allows.
    memory_limit : int or str, default="auto"
        Bytes that a fit may use in addition to the rows, or a string such as ``"4GB"``; ``"auto"``
        is half of the free memory. Arrays that do not fit are recomputed in blocks.
    random_state : int, RandomState or None, default=None
        Seed of ``init="random"`` and of starting points beyond the sixth.
    verbose : int, default=0
        1 shows a progress line.
    n_jobs : int, optional
        Number of threads; None or -1 means all. The result does not depend on it beyond rounding.

    Other Parameters
    ----------------
    norm_bound : float, optional
        Radius of the ball in the RKHS that the function is projected onto; None means no ball.
    solver : {"auto", "exact", "iterative", "newton", "gradient"}, default="auto"
        ``"newton"`` and ``"auto"`` are Newton's method, by factorisation for few rows of two
        classes and by preconditioned conjugate gradients otherwise; ``"exact"`` and ``"iterative"``
        force one of them (several classes are always solved iteratively, to the same accuracy).
        ``"gradient"`` is the papers' projected functional gradient method.
    init : {"auto", "zeros", "random"}, default="auto"
        Starting point of a trimmed fit. ``"auto"`` searches for inliers; ``"zeros"`` begins with
        all rows, and ``"random"`` with random rows. ``solver="gradient"`` begins with zero
        coefficients, or with random ones as the papers do.
    acceleration : {None, "momentum", "nesterov"}, default=None
        Acceleration of ``solver="gradient"``.
    learning_rate : float, callable or "auto", default="auto"
        Step size of ``solver="gradient"``: a number, a function of the iteration, or ``"auto"``,
        which is one over the smoothness constant.
    momentum : float, default=0.9
        Momentum coefficient, for either ``acceleration``.
    smoothing : float, None or "auto", default="auto"
        Softplus parameter lambda: rows get weights ``sigmoid(lambda * (t - loss))`` in place of 0
        and 1. None is the limit of large lambda. ``"auto"`` is None for two classes and 2 for
        several, where hard trimming would remove the rows between classes.
    checkpoint : path, optional
        File to which a long fit saves its progress every few seconds. A fit to the same rows with
        the same parameters that finds the file continues from it, and removes it when it is done.
    n_starts : int, optional
        Number of starting points of the search for inliers. By default 6, and 1 for a soft edge,
        which has few local minima.
    max_iter : int, optional
        Maximum number of iterations: by default 200, and 2000 for ``solver="gradient"``.
    tol : float, default=1e-8
        Relative accuracy of the objective.

    Attributes
    ----------
    classes_ : array of shape (k,)
        Labels of the classes, sorted.
    inlier_mask_ : array of shape (n,), bool
        True for rows whose labels are probably right. With a given contamination, all but the
        trimmed share; with a soft edge, the rows that hard trimming would keep under the final fit.
    inlier_probability_ : array of shape (n,)
        Probability that a label is right, which accounts for the uncertainty about whether there is
        any label noise. With a given contamination, 1 for kept rows and 0 for trimmed ones.
    outlier_scores_ : array of shape (n,)
        Values above 1 are suspicious: minus the binary logarithm of ``inlier_probability_``, or,
        with a given contamination or without noise, the loss of each row over the threshold of its
        class.
    noise_matrix_ : array of shape (k, k)
        Probability of each label (column) given each true class (row), as the fit assumes it. With
        a given contamination, that of the trimmed rows if their true class is the predicted one.
    noise_matrix_interval_ : array of shape (2, k, k)
        95 % interval of each entry; both ends are equal if the contamination was given.
    contamination_ : float
        Share of wrong labels, given or expected from ``noise_matrix_``.
    contamination_interval_ : tuple of float
        95 % interval of the contamination; ``(contamination, contamination)`` if it was given.
    class_contamination_ : array of shape (k,)
        Share of wrong labels, or trimmed share, among the rows of each label.
    loss_threshold_ : float
        Quantile of all losses at the share of rows to keep.
    class_thresholds_ : array of shape (k,)
        Log-loss from which a label of each class is flagged; infinite if none is.
    objective_path_ : array
        Objective after each refit; it never increases under exact solves.
    n_iter_ : int
        Number of iterations of the solver.
    converged_ : bool
        Whether the solver converged within ``max_iter`` iterations.
    dual_coef_ : array of shape (n,) or (n, k)
        Coefficients of the kernel expansion, one column for two classes.
    intercept_ : array of shape (1,) or (k,)
        Intercept of each class.
    coef_ : array of shape (1, d) or (k, d)
        Slopes; only for the linear kernel.
    X_fit_ : array or CSR matrix of shape (n, d)
        Rows of the kernel expansion: the training rows, or the landmarks.
    feature_map_ : FeatureMap
        Random Fourier features; only for ``approximation="rff"``, in place of ``X_fit_``.
    feature_coef_ : array of shape (p,) or (p, k)
        Coefficients of these features, in place of ``dual_coef_``.
    kernel_ : Kernel
        The kernel with the scale that was used.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (d,)
        Names of the features; only if X has names that are strings.

    See Also
    --------
    sklearn.linear_model.LogisticRegression : The estimator that this is with
        ``contamination=0`` and ``kernel="linear"``.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint import SubquantileClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["cat", "dog"], 50)
    >>> X = rng.normal(size=(100, 2)) + 4.0 * (y == "dog")[:, None]
    >>> y[:10] = "dog"  # ten cats are labelled dogs
    >>> model = SubquantileClassifier().fit(X, y)
    >>> np.flatnonzero(~model.inlier_mask_)
    array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    >>> model.predict([[0.0, 0.0], [4.0, 4.0]])
    array(['cat', 'dog'], dtype='<U3')
    """

    _by_size: ClassVar[tuple[str, ...]] = ("auto", "newton")
    _starts_optional: ClassVar[bool] = True

    def __init__(
        self,
        *,
        contamination: float | str = "auto",
        kernel: Any = "rbf",
        gamma: float | str = "median",
        degree: int = 3,
        coef0: float = 1.0,
        shape: float = 1.0,
        alpha: float = 1.0,
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

    def _check_smoothing(self) -> None:
        if not (isinstance(self.smoothing, str) and self.smoothing == "auto"):
            SubquantileEstimator._check_smoothing(self)

    def _class_weighted(self, targets: FloatArray, counts: FloatArray) -> FloatArray:
        """Return the weights of the rows times those of their classes; none may be too small."""
        codes, contamination = class_codes(targets), check_contamination(self.contamination, counts)
        check_class_sizes(contamination, self.classes_, codes, counts)
        return check_class_weight(self.class_weight, self.classes_, codes, counts)

    def _task(self, contamination: float | None, seed: int = 0) -> ClassificationTask:
        return ClassificationTask(self, contamination, seed, self.classes_)


class SubquantileClassifierCV(SubquantileEstimator, KernelClassifier):
    """Kernel logistic regression for noisy labels, with automatic kernel scale and ridge.

    The fit chooses ``gamma``, ``alpha`` and the noise matrix of the labels together, by their
    marginal likelihood. If the contamination is given, ``gamma`` minimises the leave-one-out Brier
    score of all rows, to which label noise adds about the same amount for every ``gamma``, and
    ``alpha`` maximises the AUC of trimmed fits on held-out labels.

    Parameters
    ----------
    alphas : "auto" or sequence of float, default="auto"
        Ridge strengths to choose from; ``"auto"`` adapts them to the kernel and to the number of
        rows.
    gammas : "auto" or sequence of float, default="auto"
        Inverse kernel scales to choose from; ``"auto"`` takes multiples of one over the median
        distance between two rows, leverage points excluded.
    contamination : float or "auto", default="auto"
        Share of rows to trim, in [0, 0.5). ``"auto"`` trims none and corrects the loss for the
        label noise that it estimates.
    kernel : str, callable or Kernel, default="rbf"
        ``"linear"``, ``"poly"``, ``"rbf"``, ``"laplacian"`` (Manhattan distance), ``"exponential"``
        (Euclidean distance), ``"rational_quadratic"``, ``"precomputed"``, a function of two sets of
        rows, or an object of :mod:`untaint.kernels`.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1.0
        Constant term of the polynomial kernel.
    shape : float, default=1.0
        Shape parameter of the rational quadratic kernel.
    fit_intercept : bool, default=True
        Whether to fit an intercept for each class, which is not penalised.
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights of rows, by label; ``"balanced"`` gives all classes the same total
        weight.
    approximation : {"auto", "nystroem", "rff", None}, default="auto"
        ``"nystroem"`` fits on Nystroem features from landmark rows, and ``"rff"`` on random Fourier
        features, which kernels of a distance have (all but the linear and polynomial ones). None is
        exact. ``"auto"`` is exact while the kernel matrix fits in ``memory_limit``, and
        ``"nystroem"`` beyond. The linear kernel needs no approximation for any number of rows.
    n_components : int or "auto", default="auto"
        Number of landmarks or random features. ``"auto"`` is twice the effective dimension of the
        kernel at this ridge, between 100 and 1,000, or what ``memory_limit`` allows.
    memory_limit : int or str, default="auto"
        Bytes that a fit may use in addition to the rows, or a string such as ``"4GB"``; ``"auto"``
        is half of the free memory. Arrays that do not fit are recomputed in blocks.
    random_state : int, RandomState or None, default=None
        Seed of ``init="random"`` and of starting points beyond the sixth.
    verbose : int, default=0
        1 shows a progress line.
    n_jobs : int, optional
        Number of threads; None or -1 means all. The result does not depend on it beyond rounding.

    Other Parameters
    ----------------
    norm_bound : float, optional
        Radius of the ball in the RKHS that the function is projected onto; None means no ball.
    solver : {"auto", "exact", "iterative", "newton", "gradient"}, default="auto"
        ``"newton"`` and ``"auto"`` are Newton's method, by factorisation for few rows of two
        classes and by preconditioned conjugate gradients otherwise; ``"exact"`` and ``"iterative"``
        force one of them (several classes are always solved iteratively, to the same accuracy).
        ``"gradient"`` is the papers' projected functional gradient method.
    init : {"auto", "zeros", "random"}, default="auto"
        Starting point of a trimmed fit. ``"auto"`` searches for inliers; ``"zeros"`` begins with
        all rows, and ``"random"`` with random rows. ``solver="gradient"`` begins with zero
        coefficients, or with random ones as the papers do.
    acceleration : {None, "momentum", "nesterov"}, default=None
        Acceleration of ``solver="gradient"``.
    learning_rate : float, callable or "auto", default="auto"
        Step size of ``solver="gradient"``: a number, a function of the iteration, or ``"auto"``,
        which is one over the smoothness constant.
    momentum : float, default=0.9
        Momentum coefficient, for either ``acceleration``.
    smoothing : float, None or "auto", default="auto"
        Softplus parameter lambda: rows get weights ``sigmoid(lambda * (t - loss))`` in place of 0
        and 1. None is the limit of large lambda. ``"auto"`` is None for two classes and 2 for
        several, where hard trimming would remove the rows between classes.
    checkpoint : path, optional
        File to which a long fit saves its progress every few seconds. A fit to the same rows with
        the same parameters that finds the file continues from it, and removes it when it is done.
    n_starts : int, optional
        Number of starting points of the search for inliers. By default 6, and 1 for a soft edge,
        which has few local minima.
    max_iter : int, optional
        Maximum number of iterations: by default 200, and 2000 for ``solver="gradient"``.
    tol : float, default=1e-8
        Relative accuracy of the objective.

    Attributes
    ----------
    alpha_ : float
        The ridge strength chosen.
    gamma_ : float or None
        The inverse kernel scale chosen; None for a kernel without a scale.
    cv_results_ : dict
        One entry for each setting: ``params``, ``param_alpha``, ``param_gamma``,
        ``rank_test_score`` and ``mean_test_score``, which is minus the leave-one-out Brier score of
        all rows.
    classes_ : array of shape (k,)
        Labels of the classes, sorted.
    inlier_mask_ : array of shape (n,), bool
        True for rows whose labels are probably right. With a given contamination, all but the
        trimmed share; with a soft edge, the rows that hard trimming would keep under the final fit.
    inlier_probability_ : array of shape (n,)
        Probability that a label is right, which accounts for the uncertainty about whether there is
        any label noise. With a given contamination, 1 for kept rows and 0 for trimmed ones.
    outlier_scores_ : array of shape (n,)
        Values above 1 are suspicious: minus the binary logarithm of ``inlier_probability_``, or,
        with a given contamination or without noise, the loss of each row over the threshold of its
        class.
    noise_matrix_ : array of shape (k, k)
        Probability of each label (column) given each true class (row), as the fit assumes it. With
        a given contamination, that of the trimmed rows if their true class is the predicted one.
    noise_matrix_interval_ : array of shape (2, k, k)
        95 % interval of each entry; both ends are equal if the contamination was given.
    contamination_ : float
        Share of wrong labels, given or expected from ``noise_matrix_``.
    contamination_interval_ : tuple of float
        95 % interval of the contamination; ``(contamination, contamination)`` if it was given.
    class_contamination_ : array of shape (k,)
        Share of wrong labels, or trimmed share, among the rows of each label.
    loss_threshold_ : float
        Quantile of all losses at the share of rows to keep.
    class_thresholds_ : array of shape (k,)
        Log-loss from which a label of each class is flagged; infinite if none is.
    objective_path_ : array
        Objective after each refit; it never increases under exact solves.
    n_iter_ : int
        Number of iterations of the solver.
    converged_ : bool
        Whether the solver converged within ``max_iter`` iterations.
    dual_coef_ : array of shape (n,) or (n, k)
        Coefficients of the kernel expansion, one column for two classes.
    intercept_ : array of shape (1,) or (k,)
        Intercept of each class.
    coef_ : array of shape (1, d) or (k, d)
        Slopes; only for the linear kernel.
    X_fit_ : array or CSR matrix of shape (n, d)
        Rows of the kernel expansion: the training rows, or the landmarks.
    feature_map_ : FeatureMap
        Random Fourier features; only for ``approximation="rff"``, in place of ``X_fit_``.
    feature_coef_ : array of shape (p,) or (p, k)
        Coefficients of these features, in place of ``dual_coef_``.
    kernel_ : Kernel
        The kernel with the scale that was used.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (d,)
        Names of the features; only if X has names that are strings.

    See Also
    --------
    SubquantileClassifier : The estimator for one given setting.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint import SubquantileClassifierCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> truth = np.where(X[:, 0] ** 2 + X[:, 1] ** 2 > 1.4, "out", "in")
    >>> y = truth.copy()
    >>> y[:40] = np.where(truth[:40] == "in", "out", "in")  # wrong labels
    >>> model = SubquantileClassifierCV().fit(X, y)
    >>> bool((model.predict(X) == truth).mean() > 0.9)
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
