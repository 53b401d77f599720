r"""Axes on which a value of 1e12 is in view and the inliers can still be distinguished.

They are linear up to a threshold, where the inliers are, and logarithmic beyond. Whatever the
number of decades beyond it, the linear part takes the same fraction of the axis.
"""

import numpy as np

from .._typing import BoolArray, FloatArray
from .colors import Axes
from .style import number

# An axis up to this multiple of the threshold is linear throughout.
NEAR = 8.0
# Part of the axis that is linear.
LINEAR = 0.45
# Part of the axis that ticks are apart at least.
APART = 0.1
# Close to the largest double; what is computed from it must not overflow.
LARGEST = 1e300


def scale_beyond(
    ax: Axes, low: float, high: float, threshold: float, *, room: float = 0.06, axis: str = "y"
) -> bool:
    """Set the scale of an axis and its limits.

    Parameters
    ----------
    ax : Axes
    low, high : float
        Least and largest value to be shown, of which ``low`` is at most zero.
    threshold : float
        Where the linear part ends, on both sides of zero.
    room : float, default=0.06
        Part of the axis that is left free above the largest value.
    axis : {"x", "y"}, default="y"

    Returns
    -------
    bool
        Whether the axis is logarithmic beyond the threshold.
    """
    low, high = max(low, -LARGEST), min(high, LARGEST)
    logarithmic = 0 < threshold < max(high, -low) / NEAR
    if logarithmic:
        above, below = (max(np.log10(end / threshold), 0.0) for end in (high, max(-low, 1e-300)))
        # How many decades the whole axis would have at its logarithmic pace.
        length = (above + below) / (1.0 - LINEAR)
        # Matplotlib stretches the linear part by 1 / (1 - 1 / 10).
        linear = 0.9 * LINEAR * length / (2.0 if low < 0 else 1.0)
        set_scale = ax.set_yscale if axis == "y" else ax.set_xscale
        set_scale("symlog", linthresh=threshold, linscale=linear)
        top = _power(threshold, above + room * length)
        bottom = -_power(threshold, below + 0.04 * length) if low < 0 else -0.03 * threshold
        least = min(low, -threshold) if low < 0 else 0.0
        _set_ticks(ax, axis, (least, high), threshold, APART * length)
    else:
        span = (high - low) or 1.0
        top, bottom = high + room * span / (1.0 - room), low - 0.03 * span
    ax.set(**{f"{axis}lim": (bottom, top)})
    return logarithmic


def _power(threshold: float, decades: float) -> float:
    """Return a value so many decades above the threshold, short of overflow."""
    return float(10.0 ** min(np.log10(threshold) + decades, 307.0))


def _set_ticks(
    ax: Axes, axis: str, bounds: tuple[float, float], threshold: float, gap: float
) -> None:
    """Set round ticks in the linear part, and powers of ten at least a gap of decades apart."""
    from matplotlib.ticker import MaxNLocator, NullLocator

    low, high = bounds
    locator = MaxNLocator(2 if low < -threshold else 3, steps=[1, 2, 5, 10])
    inner = np.asarray(locator.tick_values(0, threshold))
    inner = inner[(inner > 0) & (inner <= threshold)]
    ticks = np.concatenate([inner, decades(threshold * 10.0**gap, max(high, -low), gap)])
    ticks = np.concatenate([-ticks[::-1], [0.0], ticks])
    ticks = ticks[(ticks >= low) & (ticks <= high)]
    ruler = ax.yaxis if axis == "y" else ax.xaxis
    ruler.set_ticks(ticks, labels=[number(tick) for tick in ticks])
    ruler.set_minor_locator(NullLocator())


def decades(low: float, high: float, gap: float) -> FloatArray:
    """Return powers of ten between two bounds, at least a gap apart.

    >>> decades(3, 2000, 0.3), decades(3, 1e12, 2.5)
    (array([  10.,  100., 1000.]), array([1.e+03, 1.e+06, 1.e+09, 1.e+12]))
    """
    first, last = int(np.ceil(np.log10(low))), int(np.floor(np.log10(high)))
    return 10.0 ** np.arange(last, first - 1, -max(1, int(np.ceil(gap))))[::-1]


def visible_bounds(values: FloatArray, unflagged: BoolArray) -> tuple[float, float]:
    """Return bounds that show all values, unless far ones would squash the unflagged.

    >>> import numpy as np
    >>> visible_bounds(np.array([0.0, 1.0, 1.5]), np.array([True, True, False]))
    (0.0, 1.5)
    >>> visible_bounds(np.array([0.0, 1.0, 1e12]), np.array([True, True, False]))
    (-0.5, 1.5)
    """
    finite = values[np.isfinite(values)]
    if len(finite) == 0:
        return 0.0, 1.0
    inner = values[unflagged & np.isfinite(values)]
    inner = inner if len(inner) else finite
    low, high = (float(bound) for bound in np.percentile(inner, [0, 100]))
    reach = 0.5 * (high - low)
    near = finite[(finite >= low - 2 * reach) & (finite <= high + 2 * reach)]
    if len(near) == len(finite):
        return float(finite.min()), float(finite.max())
    return low - reach, high + reach
