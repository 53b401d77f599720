"""Estimators: what users import."""

from .classifier import SubquantileClassifier
from .regressor import SubquantileRegressor
from .regressor_cv import SubquantileRegressorCV

__all__ = ["SubquantileClassifier", "SubquantileRegressor", "SubquantileRegressorCV"]
