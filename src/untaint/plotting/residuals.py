"""Plots of residuals: against expected values, as observed against expected, and as Q-Q plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray, FloatArray
from . import style
from .display import Display, choice, column, mask
from .draw_residuals import draw_observed, draw_residuals
from .final_step import final_step
from .label_odds import LabelOddsDisplay
from .outlier_view import OutlierView, read_outliers
from .qq import draw_qq
from .rows import rows_and_targets

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
        self.observed = column("observed", observed).astype(float)
        n_rows = len(self.observed)
        self.expected = column("expected", expected, n_rows).astype(float)
        self.flagged = mask("flagged", flagged, n_rows)
        self.note = note
        self.residuals = self.observed - self.expected
        if standardised is None:
            standardised = _standardise(self.residuals, self.flagged)
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
    ) -> ResidualsDisplay:
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
        choice("kind", kind, KINDS)
        model, X = final_step(model, X)
        view = read_outliers(model, fdr)
        if view.is_classifier:
            raise TypeError(
                f"model should be a regressor, got {type(model).__name__}: "
                "draw a classifier with LabelOddsDisplay."
            )
        return cls(**_read(model, view, X, y, output)).plot(ax, kind=kind)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        flagged: Any = None,
        kind: str = "residuals",
        ax: Axes | None = None,
    ) -> ResidualsDisplay:
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
        observed = column("y_true", y_true)
        expected = column("y_pred", y_pred, len(observed))
        return cls(observed=observed, expected=expected, flagged=flagged).plot(ax, kind=kind)

    def plot(self, ax: Axes | None = None, *, kind: str = "residuals") -> ResidualsDisplay:
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
        choice("kind", kind, KINDS)
        ax = self._open(ax)
        title = f"{style.flag_summary(self.flagged)}{self.note}"
        if kind == "qq":
            draw_qq(ax, np.nan_to_num(self.standardised), self.flagged, title)
        elif kind == "residuals":
            draw_residuals(ax, self.expected, self.residuals, self.flagged, title)
        else:
            draw_observed(ax, self.expected, self.observed, self.flagged, title)
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
    :meth:`LabelOddsDisplay.from_estimator`.

    Parameters
    ----------
    model : fitted estimator, or pipeline that ends with one
    X : array, sparse matrix or data frame of shape (m, d), optional
        By default the training rows, if the model keeps them. Rows that the model has not seen
        are flagged if their loss is above its threshold.
    y : array of shape (m,) or (m, k), optional
        Targets or labels. By default those of the model's audit.
    ax : matplotlib Axes, optional
        Axes to draw on, those of a new figure by default.
    output : int, default=0
        Which target of a regressor with several to draw.
    kind : {"residuals", "observed_vs_expected", "qq"}, default="residuals"
        What to draw of a regressor.
    fdr : float, optional
        False-discovery rate at which training rows are flagged. None flags those that the fit
        trimmed.

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


def _read(model: Any, view: OutlierView, X: Any, y: Any, output: int) -> dict[str, Any]:
    """Return one output's observed and expected targets, flags and standardised residuals."""
    rows, targets, seen = rows_and_targets(model, view, X, y)
    expected, observed = _compare(model, view, rows, targets, seen)
    n_outputs = observed.shape[1]
    if not 0 <= output < n_outputs:
        raise ValueError(f"output should be in [0, {n_outputs}), got {output!r}.")
    residuals = observed - expected
    which = f", output {output} of {n_outputs}" if n_outputs > 1 else ""
    found: dict[str, Any] = {"observed": observed[:, output], "expected": expected[:, output]}
    if not seen:
        return found | {"flagged": _beyond_threshold(model, residuals), "note": which}
    found |= {"flagged": view.flagged, "note": f"{view.rule}{which}"}
    if n_outputs == 1:
        found["standardised"] = np.copysign(view.scores, residuals[:, 0])
    return found


def _beyond_threshold(model: Any, residuals: FloatArray) -> BoolArray:
    with np.errstate(over="ignore"):
        losses = (residuals**2).sum(axis=1)
    return np.asarray(losses > getattr(model, "loss_threshold_", np.inf))


def _compare(
    model: Any, view: OutlierView, rows: Any, targets: NDArray[Any], seen: bool
) -> tuple[FloatArray, FloatArray]:
    """Return expected and observed targets, a column for each output."""
    expected = view.expected if seen else None
    if expected is None:
        if rows is None:
            raise ValueError(f"{type(model).__name__} does not keep its rows: pass X and y.")
        expected = np.asarray(model.predict(rows))
    expected, observed = _columns(expected), _columns(targets.astype(float))
    if expected.shape != observed.shape:
        raise ValueError(
            f"y should have one target for each prediction, of shape {expected.shape}, "
            f"got {observed.shape}."
        )
    return expected.astype(float), observed


def _columns(values: NDArray[Any]) -> FloatArray:
    return values[:, None] if values.ndim == 1 else values


def _standardise(residuals: FloatArray, flagged: BoolArray) -> FloatArray:
    inner = abs(residuals[~flagged & np.isfinite(residuals)])
    scale = 1.4826 * float(np.median(inner)) if len(inner) else 1.0
    return residuals / (scale or 1.0)
