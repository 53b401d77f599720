"""Plots of residuals: against expected values, as observed against expected, and as Q-Q plot."""

from typing import Any, Self

import numpy as np

from .._typing import BoolArray, FloatArray
from .._validation import check_choice
from . import style
from .colors import Axes, palette
from .display import Display, column, mask, numbers
from .edges import draw_points
from .final_step import final_step
from .label_odds import LabelOddsDisplay
from .outlier_view import read_outliers
from .qq import draw_qq
from .residual_data import read_residuals, standardise
from .scale import LARGEST, scale_beyond, visible_bounds

KINDS = ("residuals", "observed_vs_expected", "qq")


class ResidualsDisplay(Display):
    """Residuals of a regression, in one of three plots.

    ``kind="residuals"`` draws residuals against expected values, those far out on a logarithmic
    scale; ``kind="observed_vs_expected"`` draws the targets with the line of equality; and
    ``kind="qq"`` draws standardised residuals against normal quantiles, with the envelope that 95 %
    of normal residuals lie in. Use :meth:`from_estimator` or :meth:`from_predictions` to make one.

    Parameters
    ----------
    observed : array of shape (n,)
        Targets.
    expected : array of shape (n,)
        Predictions.
    flagged : array of shape (n,), bool, optional
        Rows to highlight, none by default.
    standardised : array of shape (n,), optional
        Residuals in standard deviations. By default the residuals over 1.4826 times the median
        absolute residual of the rows that are not flagged.
    note : str, default=""
        End of the title.

    Attributes
    ----------
    residuals : array of shape (n,)
        Observed minus expected targets.
    ax_ : matplotlib Axes
        Axes with the plot.
    figure_ : matplotlib Figure
        Figure of the axes.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint import SubquantileRegressor
    >>> from untaint.plotting import ResidualsDisplay
    >>> X = np.linspace(0, 3, 60)[:, None]
    >>> y = np.sin(X).ravel() + 0.1 * np.cos(50 * X).ravel()
    >>> y[::6] += 20
    >>> model = SubquantileRegressor(alpha=0.01).fit(X, y)
    >>> display = ResidualsDisplay.from_estimator(model, X, y, fdr=0.02, kind="qq")
    >>> display.ax_.get_xlabel()
    'normal quantile'
    >>> bool(display.residuals[display.flagged].min() > 19)
    True
    """

    def __init__(
        self,
        *,
        observed: Any,
        expected: Any,
        flagged: Any = None,
        standardised: Any = None,
        note: str = "",
    ) -> None:
        self.observed = numbers("observed", observed)
        n_rows = len(self.observed)
        self.expected = numbers("expected", expected, n_rows)
        self.flagged = mask("flagged", flagged, n_rows)
        self.note = note
        with np.errstate(over="ignore"):
            self.residuals = self.observed - self.expected
        if standardised is None:
            standardised = standardise(self.residuals, self.flagged)
        self.standardised = column("standardised", standardised, n_rows).astype(float)

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        fdr: float | None = 0.1,
        kind: str = "residuals",
        output: int = 0,
        ax: Axes | None = None,
    ) -> Self:
        """Draw residuals of a fitted regressor.

        Of the training rows, observed and expected targets are those of the model's ``audit``, and
        standardised residuals are its scores with the signs of the residuals. Other rows are
        predicted, and flagged if their loss is above the model's threshold.

        Parameters
        ----------
        model : fitted regressor, or pipeline that ends with one
        X : array, sparse matrix or data frame of shape (m, d), optional
            By default the training rows; needed only if neither the model nor its audit has them.
        y : array of shape (m,) or (m, k), optional
            Targets, needed if X is given. By default those of the audit.
        fdr : float, optional, default=0.1
            False-discovery rate at which training rows are flagged, as in the model's ``audit``.
            None flags the rows that the fit trimmed.
        kind : {"residuals", "observed_vs_expected", "qq"}, default="residuals"
            What to draw.
        output : int, default=0
            Which target of a regressor with several to draw.
        ax : matplotlib Axes, optional
            Axes to draw on, those of a new figure by default.

        Returns
        -------
        ResidualsDisplay
        """
        check_choice("kind", kind, KINDS)
        model, X = final_step(model, X)
        view = read_outliers(model, fdr)
        if view.is_classifier:
            raise TypeError(
                f"model should be a regressor, got {type(model).__name__}: "
                "draw a classifier with LabelOddsDisplay."
            )
        return cls(**read_residuals(model, view, X, y, output)).plot(ax, kind=kind)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        flagged: Any = None,
        kind: str = "residuals",
        ax: Axes | None = None,
    ) -> Self:
        """Draw residuals of any regression.

        Parameters
        ----------
        y_true : array of shape (n,)
            Targets.
        y_pred : array of shape (n,)
            Predictions.
        flagged : array of shape (n,), bool, optional
            Rows to highlight, none by default.
        kind : {"residuals", "observed_vs_expected", "qq"}, default="residuals"
            What to draw.
        ax : matplotlib Axes, optional
            Axes to draw on, those of a new figure by default.

        Returns
        -------
        ResidualsDisplay
        """
        observed = numbers("y_true", y_true)
        expected = numbers("y_pred", y_pred, len(observed))
        return cls(observed=observed, expected=expected, flagged=flagged).plot(ax, kind=kind)

    def plot(self, ax: Axes | None = None, *, kind: str = "residuals") -> Self:
        """Draw the residuals.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on, those of a new figure by default.
        kind : {"residuals", "observed_vs_expected", "qq"}, default="residuals"
            What to draw.

        Returns
        -------
        ResidualsDisplay
        """
        check_choice("kind", kind, KINDS)
        ax = self._open(ax)
        title = f"{style.flag_summary(self.flagged)}{self.note}"
        if kind == "qq":
            draw_qq(ax, np.nan_to_num(self.standardised), self.flagged, title)
        elif kind == "residuals":
            _draw_residuals(ax, self.expected, self.residuals, self.flagged, title)
        else:
            _draw_observed(ax, self.expected, self.observed, self.flagged, title)
        return self


