"""Kernel estimators on encoded features, with the predictions of each row by the others."""

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from .._typing import BoolArray, FloatArray, IntArray
from ..contamination.residual_mixture import ResidualMixture
from ..estimators import SubquantileClassifierCV, SubquantileRegressorCV
from ..model_selection.label_noise import LabelNoise, known_noise
from .learner import MIN_PART

# Rows that the kernel is fitted to at most: others are predicted by that fit.
MAX_ROWS = 2000
# Scaled features further out do not count in a standard deviation.
FAR = 10.0
# Ratio of standard deviations of features from which on it matters by what they are scaled.
UNEVEN = 2.0
# Mean change of a weight, as a part of it, that is worth another fit.
WORTH_A_FIT = 0.02
# Tolerance of a classifier that others only start from: more digits take many times as long.
TOL = 1e-5


@final
@dataclass(frozen=True)
class KnownKernel:
    """What a robust kernel regressor that was fitted before says of the same rows.

    ``rows`` are their positions among the rows of the fit, None for all.
    """

    predictions: FloatArray
    inlier_probability: FloatArray
    feature_outlier: BoolArray
    rows: IntArray | None = None


@final
class KernelRegression:
    """The robust kernel regressor, and fits of it with other weights.

    ``predictions`` (n, k) are by fits without the row, ``inlier_probability`` those of the robust
    fit, and ``feature_outlier`` marks rows with outlying features that it trimmed. ``scaler`` is
    for the features, which are taken as they are without.
    """

    def __init__(
        self,
        features: FloatArray,
        y: FloatArray,
        sample_weight: FloatArray,
        seed: int,
        scaler: StandardScaler | None = None,
        **parameters: Any,
    ) -> None:
        self.scaler, self.y, self.sample_weight = scaler, y, sample_weight
        self.features = features if scaler is None else scaler.transform(features)
        self.seed, self.n_fits = seed, 0
        self.rows = sampled_rows(len(y), seed)
        self.model = self._fit(sample_weight, **parameters)
        found = self.model.inlier_probability_
        self._weights = found * sample_weight[self.rows]
        audit = self.model.audit()
        self.predictions = self._predictions(self.model, audit)
        self.inlier_probability = self._inlier_probability(found)
        self.feature_outlier = self._feature_outlier(audit)

    @property
    def is_complete(self) -> bool:
        """Whether the kernel was fitted to all rows."""
        return len(self.rows) == len(self.y)

    @property
    def fitted(self) -> Any:
        """The model, for features that are not scaled yet."""
        return self.model if self.scaler is None else make_pipeline(self.scaler, self.model)

    def refit(self, weights: FloatArray) -> None:
        """Fit with given weights, unless they are close to the last ones."""
        weights = np.where(weights > MIN_PART * self.sample_weight, weights, 0.0)
        own = weights[self.rows]
        total = self.sample_weight[self.rows].sum()
        if np.abs(own - self._weights).sum() <= WORTH_A_FIT * total:
            return
        transform = self.model.target_transform_
        self.model = self._fit(weights, contamination=0, target_transform=transform)
        self._weights = own
        self.predictions = self._predictions(self.model, self.model.audit())

    def _inlier_probability(self, found: FloatArray) -> FloatArray:
        """Return those of all rows: by the residuals of rows that the fit did not see."""
        if self.is_complete:
            return np.asarray(found)
        n = len(self.y)
        if self.model.contamination_ == 0:
            return np.ones(n)
        weights = np.zeros(n)
        weights[self.rows] = self._weights
        mixture = ResidualMixture(self.y, self.sample_weight, np.zeros(n, dtype=bool))
        posterior = mixture.fit(self.y - self.predictions, np.ones(n), weights)
        probability = posterior.inlier_probability.copy()
        probability[self.rows] = found
        return probability

    def _fit(self, weights: FloatArray, **parameters: Any) -> Any:
        self.n_fits += 1
        y = self.y[:, 0] if self.y.shape[1] == 1 else self.y
        model = SubquantileRegressorCV(random_state=self.seed, **parameters)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # ambiguity is judged for the learner
            return model.fit(self.features[self.rows], y[self.rows], weights[self.rows])

    def _predictions(self, model: Any, audit: Any) -> FloatArray:
        """Return leave-one-out predictions, and those of rows that the fit did not see."""
        found = np.empty(self.y.shape)
        if not self.is_complete:
            found[:] = np.asarray(model.predict(self.features)).reshape(self.y.shape)
        found[self.rows] = expected_targets(audit, self.y[self.rows].shape)
        return found

    def _feature_outlier(self, audit: Any) -> BoolArray:
        """Return rows with outlying features that the robust fit trimmed."""
        kinds, mask = by_row(audit, "kind"), np.zeros(len(self.y), dtype=bool)
        mask[self.rows] = np.isin(kinds, ["features", "both"]) & ~self.model.inlier_mask_
        return mask


