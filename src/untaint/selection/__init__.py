"""Selection: a vector of losses becomes a vector of weights."""

from .base import Selection
from .share import estimate_share
from .smallest import Smallest
from .softplus import Softplus

__all__ = ["Selection", "Smallest", "Softplus", "estimate_share"]
