"""The noise scale along predictions, with every sample repeated as often as it weighs."""

from __future__ import annotations

from itertools import pairwise
from math import exp, log
from statistics import median

WINDOW, MIN_WINDOW = 0.2, 30.0
N_KNOTS, LEAST = 40, 0.25


def relative_scale(residuals, predictions, copies, places):
    """Return the relative scale at each of some predictions; ones for few samples."""
    rows = sorted(
        (float(f), abs(float(r)))
        for r, f, k in zip(residuals, predictions, copies, strict=True)
        for _ in range(int(k))
    )
    total = len(rows)
    width = max(WINDOW * total, MIN_WINDOW)
    if total < 1.5 * width or rows[0][0] == rows[-1][0]:
        return [1.0 for _ in places]
    found = [_window(rows, (total - width) * k / (N_KNOTS - 1), width) for k in range(N_KNOTS)]
    middle = median(size for _, size in found)
    logs = [log(max(size / middle, LEAST)) for _, size in found]
    reach = round(0.5 * width / (total - width) * N_KNOTS)
    smooth = []
    for k in range(N_KNOTS):
        near = logs[max(0, k - reach) : k + reach + 1]
        smooth.append(sum(near) / len(near))
    zero = median(smooth)
    knots = [(f, each - zero) for (f, _), each in zip(found, smooth, strict=True)]
    return [exp(_between(knots, float(place))) for place in places]


def _window(rows, low, width):
    """Return mean prediction and median size from ``low`` on, where row j spans [j, j + 1]."""
    inside = [
        (size, f, min(j + 1, low + width) - max(j, low))
        for j, (f, size) in enumerate(rows)
        if min(j + 1, low + width) > max(j, low)
    ]
    mean, reached = sum(part * f for _, f, part in inside) / width, 0.0
    for size, _, part in sorted(inside):
        reached += part
        if reached >= 0.5 * width * (1 - 1e-11):
            return mean, size
    raise AssertionError


def _between(knots, place):
    """Interpolate linearly, and constantly beyond the ends."""
    if place <= knots[0][0]:
        return knots[0][1]
    for (low, one), (high, other) in pairwise(knots):
        if low <= place <= high and high > low:
            return one + (other - one) * (place - low) / (high - low)
    return knots[-1][1]
