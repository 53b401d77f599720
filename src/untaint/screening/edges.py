r"""Upper limit of the inlying radii, by a test for gaps in the tail.

A measure gives every sample a radius that is small for most. A group of samples is separated from
the others by the gap (a, c a] when v samples lie in the gap, m beyond it, and v is at most a fifth
of v + m. The tail of a continuous distribution thins out but leaves no gap. What counts as a gap
depends on the tail: if :math:`P(R > r) \propto r^{-\alpha}`, a sample beyond a lies within c a with
probability :math:`p = 1 - c^{-\alpha}`, and the log-likelihood ratio of the gap is

.. math:: s = (m + v) \, KL\Big(\frac{v}{m + v} \,\Big\|\, p\Big), \qquad
          k \log(1 + s / k) > 10,

where the second form allows for an :math:`\alpha` estimated from k samples. With an empty gap s is
:math:`m \alpha \log c`: a single outlier needs a wide gap, the wider the heavier the tail.

The tail index is Hill's estimate from the k samples just within a, those beyond a being censored:

.. math:: \alpha = k \Big/ \Big(\sum_{i \le k} \log\frac{r_i}{r_0} + M \log\frac{a}{r_0}\Big).

At least half of the samples are within the limit: half of all, or half of those of positive radius
if most radii are zero.

References
----------
Hill (1975), A simple general approach to inference about the tail of a distribution.
"""

from collections.abc import Callable

import numpy as np

from .._typing import FloatArray

# Threshold of the test statistic.
MIN_EVIDENCE = 10.0
# Largest fraction v / (v + m) of a gap, and the factor c below which it has to be smaller still.
MAX_GAP_FRACTION, WIDE_GAP = 0.2, 3.0
# The factors c that are tried; a finer grid does not change the result on real tails.
FACTORS = np.r_[2.0, 2.5, 3.0 * 1.2 ** np.arange(32), 1e4, 1e6, 1e9]
MIN_SINGLE_FACTOR = 3.0
MAX_LAYERS = 30

#: The smallest factor c that separates a group: u + v times the group's fraction of all samples.
MinFactor = tuple[float, float]
#: Called with a, b and c; whether the samples of radius in (a, b] may be set apart by the factor c.
Accept = Callable[[float, float, float], bool]


def edge(
    radius: FloatArray,
    weights: FloatArray,
    min_factor: MinFactor,
    accept: Accept | None = None,
    zeros: float = 0.0,
) -> float:
    """Return the largest inlying radius, found from the outermost group of samples inwards.

    Without a separate group, it is where one further sample would be an outlier. Weights are
    positive, and ``zeros`` is the weight of further samples of radius zero.
    """
    positive = radius > 0
    zeros += float(weights[~positive].sum())
    if not positive.any():
        return np.inf
    r, w = _ascending(radius[positive], weights[positive])
    W = zeros + np.cumsum(w)
    middle = 0.5 * W[-1] if zeros < 0.5 * W[-1] else 0.5 * (zeros + W[-1])
    start = int(np.searchsorted(W, middle))
    cut = np.inf
    for _ in range(MAX_LAYERS):
        end = int(np.searchsorted(r, cut, side="right"))
        tail = _Tail(r[:end], w[:end], zeros, start)
        below = tail.outermost(min_factor, accept, cut)
        if below is None:
            break
        cut = below
    return cut if cut < np.inf else tail.single_limit()


