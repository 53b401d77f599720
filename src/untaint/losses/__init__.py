"""Losses of raw predictions: squared, logistic and softmax, and the log-losses of noisy labels."""

from .base import Loss
from .corrected import CorrectedLogLoss
from .hessian import Hessian
from .logistic import LogisticLoss
from .softmax import SoftmaxLoss, class_codes, class_probabilities
from .squared import SquaredLoss

__all__ = [
    "CorrectedLogLoss",
    "Hessian",
    "LogisticLoss",
    "Loss",
    "SoftmaxLoss",
    "SquaredLoss",
    "class_codes",
    "class_probabilities",
]
