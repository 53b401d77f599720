r"""Whether the kernel matrix depends on all columns of X, for some rows near the centre.

With s_j a robust scale of column j and K the kernel matrix of these rows, the fit is of no use if

* :math:`\max s / \min s > 10^6`: a column of smaller scale has no part in any distance;
* :math:`K_{ij} < 10^{-10}` for all :math:`i \ne j`: a new row is like no other;
* the kernel's variance :math:`v = \mathrm{mean}(K_{ii}) - \mathrm{mean}(K_{ij})` is below
  :math:`10^{-12}` of mean K_ii (rounding), or the weights' sum times v below
  :math:`10^{-8} \min(\alpha, 1)` (the penalty leaves a constant, and would if alpha were 1);
* :math:`\alpha < 10^{-12} v` for a linear kernel of more columns than rows (no penalty is left).

Constant columns and equal rows carry no information, and are ignored.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from .._policy import policy
from .._typing import FloatArray, IntArray
from .._validation import in_double
from ..kernels import CallableKernel, Linear, Polynomial, Precomputed
from ..screening.scales import centres_of, scales_of
from .base import Design, Sketch, measured_from, taken
from .kernel_matrix import KernelMatrixDesign
from .subsample import draw_rows

# Rows whose scales and kernel values are looked at; of many columns fewer, of so many values.
ROWS, FEWEST_ROWS, VALUES = 100, 15, 100_000
# Rows drawn from very many, of which those are chosen.
DRAWN_ROWS = 1000
# Largest ratio of two columns' scales, and the scale of a column over its size that is rounding.
MAX_RATIO = 1e6
ROUNDING = 1e-14
# Largest kernel value of rows that are all unlike, smallest variance over the mean of K_ii, and
# over alpha.
UNLIKE = 1e-10
CONSTANT = 1e-12
NEGLIGIBLE = 1e-8


def scale_message(design: Design, names: Sequence[Any] | None = None) -> str:
    """Return what is wrong with the scales of X and what to do, in words; empty if nothing is."""
    if isinstance(design.kernel, Precomputed):
        return ""
    total = float(design.sample_weight.sum())
    if len(design.sample_weight) > policy().subsample_rows:
        design = _drawn(design)
    count = int(np.clip(VALUES // max(design.X.shape[1], 1), FEWEST_ROWS, ROWS))
    chosen = design.representatives(count).rows
    scales = column_scales(taken(design.X, chosen))
    if not scales.any():
        return ""
    return _columns_message(design, scales, names) or _kernel_message(design, chosen, total)


def _drawn(design: Design) -> Sketch:
    """Return the design of some of many rows."""
    drawn = draw_rows(design.sample_weight, DRAWN_ROWS)
    settings = (np.ones(len(drawn)), design.alpha, design.fit_intercept)
    return Sketch(design.kernel, in_double(design.X[drawn]), *settings)


def column_scales(X: Any) -> FloatArray:
    """Return robust scales of columns; root mean squares of sparse ones; zero if constant."""
    if sparse.issparse(X):
        return np.sqrt(np.asarray(X.multiply(X).mean(axis=0)).ravel())
    X = np.asarray(X, dtype=float)
    weights = np.ones(len(X))
    middle = centres_of(X, weights)
    scales = scales_of(X - middle, weights)
    return np.where(scales > ROUNDING * np.abs(middle), scales, 0.0)


def _columns_message(design: Design, scales: FloatArray, names: Sequence[Any] | None) -> str:
    """Name the columns of the largest and of the smallest scale if one hides the other."""
    if isinstance(design.kernel, CallableKernel):
        return ""
    large, small = int(np.argmax(scales)), int(np.argmin(np.where(scales > 0, scales, np.inf)))
    if not scales[large] > MAX_RATIO * scales[small]:
        return ""
    first, second = (repr(names[j]) if names is not None else str(j) for j in (large, small))
    return (
        f"column {first} of X dominates: its scale, {scales[large]:.1g}, is "
        f"{scales[large] / scales[small]:.0e} times that of column {second}, which has no "
        "influence on the fit; scale the columns, for example with "
        "untaint.preprocessing.MedianScaler"
    )


def _kernel_message(design: Design, chosen: IntArray, total: float) -> str:
    """Return whether the kernel's values are all equal, all zero, or negligible beside alpha."""
    kernel = design.kernel
    if isinstance(design, KernelMatrixDesign):
        K = design.K[np.ix_(chosen, chosen)].astype(float)
    else:
        K = kernel.matrix(taken(measured_from(design.centre, design.X), chosen), dtype=np.float64)
    diagonal = float(np.diag(K).mean())
    variance = diagonal - float(K.mean())
    if not np.isfinite(K).all() or len(K) < 2:
        return ""
    decays = kernel.distance is not None and not isinstance(kernel, Polynomial)
    if decays and np.abs(K - np.diag(np.diag(K))).max() < UNLIKE:
        return (
            "no two rows of X are alike under the kernel, so that predictions for new rows are "
            "constant; scale the columns of X or lower gamma"
        )
    if variance <= CONSTANT * diagonal:
        remedy = "scale the columns of X or raise gamma" if decays else "centre and scale X"
        return f"all rows of X are alike under the kernel, up to rounding; {remedy}"
    if total * variance < NEGLIGIBLE * min(design.alpha, 1.0):
        return (
            f"the kernel of the rows of X varies by {variance:.1g} only, so that alpha="
            f"{design.alpha:.2g} leaves a constant; scale the columns of X or lower alpha"
        )
    interpolates = isinstance(kernel, Linear) and design.X.shape[1] > len(design.sample_weight)
    if interpolates and 0 < design.alpha < CONSTANT * variance:
        return (
            f"the kernel of the rows of X varies by {variance:.1g}, beside which alpha="
            f"{design.alpha:.2g} is nothing, so that every target is reached; scale the columns "
            "of X or raise alpha"
        )
    return ""
