r"""What a logistic model keeps of noisy rows: class moments, recent rows, a summary of the rest.

The log-likelihood of the slopes of noisy rows has no sufficient statistics, so that

- of the last :data:`MAX_ROWS` rows at most, the rows themselves are kept;
- the summed loss of earlier rows is replaced by its second-order expansion
  :math:`\frac12 g^T H g - b^T g` at the fit of the time when they were dropped (Luo and Song 2020),
  which is one matrix H and one vector b, whatever their number;
- of all rows the sums of :math:`(1, x)(1, x)^T` for each class are kept.

All sums are kept in folds, to which rows are assigned in runs of :data:`RUN`, for cross-validation.
Memory is bounded by the number of features. Arrays are replaced and not changed, so that a shallow
copy is a snapshot of the data at a round.
"""

from typing import final

import numpy as np
from scipy.special import expit

from .._typing import FloatArray, IntArray
from .correction import feature_variances
from .noise import RowNoise
from .noisy_batch import NoisyBatch

MAX_ROWS = 4096  # rows kept; when there are more, the earlier half is summarised
N_FOLDS = 8
RUN = 4  # consecutive rows of one fold


@final
class LogisticData:
    """LogisticData holds rows (1, x) about an origin, their codes 0 and 1, and sums over rows."""

    def __init__(self, origin: FloatArray) -> None:
        d = len(origin)
        self.origin = origin
        self.rounds = 0
        self.A = np.empty((0, d + 1))
        self.codes = np.empty(0)
        self.weights = np.empty(0)
        self.folds: IntArray = np.empty(0, dtype=np.int64)
        self.class_gram = np.zeros((N_FOLDS, 2, d + 1, d + 1))
        self.noise = np.zeros((d, d))
        self.weight_per_copy = 0.0
        self.hessian = np.zeros((N_FOLDS, d + 1, d + 1))
        self.linear = np.zeros((N_FOLDS, d + 1))

    @property
    def n_features(self) -> int:
        """The number of features."""
        return len(self.origin)

    @property
    def total_weight(self) -> float:
        """The summed weights of all rows."""
        return float(self.class_gram[:, :, 0, 0].sum())

    def add(self, batch: NoisyBatch) -> None:
        """Add a batch of noisy rows with their codes."""
        X, noise = batch.merged()
        codes, weights = batch.y, batch.sample_weight
        weights = np.ones(len(codes)) if weights is None else weights
        self.weight_per_copy += batch.weight_per_copy()
        A = np.column_stack([np.ones(len(codes)), X - self.origin])
        folds = (self.rounds + np.arange(len(codes))) // RUN % N_FOLDS
        gram = self.class_gram.copy()
        for fold in np.unique(folds):
            for code in (0, 1):
                rows = (folds == fold) & (codes == code)
                gram[fold, code] += (A[rows] * weights[rows, None]).T @ A[rows]
        self.class_gram = gram
        self.noise = self.noise + (
            noise.sum(weights) if isinstance(noise, RowNoise) else weights.sum() * noise
        )
        self.A, self.codes = np.concatenate([self.A, A]), np.concatenate([self.codes, codes])
        self.weights = np.concatenate([self.weights, weights])
        self.folds = np.concatenate([self.folds, folds])
        self.rounds += len(codes)

    def summarise(self, n: int, slopes: FloatArray) -> None:
        """Replace the losses of the first n rows by their expansion at these slopes."""
        A, weights = self.A[:n], self.weights[:n]
        p = expit(A @ slopes)
        curvature = weights * p * (1.0 - p)
        gradient = weights * (p - self.codes[:n])
        hessian, linear = self.hessian.copy(), self.linear.copy()
        for fold in range(N_FOLDS):
            rows = self.folds[:n] == fold
            H = (A[rows] * curvature[rows, None]).T @ A[rows]
            hessian[fold] += H
            linear[fold] += H @ slopes - gradient[rows] @ A[rows]
        self.hessian, self.linear = hessian, linear
        self.A, self.codes = self.A[n:].copy(), self.codes[n:].copy()
        self.weights, self.folds = self.weights[n:].copy(), self.folds[n:].copy()

    def expand(self, n_features: int) -> None:
        """Add new features, which were zero in all earlier rows."""
        more = n_features - self.n_features
        self.origin = np.concatenate([self.origin, np.zeros(more)])
        self.A = np.pad(self.A, ((0, 0), (0, more)))
        self.class_gram = np.pad(self.class_gram, ((0, 0), (0, 0), (0, more), (0, more)))
        self.noise = np.pad(self.noise, ((0, more), (0, more)))
        self.hessian = np.pad(self.hessian, ((0, 0), (0, more), (0, more)))
        self.linear = np.pad(self.linear, ((0, 0), (0, more)))

    def noise_cov(self) -> FloatArray:
        """Return the mean noise covariance of the rows, which are means of their copies."""
        return self.noise / max(self.total_weight, np.finfo(float).tiny)

    def copy_noise_cov(self) -> FloatArray:
        """Return the mean noise covariance of one copy."""
        return self.noise / max(self.weight_per_copy, np.finfo(float).tiny)

    def feature_scales(self) -> FloatArray:
        """Return the standard deviations of the noisy features, and 1 for constant features."""
        return np.sqrt(feature_variances(self.gram(), True))

    def gram(self) -> FloatArray:
        """Return the Gram matrix of rows (1, x, 0)."""
        return np.pad(self.class_gram.sum(axis=(0, 1)), (0, 1))
