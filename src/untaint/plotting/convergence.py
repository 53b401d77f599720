"""Plot of the objective after each iteration."""

from typing import Any

import numpy as np

from .._typing import FloatArray, IntArray
from . import style
from .colors import Axes, palette
from .final_step import check_model, final_step

# With fewer points above the last one there is no rate to see, and no need of a logarithm.
FEW = 3


def plot_convergence(model: Any, ax: Axes | None = None) -> Axes:
    """Draw the objective against the iteration.

    The excess over the final value is drawn, relative to that value, on a logarithmic scale unless
    iterations are few; the objective itself if there was one iteration, or it ended at zero.

    Parameters
    ----------
    model : fitted estimator, or pipeline that ends with one
        An estimator with ``objective_path_``.
    ax : matplotlib Axes, optional
        Axes to draw on, those of a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from untaint import SubquantileRegressor
    >>> from untaint.plotting import plot_convergence
    >>> X = np.linspace(0, 3, 60)[:, None]
    >>> y = np.sin(X).ravel()
    >>> y[::6] += 20
    >>> ax = plot_convergence(SubquantileRegressor(contamination=0.2).fit(X, y))
    >>> ax.get_xlabel()
    'iteration'
    """
    model, _ = final_step(model)
    check_model(model, "objective_path_")
    ax = style.get_axes(ax)
    path = np.asarray(model.objective_path_, dtype=float)
    last = int(getattr(model, "n_iter_", len(path)))
    # Some solvers record the objective of their start too, as iteration 0.
    steps = np.arange(last - len(path) + 1, last + 1)
    is_gap = len(path) > 1 and path[-1] != 0
    _draw(ax, steps, (path - path[-1]) / abs(path[-1]) if is_gap else path, is_gap)
    margin = max(0.5, 0.03 * len(path))
    ax.set_xlim(steps[0] - margin, last + margin)
    ylabel = "objective above its final value\n(relative)" if is_gap else "objective"
    style.label(ax, "iteration", ylabel, _summary(model, last))
    return ax


def _draw(ax: Axes, steps: IntArray, values: FloatArray, is_gap: bool) -> None:
    """Draw values, on a logarithmic scale if they are enough gaps."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    logarithmic = is_gap and np.count_nonzero(values > 0) >= FEW
    shown = values > 0 if logarithmic else np.isfinite(values)
    marker = "o" if len(values) <= 60 else ""
    ax.plot(steps[shown], values[shown], color=palette(ax).ink, lw=1.2, marker=marker, ms=3.5)
    ax.set_yscale("log" if logarithmic else "linear")
    if not logarithmic:
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: style.number(value)))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def _summary(model: Any, n_iter: int) -> str:
    words = f"after {style.count(n_iter, 'iteration')}"
    return f"converged {words}" if getattr(model, "converged_", True) else f"not converged {words}"
