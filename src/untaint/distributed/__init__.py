"""The same estimators on Dask arrays and data frames, on whatever client is active.

The only room that knows Dask. Rows stay where they are: what is computed from them is computed by
the block functions of the other rooms, one chunk at a time, and only sums travel.
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
