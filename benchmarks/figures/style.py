"""The style of the pictures of studies, and how they are saved.

Nothing here changes matplotlib's settings for others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from untaint._atomic_write import open_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#2f3e4e"
FAINT = "#9aa5b1"
# From light to dark, so that the order is seen in grey and by the colour-blind.
LEVELS = ("#fca56b", "#e8586a", "#b03a80", "#6c2a86", "#2a1555")
# Grey and two of Okabe and Ito's, apart in lightness as well as in hue.
KINDS = ("#7f8c98", "#d55e00", "#0072b2")
FORMATS = (".png", ".pdf")
DPI = 300

# Methods in the words of the documentation.
METHODS = {
    "genie": "oracle",
    "krr": "kernel ridge",
    "kernel-ridge": "kernel ridge",
    "plain": "plain learner",
    "subquantile": "untaint, contamination given",
    "subquantile-auto": "untaint, contamination estimated",
    "untaint-told": "untaint, contamination given",
    "untaint-given": "untaint, contamination given",
    "untaint-auto": "untaint, contamination estimated",
    "untaint-plain": "untaint, nothing trimmed",
    "untaint-rff": "untaint, random features",
    "untaint-stream": "untaint, stream",
    "untaint-two": "untaint, two copies",
    "untaint-stream-two": "untaint, stream, two copies",
    "untaint-cv": "untaint CV",
    "cv": "untaint CV",
    "stack": "untaint, stack of learners",
    "naive": "noise ignored",
    "naive-two": "noise ignored, two copies",
    "tls": "total least squares",
    "rc": "regression calibration",
    "simex": "SIMEX",
    "sever": "SEVER",
    "term": "TERM",
    "svr": "SVR",
    "svc": "SVC",
    "huber": "Huber (linear)",
    "ransac": "RANSAC (linear)",
    "random-forest": "random forest",
    "forest": "IsolationForest",
    "residuals": "kernel ridge residuals",
    "matrix": "kernel matrix alone",
    "matrix-sklearn": "kernel matrix of scikit-learn",
    "nystroem-ridge": "Nystroem + Ridge",
    "nystroem-ridge-32": "Nystroem + Ridge, float32",
    "nystroem-logistic": "Nystroem + LogisticRegression",
    "linear-regression": "LinearRegression",
    "logistic-regression": "LogisticRegression",
}

SETTINGS: Any = {
    "font.size": 8,
    "font.family": "sans-serif",
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "lines.linewidth": 1.3,
    "lines.solid_capstyle": "round",
    "pdf.fonttype": 42,  # letters and not outlines, so that text can be searched
}


@contextmanager
def drawing() -> Iterator[None]:
    """Let the settings hold for what is drawn inside.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'untaint[plot]'") from error
    with rc_context(SETTINGS):
        yield


def method_name(method: object) -> str:
    """Return the words of the documentation for a method, its own name if there are none."""
    return METHODS.get(str(method), str(method))


def panels(rows: int, columns: int, height: float) -> tuple[Figure, NDArray[Any]]:
    """Return small multiples that share their iterations, a page wide at most."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(min(6.9, 1.0 + 2.0 * columns), height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, sharex=True)


def tidy(ax: Axes) -> None:
    """Leave two spines, and draw a faint grid."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(FAINT)
    ax.tick_params(which="both", color=FAINT, labelcolor=INK)
    ax.grid(axis="y", color="#e6eaee", linewidth=0.6)
    ax.set_axisbelow(True)


def band(
    ax: Axes, x: Sequence[float], curves: NDArray[np.float64], *, log: bool = False, **line: Any
) -> None:
    """Draw the mean of some curves, and one deviation to either side.

    With ``log`` both are of the logarithms, as the eye sees them on such an axis.
    """
    values = np.log(curves) if log else curves
    mean, deviation = values.mean(axis=0), values.std(axis=0, ddof=1 if len(values) > 1 else 0)
    back = np.exp if log else np.asarray
    ax.plot(x, back(mean), **line)
    low, high = back(mean - deviation), back(mean + deviation)
    ax.fill_between(x, low, high, color=line.get("color"), alpha=0.18, linewidth=0)


def plain_ticks(axis: Any) -> None:
    """Set plain numbers as ticks of a logarithmic axis."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=8))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axis.set_minor_formatter(NullFormatter())


def key_line(**line: Any) -> Any:
    """Return a line that stands in the key only."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **line)


def save(figure: Figure, beside: Path) -> list[Path]:
    """Write the picture next to the results, in each format whole or not at all."""
    written = []
    for ending in FORMATS:
        path = beside.with_suffix(ending)
        # No date, so that the same rows give the same file.
        metadata = {"CreationDate": None} if ending == ".pdf" else {}
        with open_atomically(path) as stream:
            figure.savefig(stream, format=ending[1:], dpi=DPI, metadata=metadata)
        written.append(path)
    return written
