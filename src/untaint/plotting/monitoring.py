"""Scores of the rows against the trimmed fraction.

While too few rows are trimmed, the outliers mask one another in a fit that they have bent; where
the last of them is trimmed, their scores jump and those of the inliers settle. Robust statistics
calls such plots monitoring, or a forward search when rows enter one by one (Atkinson and Riani,
*Robust Diagnostic Regression Analysis*, 2000; Riani, Cerioli, Atkinson and Perrotta, *Monitoring
robust regression*, Electronic Journal of Statistics 8, 2014).
"""

from typing import Any, Self

import numpy as np

from .._typing import FloatArray
from . import style
from .colors import Axes
from .display import Display, mask, number, numbers
from .draw_monitoring import draw_contamination, draw_envelope, draw_lines, name_lines, sample_lines
from .final_step import final_step
from .outlier_view import OutlierView, read_outliers
from .refits import Monitoring, monitor
from .scale import LARGEST, scale_beyond

# Scores of inliers are below.
USUAL, USUAL_CLASSIFIER = 3.0, 1.0
# Quantiles of the rows that are not flagged, as in the plots of a forward search.
ENVELOPE = (0.01, 0.5, 0.99)


class MonitoringDisplay(Display):
    """Scores of all rows against the trimmed fraction, with an envelope and labels of rows.

    Each row has a line, its ``outlier_scores_`` under fits that trim more and more rows; rows that
    the model's audit flags are highlighted, and the most suspicious are labelled. The
    envelope shows the 1 %, 50 % and 99 % quantiles of the other rows, as in FSDA's plots of a
    forward search. Use :meth:`from_estimator` to make one.

    Parameters
    ----------
    shares : array of shape (m,)
        Trimmed fractions.
    scores : array of shape (m, n)
        Outlier scores of the rows under each fraction.
    flagged : array of shape (n,), bool
        Rows to highlight.
    contamination : float, optional
        The model's own share, marked by a line.
    interval : tuple of two floats, optional
        Bounds of the contamination, shown as a band.
    estimated : bool, default=False
        Whether the contamination was estimated.
    usual : float, default=3.0
        Scores above are on a logarithmic scale if they are far above.
    score_name : str, default="outlier score"
        Label of the vertical axis.
    rule : str, default=""
        How rows were flagged, the end of the title's first line.

    Attributes
    ----------
    envelope : array of shape (3, m)
        Quantiles of 1, 50 and 99 % of the scores of rows that are not flagged.
    ax_ : matplotlib Axes
        Axes with the plot.
    figure_ : matplotlib Figure
        Figure of the axes.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint import SubquantileRegressor
    >>> from untaint.plotting import MonitoringDisplay
    >>> X = np.linspace(0, 3, 60)[:, None]
    >>> y = np.sin(X).ravel() + 0.01 * np.cos(50 * X).ravel()
    >>> y[::6] += 20
    >>> model = SubquantileRegressor(alpha=0.01).fit(X, y)
    >>> shares = [0.0, 0.1, 0.2, 0.3]
    >>> display = MonitoringDisplay.from_estimator(model, X, y, shares=shares)
    >>> display.scores.shape, display.envelope.shape
    ((4, 60), (3, 4))
    """

    def __init__(
        self,
        *,
        shares: Any,
        scores: Any,
        flagged: Any,
        contamination: float | None = None,
        interval: tuple[float, float] | None = None,
        estimated: bool = False,
        usual: float = USUAL,
        score_name: str = "outlier score",
        rule: str = "",
    ) -> None:
        self.shares = numbers("shares", shares)
        try:
            self.scores = np.minimum(np.asarray(scores, dtype=float), LARGEST)
        except (TypeError, ValueError):
            raise ValueError("scores should be an array of numbers, got something else.") from None
        if self.scores.ndim != 2 or len(self.scores) != len(self.shares):
            wanted = f"({len(self.shares)}, n)"
            raise ValueError(f"scores should be of shape {wanted}, got {self.scores.shape}.")
        self.flagged = mask("flagged", flagged, self.scores.shape[1])
        self.contamination, self.interval = contamination, interval
        if contamination is not None:
            self.contamination = number("contamination", contamination)
        if interval is not None and np.shape(interval) != (2,):
            raise ValueError(f"interval should be two numbers, got {interval!r}.")
        self.estimated, self.usual = estimated, number("usual", usual)
        self.score_name, self.rule = score_name, rule
        self.envelope = _envelope(self.scores, ~self.flagged)

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        fdr: float | None = 0.1,
        shares: Any = None,
        sample_weight: Any = None,
        monitoring: Monitoring | None = None,
        n_labels: int = 5,
        ax: Axes | None = None,
    ) -> Self:
        """Refit a model with a range of trimmed fractions, and draw the scores of these fits.

        Parameters
        ----------
        model : fitted estimator, or pipeline that ends with one
            An estimator with a parameter ``contamination``. It is not changed.
        X : array, sparse matrix or data frame of shape (n, d), optional
            The training rows. By default those that the model keeps, if it does.
        y : array of shape (n,) or (n, k), optional
            Targets or labels of these rows.
        fdr : float, optional, default=0.1
            False-discovery rate at which rows are flagged, as in the model's ``audit``. None flags
            the rows that the fit trimmed.
        shares : array of shape (m,), optional
            Trimmed fractions in [0, 0.5), one fit each. By default 21 of them, up to 0.48, and 11
            for RobustRegressor and RobustClassifier.
        sample_weight : array of shape (n,), optional
            Weights that the model was fitted with.
        monitoring : Monitoring, optional
            The result of :func:`monitor`; nothing is fitted then.
        n_labels : int, default=5
            Number of the most suspicious rows that are labelled with their position.
        ax : matplotlib Axes, optional
            Axes to draw on, those of a new figure by default.

        Returns
        -------
        MonitoringDisplay
        """
        last, rows = final_step(model, X)
        view = read_outliers(last, fdr)
        if monitoring is None:
            monitoring = monitor(last, rows, y, shares, sample_weight=sample_weight)
        _check_rows(monitoring, view)
        parts = view.parts("contamination", "interval", "estimated") | monitoring._asdict()
        usual = USUAL_CLASSIFIER if view.is_classifier else USUAL
        return cls(**parts, usual=usual).plot(ax, n_labels=n_labels)

    def plot(self, ax: Axes | None = None, *, n_labels: int = 5, envelope: bool = True) -> Self:
        """Draw the scores.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on, those of a new figure by default.
        n_labels : int, default=5
            Number of the most suspicious rows that are labelled with their position.
        envelope : bool, default=True
            Whether to draw the envelope of the rows that are not flagged.

        Returns
        -------
        MonitoringDisplay
        """
        ax = self._open(ax, n_labels)
        scores = np.clip(np.nan_to_num(self.scores, nan=0.0), 0.0, LARGEST)
        room = 1.4 * style.line_room(ax)
        logarithmic = scale_beyond(ax, 0.0, float(scores.max()), self.usual, room=room)
        percents = 100 * self.shares
        right = max(percents.max(), 100 * (self.contamination or 0.0), percents.min() + 1.0)
        ax.set_xlim(percents.min(), right)
        flagged, others = sample_lines(scores[-1], self.flagged)
        draw_lines(ax, percents, scores, {"flagged": flagged, "not flagged": others})
        if envelope and len(others):
            draw_envelope(ax, percents, self.envelope)
        if self.contamination is not None:
            draw_contamination(ax, self.contamination, self.interval, self.estimated)
        self._write(ax, len(flagged) + len(others), logarithmic)
        name_lines(ax, flagged[np.argsort(-scores[-1, flagged])][:n_labels], scores[-1])
        return self

    def _write(self, ax: Axes, n_drawn: int, logarithmic: bool) -> None:
        title = f"{style.flag_summary(self.flagged)}{self.rule}"
        if n_drawn < len(self.flagged):
            title = f"{title}\n{n_drawn:,} rows drawn"
        beyond = style.beyond("above ", self.usual) if logarithmic else ""
        style.label(ax, "share of rows trimmed (%)", f"{self.score_name}{beyond}", title)
        style.legend_above(ax)


