"""Sample weights."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight

from .._typing import FloatArray

# Bounds of a positive sample weight, within which squares and sums of weights are finite.
MIN_WEIGHT, MAX_WEIGHT = 1e-100, 1e100


def check_weights(sample_weight: Any, X: Any) -> FloatArray:
    if sample_weight is not None:
        _check_weights_are_numbers(np.asarray(sample_weight))
    with np.errstate(over="ignore", invalid="ignore"):
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0).any():
        raise ValueError(
            f"sample_weight must not be negative, got a smallest weight of {weights.min():g}."
        )
    odd = weights[(weights > 0) & ((weights < MIN_WEIGHT) | (weights > MAX_WEIGHT))]
    if len(odd):
        raise ValueError(
            f"sample_weight must be zero or between {MIN_WEIGHT:g} and {MAX_WEIGHT:g}, "
            f"got {odd[0]:g}."
        )
    return weights


def _check_weights_are_numbers(weights: NDArray[Any]) -> None:
    if weights.dtype.kind not in "biuf":
        try:
            weights = weights.astype(float)
        except (ValueError, TypeError):
            raise ValueError(
                f"sample_weight must hold numbers, got the type {weights.dtype}."
            ) from None
    if not weights.any():
        raise ValueError("sample_weight must be positive for at least one row, got only zeros.")
