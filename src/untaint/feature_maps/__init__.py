"""Explicit feature maps of kernels: Nystroem, random Fourier features, and the columns themselves.

The package knows kernels and rows, never targets.
"""

from .base import FeatureMap
from .effective_dimension import components_for
from .fourier import FourierFeatures
from .identity import IdentityMap
from .nystroem import NystroemMap

__all__ = ["FeatureMap", "FourierFeatures", "IdentityMap", "NystroemMap", "components_for"]
