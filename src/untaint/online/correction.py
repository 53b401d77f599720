r"""From the moments of noisy rows to those of clean ones.

With :math:`\tilde z = z + n` the sums :math:`\sum \tilde z \tilde z^T - \sum \Sigma_t` have the
mean :math:`\sum z z^T`; sums with the constant and the target need nothing removed. An entry that
is missing at random counts as zero, and a sum over pairs is divided by how often both were there.

A *share* of the noise below one removes less of it: biased towards the naive fit, and steadier.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from .._typing import FloatArray


class Correction(Protocol):
    """Estimate of the clean rows' sums of r r', r = (1, z, y)."""

    def __call__(self, second: FloatArray, noise: FloatArray, share: float) -> FloatArray:
        """Sums of r r' with a share of the noise removed; leading axes are carried along."""


def remove_noise(second: FloatArray, noise: FloatArray, share: float) -> FloatArray:
    """Sums of z z' less the noise's."""
    clean = second.copy()
    clean[..., 1:-1, 1:-1] -= share * noise
    return clean


def remove_noise_and_gaps(seen: FloatArray) -> Correction:
    """The same for rows with entries missing at random, seen in pairs as counted."""
    rates = np.maximum(seen, 1e-12) / seen[0, 0]

    def correct(second: FloatArray, noise: FloatArray, share: float) -> FloatArray:
        return remove_noise(np.where(seen > 0, second / rates, 0.0), noise, share)

    return correct


def spread(second: FloatArray, centred: bool) -> tuple[FloatArray, FloatArray]:
    """Means of (z, y), zero unless centred, and their second moments about those."""
    n = second[..., :1, :1]
    about = second[..., 1:, 1:] / n
    means = second[..., 0, 1:] / n[..., 0] * float(centred)
    return means, about - means[..., :, None] * means[..., None, :]
