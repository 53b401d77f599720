r"""Trimmed kernel logistic regression, of two classes or several.

.. math:: \min_{g, b} \; \min_w \; \sum_i w_i \ell(y_i, g(x_i) + b) + \sum_k n_k \log(K \pi_k)
          + \alpha \|g\|^2, \qquad \|g\| \le R

with the log-loss of the logistic function or the softmax, weights w that keep the share
:math:`1-\epsilon`, and the second sum of :mod:`untaint.selection.balanced`, which keeps trimming
from giving up a class. Subquantile Minimization, first version, 3.4 and 3.5, second version,
Algorithm 2.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray, FloatArray, IntArray
from .._validation import check_class_sizes, check_class_weight, check_share
from ..learners import FeatureProblem, Problem, Rows, SystemProblem, columns
from ..learners.audit import Judgement
from ..learners.labels import LabelPredictions, codes_of, likeliest
from ..learners.scores import LEAST_THRESHOLD, class_scores
from ..screening import near_rows
from ..selection import (
    Balanced,
    Selection,
    SoftBalanced,
    estimate_channel_share,
    estimate_label_share,
)
from ..selection.share import LARGEST_SHARE
from ..solvers import Fit, Newton, RidgeSystem, Settled
from ..solvers.alternating import LOOSE
from .base import Solve, Stage, SubquantileEstimator
from .campaign import Beginning
from .label_trust import (
    chance_of_being_right,
    label_chances,
    label_chances_of_many,
    leave_one_out_scores,
)
from .trust import Trust

# Share given up while the share itself is being estimated.
CAUTIOUS_SHARE = 0.4
# Fewest rows from which a share can be estimated, and the smallest share worth giving up.
FEWEST_ROWS = 20
LEAST_SHARE = 0.02
# Rows whose labels' likelihood is worth its time.
CHANNEL_ROWS = 1000
# Tolerance of a stage that only prepares the next.
ROUGH = 1e-4
# A label says little about a row so many times farther out than the median row.
REACH = 25.0


# Edge of the selection of several classes, in units of one over the loss. Two classes are cut hard.
# Of several, rows between two classes that overlap would be given up by turns until one of the two
# has all of them; a soft edge lets both have their say.
SOFT_EDGE = 2.0


class LabelShare(NamedTuple):
    """Share of wrong labels, and where it lies at 95 %."""

    share: float
    interval: tuple[float, float]


class SubquantileClassifier(LabelPredictions, SubquantileEstimator):
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
        X, targets, row_weights = super()._check_data(X, y, sample_weight)
        share = check_share(self.contamination, row_weights)
        check_class_sizes(share, self.classes_, self._codes, row_weights)
        return X, targets, row_weights

    def _fit_weights(self, copies: FloatArray) -> FloatArray:
        return check_class_weight(self.class_weight, self.classes_, self._codes, copies)

    def _begin(
        self, problem: Problem, y: FloatArray, share: float | None, trust: Trust | None
    ) -> Beginning:
        rng = self._generator()
        interval = None
        if share is None:
            share, interval = self._estimate_share(problem, y, rng)
        selection = self._make_selection(share, y)
        if share == 0 or self.solver == "gradient":
            return Beginning(selection, problem.row_weights, interval=interval)
        if self.init == "auto":
            found = self._search(problem, y, selection, rng)
            return Beginning(selection, found.weights, found.predictions, interval=interval)
        losses = self._loss.value(y, np.zeros_like(y))
        if self.init == "random":
            losses = rng.random(len(y))
        start = selection.weights(losses, problem.row_weights)
        return Beginning(selection, start, interval=interval)

    def _groups(self, y: FloatArray) -> IntArray:
        return codes_of(y)

    def _estimate_share(self, rows: Rows, y: FloatArray, rng: np.random.Generator) -> LabelShare:
        """By how often sure predictions are contradicted, and how likely that makes the labels."""
        if rows.size < FEWEST_ROWS:
            return LabelShare(0.0, (0.0, LARGEST_SHARE))
        raw = self._search(rows, y, self._make_selection(CAUTIOUS_SHARE, y), rng).predictions
        scores = np.column_stack([-raw, raw]) if raw.shape[1] == 1 else raw
        codes, weights = codes_of(y), rows.row_weights
        near = ~rows.wild & near_rows(rows.radius, weights, REACH)
        sure = estimate_label_share(scores[near], codes[near], weights[near])
        judged = leave_one_out_scores(rows, y, np.where(near, weights, 0.0), self._loss)
        sample = rows.representatives(CHANNEL_ROWS, np.flatnonzero(near))
        found = estimate_channel_share(
            judged[sample.rows], codes[sample.rows], sample.weights, sure
        )
        far = float(weights[~near].sum() / weights.sum())
        low, share, high = (
            min(far + (1.0 - far) * value, LARGEST_SHARE)
            for value in (found.interval[0], found.share, found.interval[1])
        )
        if share < LEAST_SHARE:
            share, low = 0.0, 0.0
        return LabelShare(share, (low, high))

    def _search(
        self, rows: Rows, y: FloatArray, selection: Selection, rng: np.random.Generator
    ) -> Settled:
        n_starts = self.n_starts
        if n_starts is None:
            n_starts = 1 if isinstance(selection, SoftBalanced) else 6
        return rows.search_labels(y, self._loss, selection, n_starts, rng)

    def _make_selection(self, contamination: float, y: FloatArray) -> Selection:
        codes, n_classes = codes_of(y), len(self.classes_)
        smoothing = self.smoothing
        if isinstance(smoothing, str):
            smoothing = None if n_classes == 2 else SOFT_EDGE
        if smoothing is None:
            return Balanced(contamination, codes, n_classes)
        return SoftBalanced(contamination, codes, n_classes, float(smoothing))

    def _stages(self, problem: Problem, y: FloatArray, beginning: Beginning) -> list[Stage]:
        if isinstance(problem, FeatureProblem):
            return [self._feature_stage(problem, y, beginning)]
        assert isinstance(problem, SystemProblem)
        latest = beginning.predictions

        def solve_with(system: RidgeSystem) -> Solve:
            newton = Newton(system, self._loss, y)

            def solve(weights: FloatArray, ridge: float, start: Fit | None, tol: float) -> Fit:
                nonlocal latest
                fit = newton.solve(weights, ridge, start, tol, latest)
                latest = fit.predictions
                return fit

            return solve

        *rough, full = problem.newton_systems(y.shape[1])
        stages = [Stage(solve_with(full), LOOSE)]
        if beginning.selection.contamination > 0:
            stages = [Stage(solve_with(system), LOOSE, ROUGH) for system in rough] + stages
        return stages

    def _verdict(self, losses: FloatArray, selection: Selection, present: IntArray) -> None:
        assert isinstance(selection, Balanced)
        # Whatever the edge was in the fit, the verdict is yes or no, and no for the share.
        judge = Balanced(selection.contamination, selection.groups, selection.n_groups)
        weights = self._row_weights[present]
        self.loss_threshold_ = judge.threshold(losses[present], weights)
        thresholds = judge.class_thresholds(losses[present], weights)
        self.class_thresholds_ = thresholds
        kept = judge.weights(losses[present], weights)
        self.inlier_mask_ = losses <= thresholds[self._codes]
        self.inlier_mask_[present] = kept >= 0.5 * weights
        codes = self._codes[present]
        self.class_contamination_ = 1.0 - np.bincount(codes, kept) / np.bincount(codes, weights)
        scores = class_scores(losses, thresholds[self._codes])
        known = np.isfinite(scores)
        scores[~known] = scores[known].max(initial=0.0)
        self.outlier_scores_ = scores

    def _judge(self, wild: BoolArray) -> Judgement:
        heard = np.where(wild, 0.0, self._row_weights)
        share, n_classes = self.contamination_, len(self.classes_)
        if self._many:
            rows = self._fitted_features()
            chances = label_chances_of_many(rows, self._codes, n_classes, heard, share)
        else:
            chances = label_chances(self._judged_rows(), self._codes, n_classes, heard, share)
        raw = columns(self._raw(self._training_rows()))
        best = likeliest(raw)
        good = chance_of_being_right(chances, self._codes, share)
        own = np.take_along_axis(chances, self._codes[:, None], axis=1)[:, 0]
        surprise = -np.log(np.maximum(own, np.finfo(float).tiny))
        score = surprise / max(self.loss_threshold_, LEAST_THRESHOLD)
        return Judgement(score, good, self.classes_[best], np.zeros(len(good), dtype=bool))

    def _more_columns(self, judged: Judgement) -> dict[str, NDArray[Any]]:
        return {"suggested": judged.expected}
