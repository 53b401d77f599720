"""Sample weights, and the share of wrong rows among them."""

from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from .._typing import AnyArray, FloatArray
from .parameters import is_real

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


def _check_weights_are_numbers(weights: AnyArray) -> None:
    if weights.dtype.kind not in "biuf":
        try:
            if weights.dtype.kind == "c":
                raise TypeError
            weights = weights.astype(float)
        except (ValueError, TypeError):
            raise ValueError(
                f"sample_weight must hold numbers, got the type {weights.dtype}."
            ) from None
    if not weights.any():
        raise ValueError("sample_weight must be positive for at least one row, got only zeros.")


def check_contamination(contamination: Any, sample_weight: FloatArray) -> float | None:
    """Return the contamination in [0, 0.5), None for "auto"."""
    if isinstance(contamination, str) and contamination == "auto":
        return None
    return check_known_contamination(contamination, sample_weight, ' or "auto"')


def check_known_contamination(
    contamination: Any, sample_weight: FloatArray | None = None, or_else: str = ""
) -> float:
    """Return the contamination in [0, 0.5), of at least one sample if the weights are given."""
    if not is_real(contamination) or not 0 <= contamination < 0.5:
        raise ValueError(
            f"contamination must be a number in [0, 0.5){or_else}, got {contamination!r}."
        )
    if sample_weight is not None:
        _check_trimmable(contamination, sample_weight)
    return float(contamination)


def _check_trimmable(contamination: float, sample_weight: FloatArray) -> None:
    rows = max(float(sample_weight.sum()), float(np.count_nonzero(sample_weight)))
    if 0 < contamination * rows < 1 - 1e-9:
        raise ValueError(
            f"too few rows to trim: contamination={contamination!r} of n_samples = {rows:g} is "
            f"less than one row; give at least {np.ceil(1 / contamination):.0f} rows, or "
            "contamination=0."
        )
