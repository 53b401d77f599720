r"""The audit table of the training samples, flagged samples first.

With :math:`p_i` the posterior probability that sample i is an inlier, the expected number of false
discoveries of flagging a set F is :math:`\sum_F p_i`. The samples of smallest p are flagged as long
as the false-discovery rate :math:`\sum_F p_i / |F|` does not exceed a given level; the smallest
level at which a sample is flagged is its q-value.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray, FloatArray, IntArray
from ..screening.screen import Screen

# Outlying features that are listed for a sample at most.
MAX_FEATURES = 3


@final
@dataclass(frozen=True)
class LooDiagnostics:
    """Leave-one-out outlier diagnostics of the training samples.

    Scores are larger for outliers, ``inlier_probability`` is the posterior probability that a
    target is correct, ``expected`` its leave-one-out prediction, and ``far_off`` the mask of
    targets that are outliers for any features. ``probabilities`` are those of the classes, (n, K),
    for labels.
    """

    score: FloatArray
    inlier_probability: FloatArray
    expected: NDArray[Any]
    far_off: BoolArray
    probabilities: FloatArray | None = None


def q_values(inlier_probability: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the q-values: the smallest false-discovery rate at which each sample is flagged."""
    level = np.round(inlier_probability, 9)  # copies of a sample differ by rounding errors
    order = np.argsort(level, kind="stable")
    counted = np.maximum(weights[order], np.finfo(float).tiny)
    rates = np.cumsum(inlier_probability[order] * counted) / np.cumsum(counted)
    # Tied samples are flagged together, at the rate of the last.
    last = np.searchsorted(level[order], level[order], side="right") - 1
    values = np.empty(len(inlier_probability))
    values[order] = rates[last]
    return values


def kinds(flagged: BoolArray, feature_outlier: BoolArray, far_off: BoolArray) -> NDArray[np.str_]:
    """Return the kind of each outlier, "target", "features" or "both", and "" for inliers."""
    kind = np.full(len(flagged), "", dtype="<U8")
    kind[flagged & ~feature_outlier] = "target"
    kind[feature_outlier & far_off] = "both"
    kind[feature_outlier & ~far_off] = "features"
    return kind


def beyond_range(y: FloatArray, kept: BoolArray) -> BoolArray:
    """Return whether targets, (n, k), lie half a range beyond the range of the kept ones."""
    if not kept.any():  # tied samples may all be kept to a small fraction only
        return np.zeros(len(y), dtype=bool)
    low, high = y[kept].min(axis=0), y[kept].max(axis=0)
    margin = 0.5 * (high - low)
    return ((y < low - margin) | (y > high + margin)).any(axis=1)


def outlying_feature_names(screen: Screen | None, n_rows: int, names: Any) -> NDArray[np.str_]:
    """Return names, or indices, of the outlying features of each feature outlier."""
    texts = [""] * n_rows
    if screen is not None:
        rows = np.flatnonzero(screen.feature_outlier)
        for row, features in zip(rows, screen.outlying_features(rows), strict=True):
            chosen = features[:MAX_FEATURES]
            texts[row] = ", ".join(str(f if names is None else names[f]) for f in chosen)
    return np.array(texts)


def audit_table(
    *,
    screen: Screen | None,
    flagged: BoolArray,
    score: FloatArray,
    observed: NDArray[Any],
    expected: NDArray[Any],
    far_off: BoolArray,
    names: Any = None,
    q_value: FloatArray | None = None,
    misfit: BoolArray | None = None,
    kept: BoolArray | None = None,
    more: Mapping[str, NDArray[Any]] | None = None,
) -> Any:
    """Return the audit table: one line per training sample, flagged first, by decreasing score.

    See :class:`LooDiagnostics`; ``names`` are those of features, ``misfit`` marks samples that are
    kept though the function is off where they lie, ``kept`` those that the fit kept, by default all
    that are not flagged, and ``more`` are more columns.
    """
    n = len(flagged)
    feature_outlier = np.zeros(n, dtype=bool) if screen is None else screen.feature_outlier
    kind = kinds(flagged, feature_outlier & flagged, far_off)
    if misfit is not None:
        kind[misfit & ~flagged] = "misfit"
    columns = {
        "row": np.arange(n),
        "score": score,
        "kept": ~flagged if kept is None else kept,
        "flagged": flagged,
        **({} if q_value is None else {"q_value": q_value}),
        "observed": observed,
        "expected": expected,
        "kind": kind,
        "features": outlying_feature_names(screen, n, names),
        **(more or {}),
    }
    return table(columns, np.lexsort((-score, ~flagged)))


def table(columns: Mapping[str, NDArray[Any]], order: IntArray) -> Any:
    """Return reordered columns as a data frame, or a structured array without pandas."""
    ordered = {name: values[order] for name, values in columns.items()}
    try:
        import pandas
    except ImportError:
        kind = [(name, values.dtype, values.shape[1:]) for name, values in ordered.items()]
        result = np.empty(len(order), dtype=kind)
        for name, values in ordered.items():
            result[name] = values
        return result
    # Several outputs are arrays as cells.
    cells = {name: x if x.ndim == 1 else list(x) for name, x in ordered.items()}
    return pandas.DataFrame(cells)
