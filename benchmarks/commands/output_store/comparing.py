r"""How far the outputs of a configuration are from those stored.

The difference of two arrays of floats is relative to each value, or to the array's typical value
where that is larger:

.. math:: \max_i \frac{|a_i - b_i|}{\max(|a_i|, \mathrm{median}|a|)},

with the mean in place of a median of zero. Values that are not finite must be the same.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.commands.output_store.case import Outputs, Rule

TOLERANCE = 1e-9


@dataclass(frozen=True)
class Difference:
    """The difference of a configuration: outputs beyond its rule, and the largest of all.

    Attributes
    ----------
    beyond : dict from output to (difference, words)
    largest : float
    """

    beyond: dict[str, tuple[float, str]]
    largest: float

    def __str__(self) -> str:
        if self.beyond:
            words = (f"{name} {message}" for name, (_, message) in sorted(self.beyond.items()))
            return "DIFFERENT: " + "; ".join(words)
        return f"differs by {self.largest:.1e}" if self.largest else "same bits"


def compare_outputs(stored: Outputs, found: Outputs, rule: Rule) -> Difference:
    """Compare every output, those too that only one side has."""
    beyond = {name: (np.inf, "is gone") for name in stored if name not in found}
    beyond |= {name: (np.inf, "is new") for name in found if name not in stored}
    largest = 0.0
    for name in stored.keys() & found.keys():
        gap, message = difference(stored[name], found[name])
        largest = max(largest, gap)
        if gap > (TOLERANCE if rule == "1e-9" else 0.0):
            beyond[name] = (gap, message)
    return Difference(beyond, largest)


def difference(a: NDArray[Any], b: NDArray[Any]) -> tuple[float, str]:
    """The relative difference, infinite where there is none to speak of, and how to tell it."""
    if a.shape != b.shape or (a.dtype.kind, a.dtype.itemsize) != (b.dtype.kind, b.dtype.itemsize):
        if a.dtype.kind == b.dtype.kind == "U" and a.shape == b.shape:
            return unequal(a, b)
        return np.inf, f"was {a.dtype} {a.shape}, is {b.dtype} {b.shape}"
    if a.tobytes() == b.tobytes():
        return 0.0, "same"
    return relative(a, b) if a.dtype.kind in "fc" else unequal(a, b)


def unequal(a: NDArray[Any], b: NDArray[Any]) -> tuple[float, str]:
    """Compare integers, masks and text, which are equal or not."""
    count = int((a != b).sum())
    return (np.inf if count else 0.0), f"differs in {count} of {a.size}"


def relative(a: NDArray[Any], b: NDArray[Any]) -> tuple[float, str]:
    """Return the relative difference of floats; signs of zero differ by the smallest number."""
    finite = np.isfinite(a)
    if (finite != np.isfinite(b)).any() or not _same(a[~finite], b[~finite]):
        return np.inf, "differs where it is not finite"
    sizes, gaps = np.abs(a[finite]), np.abs(a[finite] - b[finite])
    typical = np.median(sizes) or sizes.mean() or np.abs(b[finite]).mean()
    gap = float((gaps / np.maximum(np.maximum(sizes, typical), np.finfo(float).tiny)).max())
    return max(gap, np.finfo(float).tiny), f"differs by {gap:.1e} in {int((gaps > 0).sum())}"


def _same(a: NDArray[Any], b: NDArray[Any]) -> bool:
    return bool(np.array_equal(a, b, equal_nan=True))
