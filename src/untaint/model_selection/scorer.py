r"""Scores for validation rows of which some are wrong.

.. math:: \text{score} = - \frac{\sum_i w_i \ell_i}{\sum_i w_i}, \qquad
          w = \text{the weights that keep the share } 1 - \epsilon \text{ of smallest losses}

so that what a wrong row costs does not depend on how wrong it is. For labels the share is kept
within each class: over all rows, a rare class would be the first to be left out.

The root and the median of the losses are those of the kept rows. R2 compares the kept loss with
that of the best constant, which keeps rows of its own:

.. math:: R^2 = 1 - \frac{h(\ell(y, f))}{\min_c h(\ell(y, c))}, \qquad
          h = \text{the sum of the share } 1 - \epsilon \text{ of smallest squares}.

Only the numerator depends on f, so that R2 orders candidates as the squared error does (for one
output and a given share).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d

from .._typing import FloatArray
from .._validation import check_choice, check_contamination, check_weights
from ..contamination.outlier_fraction import estimate_contamination
from ..weighting.trimmed import Trimmed, keep_trimmed, loss_reached

# What is computed, under our name and scikit-learn's.
METRICS = {
    "squared_error": "squared_error",
    "neg_mean_squared_error": "squared_error",
    "neg_root_mean_squared_error": "root",
    "absolute_error": "absolute_error",
    "neg_mean_absolute_error": "absolute_error",
    "neg_median_absolute_error": "median",
    "r2": "r2",
    "log_loss": "log_loss",
    "neg_log_loss": "log_loss",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
}
OF_LABELS = ("log_loss", "accuracy", "balanced_accuracy")
Metric = str | Callable[[Any, Any], Any]

# Fewest rows from which a share can be estimated, as in the regressor.
FEWEST_ROWS = 10
# What an error counts among the rows left out: just enough to order candidates that have no other.
TIE_BREAK = 1e-6
MAX_STEPS = 100


def trimmed_scorer(
    metric: Metric = "squared_error", contamination: float | str = "auto"
) -> TrimmedScorer:
    r"""Make a scorer that leaves out the share of the validation rows that fits worst.

    Use it for ``scoring`` in scikit-learn's :class:`~sklearn.model_selection.GridSearchCV`,
    :func:`~sklearn.model_selection.cross_val_score` and their like. Greater is better, always:
    errors and losses come with a minus sign.

    Parameters
    ----------
    metric : str or callable, default="squared_error"
        For numbers: ``"squared_error"``, ``"absolute_error"``, ``"r2"``, or scikit-learn's
        ``"neg_mean_squared_error"``, ``"neg_root_mean_squared_error"``,
        ``"neg_mean_absolute_error"``, ``"neg_median_absolute_error"``. A row with several outputs
        is kept or left out as a whole.

        For labels: ``"log_loss"`` (or ``"neg_log_loss"``), ``"accuracy"``,
        ``"balanced_accuracy"``.

        Or a function of ``(y_true, y_pred)`` that returns one loss for each row, lower is better.
        (Defined in a module, not a lambda, if ``n_jobs`` is to be used.)
    contamination : float or "auto", default="auto"
        Share of the rows to leave out, in [0, 0.5), rounded up to whole rows; within each class, to
        the fraction, for labels. ``"auto"`` leaves out the rows whose error exceeds 3.5 robust
        standard deviations of the candidate's own errors, at most 45 %. It needs a metric for
        numbers: the errors of one candidate do not determine how many labels are wrong.

    Returns
    -------
    TrimmedScorer
        A function ``scorer(estimator, X, y, sample_weight=None)`` that can be pickled and cloned.

    Notes
    -----
    With ``contamination=0`` the scores are scikit-learn's. A weight of k means k copies of the row,
    exactly.

    **How large a share.** Folds are drawn by chance: of 40 rows from data with 20 % wrong ones, two
    folds in five hold more than 20 %, and one outlier that is kept dominates the score. Give the
    share that a fold may hold, :math:`\epsilon + 2 \sqrt{\epsilon (1 - \epsilon) / m}` for folds of
    m rows, rather than the share of the data. ``"auto"`` adapts to every fold. Shuffle the folds
    (``KFold(shuffle=True)``) if wrong rows come in runs. Where wrong labels all come from one
    class, give the share of wrong rows among those with a given label, for the worst label.

    **When a trimmed score misleads.** Every candidate determines the rows that it is scored on.

    * One that is excellent on 60 % of the rows and useless elsewhere beats one that is good
      everywhere, if 40 % are left out. The more a setting can specialise (few neighbours, narrow
      kernels, deep trees, a model that itself trims too much), the more it gains. Do not leave out
      much more than may be wrong, and see whether the choice stays when the share is halved.
    * With ``"auto"`` candidates are scored on different numbers of rows, and one with heavy tails
      by the fewest. To compare two given models, give a number.
    * Wrong rows that agree with one another, in training and validation alike, are fitted by a
      sufficiently flexible candidate, and then look right. No score of the rows themselves reveals
      this; keep a few rows that are known to be right.
    * The log loss punishes unfounded certainty through the few rows that it is wrong about. These
      are left out first, so that a trimmed log loss chooses well between classifiers, but is no
      measure of their probabilities.
    * Accuracy after trimming is the hits' share divided by ``1 - contamination``, and at most 1 in
      each class: candidates that err less than ``contamination`` would tie. Each error among the
      rows left out therefore counts one millionth, which keeps such candidates in order. Labels
      that are wrong at random lower the plain accuracy of all candidates alike, and do not change
      their order either.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import HuberRegressor, LinearRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from untaint.model_selection import trimmed_scorer
    >>> x = np.linspace(0, 1, 60)
    >>> y = 3 * x + 0.1 * np.sin(40 * x)
    >>> y[::10] += 100  # some rows are wrong, in the validation folds too
    >>> def mean_score(model, scoring):
    ...     scores = cross_val_score(model, x[:, None], y, scoring=scoring)
    ...     return float(scores.mean())
    >>> huber, plain = HuberRegressor(), LinearRegression()
    >>> scorer = trimmed_scorer("squared_error", contamination=0.25)
    >>> mean_score(huber, scorer) > mean_score(plain, scorer)
    True
    >>> squares = "neg_mean_squared_error"  # prefers the fit to wrong rows
    >>> mean_score(huber, squares) > mean_score(plain, squares)
    False
    >>> scorer
    TrimmedScorer(contamination=0.25, metric='squared_error')
    """
    _check(metric, contamination)
    return TrimmedScorer(metric, contamination)


class TrimmedScorer(BaseEstimator):
    """What :func:`trimmed_scorer` returns.

    An estimator only in that scikit-learn can clone it, set its parameters and, with metadata
    routing, pass on weights by ``set_score_request``.

    Parameters
    ----------
    metric : str or callable
    contamination : float or "auto"

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyRegressor
    >>> from untaint.model_selection import TrimmedScorer
    >>> model = DummyRegressor(strategy="constant", constant=0.0).fit([[0]], [0])
    >>> y = np.array([1.0, -1.0, 2.0, 500.0])
    >>> TrimmedScorer("absolute_error", 0.25)(model, np.zeros((4, 1)), y)
    -1.333
    """

    def __init__(self, metric: Metric, contamination: float | str) -> None:
        self.metric = metric
        self.contamination = contamination

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The same as :meth:`score`."""
        return self.score(estimator, X, y, sample_weight)

    def score(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Score of a fitted estimator on validation rows.

        Parameters
        ----------
        estimator : fitted estimator
        X : array, sparse matrix or data frame of shape (n, d)
        y : array of shape (n,) or (n, k)
        sample_weight : array of shape (n,), optional
            A weight of k means k copies of the row, exactly.

        Returns
        -------
        float
            Greater is better.
        """
        fraction = _check(self.metric, self.contamination)
        if y is None:
            raise ValueError("y must hold the targets of the validation rows, got None.")
        if not hasattr(estimator, "predict"):
            raise ValueError(f"estimator must have a method predict, got {estimator!r}.")
        y = np.asarray(y)
        weights = check_weights(sample_weight, y)
        present = weights > 0
        if callable(self.metric):
            losses = _given_losses(self.metric, y, estimator.predict(X))
            return _score_of_losses(losses[present], weights[present], fraction or 0.0)
        name = METRICS[self.metric]
        if name in OF_LABELS:
            check_classification_targets(y)
            labels = column_or_1d(y)
            losses = _label_losses(name, estimator, X, labels)[present]
            return _score_of_labels(
                name, labels[present], losses, weights[present], fraction or 0.0
            )
        y = _columns(check_array(y, ensure_2d=False, dtype=np.float64, input_name="y"))
        errors = _errors(y, estimator.predict(X))
        return _score_of_numbers(name, y[present], errors[present], weights[present], fraction)

    def _accept_sample_weight(self) -> bool:
        # Asked by scikit-learn of every scorer when several are used at once.
        return True


def _check(metric: Any, contamination: Any) -> float | None:
    """Share to leave out, None for "auto"."""
    if not callable(metric):
        check_choice("metric", metric, METRICS)
    # How many rows a fold has is seen when it comes.
    fraction = check_contamination(contamination, np.array([np.inf]))
    if fraction is None and (callable(metric) or METRICS[metric] in OF_LABELS):
        kind = "a function, whose scale is unknown" if callable(metric) else repr(metric)
        raise ValueError(
            "contamination must be a number in [0, 0.5) when metric is "
            f'{kind}, got "auto", which needs the errors of numbers.'
        )
    return fraction


# --- numbers ---------------------------------------------------------------------------------


def _columns(values: Any) -> FloatArray:
    return np.asarray(values, dtype=float).reshape(len(values), -1)


def _errors(y: FloatArray, predictions: Any) -> FloatArray:
    """Sizes of the errors, shape (n, k). An infinite prediction is merely as bad as any."""
    predictions = _columns(predictions)
    if predictions.shape != y.shape:
        raise ValueError(
            f"y must have the shape of the predictions, {predictions.shape}, got {y.shape}."
        )
    if np.isnan(predictions).any():
        raise ValueError("estimator must predict numbers for all rows, got NaN.")
    with np.errstate(over="ignore"):
        return np.abs(y - predictions)


def _score_of_numbers(
    name: str, y: FloatArray, errors: FloatArray, weights: FloatArray, fraction: float | None
) -> float:
    with np.errstate(over="ignore"):
        if fraction is None:
            enough = _n_rows(weights) >= FEWEST_ROWS
            sizes = np.sqrt((errors**2).mean(axis=1))
            fraction = estimate_contamination(sizes, weights) if enough else 0.0
        rule = _rule(fraction, weights)
        if name == "r2":
            errors = _relative(errors, y, weights, rule)
        absolute = name in ("absolute_error", "median")
        losses = (errors if absolute else errors**2).mean(axis=1)
        kept = rule.weights(losses, weights)
        errors, kept = errors[kept > 0], kept[kept > 0]
        if name == "median":
            return -float(np.mean([_median(column, kept) for column in errors.T]))
        means = kept @ (errors if absolute else errors**2) / kept.sum()
    if name == "root":
        means = np.sqrt(means)
    return float(1.0 - means.mean() if name == "r2" else -means.mean())


def _median(values: FloatArray, weights: FloatArray) -> float:
    """Mean of the lower and upper median. Weights may add up to half but for rounding."""
    half = 0.5 * float(weights.sum())
    return 0.5 * sum(loss_reached(values, weights, half * side) for side in (1 - 1e-8, 1 + 1e-8))


def _relative(errors: FloatArray, y: FloatArray, weights: FloatArray, rule: Trimmed) -> FloatArray:
    """Errors in units of the best constant's; if that has none, 1 for every error."""
    if _n_rows(weights) < 2:
        raise ValueError('metric "r2" needs at least 2 validation rows, got 1.')
    spread = np.array([_spread(column, weights, rule) for column in y.T])
    return np.where(spread > 0, errors / np.where(spread > 0, spread, 1.0), errors > 0)


def _spread(y: FloatArray, weights: FloatArray, rule: Trimmed) -> float:
    """Root of the kept mean square about the constant that has the least, from the median on."""
    constant = loss_reached(y, weights, 0.5 * float(weights.sum()))
    least = np.inf
    for _ in range(MAX_STEPS):
        squares = (y - constant) ** 2
        kept = rule.weights(squares, weights)
        mean = rule.value_at(kept, squares, weights) / float(kept.sum())
        if not mean < least:
            break
        least, constant = mean, float(kept @ y / kept.sum())
    return float(np.sqrt(least))


# --- a user's losses -------------------------------------------------------------------------


def _given_losses(metric: Callable[[Any, Any], Any], y: Any, predictions: Any) -> FloatArray:
    losses = np.asarray(metric(y, predictions), dtype=float)
    if losses.shape != (len(y),):
        raise ValueError(
            f"metric must return one loss for each of the {len(y)} rows, got shape {losses.shape}."
        )
    if np.isnan(losses).any():
        raise ValueError("metric must return numbers, got NaN.")
    return losses


def _score_of_losses(losses: FloatArray, weights: FloatArray, fraction: float) -> float:
    rule = _rule(fraction, weights)
    return -rule.value(losses, weights) / rule.kept_total(weights)


def _rule(fraction: float, weights: FloatArray) -> Trimmed:
    if fraction > 0 and _n_rows(weights) < 2:
        raise ValueError(
            f"contamination={fraction:g} needs at least 2 validation rows, one to leave "
            "out and one to keep, got 1."
        )
    return Trimmed(fraction)


def _n_rows(weights: FloatArray) -> float:
    """Copies counted, if weights are counts."""
    return max(float(weights.sum()), len(weights))


# --- labels ----------------------------------------------------------------------------------


def _label_losses(name: str, estimator: Any, X: Any, labels: NDArray[Any]) -> FloatArray:
    """Minus the log probability of each label, or 1 for each label missed."""
    if name != "log_loss":
        return (column_or_1d(np.asarray(estimator.predict(X))) != labels).astype(float)
    if not hasattr(estimator, "predict_proba"):
        raise AttributeError(
            f'metric "log_loss" needs an estimator with predict_proba, got {estimator!r}.'
        )
    chances = np.asarray(estimator.predict_proba(X), dtype=float)
    # Labels that the estimator has not seen have no chance. Like scikit-learn, count the least
    # chance as one in 4e15.
    own = labels[:, None] == np.asarray(estimator.classes_)
    return -np.log(np.maximum((chances * own).sum(axis=1), np.finfo(float).eps))


def _score_of_labels(
    name: str, labels: NDArray[Any], losses: FloatArray, weights: FloatArray, fraction: float
) -> float:
    """Mean over the kept part of each class: label losses are bounded, so fractions do no harm."""
    codes = np.unique(labels, return_inverse=True)[1]
    sizes = np.bincount(codes, weights)
    kept_loss = np.empty(len(sizes))
    for k, size in enumerate(sizes):
        rows = codes == k
        kept = keep_trimmed(losses[rows], weights[rows], (1.0 - fraction) * float(size))
        kept_loss[k] = kept @ losses[rows] / kept.sum()
    all_loss = np.bincount(codes, weights * losses) / sizes
    shares = np.ones(len(sizes)) if name == "balanced_accuracy" else sizes
    shares = shares / shares.sum()
    if name == "log_loss":
        return -float(shares @ kept_loss)
    left_out = all_loss - (1.0 - fraction) * kept_loss
    return float(shares @ (1.0 - kept_loss - TIE_BREAK * left_out))
