"""Estimators: what users import."""

from .regressor import SubquantileRegressor

__all__ = ["SubquantileRegressor"]
