r"""Colours that can be read on the background of the axes, whatever the user's theme.

.. math:: \text{contrast}(a, b) = \frac{L_{max} + 0.05}{L_{min} + 0.05}

with :math:`L` the relative luminance (WCAG 2). Text has a contrast of at least 4.5 to the
background, marks at least 3 on black and white. Flagged and kept rows have a contrast of at least
2 to one another, so that they differ in grey prints too: 2.2 on white and 2.4 on black.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

# Matplotlib is imported when something is drawn; type checkers know its classes before.
if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure
else:
    Axes = Figure = Any

READABLE = 4.5


class Palette(NamedTuple):
    """Colours of text, of guide lines, of rows that are kept and of rows that are flagged."""

    ink: Any
    faint: Any
    kept: str
    flagged: str


LIGHT = {"kept": "#7391ad", "flagged": "#9c3200"}
DARK = {"kept": "#5b7c9c", "flagged": "#ffb163"}


def palette(ax: Axes) -> Palette:
    """Return the colours for axes: text as their own labels, marks by their background."""
    ground = background(ax)
    ink = readable(ax.xaxis.label.get_color(), ground)
    is_dark = contrast("white", ground) > contrast("black", ground)
    return Palette(ink, mixed(ink, ground, 0.55), **(DARK if is_dark else LIGHT))


def readable(color: Any, ground: Any) -> Any:
    """Return the colour, or black or white if it cannot be read on the background."""
    if contrast(color, ground) >= READABLE:
        return color
    return max(("black", "white"), key=lambda other: contrast(other, ground))


def background(ax: Axes) -> Any:
    """Return the colour behind the marks: of the axes, or of the figure if they have none."""
    from matplotlib import rcParams
    from matplotlib.colors import to_rgba

    faces = (ax.get_facecolor(), ax.figure.get_facecolor(), rcParams["figure.facecolor"])
    return next((to_rgba(face)[:3] for face in faces if to_rgba(face)[3] >= 0.5), (1.0, 1.0, 1.0))


def contrast(first: Any, second: Any) -> float:
    """Return the contrast of two colours, between 1 and 21.

    >>> contrast("white", "black")
    21.0
    """
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def mixed(color: Any, ground: Any, share: float) -> tuple[float, ...]:
    """Return a mixture of a share of one colour with another."""
    from matplotlib.colors import to_rgb

    parts = zip(to_rgb(color), to_rgb(ground), strict=True)
    return tuple(share * ours + (1 - share) * other for ours, other in parts)


def _luminance(color: Any) -> float:
    from matplotlib.colors import to_rgb

    rgb = np.array(to_rgb(color))
    linear = np.where(rgb <= 0.03928, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])
