r"""Unbiased estimates of the gradient of the clean squared loss.

The clean gradient is :math:`\nabla = 2 (\langle w, x \rangle - y) x`. Cesa-Bianchi, Shalev-Shwartz
and Shamir, Algorithm 1, estimate it from two independent copies a, b of x by :math:`2 (\langle w, a
\rangle - y) b`. The mean of this and of the same with the copies exchanged is used here: it has
about half of the variance if the target has no noise, and up to all of it if the noise of y, which
both share, is most of the residual. From one copy and the covariance of its noise it is :math:`2
(\langle w, \tilde x \rangle - y) \tilde x - 2 \Sigma w`: the noise enters twice, and the printed
:math:`-\Sigma w` removes half.
"""

from dataclasses import replace

import numpy as np

from .._typing import FloatArray
from .noise import Noise, RowNoise
from .noisy_batch import NoisyBatch
from .replicates import mean_of_copies


def gradient_from_copies(w: FloatArray, a: FloatArray, b: FloatArray, y: float) -> FloatArray:
    """Return the unbiased gradient from two independent noisy copies."""
    return (w @ a - y) * b + (w @ b - y) * a


def gradient_from_covariance(
    w: FloatArray, x: FloatArray, y: float, noise_times_w: FloatArray
) -> FloatArray:
    """Return the unbiased gradient from one noisy copy, given ``noise_times_w`` = Sigma w."""
    return 2.0 * ((w @ x - y) * x - noise_times_w)


def rescale_observed(x: FloatArray, rates: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Return inverse-probability weighted rows and the variances due to missing entries.

    An entry observed with probability p is :math:`x_j / p` if observed and zero if not: unbiased,
    with variance :math:`x_j^2 (1 - p) / p`, which :math:`(1 - p) \tilde x_j^2` estimates without
    bias.
    """
    rescaled = np.where(np.isnan(x), 0.0, x) / rates
    return rescaled, (1.0 - rates) * rescaled**2


def with_one_copy(batch: NoisyBatch) -> NoisyBatch:
    """Return rows with the mean of their other measurements as the second copy."""
    if batch.X_true is not None or (batch.estimates_noise and batch.noise is not None):
        raise ValueError(
            'X_true and noise_factor="estimate" must be used with learning_rate="auto": gradient '
            "steps do not estimate noise."
        )
    if not batch.has_replicates or batch.noise is not None:
        return batch
    if batch.X_copy is not None and batch.X_copy.ndim == 2:
        return replace(batch, estimates_noise=False)
    copy = None if batch.X_copy is None else mean_of_copies(batch.X_copy)
    if copy is None or np.isnan(copy).any():
        raise ValueError(
            "X_copy must have a copy of every row for gradient steps unless noise_cov is given as "
            'numbers; learning_rate="auto" needs copies of some rows only.'
        )
    return replace(batch, X_copy=copy, estimates_noise=False)


def noise_matvec(noise: Noise | None, t: int, w: FloatArray) -> FloatArray:
    """Return Sigma w, with zero for the constant, which has no noise."""
    out = np.zeros_like(w)
    if isinstance(noise, RowNoise):
        out[1:] = noise.matvec(t, w[1:])
    elif noise is not None:
        out[1:] = noise @ w[1:]
    return out


def largest_variances(noise: Noise) -> FloatArray | float:
    """Return the spectral norm of the noise covariance, or that of each row."""
    if isinstance(noise, RowNoise):
        if noise.kind == "variances":
            return noise.values.max(axis=1)
        return np.linalg.eigvalsh(noise.values)[:, -1]
    return float(np.linalg.eigvalsh(noise)[-1])
