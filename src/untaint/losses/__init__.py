"""Losses: how wrong each row's prediction is."""

from .base import Loss
from .squared import SquaredLoss

__all__ = ["Loss", "SquaredLoss"]
