r"""Where the plausible radii of a view end.

A view gives every row a radius: a size that is small for most rows. A group of rows is beyond the
edge a when there is a valley (a, c a] between it and the rest: v rows in the valley, m beyond it,
and v no more than a fifth of v + m. Honest tails thin out but leave no valley. What a valley is
depends on the tail: if its radii fall off like :math:`r^{-\alpha}`, a row beyond a stays within c a
with probability :math:`p = 1 - c^{-\alpha}`, and the valley is as surprising as

.. math:: s = (m + v) \, KL\Big(\frac{v}{m + v} \,\Big\|\, p\Big), \qquad
          k \log(1 + s / k) > 10,

the second form for an :math:`\alpha` that is itself estimated from k rows. With no row in the
valley s is :math:`m \alpha \log c`: a lone row needs a large gap, more so behind a heavy tail.

The estimate is Hill's, from the k rows just within a, the rows beyond counted as censored at a:

.. math:: \alpha = k \Big/ \Big(\sum_{i \le k} \log\frac{r_i}{r_0} + M \log\frac{a}{r_0}\Big).

At least half of the rows are within the edge: half of all, or half of those whose radius is not
zero if most are.

References
----------
Hill (1975), A simple general approach to inference about the tail of a distribution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .._typing import FloatArray

SURPRISE = 10.0
VALLEY, WIDE_VALLEY = 0.2, 3.0
# Factors c that are tried: no honest tail needs finer steps.
FACTORS = np.r_[2.0, 2.5, 3.0 * 1.2 ** np.arange(32), 1e4, 1e6, 1e9]
LONE_FACTOR = 3.0
LAYERS = 30

Least = Callable[[FloatArray], FloatArray]
Accept = Callable[[float, float, float], bool]


class Edge(NamedTuple):
    """Rows of a radius beyond ``reach`` are implausible; ``found`` says whether there are any."""

    reach: float
    found: bool


NO_EDGE = Edge(np.inf, False)


def edge(
    radius: FloatArray,
    weights: FloatArray,
    least: Least,
    accept: Accept | None = None,
    zeros: float = 0.0,
) -> Edge:
    """Find the edge of a view, from the outermost group of rows inwards.

    Parameters
    ----------
    radius : array of shape (n,), non-negative
    weights : array of shape (n,), positive
        A weight of k is k copies of the row.
    least : callable
        The least factor c that separates a group, given the group's share of all rows.
    accept : callable, optional
        Called with a, b and c before the rows of radius in (a, b] are set apart by the factor c.
    zeros : float
        Weight of further rows of radius zero.

    Returns
    -------
    Edge
        If there is no group to set apart, the reach is where a lone row would be.

    Examples
    --------
    >>> import numpy as np
    >>> radius = np.r_[np.linspace(0.0, 1.0, 100), 50.0]
    >>> found = edge(radius, np.ones(101), lambda fraction: 3.0 + 0.0 * fraction)
    >>> found.found, bool(1.0 < found.reach < 50.0)
    (True, True)
    """
    positive = radius > 0
    zeros += float(weights[~positive].sum())
    if not positive.any():
        return NO_EDGE
    r, w = _ascending(radius[positive], weights[positive])
    W = zeros + np.cumsum(w)
    # Logarithms are taken from half of the least radius: a count of one is no less than a half.
    low = 0.5 * r[0]
    S = np.cumsum(w * (np.log(r) - np.log(low)))
    middle = 0.5 * W[-1] if zeros < 0.5 * W[-1] else 0.5 * (zeros + W[-1])
    start = int(np.searchsorted(W, middle))
    end, top, cut = len(r), np.inf, np.inf
    for _ in range(LAYERS):
        tail = _Tail(r[:end], w[:end], W[:end], S[:end], zeros, low, start)
        below = tail.outermost(least, accept, top)
        if below is None:
            break
        cut, top = below, below
        end = int(np.searchsorted(r, cut, side="right"))
    return Edge(cut, True) if cut < np.inf else Edge(tail.lone_reach(), False)


class _Tail:
    """Ascending radii, and how they fall off at each place where an edge may be."""

    def __init__(
        self,
        r: FloatArray,
        w: FloatArray,
        W: FloatArray,
        S: FloatArray,
        zeros: float,
        low: float,
        start: int,
    ) -> None:
        self.r, self.W = r, W
        n = W[-1]
        # Places ten per cent apart, and the outermost rows.
        steps = np.exp(np.arange(0.0, np.log(r[-1]) - np.log(r[start]) + 0.1, 0.1))
        places = np.searchsorted(r, r[start] * steps, side="right") - 1
        places = np.unique(np.r_[places, np.arange(max(start, len(r) - 30), len(r))])
        # Of rows of equal radius, the last.
        places = np.unique(np.searchsorted(r, r[places], side="right") - 1)
        self.a, self.within = r[places], W[places]
        beyond = n - self.within
        self.k = np.minimum(min(max(10.0, 2 * np.sqrt(n)), n / 4), self.within - zeros)
        first = np.searchsorted(W, self.within - self.k)
        # The least radius of all counts from low; so do as many of its rows as are among the k.
        first = np.where(r[first] == r[0], np.searchsorted(r, r[0], side="right") - 1, first)
        r_0 = np.where(r[first] == r[0], low, r[first])
        depth = np.log(r[first]) - np.log(r_0)
        span = np.log(self.a) - np.log(r_0)
        after = self.within - W[first]
        logs = S[places] - S[first] - after * (np.log(r_0) - np.log(low))
        logs += np.maximum(self.k - after, 0.0) * depth
        hill = self.k / np.maximum(logs + beyond * span, 1e-12)
        # Many rows on the edge itself: so many did not go as far as twice the edge.
        ties = np.searchsorted(r, self.a)
        on_edge = self.within - (W[ties] - w[ties])
        bounded = np.log2((on_edge + beyond + 1) / (beyond + 1))
        self.alpha = np.clip(np.maximum(hill, bounded), 0.05, 20.0)

    def outermost(self, least: Least, accept: Accept | None, top: float) -> float | None:
        """Radius beyond which the outermost group lies, if there is one."""
        c = FACTORS[FACTORS * self.a[0] < self.r[-1]]
        if not len(c):
            return None
        reach = self.a[:, None] * c
        last = np.searchsorted(self.r, reach, side="right") - 1
        m = self.W[-1] - self.W[last]
        v = self.W[last] - self.within[:, None]
        surprise = self._surprise(m, v, c)
        passed = (m > 0) & (surprise > SURPRISE) & (c >= least(m / self.W[-1]))
        i, j = np.nonzero(passed)
        tried = set()
        for at in np.lexsort((-reach[i, j], -c[j], m[i, j])):
            key = float(m[i[at], j[at]])
            # The widest valley around a group speaks for it.
            if key in tried:
                continue
            tried.add(key)
            cut = float(reach[i[at], j[at]])
            if accept is None or accept(cut, top, float(c[j[at]])):
                return cut
        return None

    def _surprise(self, m: FloatArray, v: FloatArray, c: FloatArray) -> FloatArray:
        fraction = v / np.maximum(m + v, np.finfo(float).tiny)
        stay = -self.alpha[:, None] * np.log(c)
        p = -np.expm1(stay)
        with np.errstate(divide="ignore", invalid="ignore"):
            in_valley = np.where(v > 0, fraction * np.log(fraction / p), 0.0)
            divergence = in_valley + (1 - fraction) * (np.log1p(-fraction) - stay)
        # A narrow valley has to be emptier, and each half as full as its tail would have it.
        limit = np.minimum(0.5 * p, VALLEY * np.minimum(np.log(c) / np.log(WIDE_VALLEY), 1.0))
        s = np.where((m > 0) & (fraction <= limit), (m + v) * divergence, 0.0)
        k = self.k[:, None]
        return k * np.log1p(s / k)

    def lone_reach(self) -> float:
        """Radius at which one more row would be alone beyond the edge."""
        need = self.k[-1] * np.expm1(SURPRISE / self.k[-1]) / self.alpha[-1]
        return float(self.r[-1] * np.exp(np.clip(need, np.log(LONE_FACTOR), 600.0)))


def _ascending(radius: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    if np.all(weights == weights[0]):
        return np.sort(radius), weights
    order = np.argsort(radius, kind="stable")
    return radius[order], weights[order]
