"""Location and spread of numbers, by which they are standardised."""

from dataclasses import dataclass

import numpy as np

from .._typing import FloatArray
from ..screening.median_scale import median_and_scale

# Standardised numbers are bounded, so that a gross error in a column leaves others predictable.
BOUND = 8.0
# The bound is at least so many times what all but one in a hundred values keep within.
BEYOND, LARGEST = 1.5, 1e3


@dataclass(frozen=True)
class Standardiser:
    """Location and spread of numbers on the scale of predictions."""

    center: float
    spread: float
    bound: float = BOUND

    def __call__(self, numbers: FloatArray) -> FloatArray:
        """Return standardised numbers, bounded."""
        return np.clip((numbers - self.center) / self.spread, -self.bound, self.bound)


def standardiser_of(numbers: FloatArray) -> Standardiser:
    """Return the standardiser of numbers, of which some may be missing."""
    present = numbers[np.isfinite(numbers)]
    if not len(present):
        return Standardiser(0.0, 1.0)
    center, spread = median_and_scale(present)
    spread = spread if spread > 0 else 1.0
    far = float(np.quantile(np.abs(present - center), 0.99, method="lower")) / spread
    return Standardiser(center, spread, float(np.clip(BEYOND * far, BOUND, LARGEST)))
