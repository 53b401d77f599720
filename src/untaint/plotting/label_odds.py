r"""Plot of the log-odds of the observed labels under a classifier.

.. math:: \log \frac{p_i}{1 - p_i}, \qquad p_i = P(\text{label of row } i \mid x_i)

On this scale rows that are surely right and rows that are surely wrong are apart from the doubtful
ones, which probabilities themselves push into the corners.
"""

from typing import Any, Self

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from . import style
from .colors import Axes
from .display import Display, check_distinct, codes_of, column, mask, numbers
from .draw_label_odds import draw_label_odds, name_labels
from .final_step import final_step
from .outlier_view import read_outliers
from .rows import rows_and_targets


class LabelOddsDisplay(Display):
    """Probabilities of the given labels under a classifier, by label, on a logit axis.

    Use :meth:`from_estimator` or :meth:`from_predictions` to make one.

    Parameters
    ----------
    labels : array of shape (n,)
        Given labels.
    probabilities : array of shape (n,)
        Probability of each given label.
    classes : array of shape (k,)
        All labels, in the order of the columns.
    flagged : array of shape (n,), bool, optional
        Rows to highlight, none by default.
    rule : str, default=""
        How rows were flagged, the end of the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the plot.
    figure_ : matplotlib Figure
        Figure of the axes.

    Examples
    --------
    >>> from untaint.plotting import LabelOddsDisplay
    >>> proba = [[0.9, 0.1], [0.2, 0.8], [0.01, 0.99]]
    >>> display = LabelOddsDisplay.from_predictions(
    ...     ["no", "yes", "no"],
    ...     proba,
    ...     classes=["no", "yes"],
    ...     flagged=[False, False, True],
    ... )
    >>> display.probabilities
    array([0.9 , 0.8 , 0.01])
    """

    def __init__(
        self, *, labels: Any, probabilities: Any, classes: Any, flagged: Any = None, rule: str = ""
    ) -> None:
        self.labels = column("labels", labels)
        n_rows = len(self.labels)
        self.probabilities = numbers("probabilities", probabilities, n_rows)
        low, high = self.probabilities.min(), self.probabilities.max()
        if low < 0 or high > 1 + 1e-6:
            found = low if low < 0 else high
            raise ValueError(f"probabilities should be in [0, 1], got {found:.3g}.")
        self.classes = column("classes", classes)
        check_distinct(self.classes)
        self.flagged, self.rule = mask("flagged", flagged, n_rows), rule

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        fdr: float | None = 0.1,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the labels of a fitted classifier.

        Parameters
        ----------
        model : fitted classifier, or pipeline that ends with one
        X : array, sparse matrix or data frame of shape (m, d), optional
            By default the training rows, if the model keeps them. Rows that the model has not seen
            are flagged if their loss is above its threshold.
        y : array of shape (m,), optional
            Given labels, needed if X is given. By default those of the audit.
        fdr : float, optional, default=0.1
            False-discovery rate at which training rows are flagged, as in the model's ``audit``.
            None flags the rows that the fit trimmed.
        ax : matplotlib Axes, optional
            Axes to draw on, those of a new figure by default.

        Returns
        -------
        LabelOddsDisplay
        """
        model, X = final_step(model, X)
        view = read_outliers(model, fdr)
        if not view.is_classifier:
            raise TypeError(
                f"model should be a classifier, got {type(model).__name__}: "
                "draw a regressor with ResidualsDisplay."
            )
        rows, labels, seen = rows_and_targets(model, view, X, y)
        if rows is None:
            raise ValueError(f"{type(model).__name__} does not keep its rows: pass X and y.")
        codes = _codes(model.classes_, labels)
        p = model.predict_proba(rows)[np.arange(len(codes)), codes]
        flagged = view.flagged if seen else _beyond_threshold(model, codes, p)
        parts = {"labels": labels, "probabilities": p, "classes": model.classes_}
        return cls(**parts, flagged=flagged, rule=view.rule if seen else "").plot(ax)

    @classmethod
    def from_predictions(
        cls, y: Any, y_proba: Any, *, classes: Any, flagged: Any = None, ax: Axes | None = None
    ) -> Self:
        """Draw the labels under any classifier.

        Parameters
        ----------
        y : array of shape (n,)
            Given labels.
        y_proba : array of shape (n, k)
            Probabilities of the classes.
        classes : array of shape (k,)
            All labels, in the order of the columns of ``y_proba``.
        flagged : array of shape (n,), bool, optional
            Rows to highlight, none by default.
        ax : matplotlib Axes, optional
            Axes to draw on, those of a new figure by default.

        Returns
        -------
        LabelOddsDisplay
        """
        codes, found = _codes(column("classes", classes), np.asarray(y)), np.asarray(y_proba)
        if found.shape != (len(codes), len(classes)):
            raise ValueError(
                f"y_proba should be of shape {(len(codes), len(classes))}, got {found.shape}."
            )
        p = found[np.arange(len(codes)), codes]
        return cls(labels=y, probabilities=p, classes=classes, flagged=flagged).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the probabilities, a column for each label.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on, those of a new figure by default.

        Returns
        -------
        LabelOddsDisplay
        """
        ax = self._open(ax)
        codes = _codes(self.classes, self.labels)
        draw_label_odds(ax, codes, self.probabilities, self.flagged)
        labels = name_labels(ax, self.classes, codes, self.flagged)
        title = f"{style.flag_summary(self.flagged)}{self.rule}"
        style.label(ax, labels, "probability of the given label", title)
        style.legend_above(ax)
        return self


def _beyond_threshold(model: Any, codes: IntArray, probabilities: FloatArray) -> BoolArray:
    limit = getattr(model, "loss_threshold_", np.inf)
    if hasattr(model, "class_thresholds_"):
        limit = model.class_thresholds_[codes]
    return np.asarray(-np.log(np.maximum(probabilities, 1e-300)) > limit)


def _codes(classes: AnyArray, y: AnyArray) -> IntArray:
    if y.ndim != 1:
        raise ValueError(f"y should be one label a row, got shape {y.shape}.")
    return codes_of(classes, y, "y should hold labels among classes_, got {}.")
