r"""Trimmed kernel logistic regression, of two classes or several.

.. math:: \min_{g, b} \; \min_w \; \sum_i w_i \ell(y_i, g(x_i) + b) + \sum_k n_k \log(K \pi_k)
          + \alpha \|g\|^2, \qquad \|g\| \le R

with the log-loss of the logistic function or the softmax, weights w that keep the share
:math:`1-\epsilon`, and the second sum of :mod:`untaint.weighting.class_balanced`, which keeps trimming
from giving up a class. Subquantile Minimization, first version, 3.4 and 3.5, second version,
Algorithm 2.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._policy import policy
from .._typing import BoolArray, FloatArray, IntArray
from .._validation import check_class_sizes, check_class_weight, check_contamination
from ..contamination.disagreement import MAX_CONTAMINATION, estimate_disagreement
from ..contamination.label_noise import estimate_noise_rate
from ..contamination.label_quality import (
    label_quality,
    leave_one_out_scores,
    loo_class_probabilities,
    loo_class_probabilities_blocked,
)
from ..contamination.residual_mixture import OutlierPosterior
from ..design.base import Design, FitDesign, SystemDesign
from ..design.features import FeatureDesign
from ..initialization.label_multistart import StartingPoint, find_label_inliers
from ..learners.base import as_2d
from ..learners.classification import ClassificationMixin, codes_of, likeliest
from ..optim.base import Fit, RidgeSystem
from ..optim.c_steps import LOOSE
from ..optim.newton import Newton
from ..outliers.audit import LooDiagnostics
from ..outliers.scores import MIN_THRESHOLD, class_scores
from ..screening.radius import near_rows
from ..weighting.base import TrimmingRule
from ..weighting.class_balanced import ClassBalanced
from ..weighting.class_balanced_soft import SoftClassBalanced
from .base import Solve, SolverStage, SubquantileEstimator
from .large_scale import InitialState

# Share given up while the share itself is being estimated.
INITIAL_CONTAMINATION = 0.4
# Fewest rows from which a share can be estimated, and the smallest share worth giving up.
FEWEST_ROWS = 20
MIN_CONTAMINATION = 0.02
# Tolerance of a stage that only prepares the next.
ROUGH = 1e-4
# A label says little about a row so many times farther out than the median row.
REACH = 25.0


# Edge of the selection of several classes, in units of one over the loss. Two classes are cut hard.
# Of several, rows between two classes that overlap would be given up by turns until one of the two
# has all of them; a soft edge lets both have their say.
SOFT_EDGE = 2.0


class LabelContamination(NamedTuple):
    """Share of wrong labels, and where it lies at 95 %."""

    contamination: float
    interval: tuple[float, float]


class SubquantileClassifier(ClassificationMixin, SubquantileEstimator):
    """Kernel logistic regression on the rows whose labels can be trusted.

    Minimises the summed log-loss over the share ``1 - contamination`` of the rows whose labels are
    explained best, plus ``alpha`` times the squared norm of the function. The other rows have no
    say. How many rows each class gives up follows from the data, and no class is given up whole.

    Parameters
    ----------
    contamination : float or "auto", default="auto"
        Share of corrupted rows, in [0, 0.5). ``"auto"`` estimates it from the data; when it finds
        none, the fit is plain kernel logistic regression.
    kernel : str, callable or Kernel, default="rbf"
        ``"linear"``, ``"poly"``, ``"rbf"``, ``"laplacian"`` (Manhattan distance),
        ``"exponential"`` (Euclidean distance), ``"rational_quadratic"``, ``"precomputed"``, a
        function of two sets of rows, or an object of :mod:`untaint.kernels`.
    gamma : float, "median" or "scale", default="median"
        Inverse scale of the kernel. ``"median"`` is one over the median distance between two
        rows, in the distance that the kernel uses, unmoved by outlying rows; ``"scale"`` is as
        in :class:`~sklearn.svm.SVC`.
    degree, coef0 : int, float, default=3, 1.0
        Of the polynomial kernel.
    shape : float, default=1.0
        Of the rational quadratic kernel.
    alpha : float, default=1.0
        Ridge strength. For the linear kernel ``alpha`` is ``1 / (2 C)`` of
        :class:`~sklearn.linear_model.LogisticRegression`.
    norm_bound : float, optional
        Radius of the ball that the function must stay in; None means no ball.
    fit_intercept : bool, default=True
        Whether to add an intercept a class, which is not penalised.
    class_weight : dict, "balanced" or None, default=None
        Factors of the rows' weights, by label; ``"balanced"`` gives all classes the same total.
    solver : {"auto", "exact", "iterative", "newton", "gradient"}, default="auto"
        ``"newton"`` and ``"auto"`` are Newton's method, by factorisation for few rows of two
        classes and by preconditioned conjugate gradients else; ``"exact"`` and ``"iterative"``
        insist on either (several classes are always iterated on, to the same accuracy).
        ``"gradient"`` is the papers' projected functional gradient method.
    init : {"auto", "zeros", "random"}, default="auto"
        Where to begin. ``"auto"`` searches for rows that agree; ``"zeros"`` begins with all rows
        and ``"random"`` with random ones. ``solver="gradient"`` begins with zero coefficients, or
        with random ones as the papers do.
    acceleration : {None, "momentum", "nesterov"}, default=None
        Of ``solver="gradient"``.
    learning_rate : float, callable or "auto", default="auto"
        Step of ``solver="gradient"``, possibly a function of the iteration; ``"auto"`` is one over
        the smoothness constant.
    momentum : float, default=0.9
        Of the accelerations.
    smoothing : float, None or "auto", default="auto"
        Softplus parameter lambda: rows get weights ``sigmoid(lambda * (t - loss))`` in place of 0
        and 1. None is the limit of large lambda. ``"auto"`` is None for two classes and 2 for
        several, where rows that lie between classes would else be lost.
    approximation : {"auto", "nystroem", "rff", None}, default="auto"
        ``"nystroem"`` fits on the kernel's values with some of the rows, ``"rff"`` on random waves,
        which the kernels of a distance have (all but the linear and polynomial ones); None is
        exact. ``"auto"`` is exact while the kernel matrix fits in ``memory_limit`` and
        ``"nystroem"`` beyond. The linear kernel needs no approximation, of however many rows.
    n_components : int or "auto", default="auto"
        Landmarks or random features. ``"auto"`` is twice the effective dimension of the kernel at
        this ridge, between 100 and 1,000, or what ``memory_limit`` allows.
    memory_limit : int or str, default="auto"
        Bytes that a fit may take besides the rows, or a string such as ``"4GB"``; ``"auto"`` is
        half of the memory that is free. What does not fit is made again in blocks.
    checkpoint : path, optional
        File to which a long fit writes every few seconds how far it is. A fit to the same rows with
        the same parameters that finds the file goes on from there, and removes it when it is done.
    n_starts : int, optional
        Starting points of the search. By default 6, and 1 for a soft edge, which has few traps.
    max_iter : int, optional
        By default 200, and 2000 for ``solver="gradient"``.
    tol : float, default=1e-8
        Relative accuracy of the objective.
    random_state : int, RandomState or None, default=None
        Used by ``init="random"`` and by starts beyond the sixth.
    verbose : int, default=0
        1 shows a progress line.
    n_jobs : int, optional
        Threads; None or -1 means all. The result does not depend on it beyond rounding.

    Attributes
    ----------
    classes_ : array of shape (k,)
    inlier_mask_ : array of shape (n,), bool
        The rows kept, all but the share given up; with a soft edge, the rows that a hard one would
        keep under the final fit.
    outlier_scores_ : array of shape (n,)
        Loss of each row over the threshold of its class: above 1 is suspicious.
    contamination_ : float
        The share used, given or estimated.
    contamination_interval_ : tuple of float
        Where the share lies, at 95 %, if it was estimated; else that share twice.
    class_contamination_ : array of shape (k,)
        The share that each class gave up.
    loss_threshold_ : float
        The quantile of all losses that leaves the share to keep below it.
    class_thresholds_ : array of shape (k,)
        The loss that separates kept from trimmed rows, by class.
    objective_path_ : array
        Objective after each refit.
    n_iter_ : int
    converged_ : bool
    dual_coef_ : array of shape (n,) or (n, k)
        One column for two classes.
    intercept_ : array of shape (1,) or (k,)
    coef_ : array of shape (1, d) or (k, d)
        Of the linear kernel.
    X_fit_ : array or CSR of shape (n, d)
    kernel_ : Kernel
        With the scale that was used.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    sklearn.linear_model.LogisticRegression : What this is with ``contamination=0`` and
        ``kernel="linear"``.

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
    _reach = REACH

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
        super().__init__(
            contamination=contamination,
            kernel=kernel,
            gamma=gamma,
            degree=degree,
            coef0=coef0,
            shape=shape,
            alpha=alpha,
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
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SubquantileClassifier:
        """Fit to rows of which some are wrong.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            The kernel matrix of shape (n, n) if ``kernel="precomputed"``.
        y : array of shape (n,)
            Labels of any type.
        sample_weight : array of shape (n,), optional
            A weight of k means k copies of the row, exactly.

        Returns
        -------
        SubquantileClassifier
            The estimator itself.
        """
        self._fit(X, y, sample_weight)
        return self

    def _check_smoothing(self) -> None:
        if not (isinstance(self.smoothing, str) and self.smoothing == "auto"):
            super()._check_smoothing()

    def _check_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, FloatArray, FloatArray]:
        X, targets, sample_weight = super()._check_data(X, y, sample_weight)
        contamination = check_contamination(self.contamination, sample_weight)
        check_class_sizes(contamination, self.classes_, self._codes, sample_weight)
        return X, targets, sample_weight

    def _class_weighted(self, counts: FloatArray) -> FloatArray:
        return check_class_weight(self.class_weight, self.classes_, self._codes, counts)

    def _initialise(
        self,
        design: FitDesign,
        y: FloatArray,
        contamination: float | None,
        posterior: OutlierPosterior | None,
    ) -> InitialState:
        rng = self._generator()
        interval = None
        if contamination is None:
            contamination, interval = self._estimate_contamination(design, y, rng)
        weighting = self._make_weighting(contamination, y)
        if contamination == 0 or self.solver == "gradient":
            return InitialState(weighting, design.sample_weight, interval=interval)
        if self.init == "auto":
            found = self._multistart(design, y, weighting, rng)
            return InitialState(weighting, found.weights, found.predictions, interval=interval)
        losses = self._loss.value(y, np.zeros_like(y))
        if self.init == "random":
            losses = rng.random(len(y))
        start = weighting.weights(losses, design.sample_weight)
        return InitialState(weighting, start, interval=interval)

    def _groups(self, y: FloatArray) -> IntArray:
        return codes_of(y)

    def _estimate_contamination(
        self, rows: Design, y: FloatArray, rng: np.random.Generator
    ) -> LabelContamination:
        """By how often sure predictions are contradicted, and how likely that makes the labels."""
        if rows.size < FEWEST_ROWS:
            return LabelContamination(0.0, (0.0, MAX_CONTAMINATION))
        raw = self._multistart(
            rows, y, self._make_weighting(INITIAL_CONTAMINATION, y), rng
        ).predictions
        scores = np.column_stack([-raw, raw]) if raw.shape[1] == 1 else raw
        codes, weights = codes_of(y), rows.sample_weight
        near = ~rows.feature_outlier & near_rows(rows.radius, weights, REACH)
        sure = estimate_disagreement(scores[near], codes[near], weights[near])
        diagnostics = leave_one_out_scores(rows, y, np.where(near, weights, 0.0), self._loss)
        sample = rows.representatives(policy().label_noise_rows, np.flatnonzero(near))
        found = estimate_noise_rate(
            diagnostics[sample.rows], codes[sample.rows], sample.weights, sure
        )
        far = float(weights[~near].sum() / weights.sum())
        low, contamination, high = (
            min(far + (1.0 - far) * value, MAX_CONTAMINATION)
            for value in (found.interval[0], found.contamination, found.interval[1])
        )
        if contamination < MIN_CONTAMINATION:
            contamination, low = 0.0, 0.0
        return LabelContamination(contamination, (low, high))

    def _multistart(
        self, rows: Design, y: FloatArray, weighting: TrimmingRule, rng: np.random.Generator
    ) -> StartingPoint:
        n_starts = self.n_starts
        if n_starts is None:
            n_starts = 1 if isinstance(weighting, SoftClassBalanced) else 6
        return find_label_inliers(rows, y, self._loss, weighting, n_starts, rng)

    def _make_weighting(self, contamination: float, y: FloatArray) -> TrimmingRule:
        codes, n_classes = codes_of(y), len(self.classes_)
        smoothing = self.smoothing
        if isinstance(smoothing, str):
            smoothing = None if n_classes == 2 else SOFT_EDGE
        if smoothing is None:
            return ClassBalanced(contamination, codes, n_classes)
        return SoftClassBalanced(contamination, codes, n_classes, float(smoothing))

    def _stages(self, design: FitDesign, y: FloatArray, initial: InitialState) -> list[SolverStage]:
        if isinstance(design, FeatureDesign):
            return [self._feature_stage(design, y, initial)]
        assert isinstance(design, SystemDesign)
        latest = initial.predictions

        def solve_with(system: RidgeSystem) -> Solve:
            newton = Newton(system, self._loss, y)

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

    def _store_outlier_attributes(
        self, losses: FloatArray, weighting: TrimmingRule, present: IntArray
    ) -> None:
        assert isinstance(weighting, ClassBalanced)
        # Whatever the edge was in the fit, the verdict is yes or no, and no for the share.
        hard_rule = ClassBalanced(weighting.contamination, weighting.groups, weighting.n_groups)
        weights = self._sample_weight[present]
        self.loss_threshold_ = hard_rule.threshold(losses[present], weights)
        thresholds = hard_rule.class_thresholds(losses[present], weights)
        self.class_thresholds_ = thresholds
        kept = hard_rule.weights(losses[present], weights)
        self.inlier_mask_ = losses <= thresholds[self._codes]
        self.inlier_mask_[present] = kept >= 0.5 * weights
        codes = self._codes[present]
        self.class_contamination_ = 1.0 - np.bincount(codes, kept) / np.bincount(codes, weights)
        scores = class_scores(losses, thresholds[self._codes])
        known = np.isfinite(scores)
        scores[~known] = scores[known].max(initial=0.0)
        self.outlier_scores_ = scores

    def _loo_diagnostics(self, feature_outlier: BoolArray) -> LooDiagnostics:
        included = np.where(feature_outlier, 0.0, self._sample_weight)
        contamination, n_classes = self.contamination_, len(self.classes_)
        if self._many:
            rows = self._training_features()
            probabilities = loo_class_probabilities_blocked(
                rows, self._codes, n_classes, included, contamination
            )
        else:
            probabilities = loo_class_probabilities(
                self._training_sketch(), self._codes, n_classes, included, contamination
            )
        raw = as_2d(self._raw(self._training_rows()))
        predicted = likeliest(raw)
        good = label_quality(probabilities, self._codes, contamination)
        own = np.take_along_axis(probabilities, self._codes[:, None], axis=1)[:, 0]
        neg_log_likelihood = -np.log(np.maximum(own, np.finfo(float).tiny))
        score = neg_log_likelihood / max(self.loss_threshold_, MIN_THRESHOLD)
        return LooDiagnostics(
            score, good, self.classes_[predicted], np.zeros(len(good), dtype=bool)
        )

    def _more_columns(self, diagnostics: LooDiagnostics) -> dict[str, NDArray[Any]]:
        return {"suggested": diagnostics.expected}
