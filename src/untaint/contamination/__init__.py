"""Estimation of the contamination: mixtures of residuals, and label-noise models.

With ``contamination="auto"`` a mixture model of leave-one-out residuals gives each sample a
posterior probability of being an inlier, which is its weight in the fit.
"""

from .expectation_maximisation import Residuals
from .two_groups import TwoGroups, contamination_interval, two_groups

__all__ = ["Residuals", "TwoGroups", "contamination_interval", "two_groups"]
