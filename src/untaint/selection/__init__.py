"""Selection: a vector of losses becomes a vector of weights."""

from .balanced import Balanced
from .base import Selection
from .share import estimate_label_share, estimate_share
from .smallest import Smallest
from .soft_balanced import SoftBalanced
from .softplus import Softplus

__all__ = [
    "Balanced",
    "Selection",
    "Smallest",
    "SoftBalanced",
    "Softplus",
    "estimate_label_share",
    "estimate_share",
]
