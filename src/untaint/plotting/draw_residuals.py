"""Residuals against expected values, and observed against expected values."""

import numpy as np

from .._typing import BoolArray, FloatArray
from . import style
from .colors import Axes, palette
from .edges import draw_points
from .scale import LARGEST, scale_beyond, visible_bounds


def draw_residuals(
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


def draw_observed(
    ax: Axes, expected: FloatArray, observed: FloatArray, flagged: BoolArray, title: str
) -> None:
    """Draw observed against expected values, those far out at the edge."""
    expected, observed = (np.clip(each, -LARGEST, LARGEST) for each in (expected, observed))
    bounds = (visible_bounds(expected, ~flagged), visible_bounds(observed, ~flagged))
    note = draw_points(ax, expected, observed, flagged, *bounds)
    ax.axline((0, 0), slope=1, color=palette(ax).ink, lw=0.8, ls=style.DASHES, zorder=1)
    style.label(ax, f"expected value{note}", "observed value", title)
    style.legend_above(ax)
