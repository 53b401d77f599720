"""Robust regression and classification for data with wrong rows, and detection of these rows.

>>> from untaint import SubquantileRegressorCV
>>> from untaint.datasets import contaminate, load_kiln
>>> from untaint.preprocessing import MedianScaler
>>> X, y = load_kiln(return_X_y=True)
>>> X, y, bad = contaminate(MedianScaler().fit_transform(X), y, epsilon=0.2, random_state=0)
>>> model = SubquantileRegressorCV().fit(X, y)
>>> bool((~model.inlier_mask_ & bad).sum() > 0.9 * bad.sum())
True
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .data_cleaning import clean
    from .estimators.classifier import SubquantileClassifier, SubquantileClassifierCV
    from .estimators.regressor import SubquantileRegressor, SubquantileRegressorCV
    from .meta_estimators.classifier import RobustClassifier
    from .meta_estimators.regressor import RobustRegressor

__version__ = "0.2.0"

__all__ = [
    "RobustClassifier",
    "RobustRegressor",
    "SubquantileClassifier",
    "SubquantileClassifierCV",
    "SubquantileRegressor",
    "SubquantileRegressorCV",
    "__version__",
    "clean",
]


def __getattr__(name: str) -> Any:
    """Import the estimators, and scikit-learn with them, when one of them is accessed.

    The command line completes words and shows its help without them.
    """
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "clean":
        from .data_cleaning import clean

        return clean
    if name.startswith("Robust"):
        from . import meta_estimators

        return getattr(meta_estimators, name)
    from . import estimators

    return getattr(estimators, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
