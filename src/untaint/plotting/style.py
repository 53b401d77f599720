"""The style of all plots: axes, legends, and how numbers are written.

Nothing here changes matplotlib's settings: text and axes have the colours of the user's theme, and
every other property is set on the axes at hand.
"""

from typing import Any

import numpy as np

from .._typing import BoolArray
from .colors import Axes, background, palette

Offset = tuple[float, float]
SMALL = "small"
DASHES = (0, (4, 3))
# Vector files with more marks than this are slow to open; such marks are drawn as an image.
MANY = 3000


def get_axes(ax: Axes | None) -> Axes:
    """Return the axes to draw on, tidied; those of a new figure if none are given.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    try:
        import matplotlib.axes
    except ImportError as error:
        raise ImportError("plotting needs matplotlib: pip install 'untaint[plot]'") from error
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(layout="constrained")
    elif not isinstance(ax, matplotlib.axes.Axes):
        raise TypeError(f"ax should be matplotlib axes or None, got {type(ax).__name__}.")
    elif ax.figure is None:
        raise ValueError("ax should be axes of a figure, got some that were removed from theirs.")
    elif ax.name != "rectilinear":
        raise ValueError(f"ax should be rectilinear axes, got {ax.name} ones.")
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(which="both", labelsize=SMALL)
    return ax


def width(ax: Axes) -> float:
    """Return the width of the axes, in inches."""
    return float(ax.get_window_extent().width / ax.figure.dpi)


def characters(ax: Axes) -> float:
    """Return how many small characters fit side by side."""
    from matplotlib.font_manager import FontProperties

    # Of the default font, characters are about 0.6 sizes wide.
    return 72.0 * width(ax) / (0.6 * FontProperties(size=SMALL).get_size_in_points())


def line_room(ax: Axes) -> float:
    """Return the fraction of the axes' height that a line of text takes with some space."""
    return float(np.clip(16.0 / (72.0 * ax.get_window_extent().height / ax.figure.dpi), 0.04, 0.3))


def mark_size(ax: Axes, size: float, n_marks: int = 1) -> float:
    """Return area of a marker, smaller on narrow axes and among many."""
    return size * _crowding(n_marks) * float(np.clip(width(ax) / 4.5, 0.5, 1.0))


def _crowding(n_marks: int) -> float:
    return float(np.clip((1000.0 / n_marks) ** 0.5, 0.2, 1.0))


def label(ax: Axes, x: str, y: str, title: str) -> None:
    """Set axis labels and title, in the colours of the theme."""
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.set_title(title, loc="left", fontsize="medium")


def legend(ax: Axes, n_marks: int, **where: Any) -> Any:
    """Draw and return a legend without a frame, its markers as large as if they were few."""
    key = ax.legend(
        fontsize=SMALL,
        labelcolor=palette(ax).ink,
        handlelength=1,
        borderpad=0.2,
        framealpha=0.85,
        markerscale=_crowding(n_marks) ** -0.5,
        **where,
    )
    key.get_frame().set(facecolor=background(ax), edgecolor="none")
    return key


def legend_above(ax: Axes, n_marks: int = 1) -> None:
    """Draw a legend between axes and title, which are set, for plots that fill their axes."""
    entries = ax.get_legend_handles_labels()[1]
    # A handle takes the room of about five characters with its space.
    fits = sum(len(entry) + 5 for entry in entries) <= characters(ax)
    n_columns, n_lines = (len(entries), 1) if fits else (1, len(entries))
    corner = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.0}
    key = legend(ax, n_marks, ncols=n_columns, columnspacing=1.2, **corner)
    pad = 6 + 1.6 * float(key.get_texts()[0].get_fontsize()) * n_lines
    ax.set_title(ax.get_title("left"), loc="left", fontsize="medium", pad=pad)


def write(
    ax: Axes, text: str, at: tuple[float, float], offset: Offset = (0, 0), **look: Any
) -> Any:
    """Write small text at a place, moved by an offset in points."""
    style = {"fontsize": SMALL, "color": palette(ax).ink, "zorder": 4} | look
    return ax.annotate(text, at, xytext=offset, textcoords="offset points", **style)


def beyond(words: str, threshold: float) -> str:
    """Return a second line for the name of an axis."""
    return f"\nlog scale {words}{number(float(f'{threshold:.2g}'))}"


def percent(fraction: float) -> str:
    """Return a fraction in percent.

    >>> percent(0.2), percent(0.034), percent(0.0)
    ('20 %', '3.4 %', '0 %')
    """
    hundredths = 100 * fraction
    digits = 1 if 0 < hundredths < 9.95 else 0
    return f"{hundredths:.{digits}f}".removesuffix(".0") + " %"


def number(value: float) -> str:
    r"""Return a number for a tick: plain as long as that is short.

    >>> number(2.5), number(1000.0), number(1e12), number(-3e7)
    ('2.5', '1,000', '$10^{12}$', '$-3{\\times}10^{7}$')
    """
    size = abs(value)
    if size == 0 or 1e-4 <= size < 1e5:
        return f"{value:,.6g}".replace("-", "−")
    exponent = int(np.floor(np.log10(size) + 1e-9))
    digits = f"{size / 10.0**exponent:.3g}"
    factor = "" if digits == "1" else rf"{digits}{{\times}}"
    return f"${'-' if value < 0 else ''}{factor}10^{{{exponent}}}$"


def count(number_of: int, noun: str) -> str:
    """Return a count in words.

    >>> count(1, "row"), count(20_000, "row")
    ('1 row', '20,000 rows')
    """
    return f"{number_of:,} {noun}{'' if number_of == 1 else 's'}"


def flag_summary(flagged: BoolArray) -> str:
    """Return how many rows are flagged.

    >>> import numpy as np
    >>> flag_summary(np.array([True, False]))
    '1 of 2 rows flagged'
    """
    n_flagged = int(flagged.sum())
    return f"{f'{n_flagged:,}' if n_flagged else 'none'} of {count(len(flagged), 'row')} flagged"