def plot_residuals(
    model: Any,
    X: Any = None,
    y: Any = None,
    ax: Axes | None = None,
    *,
    output: int = 0,
    kind: str = "residuals",
    fdr: float | None = None,
) -> Axes:
    """Draw residuals against expected values or, for a classifier, the odds of the labels.

    This is the short form of :meth:`ResidualsDisplay.from_estimator` and
    :meth:`LabelOddsDisplay.from_estimator`, but flags the rows that the fit trimmed unless ``fdr``
    is given, and returns the axes.

    Parameters
    ----------
    model : fitted estimator, or pipeline that ends with one
    X : array, sparse matrix or data frame of shape (m, d), optional
        Rows, by default the training rows; needed if neither the model nor its audit has them.
    y : array of shape (m,) or (m, k), optional
        Targets or labels of these rows, needed if X is given. By default those of the audit.
    ax : matplotlib Axes, optional
        Axes to draw on, those of a new figure by default.
    output : int, default=0
        Which target of a regressor with several to draw.
    kind : {"residuals", "observed_vs_expected", "qq"}, default="residuals"
        What to draw for a regressor.
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
    >>> from untaint.plotting import plot_residuals
    >>> X = np.linspace(0, 3, 60)[:, None]
    >>> y = np.sin(X).ravel()
    >>> y[::6] += 1e12
    >>> model = SubquantileRegressor(contamination=1 / 6, alpha=0.01).fit(X, y)
    >>> ax = plot_residuals(model, X, y)
    >>> ax.get_yscale()
    'symlog'
    """
    if hasattr(final_step(model)[0], "classes_"):
        return LabelOddsDisplay.from_estimator(model, X, y, fdr=fdr, ax=ax).ax_
    display = ResidualsDisplay.from_estimator(model, X, y, fdr=fdr, kind=kind, output=output, ax=ax)
    return display.ax_


def _draw_residuals(
    ax: Axes, expected: FloatArray, residuals: FloatArray, flagged: BoolArray, title: str
) -> None:
    """Draw residuals, with a logarithmic scale beyond the largest that is not flagged."""
    expected = np.clip(expected, -LARGEST, LARGEST)
    known = residuals[np.isfinite(residuals)]
    limit = float(abs(residuals[np.isfinite(residuals) & ~flagged]).max(initial=0.0))
    low, high = float(known.min(initial=0.0)), float(known.max(initial=0.0))
    logarithmic = scale_beyond(ax, low, high, limit)
    ax.axhline(0, color=palette(ax).faint, lw=0.8, zorder=1)
    if logarithmic:
        for side in (-limit, limit):
            ax.axhline(side, color=palette(ax).ink, lw=0.8, ls=style.DASHES, zorder=1)
    low, high = ax.get_ylim()
    residuals = np.nan_to_num(residuals, nan=0.0, posinf=high, neginf=low)
    note = draw_points(ax, expected, residuals, flagged, visible_bounds(expected, ~flagged))
    beyond = style.beyond("beyond ±", limit) if logarithmic else ""
    style.label(ax, f"expected value{note}", f"residual{beyond}", title)
    style.legend_above(ax)


def _draw_observed(
    ax: Axes, expected: FloatArray, observed: FloatArray, flagged: BoolArray, title: str
) -> None:
    """Draw observed against expected values, those far out at the edge."""
    expected, observed = (np.clip(each, -LARGEST, LARGEST) for each in (expected, observed))
    bounds = (visible_bounds(expected, ~flagged), visible_bounds(observed, ~flagged))
    note = draw_points(ax, expected, observed, flagged, *bounds)
    ax.axline((0, 0), slope=1, color=palette(ax).ink, lw=0.8, ls=style.DASHES, zorder=1)
    style.label(ax, f"expected value{note}", "observed value", title)
    style.legend_above(ax)
