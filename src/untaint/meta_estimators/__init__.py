"""Meta-estimators: any learner, made robust against wrong rows.

The learner's out-of-fold predictions take the place of leave-one-out predictions of a kernel; the
models of wrong targets and labels are the same.
"""

from .classifier import RobustClassifier
from .kernel_member import KnownKernel
from .regressor import RobustRegressor

__all__ = ["KnownKernel", "RobustClassifier", "RobustRegressor"]
