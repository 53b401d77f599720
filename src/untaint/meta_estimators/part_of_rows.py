"""A fit to a part of many rows, and what its predictions say of all of them.

Rows of the part have predictions out of fold; no fit has seen the others, so that the last one
predicts them. Residuals are modelled, and labels assessed, together. One more fit, to all rows, is
the model that is kept.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray, FloatArray, IntArray
from ..contamination.label_calibration import with_slope
from .classification import LabelAttributes, label_attributes, trimmed_labels
from .learner import WeightedRows, in_columns
from .outlier_attributes import OutlierAttributes, attributes_of, trimmed_attributes
from .problem import Problem
from .reweighting import Reweighting


def numbers_of_all(
    found: OutlierAttributes,
    model: Any,
    X: FloatArray,
    y: FloatArray,
    feature_outlier: BoolArray,
    rows: IntArray,
    contamination: float | None,
) -> OutlierAttributes:
    """Return the attributes of all rows from those of some.

    Parameters
    ----------
    found : OutlierAttributes
        Of the given rows.
    model : fitted regressor
    X : array of shape (n, d)
    y : array of shape (n, k)
    feature_outlier : bool array of shape (n,)
    rows : int array
    contamination : float or None
        None if it is estimated.
    """
    weights, predictions = np.ones(len(y)), np.empty(y.shape)
    predictions[rows] = found.predictions
    others = np.setdiff1d(np.arange(len(y)), rows)
    predictions[others] = model.predict(X[others]).reshape(-1, y.shape[1])
    if contamination is None:
        rounds = Reweighting(y, weights, feature_outlier, X)
        _, end = rounds.posterior_of_all(predictions, rows, found.inlier_probability)
        all_rows = attributes_of(end)
    else:
        all_rows = trimmed_attributes(y, predictions, weights, weights, contamination)
    return all_rows._replace(n_rounds=found.n_rounds, converged=found.converged)


def labels_of_all(
    found: LabelAttributes,
    model: Any,
    X: FloatArray,
    codes: IntArray,
    classes: NDArray[Any],
    rows: IntArray,
    contamination: float | None,
) -> LabelAttributes:
    """Return the attributes of all labels, as codes of classes, from those of some rows.

    Other parameters are those of :func:`numbers_of_all`.
    """
    probabilities = np.empty((len(codes), len(classes)))
    probabilities[rows] = found.probabilities
    others = np.setdiff1d(np.arange(len(codes)), rows)
    predicted = in_columns(model.predict_proba(X[others]), model, classes)
    probabilities[others] = with_slope(predicted, found.slope)
    if contamination is None:
        parts = (found.noise, found.slope, found.n_rounds)
        return label_attributes(probabilities, codes, *parts)
    weights = np.ones(len(codes))
    return trimmed_labels(probabilities, codes, weights, contamination, found.n_rounds)


def fitted_to_all(problem: Problem, estimator: Any, X: FloatArray, data: WeightedRows) -> Any:
    """Return an unfitted learner, fitted to all rows as the problem of a part fits it."""
    return problem.learner(estimator, X, None, "predict").fit(data)
