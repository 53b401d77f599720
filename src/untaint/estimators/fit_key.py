"""What tells one fit from another: its parameters and its rows, in a few characters."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np

from .._policy import policy
from .._typing import FloatArray
from ..design.subsample import draw_rows


def fit_key(
    name: str, parameters: Mapping[str, Any], X: Any, y: FloatArray, weights: FloatArray
) -> str:
    """Equal for equal fits. All targets and weights count, and a sample of the rows."""
    digest = sha256()
    digest.update(repr((name, sorted(parameters.items()), X.shape, str(X.dtype))).encode())
    sample = X[draw_rows(np.ones(X.shape[0]), policy().subsample_rows)]
    dense = sample if isinstance(sample, np.ndarray) else sample.toarray()
    for array in (dense, y, weights):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
