"""Estimators: what users import."""

from .classifier import SubquantileClassifier, SubquantileClassifierCV
from .regressor import SubquantileRegressor, SubquantileRegressorCV

__all__ = [
    "SubquantileClassifier",
    "SubquantileClassifierCV",
    "SubquantileRegressor",
    "SubquantileRegressorCV",
]
