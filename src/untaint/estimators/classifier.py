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
"""

from __future__ import annotations

from typing import Any, ClassVar

from .._typing import FloatArray
from .._validation import check_class_sizes, check_class_weight, check_contamination
from ..learners.classification import KernelClassifier
from ..losses import class_codes
from .base import SubquantileEstimator
from .classification_task import ClassificationTask


class SubquantileClassifier(SubquantileEstimator, KernelClassifier):
    """Kernel logistic regression that withstands wrong labels.

    With ``contamination="auto"`` the rates at which labels of each class are wrong are estimated,
    and the log-loss is that of labels seen through this noise. Where the labels are explained as
    well without noise, the fit is plain kernel logistic regression.

    With a given contamination the fit minimises the summed log-loss over the share
    ``1 - contamination`` of the rows whose labels are explained best, plus ``alpha`` times the
    squared norm of the function; the other rows have no weight. How many rows of each class are
    trimmed follows from the data, and no class is trimmed away.

    Parameters
    ----------
    contamination : float or "auto", default="auto"
        Share of rows to trim, in [0, 0.5). ``"auto"`` trims none and corrects for the label noise
        that it finds.
    alpha : float, default=1.0
        Ridge strength. For the linear kernel ``alpha`` is ``1 / (2 C)`` of
        :class:`~sklearn.linear_model.LogisticRegression`.
    fit_intercept : bool, default=True
        Whether to add an intercept for each class, which is not penalised.
    class_weight : dict, "balanced" or None, default=None
        Factors of the rows' weights, by label; ``"balanced"`` gives all classes the same total.
    solver : {"auto", "exact", "iterative", "newton", "gradient"}, default="auto"
        ``"newton"`` and ``"auto"`` are Newton's method, by factorisation for few rows of two
        classes and by preconditioned conjugate gradients else; ``"exact"`` and ``"iterative"``
        insist on either (several classes are always iterated on, to the same accuracy).
        ``"gradient"`` is the papers' projected functional gradient method.
    init : {"auto", "zeros", "random"}, default="auto"
        Starting point of a trimmed fit. ``"auto"`` searches for inliers; ``"zeros"`` begins with
        all rows and ``"random"`` with random ones. ``solver="gradient"`` begins with zero
        coefficients, or with random ones as the papers do.
    smoothing : float, None or "auto", default="auto"
        Softplus parameter lambda: rows get weights ``sigmoid(lambda * (t - loss))`` in place of 0
        and 1. None is the limit of large lambda. ``"auto"`` is None for two classes and 2 for
        several, where hard trimming would lose the rows between classes.
    n_starts : int, optional
        Starting points of the search. By default 6, and 1 for a soft edge, which has few local
        minima.
    tol : float, default=1e-8
        Relative accuracy of the objective.
    kernel, gamma, degree, coef0, shape, norm_bound, acceleration, learning_rate, momentum, \
    approximation, n_components, memory_limit, checkpoint, max_iter, random_state, verbose, \
    n_jobs
        As in :class:`SubquantileRegressor`.

    Attributes
    ----------
    classes_ : array of shape (k,)
    inlier_mask_ : array of shape (n,), bool
        The rows whose labels are probably right. With a given contamination, all but the trimmed
        share; with a soft edge, the rows that hard trimming would keep under the final fit.
    inlier_probability_ : array of shape (n,)
        The probability that a label is right, which includes the doubt whether there is any noise.
        With a given contamination, 1 for the rows kept and 0 for the others.
    outlier_scores_ : array of shape (n,)
        Above 1 is suspicious: minus the binary logarithm of ``inlier_probability_``, or, with a
        given contamination or without noise, the loss of each row over the threshold of its class.
    noise_matrix_ : array of shape (k, k)
        Probability of each label (column) for each true class (row), as the fit assumes it. With a
        given contamination, that of the trimmed rows if their true class is the predicted one.
    noise_matrix_interval_ : array of shape (2, k, k)
        95 % interval of each entry; that number twice if the contamination was given.
    contamination_ : float
        The share of wrong labels, given or expected from ``noise_matrix_``.
    contamination_interval_ : tuple of float
        95 % interval of the contamination if it was estimated; else that number twice.
    class_contamination_ : array of shape (k,)
        The share of wrong labels, or the trimmed share, of each label.
    loss_threshold_ : float
        The quantile of all losses at the share to keep.
    class_thresholds_ : array of shape (k,)
        The log-loss from which a label of each class is flagged, infinite if none is.
    dual_coef_ : array of shape (n,) or (n, k)
        One column for two classes.
    intercept_ : array of shape (1,) or (k,)
    coef_ : array of shape (1, d) or (k, d)
        Slopes of the linear kernel.
    objective_path_, n_iter_, converged_, X_fit_, kernel_, n_features_in_, feature_names_in_
        As in :class:`SubquantileRegressor`.

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
    gamma: float | str
    alpha: float
    class_weight: Any

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
