"""Scores of all rows under refits with a range of trimmed fractions."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from .._progress import ProgressLine, shown_by, tracked
from .._typing import FloatArray
from .final_step import check_model, final_step
from .outlier_view import read_outliers
from .rows import check_training_rows, training_rows

SHARES = np.linspace(0.0, 0.48, 21)
# Of models with out-of-fold predictions, each refit of which is many.
FEW_SHARES = SHARES[::2]


class Monitoring(NamedTuple):
    """Scores of all rows, fit by fit.

    Attributes
    ----------
    shares : array of shape (m,)
        The trimmed fraction of each fit.
    scores : array of shape (m, n)
        ``outlier_scores_`` of each fit.
    """

    shares: FloatArray
    scores: FloatArray


def monitor(
    model: Any, X: Any = None, y: Any = None, shares: Any = None, *, sample_weight: Any = None
) -> Monitoring:
    """Refit a model with a range of trimmed fractions, and record the rows' scores.

    The scores are ``outlier_scores_`` of the fits, and not those of their audits, which would judge
    each row by a fit to the others: monitoring shows how wrong rows mask one another.
    The hyperparameters that a cross-validated model has selected are kept. On a terminal a bar
    shows the refits that are done and the time left.

    Parameters
    ----------
    model : fitted estimator, or pipeline that ends with one
        An estimator with a parameter ``contamination``. It is not changed. The steps before it are
        not fitted again.
    X : array, sparse matrix or data frame of shape (n, d), optional
        The training rows. By default those that the model keeps, if it does.
    y : array of shape (n,) or (n, k), optional
        Targets or labels of these rows.
    shares : array of shape (m,), optional
        Trimmed fractions in [0, 0.5), in any order. By default 21 of them, up to 0.48, and
        11 for RobustRegressor and RobustClassifier, whose refits take longer.
    sample_weight : array of shape (n,), optional
        Weights that the model was fitted with.

    Returns
    -------
    Monitoring
        The fractions in ascending order, and the scores as an array of shape (m, n).

    Examples
    --------
    >>> import numpy as np
    >>> from untaint import SubquantileRegressor
    >>> from untaint.plotting import monitor
    >>> X = np.linspace(0, 3, 60)[:, None]
    >>> y = np.sin(X).ravel() + 0.01 * np.cos(50 * X).ravel()
    >>> y[::6] += 20
    >>> model = SubquantileRegressor(alpha=0.01).fit(X, y)
    >>> shares, scores = monitor(model, X, y, shares=[0.0, 0.1, 0.2])
    >>> scores.shape
    (3, 60)
    >>> bool(scores[0, 0] < 3 and scores[2, 0] > 100)  # unmasked at last
    True
    """
    model, X = final_step(model, X)
    check_model(model, "outlier_scores_", "inlier_mask_")
    parameters = model.get_params(deep=False)
    if "contamination" not in parameters:
        raise TypeError(
            f"monitoring needs a model with the parameter contamination, "
            f"and {type(model).__name__} has none."
        )
    X, y = _training_data(model, X, y)
    default = FEW_SHARES if hasattr(model, "oof_prediction_") else SHARES
    grid = _check_shares(shares, default, len(model.outlier_scores_))
    selected = _selected_grids(model, parameters)
    scores, line = [], ProgressLine("monitor")
    try:
        with shown_by(line.on_step):
            for share in tracked(grid, len(grid)):
                refit = clone(model).set_params(contamination=float(share), **selected)
                refit.fit(X, y) if sample_weight is None else refit.fit(X, y, sample_weight)
                scores.append(np.asarray(refit.outlier_scores_, dtype=float))
    finally:
        line.erase()
    return Monitoring(grid, np.array(scores))


def _training_data(model: Any, X: Any, y: Any) -> tuple[Any, Any]:
    if X is None:
        X = training_rows(model, len(model.outlier_scores_))
    if y is None:
        y = read_outliers(model).observed
    if X is None or y is None:
        what = "rows" if X is None else "targets"
        raise ValueError(f"{type(model).__name__} does not keep its {what}: pass X and y.")
    check_training_rows(len(model.outlier_scores_), X, y)
    wanted, shape = getattr(model, "n_features_in_", None), np.shape(X)
    if wanted is not None and len(shape) == 2 and shape[1] != wanted:
        raise ValueError(f"X should have the {wanted} columns of the fit, got {shape[1]}.")
    return X, y


def _check_shares(shares: Any, default: FloatArray, n_rows: int) -> FloatArray:
    if shares is None:
        # A fraction of less than one row cannot be trimmed.
        return default[(default == 0) | (default * n_rows >= 1)]
    try:
        grid = np.asarray(shares, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"shares should be numbers in [0, 0.5), got {shares!r}.") from None
    if grid.ndim != 1 or len(grid) == 0 or not ((grid >= 0) & (grid < 0.5)).all():
        raise ValueError(f"shares should be numbers in [0, 0.5), got {shares!r}.")
    return np.unique(grid)


def _selected_grids(model: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return grids of the one value that a cross-validated model has selected."""
    selected = {}
    for grid, name in (("alphas", "alpha_"), ("gammas", "gamma_")):
        value = getattr(model, name, None)
        if grid in parameters and value is not None:
            selected[grid] = [value]
    return selected
