"""Learning from noisy views of the rows, when the noise is known.

After Cesa-Bianchi, Shalev-Shwartz and Shamir, *Learning from Noisy Data under Distributional
Assumptions*. Every learner speaks to scikit-learn and to river.
"""

from __future__ import annotations

from .kernel import NoisyKernelRegressor
from .linear import NoisyLinearRegressor
from .ridge import CorrectedRidge

__all__ = ["CorrectedRidge", "NoisyKernelRegressor", "NoisyLinearRegressor"]
