"""A configuration by name: how to compute its outputs, and how near they must stay.

Outputs are arrays by name. Under the rule "bits" every output must be the same bit for bit; under
"1e-9" floats may differ by rounding, and integers, masks and text must be equal.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Outputs = dict[str, NDArray[Any]]
Rule = Literal["bits", "1e-9"]


@dataclass(frozen=True)
class Case:
    """One configuration."""

    name: str
    rule: Rule
    run: Callable[[], Outputs]


def as_array(value: Any) -> NDArray[Any]:
    """Return an array that a file can hold without pickling: numbers, masks or text."""
    found = np.asarray(value)
    if found.dtype.kind in "OUSTM":
        return np.array([str(item) for item in found.ravel()], dtype=str).reshape(found.shape)
    return found
