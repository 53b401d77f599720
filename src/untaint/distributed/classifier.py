"""Trimmed kernel logistic regression on Dask collections."""

from __future__ import annotations

from functools import partial
from typing import Any, final

import numpy as np

from .. import estimators
from .._typing import FloatArray
from .._validation import class_factors
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
    """Kernel logistic regression on Dask rows whose labels fit, with the others trimmed.

    :class:`untaint.SubquantileClassifier` with the same parameters, for Dask arrays and data frames
    of any size; see :class:`untaint.distributed.SubquantileRegressor` for what differs.

    Attributes
    ----------
    inlier_mask_, outlier_scores_, inlier_probability_, statistics_
        As of :class:`untaint.distributed.SubquantileRegressor`.
    classes_, class_contamination_, class_thresholds_, coef_, intercept_, dual_coef_, X_fit_, \
kernel_, contamination_, contamination_interval_, loss_threshold_, objective_path_, n_iter_, \
converged_, n_features_in_, feature_names_in_
        As on one machine, as far as they do not have a value for each row. Only
        ``loss_threshold_``, which flags no row, is read off a histogram where rows are many: it
        may be off by a tenth or so where the classes' own thresholds differ.

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
    >>> rows, targets = da.from_array(X, chunks=(10_000, 2)), da.from_array(labels, chunks=10_000)
    >>> model = SubquantileClassifier(kernel="linear", contamination=0.05).fit(rows, targets)
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
        if len(self.classes_) < 2:
            raise ValueError(
                "y must hold at least two classes, got only one class: "
                f"{self.classes_.tolist()[0]!r} in all rows."
            )
        sizes = np.array([found[name] for name in self.classes_.tolist()])
        if not sizes.all():
            raise ValueError(
                "sample_weight must be positive for at least one row of each class, got only zeros "
                f"for class {self.classes_[sizes == 0].tolist()[0]!r}."
            )
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
