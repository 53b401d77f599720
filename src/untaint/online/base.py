"""A learner from noisy rows: an estimator of scikit-learn's and a regressor of river's."""

from __future__ import annotations

from sklearn.base import RegressorMixin

from .river_family import RiverMember
from .rows import Rows
from .tables import Tables


class NoisyRegressor(RiverMember, RegressorMixin, Tables, Rows):
    """Base of the learners that know the noise of their features."""
