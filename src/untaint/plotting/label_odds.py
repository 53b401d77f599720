r"""Plot of the log-odds of the observed labels under a classifier.

.. math:: \log \frac{p_i}{1 - p_i}, \qquad p_i = P(\text{label of row } i \mid x_i)

On this scale rows that are surely right and rows that are surely wrong are apart from the doubtful
ones, which probabilities themselves push into the corners.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from .._typing import BoolArray, FloatArray, IntArray
from . import marks, style
from .colors import palette
from .display import Display, column, mask
from .final_step import final_step
from .outlier_view import read_outliers
from .rows import rows_and_targets

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Smallest probability that is shown to scale; smaller ones are at the edge.
LEAST = 1e-4
TICKS = (1e-4, 1e-3, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999)
# Ticks for a narrow range, where the others would be few.
FINE_TICKS = (0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98)
# Part of a label's column that its points take.
BREADTH = 0.72


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
    ...     ["no", "yes", "no"], proba, classes=["no", "yes"], flagged=[False, False, True]
    ... )
    >>> display.probabilities
    array([0.9 , 0.8 , 0.01])
    """

    def __init__(
        self, *, labels: Any, probabilities: Any, classes: Any, flagged: Any = None, rule: str = ""
    ) -> None:
        self.labels = column("labels", labels)
        n_rows = len(self.labels)
        self.probabilities = column("probabilities", probabilities, n_rows).astype(float)
        self.classes = column("classes", classes)
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
    ) -> LabelOddsDisplay:
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
    ) -> LabelOddsDisplay:
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
        codes, found = _codes(np.asarray(classes), np.asarray(y)), np.asarray(y_proba)
        if found.shape != (len(codes), len(classes)):
            raise ValueError(
                f"y_proba should be of shape {(len(codes), len(classes))}, got {found.shape}."
            )
        p = found[np.arange(len(codes)), codes]
        return cls(labels=y, probabilities=p, classes=classes, flagged=flagged).plot(ax)

    def plot(self, ax: Axes | None = None) -> LabelOddsDisplay:
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
        bound = logit(1 - LEAST)
        odds = np.clip(logit(np.clip(self.probabilities, 1e-15, 1 - 1e-15)), -bound, bound)
        _draw(ax, codes, odds, self.flagged, bound)
        labels = _name_labels(ax, self.classes, codes, self.flagged)
        title = f"{style.flag_summary(self.flagged)}{self.rule}"
        style.label(ax, labels, "probability of the given label", title)
        style.legend_above(ax)
        return self


def _beyond_threshold(model: Any, codes: IntArray, probabilities: FloatArray) -> BoolArray:
    limit = getattr(model, "loss_threshold_", np.inf)
    if hasattr(model, "class_thresholds_"):
        limit = model.class_thresholds_[codes]
    return np.asarray(-np.log(np.maximum(probabilities, 1e-300)) > limit)


def _codes(classes: NDArray[Any], y: NDArray[Any]) -> IntArray:
    known = {value: code for code, value in enumerate(classes.tolist())}
    if y.ndim != 1:
        raise ValueError(f"y should be one label a row, got shape {y.shape}.")
    labels = y.tolist()
    unknown = next((value for value in labels if value not in known), None)
    if unknown is not None:
        raise ValueError(f"y should hold labels among classes_, got {unknown!r}.")
    return np.array([known[value] for value in labels], dtype=np.intp)


def _draw(ax: Axes, codes: IntArray, odds: FloatArray, flagged: BoolArray, bound: float) -> None:
    colors = palette(ax)
    # Even odds: below, another label is likelier.
    ax.axhline(0, color=colors.faint, lw=0.8, zorder=1)
    x, sides = codes + _offsets(codes), np.sign(odds) * (abs(odds) >= bound)
    looks = (
        (~flagged, "kept", colors.kept, marks.KEEP, marks.KEEP_SIZE),
        (flagged, "flagged", colors.flagged, marks.FLAG, marks.FLAG_SIZE),
    )
    for level, (rows, name, color, marker, size) in enumerate(looks):
        look: dict[str, Any] = {"color": color, "zorder": 2 + level, "linewidths": 0}
        ax.scatter([], [], s=size, marker=marker, label=f"{name} ({rows.sum():,})", **look)
        for side, shape in ((0, marker), (1, "^"), (-1, "v")):
            marks.scatter(ax, x, odds, rows & (sides == side), size, marker=shape, **look)
    _set_ticks(ax, odds, bound)


def _set_ticks(ax: Axes, odds: FloatArray, bound: float) -> None:
    low = max(min(odds.min(), -1.0) - 0.5, -bound - 0.5)
    high = min(max(odds.max(), 1.0) + 0.5, bound + 0.5)
    ax.set_ylim(low, high)
    few = low > logit(FINE_TICKS[0]) and high < logit(FINE_TICKS[-1])
    ticks = [tick for tick in (FINE_TICKS if few else TICKS) if low <= logit(tick) <= high]
    ax.set_yticks(logit(ticks), [f"{100 * tick:.6g} %" for tick in ticks])


def _offsets(codes: IntArray) -> FloatArray:
    """Return horizontal places within a label's column, in the order of the rows."""
    offsets = np.zeros(len(codes))
    for code in np.unique(codes):
        members = np.flatnonzero(codes == code)
        if len(members) > 1:
            offsets[members] = BREADTH * (np.arange(len(members)) / (len(members) - 1) - 0.5)
    return offsets


def _name_labels(ax: Axes, classes: NDArray[Any], codes: IntArray, flagged: BoolArray) -> str:
    """Write labels, with counts if they fit, upright if they do; return what they are."""
    n_labels = len(classes)
    total = np.bincount(codes, minlength=n_labels)
    wrong = np.bincount(codes, flagged, minlength=n_labels).astype(int)
    names = [str(name) for name in classes.tolist()]
    counts = [f"{bad:,} / {every:,}" for bad, every in zip(wrong, total, strict=True)]
    room = style.characters(ax) / n_labels - 0.5
    counted = max(map(len, names + counts)) <= room
    if counted:
        names = [f"{name}\n{number}" for name, number in zip(names, counts, strict=True)]
    upright = counted or max(map(len, names)) <= room
    ax.set_xticks(range(n_labels), names, rotation=0 if upright else 90)
    ax.tick_params(axis="x", length=0)
    ax.set_xlim(-0.5, n_labels - 0.5)
    for edge in range(1, n_labels):
        ax.axvline(edge - 0.5, color=palette(ax).faint, lw=0.5, alpha=0.5, zorder=0.5)
    return "given label (flagged / all)" if counted else "given label"
