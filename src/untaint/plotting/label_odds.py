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
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Smallest probability that is shown to scale; smaller ones are at the edge.
LEAST = 1e-4
TICKS = (1e-4, 1e-3, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999)
# Ticks for a narrow range, where the others would be few.
FINE_TICKS = (0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98)
# Part of a label's column that its points take.
BREADTH = 0.72


def plot_label_odds(
    model: Any, X: Any, y: NDArray[Any], flagged: BoolArray | None, ax: Axes | None
) -> Axes:
    """Draw the odds of the rows' labels, a column for each label.

    Parameters
    ----------
    model : fitted classifier
    X : rows
    y : array of shape (m,)
    flagged : array of shape (m,), bool, or None
        None flags rows whose loss is above the threshold of their label.
    ax : matplotlib Axes or None

    Returns
    -------
    matplotlib Axes
    """
    if X is None:
        raise ValueError(f"{type(model).__name__} does not keep its rows: pass X and y.")
    codes = _codes(model.classes_, y)
    probability = model.predict_proba(X)[np.arange(len(codes)), codes]
    if flagged is None:
        limit = getattr(model, "loss_threshold_", np.inf)
        if hasattr(model, "class_thresholds_"):
            limit = model.class_thresholds_[codes]
        flagged = -np.log(np.maximum(probability, 1e-300)) > limit
    ax = style.get_axes(ax)
    bound = logit(1 - LEAST)
    odds = np.clip(logit(np.clip(probability, 1e-15, 1 - 1e-15)), -bound, bound)
    _draw(ax, codes, odds, flagged, bound)
    labels = _name_labels(ax, model.classes_, codes, flagged)
    summary = style.flag_summary(flagged)
    key = style.FLAGGED if flagged.any() else style.INK
    style.label(ax, labels, "probability of the given label", summary, key)
    return ax


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
    # Even odds: below, the model would rather give another label.
    ax.axhline(0, color=style.FAINT, lw=0.8, zorder=1)
    x = codes + _offsets(codes)
    beyond = abs(odds) >= bound
    rasterized = len(odds) > style.MANY
    looks = ((~flagged, style.KEPT, 9.0), (flagged, style.FLAGGED, 16.0))
    for level, (rows, color, size) in enumerate(looks):
        for part, marker in (
            (~beyond, "o"),
            (beyond & (odds > 0), "^"),
            (beyond & (odds < 0), "v"),
        ):
            selected = rows & part
            if selected.any():
                ax.scatter(
                    x[selected],
                    odds[selected],
                    s=style.mark_size(ax, size, len(odds)),
                    marker=marker,
                    color=color,
                    linewidths=0,
                    zorder=2 + level,
                    rasterized=rasterized,
                )
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
        ax.axvline(edge - 0.5, color=style.FAINT, lw=0.5, alpha=0.5, zorder=0.5)
    return "given label (flagged / all)" if counted else "given label"
