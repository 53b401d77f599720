"""Learning from data that you cannot trust.

>>> from untaint import SubquantileRegressor
>>> from untaint.datasets import contaminate, load_kiln
>>> X, y = load_kiln(return_X_y=True)
>>> X, y, bad = contaminate(X, y, epsilon=0.2, kind="label", random_state=0)
>>> model = SubquantileRegressor(contamination=0.2).fit(X, y)
>>> bool((~model.inlier_mask_ & bad).sum() > 0.9 * bad.sum())
True
"""

from .estimators import SubquantileClassifier, SubquantileRegressor, SubquantileRegressorCV

__version__ = "0.1.0"

__all__ = [
    "SubquantileClassifier",
    "SubquantileRegressor",
    "SubquantileRegressorCV",
    "__version__",
]
