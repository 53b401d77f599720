"""Regression and classification with noise in the features that is known, or rows that come twice.

The algorithms follow Cesa-Bianchi, Shalev-Shwartz and Shamir, *Learning from Noisy Data under
Distributional Assumptions*. Every learner has the interfaces of scikit-learn and of river.
"""

from .kernel import NoisyKernelRegressor
from .linear import NoisyLinearRegressor
from .logistic import NoisyLogisticRegression
from .ridge import CorrectedRidge
from .scaler import NoiseAwareScaler

__all__ = [
    "CorrectedRidge",
    "NoiseAwareScaler",
    "NoisyKernelRegressor",
    "NoisyLinearRegressor",
    "NoisyLogisticRegression",
]
