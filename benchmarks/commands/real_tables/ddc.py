"""Deviating cells by the robust correlations of columns: a plain reference of DDC.

P. J. Rousseeuw and W. Van den Bossche, "Detecting deviating data cells", Technometrics 60 (2018).
Columns are standardised robustly to z, and cells beyond c = sqrt(chi2(0.99; 1)) are set aside.
Columns h with a robust correlation above 0.5 with column j, and j itself, predict its cells as

    zhat_ij = a_j sum_h |cor_jh| b_jh z_ih / sum_h |cor_jh|

with the robust slopes b_jh and a slope a_j against shrinkage. A cell is flagged if its residual
z_ij - zhat_ij, divided by the robust scale of its column's residuals, is beyond c. Columns without
a correlated one are judged by z alone. The flags of whole rows and the fast choice of neighbours in
wide tables are left out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, norm

Array = NDArray[np.float64]

QUANTILE = 0.99
CORRELATION = 0.5
# Cut-offs of the one-step M-estimators of location and scale, in robust deviations.
LOCATION_CUT, SCALE_CUT = 3.0, 2.5
MAX_MISSING = 0.5
MIN_VALUES = 4

_CUT = float(np.sqrt(chi2.ppf(QUANTILE, 1)))
_TAIL = 2 * norm.sf(SCALE_CUT)
# The mean of min(z², cut²) of a normal z.
_CONSISTENT = 1 - _TAIL - 2 * SCALE_CUT * norm.pdf(SCALE_CUT) + SCALE_CUT**2 * _TAIL


def deviating_cells(X: Array) -> tuple[NDArray[np.bool_], Array]:
    """Return which cells deviate, and the value that the others predict for each; NaN is missing.

    Columns of fewer than four values, without spread or mostly missing are not judged.
    """
    flagged, expected = np.zeros(X.shape, dtype=bool), np.full(X.shape, np.nan)
    used = [j for j in range(X.shape[1]) if _is_usable(X[:, j])]
    if not used:
        return flagged, expected
    centres = np.array([_location(X[:, j]) for j in used])
    scales = np.array([_scale(X[:, j] - m) for j, m in zip(used, centres, strict=True)])
    Z = (X[:, used] - centres) / scales
    residuals, predicted = _residuals(Z)
    with np.errstate(invalid="ignore"):
        flagged[:, used] = np.abs(residuals) > _CUT
    expected[:, used] = centres + scales * predicted
    return flagged, expected


def _residuals(Z: Array) -> tuple[Array, Array]:
    """Return standardised residuals of all cells and the predictions."""
    with np.errstate(invalid="ignore"):
        U = np.where(np.abs(Z) > _CUT, np.nan, Z)
    d = Z.shape[1]
    correlations = np.eye(d)
    for j in range(d):
        for h in range(j):
            correlations[j, h] = correlations[h, j] = _correlation(Z[:, j], Z[:, h])
    residuals, predicted = Z.copy(), np.zeros_like(Z)
    for j in range(d):
        near = np.flatnonzero(np.abs(correlations[j]) >= CORRELATION)
        if len(near) < 2:
            continue
        slopes = np.array([1.0 if h == j else _slope(Z[:, h], Z[:, j]) for h in near])
        weights = np.where(np.isnan(U[:, near]), 0.0, np.abs(correlations[j, near]))
        total = weights.sum(axis=1)
        sums = (weights * np.nan_to_num(U[:, near]) * slopes).sum(axis=1)
        zhat = np.divide(sums, total, out=np.zeros_like(sums), where=total > 0)
        zhat *= _slope(zhat, Z[:, j])
        predicted[:, j] = zhat
        difference = Z[:, j] - zhat
        spread = _scale(difference[~np.isnan(difference)])
        residuals[:, j] = difference / spread if spread > 0 else Z[:, j]
    return residuals, predicted


def _correlation(a: Array, b: Array) -> float:
    """Return the plain correlation of the pairs within a robust tolerance ellipse.

    The ellipse is that of a first estimate from the scales of sum and difference.
    """
    both = ~(np.isnan(a) | np.isnan(b))
    a, b = a[both], b[both]
    if len(a) < MIN_VALUES:
        return 0.0
    plus, minus = _scale(a + b) ** 2, _scale(a - b) ** 2
    first = np.clip((plus - minus) / max(plus + minus, 1e-300), -0.99, 0.99)
    distance = (a**2 - 2 * first * a * b + b**2) / (1 - first**2)
    inside = distance <= chi2.ppf(QUANTILE, 2)
    a, b = a[inside], b[inside]
    size = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / size) if size > 0 else 0.0


def _slope(x: Array, y: Array) -> float:
    """Return the slope of y on x through zero: least squares without rows far from a median."""
    able = ~(np.isnan(x) | np.isnan(y)) & (np.abs(x) > 1e-12)
    x, y = x[able], y[able]
    if len(x) == 0:
        return 1.0
    difference = y - x * np.median(y / x)
    kept = np.abs(difference) <= _CUT * max(_scale(difference), 1e-12)
    return float(x[kept] @ y[kept] / (x[kept] @ x[kept])) if kept.any() else 1.0


def _location(x: Array) -> float:
    """Return one biweight step from the median."""
    x = x[~np.isnan(x)]
    centre = np.median(x)
    t = (x - centre) / (LOCATION_CUT * _deviation(x - centre))
    weights = np.where(np.abs(t) < 1, (1 - t**2) ** 2, 0.0)
    return float(weights @ x / weights.sum())


def _scale(x: Array) -> float:
    """Return one step from the median absolute value, with squares bounded."""
    x = x[~np.isnan(x)]
    first = _deviation(x)
    if first == 0:
        return 0.0
    return float(first * np.sqrt(np.minimum((x / first) ** 2, SCALE_CUT**2).mean() / _CONSISTENT))


def _deviation(x: Array) -> float:
    return float(1.4826 * np.median(np.abs(x))) if len(x) else 0.0


def _is_usable(x: Array) -> bool:
    present = x[~np.isnan(x)]
    if len(present) < MAX_MISSING * len(x) or len(np.unique(present)) < MIN_VALUES:
        return False
    return _deviation(present - np.median(present)) > 0
