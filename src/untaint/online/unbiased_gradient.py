r"""Unbiased estimates of the gradient of the clean squared loss.

The clean gradient is :math:`\nabla = 2 (\langle w, x \rangle - y) x`. Cesa-Bianchi, Shalev-Shwartz
and Shamir, Algorithm 1, estimate it from two independent copies a, b of x by :math:`2 (\langle w, a
\rangle - y) b`. The mean of this and of the same with the copies exchanged is used here: it has
about half of the variance if the target has no noise, and up to all of it if the noise of y, which
both share, is most of the residual. From one copy and the covariance of its noise it is :math:`2
(\langle w, \tilde x \rangle - y) \tilde x - 2 \Sigma w`: the noise enters twice, and the printed
:math:`-\Sigma w` removes half.
"""

import numpy as np

from .._typing import FloatArray


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
