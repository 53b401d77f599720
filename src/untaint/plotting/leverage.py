"""Leverage map: outlier scores against robust distances of the features.

Robust statistics calls a row far out in X a leverage point: a good one if its target fits the
model, a bad one if not (Rousseeuw and van Zomeren, *Unmasking multivariate outliers and leverage
points*, JASA 85, 1990). R's ``plot.lmrob`` draws the same map.
"""

from typing import Any, Self

import numpy as np

from . import style
from .colors import Axes, palette
from .display import ScoreDisplay, number, numbers
from .final_step import final_step
from .marks import draw_rows
from .naming import name_points
from .outlier_view import read_outliers
from .robust_distance import robust_distances
from .rows import check_training_rows, training_rows
from .scale import LARGEST, LINEAR, scale_beyond


class LeverageDisplay(ScoreDisplay):
    """Outlier scores of the rows against their robust distances in X.

    The lines divide the map in four: usual rows at the lower left, vertical outliers (wrong target,
    usual features) at the upper left, good leverage points (outlying features, fitting target) at
    the lower right, and bad leverage points at the upper right. Use :meth:`from_estimator` to make
    one.

    Parameters
    ----------
    scores : array of shape (n,)
        Outlier scores, higher is more suspicious.
    distances : array of shape (n,)
        Robust distances of the rows in X.
    cutoff : float
        Distance beyond which a row is a leverage point.
    flagged : array of shape (n,), bool
        Rows to highlight.
    kept : array of shape (n,), bool, optional
        Rows that the fit kept. By default those that are not flagged.
    kinds : array of shape (n,), str, optional
        Kind of each flagged row, ``"target"``, ``"features"`` or ``"both"``, shown by its marker.
    score_name : str, default="outlier score"
        Label of the vertical axis.
    rule : str, default=""
        How rows were flagged, the end of the title.

    Attributes
    ----------
    threshold : float or None
        Score up to which rows are not flagged, None if scores alone do not decide that.
    ax_ : matplotlib Axes
        Axes with the plot.
    figure_ : matplotlib Figure
        Figure of the axes.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint import SubquantileRegressor
    >>> from untaint.plotting import LeverageDisplay
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 1))
    >>> y = X.ravel() + 0.1 * rng.normal(size=100)
    >>> X[:5], y[:5] = 9, -9
    >>> model = SubquantileRegressor(kernel="linear").fit(X, y)
    >>> display = LeverageDisplay.from_estimator(model, X, y)
    >>> bool((display.distances[:5] > display.cutoff).all())
    True
    """

    def __init__(
        self,
        *,
        scores: Any,
        distances: Any,
        cutoff: float,
        flagged: Any,
        kept: Any = None,
        kinds: Any = None,
        score_name: str = "outlier score",
        rule: str = "",
    ) -> None:
        super().__init__(scores, flagged, kept, kinds, score_name, rule)
        self.distances = np.minimum(numbers("distances", distances, len(self.scores)), LARGEST)
        self.cutoff = number("cutoff", cutoff)

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
        """Draw the leverage map of a fitted model's training rows.

        Parameters
        ----------
        model : fitted estimator, or pipeline that ends with one
            Its ``audit`` gives the scores.
        X : array, sparse matrix or data frame of shape (n, d), optional
            The training rows, of which numeric columns are used; a pipeline's rows are transformed
            by the steps before the model. By default those that the model keeps, if it does.
        y : optional
            Not needed. The number of targets is checked if given.
        fdr : float, optional, default=0.1
            False-discovery rate at which rows are flagged, as in the model's ``audit``. None flags
            the rows that the fit trimmed.
        n_labels : int, default=5
            Number of the most suspicious rows that are labelled, where there is room.
        ax : matplotlib Axes, optional
            Axes to draw on, those of a new figure by default.

        Returns
        -------
        LeverageDisplay
        """
        model, X = final_step(model, X)
        view = read_outliers(model, fdr)
        check_training_rows(len(view.scores), X, y)
        if X is None:
            X = _kept_rows(model, len(view.scores))
        distances, cutoff = robust_distances(X)
        parts = view.parts("scores", "kept", "kinds")
        return cls(distances=distances, cutoff=cutoff, **parts).plot(ax, n_labels=n_labels)

    def plot(self, ax: Axes | None = None, *, n_labels: int = 5) -> Self:
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on, those of a new figure by default.
        n_labels : int, default=5
            Number of the most suspicious rows that are labelled, where there is room.

        Returns
        -------
        LeverageDisplay
        """
        ax = self._open(ax, n_labels)
        far = max(float(self.distances.max()), 1.6 * self.cutoff)
        linear, top, room = self._linear, float(self.scores.max()), style.line_room(ax)
        log_x = scale_beyond(ax, 0.0, far, self.cutoff, axis="x", room=0.04)
        log_y = scale_beyond(ax, 0.0, top, linear, room=2.2 * room)
        # Room for the name of the lower quadrant.
        ax.set_ylim(bottom=-1.2 * room * (linear / LINEAR if log_y else top or 1.0))
        draw_rows(ax, self.distances, self.scores, self.flagged, self.kept, self.kinds)
        self._draw_quadrants(ax)
        x = f"robust distance in X{style.beyond('above ', self.cutoff) if log_x else ''}"
        y = f"{self.score_name}{style.beyond('above ', linear) if log_y else ''}"
        style.label(ax, x, y, f"{style.flag_summary(self.flagged)}{self.rule}")
        style.legend_above(ax, len(self.scores))
        name_points(ax, self._suspects[:n_labels], self.distances, self.scores)
        return self

    def _draw_quadrants(self, ax: Axes) -> None:
        dashed: dict[str, Any] = {"color": palette(ax).ink, "lw": 0.8, "ls": style.DASHES}
        ax.axvline(self.cutoff, zorder=1, **dashed)
        if self.threshold is not None:
            ax.axhline(self.threshold, zorder=1, **dashed)
        look: dict[str, Any] = {"xycoords": "axes fraction", "style": "italic"}
        style.write(ax, "vertical outliers", (0, 1), (3, -2), va="top", **look)
        style.write(ax, "bad leverage", (1, 1), (-2, -2), va="top", ha="right", **look)
        style.write(ax, "good leverage", (1, 0), (-2, 3), va="bottom", ha="right", **look)


def _kept_rows(model: Any, n_rows: int) -> Any:
    X = training_rows(model, n_rows)
    if X is None or getattr(model, "kernel", None) == "precomputed":
        raise ValueError(f"{type(model).__name__} does not keep its rows: pass X.")
    return X
