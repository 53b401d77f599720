"""Robust classification by any learner: noise matrix, fits under it, and what they find."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier

from .._typing import BoolArray, FloatArray, IntArray
from ..contamination.label_calibration import calibrated
from ..contamination.label_posterior import (
    shares_of_labels,
    true_class_posterior,
    uncertain_class_posterior,
)
from ..model_selection.label_noise import LabelNoise, known_noise
from ..weighting.class_balanced import ClassBalanced
from .base import RobustMetaEstimator
from .classification_members import ClassifierMember, ClassifierStack, SingleClassifier
from .initial_weights import N_TREES
from .kernel_member import KernelClassification
from .learner import FitRequest
from .problem import MAX_STACKED, Problem

# Gain in log-likelihood below which labels are taken as they are.
MIN_EVIDENCE = 0.25
# Rows in a leaf of the forest at least, so that it predicts probabilities.
MIN_LEAF = 3
PROBABILITIES = "predict_proba"
TINY = 1e-6


class LabelAttributes(NamedTuple):
    """The attributes of each label after a fit, and the class posterior that the fit used.

    ``suggested`` are the probabilities of the classes in an audit. Where a fit found no noise, or
    trims a given share, they are those of the features alone.
    """

    posterior: FloatArray
    probabilities: FloatArray
    suggested: FloatArray
    inlier_probability: FloatArray
    kept: BoolArray
    contamination: float
    interval: tuple[float, float]
    noise: LabelNoise
    n_rounds: int
    ambiguity_message: str = ""


class _End(NamedTuple):
    """Out-of-fold probabilities of a fit, their likelihood, and the label noise."""

    probabilities: FloatArray
    log_likelihood: float
    noise: LabelNoise


def _attributes(end: _End, codes: IntArray, n_rounds: int) -> LabelAttributes:
    """Return the attributes of labels of given class probabilities (n, K) under a noise matrix."""
    probabilities, noise = end.probabilities, end.noise
    true = uncertain_class_posterior(probabilities, codes, noise.mean, noise.probability)
    right = np.take_along_axis(true, codes[:, None], axis=1)[:, 0]
    share, interval = noise.contamination, noise.contamination_interval
    parts = (right, right >= 0.5, share, interval, noise, n_rounds)
    if not noise.corrects:
        labels = np.eye(probabilities.shape[1])[codes]
        return LabelAttributes(labels, probabilities, probabilities, *parts)
    posterior = true_class_posterior(probabilities, codes, noise.fitted)
    return LabelAttributes(posterior, probabilities, true, *parts)


def trimmed_labels(
    probabilities: FloatArray,
    codes: IntArray,
    sample_weight: FloatArray,
    contamination: float,
    n_rounds: int,
) -> LabelAttributes:
    """Return the attributes of labels of which those of the smallest log-loss are kept.

    Each class keeps a share of its own labels.
    """
    k = probabilities.shape[1]
    own = np.take_along_axis(probabilities, codes[:, None], axis=1)[:, 0]
    losses = -np.log(np.maximum(own, np.finfo(float).tiny))
    weights = ClassBalanced(contamination, codes, k).weights(losses, sample_weight)
    kept = weights / np.where(sample_weight > 0, sample_weight, 1.0)
    true = np.where(kept >= 0.5, codes, probabilities.argmax(axis=1))
    noise = known_noise(shares_of_labels(true, codes, sample_weight, k))
    shares = 1.0 - np.bincount(codes, weights) / np.bincount(codes, sample_weight)
    right, interval = np.clip(kept, 0.0, 1.0), (contamination, contamination)
    parts = (right, right >= 0.5, contamination, interval)
    noise = noise._replace(class_contamination=shares)
    posterior = np.eye(k)[codes] * kept[:, None]
    return LabelAttributes(posterior, probabilities, probabilities, *parts, noise, n_rounds)


class ClassificationProblem(Problem):
    """Labels of rows, as codes of classes, and their posteriors by out-of-fold probabilities."""

    def __init__(self, params: RobustMetaEstimator, request: FitRequest) -> None:
        codes = request.y
        super().__init__(params, request, codes)
        # Copies of a row are witnesses of one another in a fit to all rows.
        self.known = request.known if len(self.first) == len(codes) else None
        self.codes, self.classes = codes, np.asarray(params.classes_)
        self.labels = np.eye(len(self.classes))[codes]
        self.kernels = dict[bool, KernelClassification]()
        self.member: ClassifierMember = self._stack() if params._stacks else self._single()

    def kernel(self, *, plain: bool) -> KernelClassification:
        """Return the kernel classifier, fitted once: plain, or with its own noise matrix."""
        if plain not in self.kernels:
            assert self.features is not None
            rows = (self.features, self.codes, self.sample_weight, self.places, self.seed)
            parameters: dict[str, Any] = {"contamination": 0} if plain else {"fitted": self.known}
            self.kernels[plain] = KernelClassification(*rows, **parameters)
        return self.kernels[plain]

    def solve(self, contamination: float | None) -> LabelAttributes:
        """Return the posterior of each label by out-of-fold probabilities."""
        if contamination is not None:
            return self._trimmed(contamination)
        nothing = known_noise(np.eye(len(self.classes)))
        plain = self._end(self.labels, nothing)
        if self.features is None:  # what the learner itself makes of the rows
            self.features = np.log(np.maximum(plain.probabilities, TINY))
        kernel = self.kernel(plain=False)
        noise = kernel.noise
        plain = plain._replace(noise=_taken_as_right(noise))
        if not noise.corrects:
            return _attributes(plain, self.codes, 1)
        posterior = true_class_posterior(kernel.probabilities, self.codes, noise.fitted)
        corrected = self._end(posterior, noise)
        gain = corrected.log_likelihood - plain.log_likelihood
        if gain >= MIN_EVIDENCE:
            found = _attributes(corrected, self.codes, 2)
            return found._replace(ambiguity_message=noise.ambiguity_message)
        # Noise that does not make the labels of this learner likelier is not probable, either.
        rejected = plain.noise._replace(probability=noise.probability * float(expit(gain)))
        return _attributes(plain._replace(noise=rejected), self.codes, 2)

    def _end(self, posterior: FloatArray, noise: LabelNoise) -> _End:
        """Return out-of-fold probabilities of fits under a posterior, and their likelihood."""
        predicted = self.member.out_of_fold(posterior, noise.fitted)
        known: BoolArray = np.asarray(np.isfinite(predicted).all(axis=1))
        filled = np.where(known[:, None], predicted, 1.0 / len(self.classes))
        weights = np.where(known, self.sample_weight, 0.0)
        found = calibrated(filled, self.codes, noise.fitted, weights)
        return _End(found.probabilities, found.log_likelihood, noise)

    def _trimmed(self, contamination: float) -> LabelAttributes:
        """Keep the labels of the smallest out-of-fold log-loss, class by class."""
        k, n_rounds = len(self.classes), 1
        kept: FloatArray = np.ones(len(self.codes))
        if contamination > 0 and self.features is not None:
            parts = (self.features, self.codes, self.sample_weight, self.places, self.seed)
            kernel = KernelClassification(*parts, self.known, contamination=contamination)
            kept, n_rounds = kernel.inlier_probability, 2
        for _ in range(n_rounds):
            posterior = self.labels * kept[:, None]
            predicted = np.nan_to_num(self.member.out_of_fold(posterior, np.eye(k)), nan=1.0 / k)
            found = trimmed_labels(
                predicted, self.codes, self.sample_weight, contamination, n_rounds
            )
            kept = found.posterior.sum(axis=1)
        return found

    def _single(self) -> ClassifierMember:
        estimator = self.params.estimator
        if not hasattr(estimator, "predict_proba"):
            raise TypeError(
                "estimator: expected a classifier with predict_proba, found "
                f"{type(estimator).__name__}; wrap it in CalibratedClassifierCV."
            )
        return SingleClassifier(self, self.users_learner(PROBABILITIES))

    def _stack(self) -> ClassifierMember:
        boosting = HistGradientBoostingClassifier(random_state=self.seed)
        learners = {"boosting": self.learner(boosting, self.features, self.folds, PROBABILITIES)}
        if self.n_rows <= MAX_STACKED:
            forest = ExtraTreesClassifier(
                N_TREES,
                bootstrap=True,
                min_samples_leaf=MIN_LEAF,
                random_state=self.seed,
                n_jobs=self.params.n_jobs,
            )
            folds = None if len(self.first) == self.n_rows else self.folds
            learners["forest"] = self.learner(forest, self.features, folds, PROBABILITIES)
        return ClassifierStack(self, learners)


def _taken_as_right(noise: LabelNoise) -> LabelNoise:
    """Return the noise of a fit that assumes all labels to be right."""
    k = len(noise.fitted)
    low = min(noise.contamination_interval[0], 0.0)
    interval = (low, noise.contamination_interval[1])
    return noise._replace(
        fitted=np.eye(k),
        contamination=0.0,
        contamination_interval=interval,
        class_contamination=np.zeros(k),
    )
