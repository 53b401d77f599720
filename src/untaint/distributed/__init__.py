"""The estimators on Dask arrays and data frames, computed on the active client.

This is the only subpackage that knows Dask. Rows stay where they are stored: the block functions of
the other subpackages are applied to one chunk at a time, and only sums are sent.
"""

try:
    import dask.array  # noqa: F401
except ImportError as missing:
    raise ImportError("untaint.distributed needs Dask: pip install 'untaint[dask]'.") from missing

from .classifier import SubquantileClassifier
from .features import NystroemFeatures
from .regressor import SubquantileRegressor
from .scheduler import ClusterError

__all__ = ["ClusterError", "NystroemFeatures", "SubquantileClassifier", "SubquantileRegressor"]
