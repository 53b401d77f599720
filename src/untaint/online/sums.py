r"""The linear learners' memory: corrected sums, about an origin, and what follows from them.

Beside the fit that is the distribution of clean rows, with mean m and covariance :math:`S_x`. A
query that carries noise itself is best replaced by

.. math:: E[x \mid \tilde x] = m + S_x (S_x + \Sigma)^{-1} (\tilde x - m),

exact for Gaussian rows, the best linear guess for others. A corrected fit without this predicts
noisy rows worse than a naive one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from .._typing import BoolArray, FloatArray
from .correction import Correction, remove_noise, remove_noise_and_gaps, spread
from .leader import Fit, Leader, Plan
from .overstated import check_declared
from .views import Views, with_constant


@final
class LinearSums:
    """Sums of noisy rows about an origin, and the leader of the linear fits to them."""

    def __init__(self, first: Views, plan: Plan, *, gaps: bool) -> None:
        self._gaps = gaps
        d = first.X.shape[1]
        self.leader = Leader(d, plan)
        self.origin, self.level = np.zeros(d), 0.0
        if plan.centred:  # exact in any case: the origin only keeps rounding small
            with np.errstate(invalid="ignore"):
                seen = ~np.isnan(first.X)
                counts = np.maximum(seen.sum(axis=0), 1)
                self.origin = np.where(seen, first.X / counts, 0.0).sum(axis=0)
            self.level = float(np.mean(first.y))
        self._views = 0.0  # rows, each over its number of copies
        self._declared = True
        self._raw: tuple[Fit, FloatArray, float] | None = None

    def add(self, views: Views) -> None:
        """Add a batch."""
        Z, noise = views.merged()
        self._declared = views.noise is not None
        rows = len(views.y) if views.weights is None else float(views.weights.sum())
        self._views += rows / views.n_copies
        if self._gaps:
            gaps = np.isnan(Z)
            if views.noise is None and gaps.any():
                raise ValueError(
                    'missing="random" needs noise_cov beside X_copy: the noise is not estimated '
                    "from copies with gaps."
                )
            self._place(Z, gaps)
            self._count(gaps, views.weights)
            Z = np.where(gaps, self.origin, Z)
        self.leader.add(with_constant(Z, views.y, views.weights, self.origin, self.level), noise)

    def _place(self, Z: FloatArray, gaps: BoolArray) -> None:
        """Give features that are seen for the first time their origin."""
        seen = self.leader.moments.seen
        new = ~gaps.all(axis=0)
        if seen is not None:
            new &= np.diag(seen)[1:-1] == 0
        if self.leader.plan.centred and new.any():
            self.origin = self.origin.copy()
            self.origin[new] = np.nanmean(Z[:, new], axis=0)

    def check_noise(self, names: Sequence[Any]) -> None:
        """Refuse a declared noise that the rows contradict."""
        if self._declared:
            second, noise = self.leader.moments.total()
            seen = self.leader.moments.seen
            if seen is not None:  # judged by the entries that were there
                second = self._correction()(second, noise, 0.0)
                never = np.diag(seen)[1:-1] == 0
                noise[never] = noise[:, never] = 0.0
            check_declared(second, noise, self.leader.plan.centred, names)

    def widen(self, n_features: int) -> None:
        """Make room for features that have been zero so far."""
        self.leader.widen(n_features)
        self.origin = np.concatenate([self.origin, np.zeros(n_features - len(self.origin))])
        self._raw = None

    def fit(self) -> tuple[Fit, FloatArray, float]:
        """The leader, its weights, and its intercept for rows as they come."""
        fit = self.leader.fit(self._correction())
        if self._raw is None or self._raw[0] is not fit:
            intercept = fit.intercept + self.level - float(fit.coef @ self.origin)
            self._raw = (fit, fit.coef, intercept)
        return self._raw

    def single_noise(self) -> FloatArray:
        """Mean covariance of the noise of one copy."""
        return self.leader.moments.total()[1] / max(self._views, np.finfo(float).tiny)

    def expected(self, X: FloatArray, *, noisy: bool, share: float = 1.0) -> FloatArray:
        """Rows as the fit knows them, to be expected behind noisy ones or ones with gaps.

        A fit from which a share of the noise was removed is one for rows that carry the rest of
        it. If that is all (share 0, one copy), a noisy query is just such a row.
        """
        mean, known, seen_as = self._rows_behind(share if noisy else 1.0)
        out = np.empty_like(X)
        patterns, which = np.unique(np.isnan(X), axis=0, return_inverse=True)
        for k, missing in enumerate(patterns):
            rows, seen = which.ravel() == k, ~missing
            gain = np.linalg.pinv((seen_as if noisy else known)[np.ix_(seen, seen)], hermitian=True)
            gain = gain @ known[seen]
            if not noisy:
                gain[:, seen] = np.eye(int(seen.sum()))
            out[rows] = mean + (X[np.ix_(rows, seen)] - mean[seen]) @ gain
        return out

    def doubt(self, share: float = 1.0) -> FloatArray:
        """Covariance of such a row about what is expected behind a noisy one."""
        _, known, seen_as = self._rows_behind(share)
        return known - known @ np.linalg.pinv(seen_as, hermitian=True) @ known

    def _rows_behind(self, share: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Mean of rows, covariance with a share of the noise removed, and that of one copy."""
        second, noise = self.leader.moments.total()
        means, about = spread(self._correction()(second, noise, 1.0), self.leader.plan.centred)
        values, vectors = np.linalg.eigh(about[:-1, :-1])
        clean = (vectors * np.maximum(values, 0.0)) @ vectors.T
        rest = (1.0 - share) * noise / max(second[0, 0], np.finfo(float).tiny)
        return means[:-1] + self.origin, clean + rest, clean + self.single_noise()

    def _correction(self) -> Correction:
        seen = self.leader.moments.seen
        return remove_noise if seen is None else remove_noise_and_gaps(seen)

    def _count(self, gaps: BoolArray, weights: FloatArray | None) -> None:
        ones = np.ones(len(gaps))
        self.leader.moments.count_seen(with_constant((~gaps).astype(float), ones, weights))
