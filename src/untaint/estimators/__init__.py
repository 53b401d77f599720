"""Estimators: what users import."""

from .classifier import SubquantileClassifier
from .classifier_cv import SubquantileClassifierCV
from .regressor import SubquantileRegressor
from .regressor_cv import SubquantileRegressorCV

__all__ = [
    "SubquantileClassifier",
    "SubquantileClassifierCV",
    "SubquantileRegressor",
    "SubquantileRegressorCV",
]
