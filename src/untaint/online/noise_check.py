r"""Plausibility of the declared noise.

The covariance of the noisy rows is :math:`S = S_x + \Sigma`, so that in no direction can the noise
exceed the total variance. Overstated noise does far more harm than understated noise: a share of
the variance above nine tenths causes a warning, and one that sampling error cannot explain an
error.

With d features and n rows the smallest eigenvalue of the sample covariance of pure noise, relative
to its expectation, is near :math:`(1 - \sqrt{d / n})^2` and not 1, and a single sample variance is
within :math:`1 \pm 3 \sqrt{2 / n}`: the limits allow for that.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf

from .._typing import FloatArray
from ..exceptions import OverstatedNoiseWarning
from .correction import centred_moments

WARNING_SHARE = 0.9  # noise variance over total variance from which a warning is issued
_MIN_ROWS = 30  # below it the sample variance is too uncertain
_SUSPICIOUS_SHARE = 0.5  # of the unit variance of features that seem to have been scaled
_UNIT_TOLERANCE = 0.001  # of unit variance and zero mean
_MARGIN = 1.1  # tolerated ratio beyond the sampling error of an eigenvalue


def check_declared_noise(
    gram: FloatArray, noise: FloatArray, centred: bool, names: Sequence[Any], stacklevel: int = 7
) -> None:
    """Warn if noise is nearly all of the variance in some direction, and raise if it is more."""
    n, d = gram[0, 0], len(noise)
    if n < _MIN_ROWS or not noise.any():
        return
    S, noise = centred_moments(gram, centred)[1][:-1, :-1], noise / n
    if not dpotrf(WARNING_SHARE * S - noise)[1]:  # positive definite: the noise is small enough
        return
    observed = np.diag(S)
    shares = np.diag(noise) / np.maximum(observed, np.finfo(float).tiny)
    worst = int(np.argmax(shares))
    if shares[worst] * (1.0 - 3.0 * np.sqrt(2.0 / n)) >= 1:
        raise ValueError(
            f"noise_cov must be smaller than the variance of the rows: for feature "
            f"{names[worst]!r} it says {noise[worst, worst]:.3g}, and the rows vary by "
            f"{observed[worst]:.3g} in all. (If a scaler in front of the learner has changed the "
            "rows only, untaint.online.NoiseAwareScaler scales both.)"
        )
    largest = _largest_share(S, noise) if n > d else 0.0
    edge = (1.0 - np.sqrt(d / n)) ** 2
    if largest * edge > _MARGIN:
        raise ValueError(
            "noise_cov must be smaller than the covariance of the rows: in one direction it says "
            f"{largest:.3g} times the variance that the rows have there."
        )
    if shares[worst] > WARNING_SHARE or (
        largest > WARNING_SHARE and (n >= 10 * d or largest * edge > WARNING_SHARE)
    ):
        share = max(shares[worst], min(largest, 1.0))
        warnings.warn(
            f"noise_cov explains {share:.0%} of the variance of the rows in one direction: what "
            "can be learnt there is little, and if the noise is overstated it is wrong.",
            OverstatedNoiseWarning,
            stacklevel=stacklevel,
        )


def warn_if_only_rows_were_scaled(
    gram: FloatArray, noise: FloatArray, origin: FloatArray, names: Sequence[Any]
) -> None:
    """Warn if noise is most of the variance of features that a scaler seems to have produced.

    Noisy features have means of zero and unit variances by chance very seldom, but behind a scaler
    always. Declared noise that is then most of the variance is likely in the units before it.
    """
    n = gram[0, 0]
    shares = noise.diagonal() / n
    if n < _MIN_ROWS or not len(shares) or shares.max() <= _SUSPICIOUS_SHARE:
        return
    means, moments = centred_moments(gram, True)
    variances = np.diag(moments)[:-1]
    tolerance = max(_UNIT_TOLERANCE, 4.0 / n)  # scalers of streams are less exact at first
    standardised = (np.abs(variances - 1.0) < tolerance) & (np.abs(means[:-1] + origin) < tolerance)
    if standardised.all():
        name = names[int(np.argmax(shares))]
        warnings.warn(
            f"the features have unit variance, and noise_cov is {shares.max():.0%} of it for the "
            f"feature {name!r}: if a scaler in front of the learner has changed the rows but not "
            "noise_cov, use untaint.online.NoiseAwareScaler, which scales both.",
            OverstatedNoiseWarning,
            stacklevel=7,
        )


def _largest_share(S: FloatArray, noise: FloatArray) -> float:
    """Return the largest eigenvalue of S^-1 noise over the features that vary."""
    varies = np.diag(S) > 0
    if not varies.any():
        return 0.0
    if not varies.all():
        S, noise = S[np.ix_(varies, varies)], noise[np.ix_(varies, varies)]
    scales = np.sqrt(np.diag(S))
    values, vectors = np.linalg.eigh(S / (scales[:, None] * scales))
    values = np.maximum(values, 1e-12)
    whiten = vectors / np.sqrt(values)
    return float(np.linalg.eigvalsh(whiten.T @ (noise / (scales[:, None] * scales)) @ whiten)[-1])
