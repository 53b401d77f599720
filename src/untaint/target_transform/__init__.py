"""Transformations of a regression's targets, and predictions in the targets' own units."""

from .back_transform import STATISTICS, BackTransform, Statistic, fit_back_transform
from .transforms import LogTransform, PowerTransform, TargetTransform, inverse_of

__all__ = [
    "STATISTICS",
    "BackTransform",
    "LogTransform",
    "PowerTransform",
    "Statistic",
    "TargetTransform",
    "fit_back_transform",
    "inverse_of",
]
