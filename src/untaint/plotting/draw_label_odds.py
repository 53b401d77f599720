"""A column of points for each label, on an axis of log-odds."""

import numpy as np
from scipy.special import logit

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from . import style
from .colors import Axes, palette
from .edges import draw_groups

# Smallest probability that is shown to scale; smaller ones are at the edge.
LEAST = 1e-4
TICKS = (1e-4, 1e-3, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999)
# Ticks for a narrow range, where the others would be few.
FINE_TICKS = (0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98)
# Part of a label's column that its points take.
BREADTH = 0.72


def draw_label_odds(
    ax: Axes, codes: IntArray, probabilities: FloatArray, flagged: BoolArray
) -> None:
    """Draw the log-odds of the rows' labels, those beyond the least probability at the edge."""
    bound = logit(1 - LEAST)
    odds = np.clip(logit(np.clip(probabilities, 1e-15, 1 - 1e-15)), -bound, bound)
    # Even odds: below, another label is likelier.
    ax.axhline(0, color=palette(ax).faint, lw=0.8, zorder=1)
    arrows = {"^": odds >= bound, "v": odds <= -bound}
    draw_groups(ax, codes + _offsets(codes), odds, flagged, arrows)
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


def name_labels(ax: Axes, classes: AnyArray, codes: IntArray, flagged: BoolArray) -> str:
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
