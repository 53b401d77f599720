"""What can be said of rows before anybody looks at targets."""

from .rows import (
    BEYOND_REACH,
    FAR_OUT,
    MATRIX_ROWS,
    Distance,
    centre,
    distances_from,
    near_rows,
    radii,
    radii_of_matrix,
    representatives,
    weighted_median,
)
from .sampled import screen_by_sample
from .wild import Screen, screen

__all__ = [
    "BEYOND_REACH",
    "FAR_OUT",
    "MATRIX_ROWS",
    "Distance",
    "Screen",
    "centre",
    "distances_from",
    "near_rows",
    "radii",
    "radii_of_matrix",
    "representatives",
    "screen",
    "screen_by_sample",
    "weighted_median",
]
