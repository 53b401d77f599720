"""Estimators: what users import."""

from .classifier import SubquantileClassifier
from .regressor import SubquantileRegressor

__all__ = ["SubquantileClassifier", "SubquantileRegressor"]
