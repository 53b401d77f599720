"""Screening of X alone: radii, representative samples, and feature outliers.

The subpackage sees features only, never targets.
"""

from .by_subsample import ExtremeSamples, outlyingness_filter, screen_by_sample
from .filters import OutlyingnessFilter, RadiusFilter, SampleFilter
from .radius import (
    EXCLUSION_RADIUS,
    MATRIX_ROWS,
    SCREEN_RADIUS,
    Distance,
    centre,
    distances_from,
    median_radius,
    near_rows,
    radii,
    radii_of_matrix,
    representatives,
    weighted_median,
)
from .screen import Screen, screen

__all__ = [
    "EXCLUSION_RADIUS",
    "MATRIX_ROWS",
    "SCREEN_RADIUS",
    "Distance",
    "ExtremeSamples",
    "OutlyingnessFilter",
    "RadiusFilter",
    "SampleFilter",
    "Screen",
    "centre",
    "distances_from",
    "median_radius",
    "near_rows",
    "outlyingness_filter",
    "radii",
    "radii_of_matrix",
    "representatives",
    "screen",
    "screen_by_sample",
    "weighted_median",
]
