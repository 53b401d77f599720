"""What can be said of rows before anybody looks at targets."""

from .gates import Gate, Plausible, Reach
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
    yardstick,
)
from .sampled import Outskirts, plausible, screen_by_sample
from .wild import Screen, screen

__all__ = [
    "BEYOND_REACH",
    "FAR_OUT",
    "MATRIX_ROWS",
    "Distance",
    "Gate",
    "Outskirts",
    "Plausible",
    "Reach",
    "Screen",
    "centre",
    "distances_from",
    "near_rows",
    "plausible",
    "radii",
    "radii_of_matrix",
    "representatives",
    "screen",
    "screen_by_sample",
    "weighted_median",
    "yardstick",
]
