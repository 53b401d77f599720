r"""Heat map of label noise: how often a class gets which label, or which labels are suggested.

.. math:: N_{jk} = P(\text{given label } k \mid \text{true label } j)

The diagonal, where labels are right, is not coloured; colours span the other cells.
"""

from typing import Any, Self

import numpy as np

from .._typing import FloatArray
from .._validation import check_choice
from . import style
from .colors import Axes, background, mixed, palette, readable
from .display import Display, check_distinct, codes_of, column
from .final_step import check_model, final_step
from .outlier_view import OutlierView, read_outliers
from .rows import check_training_rows

KINDS = ("matrix", "counts")
# More classes than this have no numbers in their cells.
MOST_NUMBERED = 12
# A probability has the full colour only if it is at least this.
FULL_COLOR = 0.3


class NoiseMatrixDisplay(Display):
    """Given labels against true or suggested ones, as a heat map.

    Rows are true labels (``kind="matrix"``) or suggested ones (``kind="counts"``), columns are
    given labels. Use :meth:`from_estimator` or :meth:`from_predictions` to make one.

    Parameters
    ----------
    matrix : array of shape (k, k)
        Probabilities of given labels for each true label, or numbers of rows.
    classes : array of shape (k,)
        Labels.
    interval : array of shape (2, k, k), optional
        Lower and upper bounds of the probabilities.
    row_name : str, default="true label"
        Label of the vertical axis.
    title : str, default=""
        Title.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the plot.
    figure_ : matplotlib Figure
        Figure of the axes.

    Examples
    --------
    >>> from untaint.plotting import NoiseMatrixDisplay
    >>> given, suggested = ["a", "a", "b", "b"], ["a", "b", "b", "b"]
    >>> NoiseMatrixDisplay.from_predictions(given, suggested).matrix
    array([[1, 0],
           [1, 2]])
    """

    def __init__(
        self,
        *,
        matrix: Any,
        classes: Any,
        interval: Any = None,
        row_name: str = "true label",
        title: str = "",
    ) -> None:
        self.matrix, self.classes = np.asarray(matrix), column("classes", classes)
        k = len(self.classes)
        if self.matrix.shape != (k, k):
            raise ValueError(f"matrix should be of shape {(k, k)}, got {self.matrix.shape}.")
        if (
            self.matrix.dtype.kind not in "biuf"
            or not ((self.matrix >= 0) & (self.matrix < np.inf)).all()
        ):
            raise ValueError("matrix should be finite numbers of at least 0, got others.")
        check_distinct(self.classes)
        self.interval = None if interval is None else np.asarray(interval, dtype=float)
        if self.interval is not None and self.interval.shape != (2, k, k):
            raise ValueError(f"interval should be of shape {(2, k, k)}, got {self.interval.shape}.")
        self.row_name, self.title = row_name, title

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        fdr: float | None = 0.1,
        kind: str = "matrix",
        ax: Axes | None = None,
    ) -> Self:
        """Draw the label noise that a fitted classifier has found.

        Parameters
        ----------
        model : fitted classifier, or pipeline that ends with one
        X : array, sparse matrix or data frame of shape (n, d), optional
            Not needed. The number of rows is checked if given.
        y : array of shape (n,), optional
            Not needed either, and checked in the same way.
        fdr : float, optional, default=0.1
            False-discovery rate at which rows are flagged, for ``kind="counts"``. None flags the
            rows that the fit trimmed.
        kind : {"matrix", "counts"}, default="matrix"
            ``"matrix"`` draws ``noise_matrix_``, with its interval if the model has one;
            ``"counts"`` numbers of rows by given and suggested label, where the suggestions of the
            audit count for flagged rows, and other rows keep their given label.
        ax : matplotlib Axes, optional
            Axes to draw on, those of a new figure by default.

        Returns
        -------
        NoiseMatrixDisplay
        """
        check_choice("kind", kind, KINDS)
        model, _ = final_step(model)
        check_model(model, "outlier_scores_")
        if not hasattr(model, "classes_"):
            raise TypeError(f"model should be a classifier, got {type(model).__name__}.")
        check_training_rows(len(model.outlier_scores_), X, y)
        parts = _from_matrix(model) if kind == "matrix" else _from_audit(model, fdr)
        return cls(classes=model.classes_, **parts).plot(ax)

    @classmethod
    def from_predictions(
        cls, y_given: Any, y_suggested: Any, *, classes: Any = None, ax: Axes | None = None
    ) -> Self:
        """Draw numbers of rows by given and suggested label.

        Parameters
        ----------
        y_given : array of shape (n,)
            Labels as given.
        y_suggested : array of shape (n,)
            Labels that the rows should have.
        classes : array of shape (k,), optional
            Labels in the order to show. By default all that occur, sorted.
        ax : matplotlib Axes, optional
            Axes to draw on, those of a new figure by default.

        Returns
        -------
        NoiseMatrixDisplay
        """
        given = column("y_given", y_given)
        suggested = column("y_suggested", y_suggested, len(given))
        if classes is None:
            classes = _sorted_labels(np.concatenate([given, suggested]))
        counts = count_pairs(given, suggested, column("classes", classes))
        return cls(**_of_counts(counts), classes=classes).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the heat map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on, those of a new figure by default.

        Returns
        -------
        NoiseMatrixDisplay
        """
        ax = self._open(ax)
        _draw_cells(ax, self.matrix)
        names = [str(name) for name in self.classes.tolist()]
        room = style.characters(ax) / len(names) - 0.5
        rotation = 0 if max(map(len, names)) <= room else 90
        ax.set_xticks(range(len(names)), names, rotation=rotation)
        ax.set_yticks(range(len(names)), names)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        style.label(ax, "given label", self.row_name, self.title)
        if len(names) <= MOST_NUMBERED:
            self._number_cells(ax)
        return self

    def _number_cells(self, ax: Axes) -> None:
        colors = _cell_colors(ax, self.matrix)
        # An interval takes about eight characters.
        bounded = self.interval is not None and style.characters(ax) / len(self.classes) > 9
        for (row, given), value in np.ndenumerate(self.matrix):
            text = f"{value:,}" if self.matrix.dtype.kind in "iu" else style.percent(value)
            if bounded and self.interval is not None:
                low, high = (style.percent(bound[row, given]) for bound in self.interval)
                text += f"\n({low.removesuffix(' %')}–{high})" if low != high else ""
            ink = readable(palette(ax).ink, colors[row, given])
            style.write(ax, text, (given, row), ha="center", va="center", color=ink)


def count_pairs(given: Any, suggested: Any, classes: Any) -> Any:
    """Return the numbers of rows, (k, k), by suggested label (rows) and given label (columns)."""
    message = "classes should hold all labels, got {} besides."
    pairs = [codes_of(classes, labels, message) for labels in (suggested, given)]
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    np.add.at(counts, tuple(pairs), 1)
    return counts


def _sorted_labels(labels: Any) -> Any:
    try:
        return np.unique(labels)
    except TypeError:
        raise ValueError(
            "classes should be passed for labels that cannot be sorted, such as None or text "
            "beside numbers."
        ) from None


def _from_matrix(model: Any) -> dict[str, Any]:
    if getattr(model, "noise_matrix_", None) is None:
        raise TypeError(
            f"kind='matrix' needs a model with noise_matrix_, which {type(model).__name__} has "
            "not: use kind='counts'."
        )
    title = "label noise: share of a class by given label"
    interval = getattr(model, "noise_matrix_interval_", None)
    return {"matrix": model.noise_matrix_, "interval": interval, "title": title}


def _from_audit(model: Any, fdr: float | None) -> dict[str, Any]:
    view = read_outliers(model, fdr)
    if view.observed is None or view.suggested is None:
        raise TypeError(
            f"kind='counts' needs a model with an audit that suggests labels, "
            f"which {type(model).__name__} has not."
        )
    corrected = np.where(view.flagged, view.suggested, view.observed)
    return _of_counts(count_pairs(view.observed, corrected, model.classes_), view)


def _of_counts(counts: Any, view: OutlierView | None = None) -> dict[str, Any]:
    changed = int(counts.sum() - np.trace(counts))
    title = f"{changed:,} of {style.count(int(counts.sum()), 'row')} relabelled"
    rule = "" if view is None else view.rule
    return {"matrix": counts, "row_name": "suggested label", "title": f"{title}{rule}"}


def _draw_cells(ax: Axes, matrix: Any) -> None:
    ax.imshow(_cell_colors(ax, matrix), aspect="auto", zorder=0)
    edges = np.arange(len(matrix) + 1) - 0.5
    look: dict[str, Any] = {"color": background(ax), "lw": 2, "zorder": 1}
    for edge in edges:
        ax.axhline(edge, **look)
        ax.axvline(edge, **look)


def _cell_colors(ax: Axes, matrix: Any) -> FloatArray:
    """Return the colours of the cells, (k, k, 3): the deeper, the more rows have this label."""
    ground, colors = background(ax), palette(ax)
    values = np.array(matrix, dtype=float)
    np.fill_diagonal(values, 0.0)
    full = 1.0 if np.asarray(matrix).dtype.kind in "iu" else FULL_COLOR
    depth = values / max(values.max(), full)
    cells = np.array([[mixed(colors.flagged, ground, part) for part in row] for row in depth])
    cells[np.diag_indices(len(values))] = mixed(colors.kept, ground, 0.25)
    return cells
