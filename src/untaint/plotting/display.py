"""What the displays have in common: they hold arrays, draw them on axes, and keep these."""

from numbers import Real
from typing import Any

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from .._validation import check_count
from . import style
from .colors import Axes, Figure
from .scale import LARGEST


class Display:
    """Base of the displays; ``plot`` sets ``ax_`` and ``figure_``."""

    ax_: Axes
    figure_: Figure

    def _open(self, ax: Axes | None, n_labels: int = 0) -> Axes:
        """Check what ``plot`` is given; return the axes to draw on, and keep them."""
        check_count("n_labels", n_labels, low=0)
        self.ax_ = style.get_axes(ax)
        self.figure_ = self.ax_.figure  # type: ignore[assignment]
        return self.ax_


class ScoreDisplay(Display):
    """Base of the displays of outlier scores with their flags, kinds and threshold."""

    def __init__(
        self, scores: Any, flagged: Any, kept: Any, kinds: Any, score_name: str, rule: str
    ) -> None:
        self.scores = np.minimum(numbers("scores", scores), LARGEST)
        n_rows = len(self.scores)
        self.flagged = mask("flagged", flagged, n_rows)
        self.kept = ~self.flagged if kept is None else mask("kept", kept, n_rows)
        self.kinds = np.full(n_rows, "") if kinds is None else column("kinds", kinds, n_rows)
        self.score_name, self.rule = score_name, rule
        self.order = np.argsort(-self.scores, kind="stable")
        self.threshold = score_threshold(self.scores, self.flagged)

    @property
    def _linear(self) -> float:
        """The score up to which an axis is linear: the threshold or the largest unflagged score."""
        return self.threshold or float(self.scores[~self.flagged].max(initial=0.0))

    @property
    def _suspects(self) -> IntArray:
        """The flagged rows, the most suspicious first."""
        return self.order[self.flagged[self.order]]


def score_threshold(scores: FloatArray, flagged: BoolArray) -> float | None:
    """Return a score up to which rows are not flagged, None if scores alone do not decide that.

    >>> import numpy as np
    >>> score_threshold(np.array([0.5, 3.0, 9.0]), np.array([False, False, True]))
    3.0
    """
    if not flagged.any() or flagged.all():
        return None
    below, above = scores[~flagged].max(), scores[flagged].min()
    if below > above:
        return None
    return 1.0 if below <= 1.0 <= above else float(below)


def column(name: str, values: Any, n_rows: int | None = None) -> AnyArray:
    """Return values as an array of one dimension, of the given length if there is one."""
    try:
        array = np.asarray(values)
    except ValueError:  # a ragged list
        raise ValueError(f"{name} should be one value a row, got a ragged list.") from None
    if array.ndim != 1 or len(array) == 0 or len(array) != (n_rows or len(array)):
        wanted = "(n,)" if n_rows is None else f"({n_rows},)"
        raise ValueError(f"{name} should be an array of shape {wanted}, got {array.shape}.")
    return array


def numbers(name: str, values: Any, n_rows: int | None = None) -> FloatArray:
    """Return values as a column of numbers, none of them missing."""
    array = column(name, values, n_rows)
    try:
        found = np.asarray(array.astype(float))
    except (TypeError, ValueError):
        raise ValueError(f"{name} should be numbers, got {array[:3].tolist()}.") from None
    check_known(name, found)
    return found


def number(name: str, value: Any) -> float:
    """Return a finite number."""
    if isinstance(value, Real) and abs(float(value)) < np.inf:
        return float(value)
    raise ValueError(f"{name} should be a finite number, got {value!r}.")


def check_known(name: str, values: FloatArray) -> None:
    """Check that no number is missing."""
    missing = np.argwhere(np.isnan(values))
    if len(missing):
        raise ValueError(f"{name} should be numbers, got NaN in row {missing[0][0]}.")


def check_distinct(classes: AnyArray) -> None:
    """Check that no label occurs twice."""
    labels = classes.tolist()
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise ValueError(f"classes should be distinct, got {twice!r} twice.")


def codes_of(classes: AnyArray, labels: AnyArray, message: str) -> IntArray:
    """Return the position of each label among the classes; the message is about another one."""
    known = {value: code for code, value in enumerate(classes.tolist())}
    unknown = next((value for value in labels.tolist() if value not in known), None)
    if unknown is not None:
        raise ValueError(message.format(repr(unknown)))
    return np.array([known[value] for value in labels.tolist()], dtype=np.intp)


def mask(name: str, values: Any, n_rows: int) -> BoolArray:
    """Return values as a mask of rows; None is an empty one."""
    return np.zeros(n_rows, bool) if values is None else column(name, values, n_rows).astype(bool)
