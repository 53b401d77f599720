"""Base class of the learners from noisy rows, for both scikit-learn and river."""

from sklearn.base import RegressorMixin

from .batch_api import BatchAPIMixin
from .river_api import RiverAPIMixin
from .river_compat import RiverCompatMixin


class NoisyRegressor(RiverCompatMixin, RegressorMixin, BatchAPIMixin, RiverAPIMixin):
    """Base class of the regressors that correct for known noise in the features."""
