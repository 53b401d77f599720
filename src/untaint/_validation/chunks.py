"""Blocks of rows on the workers of a cluster."""

from typing import Any

import numpy as np
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from .._typing import AnyArray, FloatArray
from .labels import check_no_missing_label
from .targets import check_finite_targets, check_no_text
from .training import FLOATS, check_finite_rows
from .weights import check_weights

# Options of check_array that allow an empty chunk.
_EMPTY: dict[str, Any] = {"ensure_min_samples": 0, "ensure_min_features": 1}


def check_chunk(
    X: Any, y: Any, sample_weight: Any, number: int, *, labels: bool
) -> tuple[FloatArray, AnyArray, FloatArray]:
    """Return features, targets or labels, and weights of one chunk of the data, maybe empty.

    Parameters
    ----------
    X, y, sample_weight : array or data frame
    number : int
        Index of the chunk, for error messages.
    labels : bool
        Whether y holds labels, of any type.
    """
    try:
        X = check_array(X, dtype=FLOATS, order="C", ensure_all_finite=False, **_EMPTY)
        check_finite_rows(X)
        y = np.asarray(y)
        if len(y) != len(X):
            raise ValueError(f"y must have {len(X):,} rows like X, got {len(y):,}.")
        if labels:
            check_no_missing_label(y)
            y = column_or_1d(y)
            if len(y):
                check_classification_targets(y)
        else:
            check_no_text(y)
            y = np.asarray(y, dtype=np.float64)
            y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
            check_finite_targets(y)
        if sample_weight is not None and len(sample_weight) != len(X):
            raise ValueError(
                f"sample_weight must have {len(X):,} rows like X, got {len(sample_weight):,}."
            )
        if not len(X) or (sample_weight is not None and not np.asarray(sample_weight).any()):
            return X, y, np.zeros(len(X))  # other chunks may have positive weights
        return X, y, check_weights(sample_weight, X)
    except (ValueError, TypeError) as error:
        sentence = str(error).split("\n")[0]
        raise ValueError(f"Chunk {number} of X: {sentence}") from None


def name_features(estimator: Any, meta: Any) -> None:
    """Set number and names of the features from the metadata of a table."""
    validate_data(estimator, X=meta, skip_check_array=True)
