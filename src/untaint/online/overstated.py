r"""Whether the declared noise can be true.

The rows vary by signal plus noise, :math:`S = S_x + \Sigma`: in no direction can noise explain more
than all of the variance. A noise that is declared too large is far worse than one declared too
small, so a share above nine tenths brings a warning, and one that sampling cannot explain an error.

With d features and n rows the smallest eigenvalue of pure noise, relative to its covariance, comes
out near :math:`(1 - \sqrt{d / n})^2` and not 1, and a single variance within
:math:`1 \pm 3 \sqrt{2 / n}`: shares are judged by that measure.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._typing import FloatArray
from ..exceptions import OverstatedNoiseWarning
from .correction import spread

WARN = 0.9
_ENOUGH = 30  # rows before a share means anything
_MARGIN = 1.1  # by which a direction must exceed what sampling explains


def check_declared(
    second: FloatArray, noise: FloatArray, centred: bool, names: Sequence[Any]
) -> None:
    """Warn of a noise that explains nearly all, refuse one that explains more than all."""
    n, d = second[0, 0], len(noise)
    if n < _ENOUGH or not noise.any():
        return
    S, noise = spread(second, centred)[1][:-1, :-1], noise / n
    observed = np.diag(S)
    shares = np.diag(noise) / np.maximum(observed, np.finfo(float).tiny)
    worst = int(np.argmax(shares))
    if shares[worst] * (1.0 - 3.0 * np.sqrt(2.0 / n)) >= 1:
        raise ValueError(
            f"noise_cov must be smaller than the variance of the rows: for feature "
            f"{names[worst]!r} it says {noise[worst, worst]:.3g}, and the rows vary by "
            f"{observed[worst]:.3g} in all."
        )
    largest = _largest_share(S, noise) if n > d else 0.0
    edge = (1.0 - np.sqrt(d / n)) ** 2
    if largest * edge > _MARGIN:
        raise ValueError(
            "noise_cov must be smaller than the covariance of the rows: in one direction it says "
            f"{largest:.3g} times the variance that the rows have there."
        )
    if shares[worst] > WARN or (largest > WARN and (n >= 10 * d or largest * edge > WARN)):
        share = max(shares[worst], min(largest, 1.0))
        warnings.warn(
            f"noise_cov explains {share:.0%} of the variance of the rows in one direction: what "
            "can be learnt there is little, and if the noise is overstated it is wrong.",
            OverstatedNoiseWarning,
            stacklevel=7,
        )


def _largest_share(S: FloatArray, noise: FloatArray) -> float:
    """Largest eigenvalue of S^-1 noise, among the features that vary."""
    varies = np.diag(S) > 0
    S, noise = S[np.ix_(varies, varies)], noise[np.ix_(varies, varies)]
    if not varies.any():
        return 0.0
    scales = np.sqrt(np.diag(S))
    values, vectors = np.linalg.eigh(S / (scales[:, None] * scales))
    values = np.maximum(values, 1e-12)
    whiten = vectors / np.sqrt(values)
    return float(np.linalg.eigvalsh(whiten.T @ (noise / (scales[:, None] * scales)) @ whiten)[-1])
