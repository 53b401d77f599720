r"""The list of rows, most suspicious first.

With :math:`p_i` the probability that row i is good, flagging a set F of rows is wrong in
:math:`\sum_F p_i` of them, as far as anybody can tell. The rows of smallest p are flagged as long
as the share of such mistakes, :math:`\sum_F p_i / |F|`, stays at the false-discovery rate asked
for; the smallest rate at which a row would be flagged is its q-value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray, FloatArray, IntArray
from ..screening.screen import Screen

# Odd features that are named for a row.
NAMED_FEATURES = 3


@final
@dataclass(frozen=True)
class LooDiagnostics:
    """What a fit says of each row when the row itself is left out of it.

    Attributes
    ----------
    score : array of shape (n,)
        Higher is more suspicious.
    good : array of shape (n,)
        Probability that the row's target is right.
    expected : array
        Target that the others would give it.
    far_off : bool array of shape (n,)
        Whether the target is out of all proportion, wherever the row lies.
    """

    score: FloatArray
    good: FloatArray
    expected: NDArray[Any]
    far_off: BoolArray


def q_values(good: FloatArray, weights: FloatArray) -> FloatArray:
    """Smallest false-discovery rate at which each row is flagged.

    Parameters
    ----------
    good, weights : array of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> q_values(np.array([0.5, 0.0, 0.1]), np.ones(3))
    array([0.2 , 0.  , 0.05])
    """
    level = np.round(good, 9)  # copies of a row differ in their last digits
    order = np.argsort(level, kind="stable")
    counted = np.maximum(weights[order], np.finfo(float).tiny)
    rates = np.cumsum(good[order] * counted) / np.cumsum(counted)
    # Rows that are alike share one fate: the last of them decides.
    last = np.searchsorted(level[order], level[order], side="right") - 1
    values = np.empty(len(good))
    values[order] = rates[last]
    return values


def kinds(flagged: BoolArray, feature_outlier: BoolArray, far_off: BoolArray) -> NDArray[np.str_]:
    """What is wrong with each row: its target, its features, both, or nothing."""
    kind = np.full(len(flagged), "", dtype="<U8")
    kind[flagged & ~feature_outlier] = "target"
    kind[feature_outlier & far_off] = "both"
    kind[feature_outlier & ~far_off] = "features"
    return kind


def beyond_range(y: FloatArray, kept: BoolArray) -> BoolArray:
    """Whether a target, (n, k), lies half a range beyond those of the kept rows.

    Examples
    --------
    >>> import numpy as np
    >>> beyond_range(np.array([[0.0], [1.0], [9.0]]), np.array([True, True, False]))
    array([False, False,  True])
    """
    if not kept.any():  # rows that tie may all be kept in small part
        return np.zeros(len(y), dtype=bool)
    low, high = y[kept].min(axis=0), y[kept].max(axis=0)
    margin = 0.5 * (high - low)
    return ((y < low - margin) | (y > high + margin)).any(axis=1)


def outlying_feature_names(screen: Screen | None, n_rows: int, names: Any) -> NDArray[np.str_]:
    """Names, or numbers, of the features that make wild rows odd, the oddest first."""
    texts = [""] * n_rows
    if screen is not None:
        rows = np.flatnonzero(screen.feature_outlier)
        for row, features in zip(rows, screen.outlying_features(rows), strict=True):
            chosen = features[:NAMED_FEATURES]
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
    more: Mapping[str, NDArray[Any]] | None = None,
) -> Any:
    """One line a training row, flagged rows first, the most suspicious first among them.

    Parameters
    ----------
    screen : Screen, optional
        What the features alone say.
    flagged, score, observed, expected, far_off
        Of each row; see :class:`LooDiagnostics`.
    names : sequence of str, optional
        Of the features.
    q_value : array of shape (n,), optional
        Where it is known how sure a flag is.
    more : mapping of str to array, optional
        Further columns.
    """
    n = len(flagged)
    feature_outlier = np.zeros(n, dtype=bool) if screen is None else screen.feature_outlier
    columns = {
        "row": np.arange(n),
        "score": score,
        "kept": ~flagged,
        "flagged": flagged,
        **({} if q_value is None else {"q_value": q_value}),
        "observed": observed,
        "expected": expected,
        "kind": kinds(flagged, feature_outlier & flagged, far_off),
        "features": outlying_feature_names(screen, n, names),
        **(more or {}),
    }
    return table(columns, np.lexsort((-score, ~flagged)))


def table(columns: Mapping[str, NDArray[Any]], order: IntArray) -> Any:
    """Columns in this order of rows: a data frame if pandas is there, else a structured array."""
    ordered = {name: values[order] for name, values in columns.items()}
    try:
        import pandas
    except ImportError:
        kind = [(name, values.dtype, values.shape[1:]) for name, values in ordered.items()]
        result = np.empty(len(order), dtype=kind)
        for name, values in ordered.items():
            result[name] = values
        return result
    return pandas.DataFrame(
        {
            name: values if values.ndim == 1 else list(values)  # several outputs: one array a cell
            for name, values in ordered.items()
        }
    )