class _Tail:
    """Ascending radii, with the tail index at each candidate a of a limit from ``start`` on."""

    def __init__(self, r: FloatArray, w: FloatArray, zeros: float, start: int) -> None:
        self.r, self.W = r, zeros + np.cumsum(w)
        W, n = self.W, self.W[-1]
        # Logarithms relative to half of the smallest radius, so that the smallest counts as well.
        low = 0.5 * r[0]
        S = np.cumsum(w * (np.log(r) - np.log(low)))
        # Candidates are ten per cent apart, and the 30 largest radii.
        steps = np.exp(np.arange(0.0, np.log(r[-1]) - np.log(r[start]) + 0.1, 0.1))
        places = np.searchsorted(r, r[start] * steps, side="right") - 1
        places = np.unique(np.r_[places, np.arange(max(start, len(r) - 30), len(r))])
        # Of equal radii, the last.
        places = np.unique(np.searchsorted(r, r[places], side="right") - 1)
        self.a, self.within = r[places], W[places]
        beyond = n - self.within
        self.k = np.minimum(min(max(10.0, 2 * np.sqrt(n)), n / 4), self.within - zeros)
        first = np.searchsorted(W, self.within - self.k)
        # The smallest radius of all is measured from ``low``, as often as it is among the k.
        first = np.where(r[first] == r[0], np.searchsorted(r, r[0], side="right") - 1, first)
        r_0 = np.where(r[first] == r[0], low, r[first])
        depth = np.log(r[first]) - np.log(r_0)
        span = np.log(self.a) - np.log(r_0)
        after = self.within - W[first]
        logs = S[places] - S[first] - after * (np.log(r_0) - np.log(low))
        logs += np.maximum(self.k - after, 0.0) * depth
        hill = self.k / np.maximum(logs + beyond * span, 1e-12)
        # Many ties at a itself bound the tail index: all of these radii are below 2 a.
        ties = np.searchsorted(r, self.a)
        on_edge = self.within - (W[ties] - w[ties])
        bounded = np.log2((on_edge + beyond + 1) / (beyond + 1))
        self.alpha = np.clip(np.maximum(hill, bounded), 0.05, 20.0)

    def outermost(self, min_factor: MinFactor, accept: Accept | None, top: float) -> float | None:
        """Return the radius beyond which the outermost group lies, None without a group."""
        c = FACTORS[FACTORS * self.a[0] < self.r[-1]]
        if not len(c):
            return None
        limit = self.a[:, None] * c
        last = np.searchsorted(self.r, limit, side="right") - 1
        m = self.W[-1] - self.W[last]
        v = self.W[last] - self.within[:, None]
        evidence = self._evidence(m, v, c)
        least, growth = min_factor
        passed = (m > 0) & (evidence > MIN_EVIDENCE) & (c >= least + growth * (m / self.W[-1]))
        i, j = np.nonzero(passed)
        order = np.lexsort((-limit[i, j], -c[j], m[i, j]))
        i, j = i[order], j[order]
        # Only the widest gap around a group is tried, the first of its weight m.
        for at in np.unique(m[i, j], return_index=True)[1]:
            cut = float(limit[i[at], j[at]])
            if accept is None or accept(cut, top, float(c[j[at]])):
                return cut
        return None

    def _evidence(self, m: FloatArray, v: FloatArray, c: FloatArray) -> FloatArray:
        """Return the test statistic k log(1 + s / k) of the gaps, zero where there is no gap."""
        fraction = v / np.maximum(m + v, np.finfo(float).tiny)
        stay = -self.alpha[:, None] * np.log(c)
        p = -np.expm1(stay)
        with np.errstate(divide="ignore", invalid="ignore"):
            in_gap = np.where(v > 0, fraction * np.log(fraction / p), 0.0)
            divergence = in_gap + (1 - fraction) * (np.log1p(-fraction) - stay)
        # A narrow gap has to be emptier, and each at most half as full as the tail predicts.
        narrow = np.minimum(np.log(c) / np.log(WIDE_GAP), 1.0)
        limit = np.minimum(0.5 * p, MAX_GAP_FRACTION * narrow)
        s = np.where((m > 0) & (fraction <= limit), (m + v) * divergence, 0.0)
        k = self.k[:, None]
        return k * np.log1p(s / k)

    def single_limit(self) -> float:
        """Return the radius beyond which one further sample would be an outlier."""
        need = self.k[-1] * np.expm1(MIN_EVIDENCE / self.k[-1]) / self.alpha[-1]
        return float(self.r[-1] * np.exp(np.clip(need, np.log(MIN_SINGLE_FACTOR), 600.0)))


def _ascending(radius: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    if np.all(weights == weights[0]):
        return np.sort(radius), weights
    order = np.argsort(radius, kind="stable")
    return radius[order], weights[order]
