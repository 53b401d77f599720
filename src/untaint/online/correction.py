r"""Estimates of the clean rows' moments from those of noisy rows.

For :math:`\tilde z = z + n` the sum :math:`\sum \tilde z \tilde z^T - \sum \Sigma_t` has the mean
:math:`\sum z z^T`; products with the constant and with the target are unbiased as they are. An
entry that is missing at random counts as zero, and a sum over pairs of entries is divided by the
rate at which both were observed.

A *share* below one subtracts only that part of the noise covariance: the fit is then biased towards
the naive one, with less variance.
"""

from typing import Protocol, final

import numpy as np

from .._typing import FloatArray


class MomentCorrection(Protocol):
    """A function that estimates the clean rows' Gram matrix of r = (1, z, y) from noisy rows."""

    def __call__(self, gram: FloatArray, noise: FloatArray, share: float) -> FloatArray:
        """Return the Gram matrix with a share of the noise removed; leading axes are batch axes."""


def remove_noise(gram: FloatArray, noise: FloatArray, share: float) -> FloatArray:
    """Subtract a share of the summed noise covariance from the feature block of the Gram matrix."""
    clean = gram.copy()
    clean[..., 1:-1, 1:-1] -= share * noise
    return clean


@final
class MissingCorrection:
    """A correction for noise and for entries missing at random.

    ``observed`` (d + 2, d + 2) counts how often each pair of entries was observed together.
    """

    def __init__(self, n_features: int) -> None:
        self.observed: FloatArray = np.zeros((n_features + 2, n_features + 2))

    def count(self, present: FloatArray) -> None:
        """Count the observed entries of new rows, given as 0 or the root of the weight."""
        self.observed += present.T @ present

    def expand(self, n_features: int) -> None:
        """Add new features, which were absent from all earlier rows."""
        self.observed = insert_features(self.observed, n_features)

    def __call__(self, gram: FloatArray, noise: FloatArray, share: float) -> FloatArray:
        """Divide by the rates at which pairs were observed, and remove a share of the noise."""
        rates = np.maximum(self.observed, 1e-12) / self.observed[0, 0]
        return remove_noise(np.where(self.observed > 0, gram / rates, 0.0), noise, share)


def insert_features(gram: FloatArray, n_features: int) -> FloatArray:
    """Return Gram matrices of rows (1, z, y) in which new features of zero precede the target."""
    kept = np.r_[: gram.shape[-1] - 1, n_features + 1]
    out = np.zeros((*gram.shape[:-2], n_features + 2, n_features + 2))
    out[..., kept[:, None], kept] = gram
    return out


def centred_moments(gram: FloatArray, centred: bool) -> tuple[FloatArray, FloatArray]:
    """Return the means of (z, y), zero unless centred, and the second moments about them."""
    n = gram[..., :1, :1]
    moments = gram[..., 1:, 1:] / n
    means = gram[..., 0, 1:] / n[..., 0] * float(centred)
    return means, moments - means[..., :, None] * means[..., None, :]


def feature_variances(gram: FloatArray, centred: bool) -> FloatArray:
    """Return the variances of the features, and 1 for constant features."""
    per_row = 1.0 / np.maximum(gram[..., :1, 0], np.finfo(float).tiny)
    squares = np.einsum("...ii->...i", gram)[..., 1:-1] * per_row
    variances = squares - (gram[..., 0, 1:-1] * per_row) ** 2 if centred else squares
    return np.where(variances > 1e-14 * squares, variances, 1.0)