# What a robust fit of a kernel says of its rows.
KernelPredictions = KnownKernel | KernelRegression


def known_of(kernel: KernelPredictions, rows: IntArray) -> KnownKernel:
    """Return what a kernel says of some rows."""
    return KnownKernel(
        kernel.predictions[rows],
        kernel.inlier_probability[rows],
        kernel.feature_outlier[rows],
        rows,
    )


def standard_scaler(features: FloatArray) -> StandardScaler | None:
    """Return a scaler by standard deviations, None if these are about equal.

    The spread about the median, by which features are scaled, says little of one with two values
    or many zeros; there the kernel may do better with standard deviations.
    """
    scaler = StandardScaler(with_mean=False).fit(np.clip(features, -FAR, FAR))
    varying = scaler.scale_[features.std(axis=0) > 0]
    even = len(varying) < 2 or varying.max() <= UNEVEN * varying.min()
    return None if even else scaler


@final
class KernelClassification:
    """The kernel classifier with its label noise and leave-one-out class probabilities (n, K).

    ``places`` are the first row of each kind of equal rows, and the place of each row among these.
    ``fitted`` is the classifier if it was fitted to these rows before.
    """

    def __init__(
        self,
        features: FloatArray,
        codes: IntArray,
        sample_weight: FloatArray,
        places: tuple[IntArray, IntArray],
        seed: int,
        fitted: Any = None,
        **parameters: Any,
    ) -> None:
        first, place = places
        totals = np.bincount(place, sample_weight).astype(float)
        positive = np.flatnonzero(totals > 0)
        rows = positive if fitted else positive[sampled_rows(len(positive), seed)]
        missing = np.setdiff1d(codes[first[positive]], codes[first[rows]])
        rows = np.union1d(rows, positive[np.isin(codes[first[positive]], missing)])  # rare classes
        # A copy of a row is no independent evidence of its label, and weights are relative.
        own, weights = first[rows], totals[rows] / totals[rows].mean()
        if fitted is None:
            fitted = SubquantileClassifierCV(random_state=seed, tol=TOL, **parameters)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # ambiguity is judged for the learner
                fitted.fit(features[own], codes[own], weights)
        self.model = fitted
        self._rows, self._weights = rows, weights
        self._features, self._codes, self._places = features, codes, places
        noise = self.model._record().label_noise
        k = len(self.model.classes_)
        self.noise: LabelNoise = known_noise(np.eye(k)) if noise is None else noise

    @cached_property
    def _of_distinct(self) -> FloatArray:
        """Class probabilities of distinct rows: leave-one-out, or by the fit without them."""
        first, rows = self._places[0], self._rows
        found = np.empty((len(first), len(self.model.classes_)))
        if len(rows) < len(first):
            found[:] = self.model.predict_proba(self._features[first])
        task = self.model._task(self.model.contamination_)
        found[rows] = task.loo_probabilities(self._weights)
        return found

    @property
    def probabilities(self) -> FloatArray:
        """Class probabilities (n, K) of all rows, computed where they are needed."""
        return self._of_distinct[self._places[1]]

    @property
    def inlier_probability(self) -> FloatArray:
        """Of each label; rows that the fit did not see are right if theirs is the likeliest."""
        first, place = self._places
        inlier = (self._of_distinct.argmax(axis=1) == self._codes[first]).astype(float)
        inlier[self._rows] = self.model.inlier_probability_
        return inlier[place]


def sampled_rows(n: int, seed: int) -> IntArray:
    """Return all rows, or as many random ones as the kernel is fitted to."""
    if n <= MAX_ROWS:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, MAX_ROWS, replace=False))


def by_row(audit: Any, name: str) -> Any:
    """Return a column of an audit in the order of the rows."""
    return np.asarray(audit[name])[np.argsort(np.asarray(audit["row"]))]


def expected_targets(audit: Any, shape: tuple[int, ...]) -> FloatArray:
    """Return the expected targets of an audit in the order of the rows."""
    return np.array([np.asarray(cell) for cell in by_row(audit, "expected")], float).reshape(shape)
