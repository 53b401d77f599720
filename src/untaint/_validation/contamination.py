"""The share of wrong rows."""

from typing import Any

import numpy as np

from .._typing import FloatArray
from .parameters import is_real


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
            f"less than one row; give at least {int(np.ceil(1 / contamination))} rows, or "
            "contamination=0."
        )
