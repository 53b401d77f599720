"""Trimmed kernel logistic regression on Dask collections."""

from functools import partial
from typing import Any, final

import numpy as np

from .. import estimators
from .._typing import FloatArray
from .._validation import check_classes, class_factors
from ..estimators.large_scale import LargeScaleFit
from ..learners.classification import targets_of
from ..model_selection.label_noise import LabelNoise
from ..outliers.scores import class_scores
from ..weighting.class_balanced import ClassBalanced
from ..weighting.threshold import ThresholdWeights
from .base import DaskEstimator
from .dask_design import DaskDesign
from .partitioned_source import PartitionedSource
from .partitions import Labels
from .scoring import LabelWeights, PartitionScorer, label_scores


@final
class SubquantileClassifier(DaskEstimator, estimators.SubquantileClassifier):
    """Kernel logistic regression on Dask collections that is robust against label noise.

    This is :class:`untaint.SubquantileClassifier` with the same parameters, for Dask arrays and
    data frames of any size; see :class:`untaint.distributed.SubquantileRegressor` for the
    differences.

    Attributes
    ----------
    classes_ : array of shape (k,)
        Labels of the classes, sorted.
    inlier_mask_ : dask array of shape (n,), bool
        True for rows whose labels are probably right; lazy, in the chunks of the rows.
    inlier_probability_ : dask array of shape (n,)
        Probability that a label is right; with a given contamination, 1 for kept rows and 0 for
        trimmed ones; lazy, in the chunks of the rows.
    outlier_scores_ : dask array of shape (n,)
        Values above 1 are suspicious; lazy, in the chunks of the rows.
    statistics_ : Statistics
        Passes over the rows, with their seconds and bytes, and what was kept in memory.
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
        Quantile of all losses at the share of rows to keep. For many rows it is read off a
        histogram, and may be off by about a tenth where the thresholds of the classes differ; no
        row is flagged by it.
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

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from untaint.distributed import SubquantileClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(30_000) < 0.5
    >>> X = rng.normal(size=(30_000, 2)) + 4.0 * truth[:, None]
    >>> labels = np.where(truth, "dog", "cat")
    >>> labels[:3000] = "dog"  # some cats among them
    >>> rows = da.from_array(X, chunks=(10_000, 2))
    >>> targets = da.from_array(labels, chunks=10_000)
    >>> model = SubquantileClassifier(kernel="linear", contamination=0.05)
    >>> model = model.fit(rows, targets)
    >>> model.predict(da.from_array([[0.0, 0.0], [4.0, 4.0]])).compute()
    array(['cat', 'dog'], dtype='<U3')
    """

    _labelled = True
    _in_memory = estimators.SubquantileClassifier

    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities of the classes, lazily for Dask collections.

        They are of shape (m, k); see :meth:`untaint.SubquantileClassifier.predict_proba`.
        """
        return self._predicted("predict_proba", X)

    def decision_function(self, X: Any) -> Any:
        """Return the scores of the classes, lazily for Dask collections.

        See :meth:`untaint.SubquantileClassifier.decision_function`.
        """
        return self._predicted("decision_function", X)

    def _output(self, method: str) -> tuple[tuple[int, ...], Any]:
        k = len(self.classes_)
        if method == "predict":
            return (), self.classes_.dtype
        return () if method == "decision_function" and k == 2 else (k,), float

    def _learn_targets(self, chunks: PartitionedSource) -> None:
        found = chunks.about.classes
        self.classes_ = np.unique(np.array(list(found)))
        sizes = np.array([found[name] for name in self.classes_.tolist()])
        check_classes(self.classes_, sizes)
        factors = class_factors(self.class_weight, self.classes_, sizes)
        chunks.labels = Labels(self.classes_, factors)
        self._sizes = sizes * factors

    def _targets_of(self, y: Any) -> FloatArray:
        return targets_of(np.searchsorted(self.classes_, y), len(self.classes_))

    def _partition_scorer(self, large_scale: LargeScaleFit, design: DaskDesign) -> PartitionScorer:
        initial, unit = large_scale.initial, design.unit or 1.0
        self.contamination_ = contamination = initial.weighting.contamination
        self.contamination_interval_ = initial.interval or (contamination, contamination)
        noise = large_scale.label_noise()
        if noise is not None:
            self.noise_matrix_, self.noise_matrix_interval_ = noise.fitted, noise.interval
            if noise.corrects:
                return self._noise_scorer(noise, large_scale, design)
            contamination = 0.0
        # Whatever the threshold was in the fit, rows are flagged by a hard one of that share.
        hard = ClassBalanced(contamination, design.groups, len(self.classes_))
        histogram = large_scale.histogram_of(hard)
        losses, weights, groups = histogram.points(unit)
        rule = hard.over(groups)
        self.loss_threshold_ = float(
            rule.threshold(losses, weights) if contamination else histogram.max_loss.max()
        )
        threshold_weights = histogram.threshold_weights(hard, unit)
        kept = unit * rule.totals(losses, weights)
        # Where nothing is trimmed the largest loss of each class is its threshold.
        thresholds = threshold_weights.thresholds
        thresholds = np.where(np.isfinite(thresholds), thresholds, histogram.max_loss)
        self.class_thresholds_: FloatArray = thresholds
        self.class_contamination_: FloatArray = 1.0 - kept / self._sizes
        largest = class_scores(histogram.max_loss.max(keepdims=True), thresholds.min())
        scores = partial(label_scores, thresholds=thresholds, largest=float(largest[0]))
        rules = ((threshold_weights, scores), (ThresholdWeights(thresholds), scores))
        return PartitionScorer(design.context, design.raw_coef(large_scale.coef), *rules)

    def _noise_scorer(
        self, noise: LabelNoise, large_scale: LargeScaleFit, design: DaskDesign
    ) -> PartitionScorer:
        """Store the thresholds, and return the posterior of each label."""
        self.class_contamination_ = noise.class_contamination
        self.class_thresholds_ = noise.loss_thresholds
        self.loss_threshold_ = float(noise.loss_thresholds.min())
        weights = LabelWeights(noise)
        rule = (weights, weights.scores)
        return PartitionScorer(design.context, design.raw_coef(large_scale.coef), rule, rule)
