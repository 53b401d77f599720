"""What can be said of rows before anybody looks at targets."""

from .rows import (
    BEYOND_REACH,
    FAR_OUT,
    MATRIX_ROWS,
    Distance,
    centre,
    near_rows,
    radii,
    radii_of_matrix,
    representatives,
    weighted_median,
)
from .wild import Screen, screen

__all__ = [
    "BEYOND_REACH",
    "FAR_OUT",
    "MATRIX_ROWS",
    "Distance",
    "Screen",
    "centre",
    "near_rows",
    "radii",
    "radii_of_matrix",
    "representatives",
    "screen",
    "weighted_median",
]
