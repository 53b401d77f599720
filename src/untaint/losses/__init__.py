"""Losses of raw predictions: squared, logistic and softmax."""

from .base import Loss
from .hessian import Hessian
from .logistic import LogisticLoss
from .softmax import SoftmaxLoss, class_codes
from .squared import SquaredLoss

__all__ = ["Hessian", "LogisticLoss", "Loss", "SoftmaxLoss", "SquaredLoss", "class_codes"]
