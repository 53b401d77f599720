"""Robust methods from the literature as baselines, each from its own paper, with one interface.

===========================  ==================  ===================================================
class                        known as            idea
===========================  ==================  ===================================================
``SeverRegressor``           SEVER               remove rows whose gradients stand out
``SeverClassifier``
``TiltedRegressor``          TERM                weight rows by the exponential of minus their loss
``TiltedClassifier``
``HardThresholdRegressor``   TORRENT             keep the rows of smallest residual; linear
``ConsistentRegressor``      CRR                 correct the targets of largest residual; linear
``ReweightedRegressor``      STIR                weight by one over the residual, in stages; linear
===========================  ==================  ===================================================
"""

from .consistent import ConsistentRegressor
from .hard_threshold import HardThresholdRegressor
from .reweighted import ReweightedRegressor
from .sever import SeverClassifier, SeverRegressor
from .tilted import TiltedClassifier, TiltedRegressor

__all__ = [
    "ConsistentRegressor",
    "HardThresholdRegressor",
    "ReweightedRegressor",
    "SeverClassifier",
    "SeverRegressor",
    "TiltedClassifier",
    "TiltedRegressor",
]
