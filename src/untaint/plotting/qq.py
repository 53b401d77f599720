r"""Q-Q plot of standardised residuals against the normal distribution, with an envelope.

Of :math:`m` unflagged rows, the i-th smallest residual is drawn at the normal quantile of
:math:`(i - 3/8) / (m + 1/4)`. Its rank has the distribution :math:`\text{Beta}(i, m + 1 - i)`, so
normal residuals lie within

.. math:: a + b \, \Phi^{-1}(B_i^{-1}(0.025)), \quad a + b \, \Phi^{-1}(B_i^{-1}(0.975))

with a probability of 95 % each, where the line a + b x goes through the quartiles. A flagged row
is drawn where it would be as the only one besides the unflagged rows; many wrong rows would shift
the quantiles of all others otherwise.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, ndtri

from .._typing import BoolArray, FloatArray
from . import style
from .colors import Axes, palette
from .marks import draw_rows
from .scale import scale_beyond

# With fewer unflagged rows there is no envelope.
FEW = 8
LEVEL = 0.95


class Envelope(NamedTuple):
    """Line through the quartiles and pointwise bounds, at the quantiles of the unflagged rows."""

    quantiles: FloatArray
    line: FloatArray
    low: FloatArray
    high: FloatArray


def normal_quantiles(values: FloatArray, flagged: BoolArray) -> FloatArray:
    """Return the normal quantile of each value among the unflagged ones."""
    inner = np.sort(values[~flagged])
    m = len(inner)
    quantiles = np.empty(len(values))
    order = np.flatnonzero(~flagged)[np.argsort(values[~flagged], kind="stable")]
    quantiles[order] = ndtri((np.arange(1, m + 1) - 0.375) / (m + 0.25))
    rank = np.searchsorted(inner, values[flagged]) + 1
    quantiles[flagged] = ndtri((rank - 0.375) / (m + 1.25))
    return quantiles


def normal_envelope(values: FloatArray) -> Envelope | None:
    """Return the envelope of a normal sample as large as the values, None if they are few."""
    m = len(values)
    if m < FEW:
        return None
    i = np.arange(1, m + 1)
    quantiles = ndtri((i - 0.375) / (m + 0.25))
    (low, high), (start, end) = np.quantile(values, [0.25, 0.75]), ndtri([0.25, 0.75])
    slope = (high - low) / (end - start)
    middle = low - slope * start
    bounds = [ndtri(betaincinv(i, m + 1 - i, p)) for p in ((1 - LEVEL) / 2, (1 + LEVEL) / 2)]
    lines = [middle + slope * at for at in (quantiles, *bounds)]
    return Envelope(quantiles, *lines)


def draw_qq(ax: Axes, standardised: FloatArray, flagged: BoolArray, title: str) -> None:
    """Draw the Q-Q plot."""
    inner = standardised[~flagged]
    limit = max(3.0, float(abs(inner).max(initial=0.0)))
    low, high = float(standardised.min()), float(standardised.max())
    logarithmic = scale_beyond(ax, min(low, -limit), max(high, limit), limit)
    envelope = normal_envelope(inner)
    if envelope is not None:
        _draw_envelope(ax, envelope)
    draw_rows(ax, normal_quantiles(standardised, flagged), standardised, flagged)
    ax.margins(x=0.05)
    beyond = style.beyond("beyond ±", limit) if logarithmic else ""
    style.label(ax, "normal quantile", f"standardised residual{beyond}", title)
    style.legend(ax, len(standardised), loc="upper left")


def _draw_envelope(ax: Axes, envelope: Envelope) -> None:
    ink = palette(ax).ink
    x = envelope.quantiles
    name = f"{style.percent(LEVEL)} envelope (pointwise)"
    ax.fill_between(x, envelope.low, envelope.high, color=ink, alpha=0.22, lw=0, label=name)
    ax.plot(x, envelope.line, color=ink, lw=0.8, ls=style.DASHES, zorder=1)
