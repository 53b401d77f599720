"""Estimation of the contamination: mixtures of residuals, and label-noise models.

With ``contamination="auto"`` a mixture model of leave-one-out residuals gives each sample a
posterior probability of being an inlier, which is its weight in the fit.
"""

from .two_groups import TwoGroups, two_groups

__all__ = ["TwoGroups", "two_groups"]
