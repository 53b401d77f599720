"""Explicit features whose inner products are a kernel's, or nearly.

A map turns rows into features; blocks of them are made as they are needed, so that a million rows
take no more memory than they are given. This room knows kernels and rows, never targets.
"""

from .base import FeatureMap
from .blocks import BlockedFeatures, Pulled
from .columns import ColumnMap
from .dimension import components_for
from .landmarks import LandmarkMap
from .plan import Plan, plan_blocks, row_bytes
from .waves import WaveMap

__all__ = [
    "BlockedFeatures",
    "ColumnMap",
    "FeatureMap",
    "LandmarkMap",
    "Plan",
    "Pulled",
    "WaveMap",
    "components_for",
    "plan_blocks",
    "row_bytes",
]
