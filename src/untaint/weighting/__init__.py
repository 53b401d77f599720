"""Weighting rules: concave aggregates of per-sample losses, whose gradients are sample weights.

The subpackage sees losses only, never features or predictions.
"""

from .base import TrimmingRule, WeightingRule
from .class_balanced import ClassBalanced
from .class_balanced_soft import SoftClassBalanced
from .fixed import FixedWeights
from .softplus import Softplus
from .tilted import Tilted
from .trimmed import Trimmed
from .truncated import Truncated

__all__ = [
    "ClassBalanced",
    "FixedWeights",
    "SoftClassBalanced",
    "Softplus",
    "Tilted",
    "Trimmed",
    "TrimmingRule",
    "Truncated",
    "WeightingRule",
]
