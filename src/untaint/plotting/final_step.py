"""The estimator at the end of a pipeline or inside of a search, and its rows as it sees them."""

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted


def final_step(model: Any, X: Any = None) -> tuple[Any, Any]:
    """Return the last step of a fitted pipeline, or of a search's best, and X transformed for it.

    Parameters
    ----------
    model : fitted estimator, pipeline or search
    X : rows as the pipeline takes them, or None

    Returns
    -------
    model, X
    """
    while True:
        if isinstance(model, Pipeline):
            if not model.steps:
                raise ValueError("model should be a pipeline with steps, got an empty one.")
            check_is_fitted(model)
            if X is not None and len(model.steps) > 1:
                X = model[:-1].transform(X)
            model = model[-1]
        elif hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        else:
            return model, X


def check_model(model: Any, *attributes: str) -> None:
    """Check that the model is fitted and has the attributes."""
    wanted = "model should be a fitted estimator of untaint, such as SubquantileRegressor"
    if not isinstance(model, BaseEstimator):
        found = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
        raise TypeError(f"{wanted}, got {found}.")
    check_is_fitted(model)
    missing = [name for name in attributes if not hasattr(model, name)]
    if missing:
        raise TypeError(f"{wanted}, got {type(model).__name__}, which has no {missing[0]}.")
