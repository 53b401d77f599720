"""Explicit feature maps of kernels: Nystroem, random Fourier features, and the identity.

The subpackage knows kernels and X, never targets.
"""

from .base import FeatureMap
from .effective_dimension import components_for
from .fourier import FourierFeatures
from .identity import IdentityMap
from .nystroem import NystroemMap

__all__ = ["FeatureMap", "FourierFeatures", "IdentityMap", "NystroemMap", "components_for"]