def plot_monitoring(
    model: Any,
    X: Any = None,
    y: Any = None,
    shares: Any = None,
    ax: Axes | None = None,
    *,
    sample_weight: Any = None,
    monitoring: Monitoring | None = None,
    fdr: float | None = None,
) -> Axes:
    """Draw the scores of all rows against the trimmed fraction.

    This is the short form of :meth:`MonitoringDisplay.from_estimator`, but flags the rows that the
    fit trimmed unless ``fdr`` is given, and returns the axes. Each row has a line; flagged rows are
    highlighted. The model's own contamination is marked, with its interval if it has one. Of more
    than a thousand rows, a sample is drawn.

    Parameters
    ----------
    model : fitted estimator, or pipeline that ends with one
        An estimator with a parameter ``contamination``. It is not changed.
    X : array, sparse matrix or data frame of shape (n, d), optional
        The training rows. By default those that the model keeps, if it does.
    y : array of shape (n,) or (n, k), optional
        Targets or labels of these rows.
    shares : array of shape (m,), optional
        Trimmed fractions in [0, 0.5), one fit each. By default 21 of them, up to 0.48, and 11 for
        RobustRegressor and RobustClassifier.
    ax : matplotlib Axes, optional
        Axes to draw on, those of a new figure by default.
    sample_weight : array of shape (n,), optional
        Weights that the model was fitted with.
    monitoring : Monitoring, optional
        The result of :func:`monitor`; nothing is fitted then.
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
    >>> from untaint.plotting import plot_monitoring
    >>> X = np.linspace(0, 3, 60)[:, None]
    >>> y = np.sin(X).ravel() + 0.01 * np.cos(50 * X).ravel()
    >>> y[::6] += 20
    >>> model = SubquantileRegressor(alpha=0.01).fit(X, y)
    >>> ax = plot_monitoring(model, X, y, shares=[0.0, 0.1, 0.2, 0.3])
    >>> ax.get_xlabel()
    'share of rows trimmed (%)'
    """
    options: dict[str, Any] = {"sample_weight": sample_weight, "monitoring": monitoring}
    display = MonitoringDisplay.from_estimator(
        model, X, y, fdr=fdr, shares=shares, ax=ax, **options
    )
    return display.ax_


def _check_rows(monitoring: Monitoring, view: OutlierView) -> None:
    if not isinstance(monitoring, Monitoring):
        found = type(monitoring).__name__
        raise TypeError(f"monitoring should be what monitor returns, or None, got {found}.")
    n_rows, found = len(view.scores), np.shape(monitoring.scores)[1]
    if found != n_rows:
        raise ValueError(f"monitoring should have the model's {n_rows} rows, got {found}.")


def _envelope(scores: FloatArray, rows: Any) -> FloatArray:
    if not rows.any():
        return np.full((len(ENVELOPE), len(scores)), np.nan)
    return np.asarray(np.nanquantile(scores[:, rows], ENVELOPE, axis=1))
