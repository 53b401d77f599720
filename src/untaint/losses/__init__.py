"""Losses of raw predictions: squared, logistic and softmax."""

from .base import Loss
from .hessian import Hessian
from .logistic import LogisticLoss
from .softmax import SoftmaxLoss
from .squared import SquaredLoss

__all__ = ["Hessian", "LogisticLoss", "Loss", "SoftmaxLoss", "SquaredLoss"]
