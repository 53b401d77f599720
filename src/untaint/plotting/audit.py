"""Plot of the scores of the rows, the most suspicious first."""

from typing import Any, Self

import numpy as np

from . import style
from .colors import Axes, palette
from .display import ScoreDisplay
from .final_step import final_step
from .marks import draw_rows
from .naming import name_rows
from .outlier_view import audit_column, check_audit, read_outliers
from .rows import check_training_rows
from .scale import scale_beyond

# With fewer flagged rows than this among so many, they are seen only on a logarithmic axis.
FEW, LARGE = 0.02, 500


class AuditDisplay(ScoreDisplay):
    """The rows' audit scores, the most suspicious first.

    A cliff between the flagged rows and the others means that they are well separated; a slope,
    that rows near the threshold may be on either side of it. Scores far above the threshold are on
    a logarithmic scale. Use :meth:`from_estimator` or :meth:`from_audit` to make one.

    Parameters
    ----------
    scores : array of shape (n,)
        Outlier scores in the order of the rows, higher is more suspicious.
    flagged : array of shape (n,), bool
        Rows to highlight.
    kept : array of shape (n,), bool, optional
        Rows that the fit kept. By default those that are not flagged.
    kinds : array of shape (n,), str, optional
        Kind of each flagged row, ``"target"``, ``"features"`` or ``"both"``, shown by its marker.
    score_name : str, default="outlier score"
        Label of the vertical axis.
    rule : str, default=""
        How rows were flagged, the end of the first line of the title.
    note : str, default=""
        Second line of the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the plot.
    figure_ : matplotlib Figure
        Figure of the axes.
    order : array of shape (n,), int
        Rows, the most suspicious first.
    threshold : float or None
        Score up to which rows are not flagged, None if scores alone do not decide that.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint import SubquantileRegressor
    >>> from untaint.plotting import AuditDisplay
    >>> X = np.linspace(0, 3, 60)[:, None]
    >>> y = np.sin(X).ravel() + 0.1 * np.cos(50 * X).ravel()
    >>> y[::6] += 20
    >>> model = SubquantileRegressor(alpha=0.01).fit(X, y)
    >>> display = AuditDisplay.from_estimator(model, fdr=0.02)
    >>> int(display.flagged.sum())
    10
    >>> display.order[:3] % 6
    array([0, 0, 0])
    """

    def __init__(
        self,
        *,
        scores: Any,
        flagged: Any,
        kept: Any = None,
        kinds: Any = None,
        score_name: str = "outlier score",
        rule: str = "",
        note: str = "",
    ) -> None:
        super().__init__(scores, flagged, kept, kinds, score_name, rule)
        self.note = note

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        fdr: float | None = 0.1,
        n_labels: int = 5,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the audit of a fitted model.

        Parameters
        ----------
        model : fitted estimator, or pipeline that ends with one
            A regressor or classifier with ``outlier_scores_`` and ``inlier_mask_``. Its ``audit``
            gives scores and kinds.
        X : array, sparse matrix or data frame of shape (n, d), optional
            Not needed, as the audit is of the training rows; their number is checked if given.
        y : array of shape (n,), optional
            Not needed either, and checked in the same way.
        fdr : float, optional, default=0.1
            False-discovery rate at which rows are flagged, as in the model's ``audit``. None flags
            the rows that the fit trimmed, and so does an audit without this parameter, such as
            those of baselines.
        n_labels : int, default=5
            Number of the most suspicious rows that are labelled with their position.
        ax : matplotlib Axes, optional
            Axes to draw on, those of a new figure by default.

        Returns
        -------
        AuditDisplay
        """
        model, _ = final_step(model)
        view = read_outliers(model, fdr)
        check_training_rows(len(view.scores), X, y)
        parts = view.parts("scores", "kept", "kinds")
        return cls(**parts, note=view.share_note).plot(ax, n_labels=n_labels)

    @classmethod
    def from_audit(cls, table: Any, *, n_labels: int = 5, ax: Axes | None = None) -> Self:
        """Draw an audit table, as ``audit()`` returns it.

        Parameters
        ----------
        table : data frame or structured array
            With the columns ``row``, ``score`` and ``flagged``, and perhaps ``kept`` and ``kind``.
        n_labels : int, default=5
            Number of the most suspicious rows that are labelled with their position.
        ax : matplotlib Axes, optional
            Axes to draw on, those of a new figure by default.

        Returns
        -------
        AuditDisplay
        """
        check_audit(table)
        parts = {"scores": "score", "flagged": "flagged", "kept": "kept", "kinds": "kind"}
        found = {part: audit_column(table, name) for part, name in parts.items()}
        return cls(**found).plot(ax, n_labels=n_labels)  # type: ignore[arg-type]

    def plot(self, ax: Axes | None = None, *, n_labels: int = 5) -> Self:
        """Draw the scores.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on, those of a new figure by default.
        n_labels : int, default=5
            Number of the most suspicious rows that are labelled with their position.

        Returns
        -------
        AuditDisplay
        """
        ax = self._open(ax, n_labels)
        rank = np.empty(len(self.order))
        rank[self.order] = np.arange(1, len(rank) + 1)
        room = style.line_room(ax)
        logarithmic = scale_beyond(ax, 0.0, float(self.scores.max()), self._linear, room=room)
        self._set_ranks(ax)
        draw_rows(ax, rank, self.scores, self.flagged, self.kept, self.kinds)
        if self.threshold is not None:
            _draw_threshold(ax, self.threshold)
        self._write(ax, style.beyond("above ", self._linear) if logarithmic else "")
        corner = {"loc": "upper right", "bbox_to_anchor": (1, 1 - room), "borderaxespad": 0}
        style.legend(ax, len(rank), **corner)
        name_rows(ax, self._suspects[:n_labels], rank, self.scores)
        return self

    def _set_ranks(self, ax: Axes) -> None:
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        n_rows, share = len(self.scores), float(np.mean(self.flagged))
        if 0 < share < FEW and n_rows >= LARGE:
            ax.set_xscale("log")
            ax.set_xlim(0.8, 1.25 * n_rows)
        else:
            ax.set_xlim(1 - 0.03 * n_rows, 1.02 * n_rows)
            n_ticks = max(3, int(1.7 * style.width(ax)))
            ax.xaxis.set_major_locator(MaxNLocator(n_ticks, integer=True))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: style.number(value)))

    def _write(self, ax: Axes, beyond: str) -> None:
        title = f"{style.flag_summary(self.flagged)}{self.rule}"
        title = f"{title}\n{self.note}" if self.note else title
        style.label(ax, "rows, most suspicious first", f"{self.score_name}{beyond}", title)


def plot_audit(
    model: Any, ax: Axes | None = None, *, n_labels: int = 5, fdr: float | None = None
) -> Axes:
    """Draw the rows' scores, the most suspicious first.

    This is the short form of :meth:`AuditDisplay.from_estimator`, but flags the rows that the fit
    trimmed unless ``fdr`` is given, and returns the axes.

    Parameters
    ----------
    model : fitted estimator, or pipeline that ends with one
        A regressor or classifier with ``outlier_scores_`` and ``inlier_mask_``.
    ax : matplotlib Axes, optional
        Axes to draw on, those of a new figure by default.
    n_labels : int, default=5
        Number of the most suspicious rows that are labelled with their position.
    fdr : float, optional
        False-discovery rate at which rows are flagged, as in the model's ``audit``. By default the
        rows that the fit trimmed are flagged.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from untaint import SubquantileRegressor
    >>> from untaint.plotting import plot_audit
    >>> X = np.linspace(0, 3, 60)[:, None]
    >>> y = np.sin(X).ravel()
    >>> y[::6] += 20
    >>> model = SubquantileRegressor(contamination=1 / 6, alpha=0.01)
    >>> ax = plot_audit(model.fit(X, y))
    >>> print(ax.get_title(loc="left"))
    10 of 60 rows flagged
    trimmed share 17 %, as given
    """
    return AuditDisplay.from_estimator(model, fdr=fdr, n_labels=n_labels, ax=ax).ax_


def _draw_threshold(ax: Axes, threshold: float) -> None:
    ink = palette(ax).ink
    ax.axhline(threshold, color=ink, lw=0.8, ls=style.DASHES, zorder=1)
    look: dict[str, Any] = {"ha": "right", "va": "top", "xycoords": ("axes fraction", "data")}
    # Above the legend, which may reach down to here.
    style.write(ax, f"threshold {threshold:.2g}", (1, threshold), (0, -2), zorder=6, **look)
