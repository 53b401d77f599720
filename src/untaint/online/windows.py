r"""Forgetting: fits to the last rows of a stream, and which of them to predict with.

The stream consists of blocks (:mod:`.schedule`). Candidates are the fit to all rows, and fits to
windows, which hold the last 1, 4, 16, 64 or 256 blocks, or up to twice as many. Each candidate
predicts the next block from the rows before it; with :math:`u^T r` the residual and D the corrected
Gram matrix of that block, :math:`u^T D u` is an unbiased estimate of its loss on the clean rows.
The losses of the last 16 blocks decide, the latest with the largest weight. A window is preferred
to all rows only if its loss is smaller by a standard error, so that a stream that does not change
is not forgotten.

All this is done only if the fit to all rows is not one to the last rows too. With g the gradient of
its corrected loss summed over n of them, c the gradient without correction, M their noisy Gram
matrix and v their mean squared residual, Gaussian rows have :math:`\mathrm{Cov}\,g = v M + c c^T /
n`, and :math:`g^T (\mathrm{Cov}\,g)^{-1} g` has about a chi-square distribution unless the stream
has changed. It is tested after every fourth block (a score test).

Windows have too few rows to select a share and a penalty: all noise is removed where what remains
is well conditioned, else none, and the penalty is that of a single row. All rows are also fitted in
this way, because the selected shrinkage may be that of another regime.

Of the past, the sums up to the ends of a few blocks are kept, and a window is the difference of two
of them. Everything else is a function of these sums, computed when a fit is requested.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import final

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.special import chdtri

from .._typing import BoolArray, FloatArray
from .correction import feature_variances, remove_noise
from .ridge_solvers import solve_many_by_cholesky
from .schedule import FIRST_ROUNDS, Schedule
from .shrinkage_selection import Shrinkage

LEVELS = (8, 6, 4, 2, 0)  # logarithms (base 2) of the numbers of blocks
HORIZON = 16  # number of blocks whose losses are compared
MAX_FEATURES = 64  # with more, windows would need too much memory
EVERY = 4  # blocks after which all rows are compared with windows again
N_KEPT = {level: (HORIZON + EVERY >> level) + 3 for level in LEVELS}  # sums kept at each level
_HALF_LIFE = 4.0  # in blocks, of their weights
_MIN_BLOCKS = 4
_TESTED_LEVELS, _LEVEL = (4, 2), 0.01  # windows that are tested for a change, and level of the test
_MIN_ROWS = 4  # of a window, for each feature

# Weights of the last blocks, the latest last.
_WEIGHTS = 0.5 ** (np.arange(HORIZON)[::-1] / _HALF_LIFE)

FitAll = Callable[[FloatArray, FloatArray], tuple[FloatArray, float]]


@dataclass(eq=False)
class Sums:
    """Sums are the Gram matrix and the noise covariance of rows up to the end of a block."""

    block: int
    gram: FloatArray
    noise: FloatArray

    @cached_property
    def clean(self) -> FloatArray:
        """The Gram matrix less all noise."""
        return remove_noise(self.gram, self.noise, 1.0)


@final
class Windows:
    """Windows keeps the sums of a stream up to the ends of some blocks, and fits the last rows.

    A candidate is a vector u such that u'r is its residual for the row r = (1, z, y), or NaN.
    """

    def __init__(self, schedule: Schedule, *, centred: bool, norm_bound: float | None) -> None:
        self._schedule, self._centred, self._norm_bound = schedule, centred, norm_bound
        self._n_blocks = -1  # of the latest sums; -1 before there are any
        self._kept = {level: list[Sums]() for level in LEVELS}
        self._candidates: dict[int, tuple[FloatArray, FloatArray]] = {}  # with shares, by block
        self._losses: dict[int, FloatArray] = {}  # of the candidates of the block before
        self._best: dict[int, int] = {}  # by block
        self._suspected: dict[int, bool] = {}  # by block, every fourth

    def blocks_to_record(self, before: int, after: int) -> Sequence[int]:
        """Return the blocks with an end between two rounds up to which sums will be needed."""
        if after < FIRST_ROUNDS:
            return ()
        first = self._schedule.n_blocks(before) + 1 if before >= FIRST_ROUNDS else 0
        last = self._schedule.n_blocks(after)
        if last - first < N_KEPT[0]:
            return range(first, last + 1)
        wanted = {((last >> level) - k) << level for level in LEVELS for k in range(N_KEPT[level])}
        return sorted(block for block in wanted if block >= first)

    def record(
        self, blocks: Sequence[int], sums_at_ends: Sequence[tuple[FloatArray, FloatArray]]
    ) -> None:
        """Keep Gram matrix and noise of all rows up to the ends of blocks."""
        for block, (gram, noise) in zip(blocks, sums_at_ends, strict=True):
            sums = Sums(block, gram, noise)
            for level, kept in self._kept.items():
                if block % (1 << level) == 0:
                    kept.append(sums)
                    del kept[: -N_KEPT[level]]
            self._n_blocks = block

    def reset_shrinkage(self) -> None:
        """Discard what depends on the selected shrinkage, because it has changed."""
        self._candidates, self._losses, self._best, self._suspected = {}, {}, {}, {}

    @property
    def suspect_change(self) -> bool:
        """Whether the stream seemed to have changed when this was last tested."""
        return self._suspected.get(self._n_blocks - self._n_blocks % EVERY, False)

    def fit(
        self, gram: FloatArray, noise: FloatArray, shrinkage: Shrinkage, fit_all: FitAll
    ) -> tuple[FloatArray, float, float] | None:
        """Return coefficients, intercept and share of the best window, None if it is all rows.

        ``fit_all`` fits all rows with the selected shrinkage, from their Gram matrix and noise.
        """
        due = self._n_blocks % EVERY
        if self._suspected.get(self._n_blocks - due) is False:
            return None
        kept = list(self._kept[0])
        while kept and kept[-1].block - kept[0].block >= len(kept):
            del kept[0]  # before sums that were not recorded
        if len(kept) <= _MIN_BLOCKS + due:
            return None
        checked = kept[: len(kept) - due]
        if checked[-1].block not in self._suspected:
            suspected = self._suspect_change(checked[-1], shrinkage.share, fit_all)
            self._suspected = {checked[-1].block: suspected}
        if not self._suspected[checked[-1].block]:
            return None
        best = self._choose(kept, shrinkage, fit_all)
        if best == 0:
            return None
        now, share = self._candidates[self._n_blocks]
        if kept[-1].gram[0, 0] != gram[0, 0]:  # in the middle of a block
            end = Sums(self._n_blocks, gram, noise)
            ((now, share),) = self._fit_candidates([end], shrinkage, fit_all)
        if np.isnan(now[best, 0]):
            return None
        return -now[best, 1:-1], -float(now[best, 0]), float(share[best])

    def _suspect_change(self, end: Sums, share: float, fit_all: FitAll) -> bool:
        """Test whether the fit to all rows is also one to the last rows, by their gradient."""
        d, first = len(end.gram) - 2, 0 if self._centred else 1
        coef, intercept = fit_all(end.gram, end.noise)
        u = np.concatenate([[-intercept], -coef, [1.0]])
        for start in (self._start(end.block, level) for level in _TESTED_LEVELS):
            if start is None:
                continue
            gram = end.gram - start.gram
            n = gram[0, 0]
            if n < _MIN_ROWS * d:
                continue
            products = gram.dot(u)
            naive = products[first:-1]
            spread = gram[first:-1, first:-1] * (u.dot(products) / n)
            spread += naive[:, None] * (naive / n)
            diagonal = spread.reshape(-1)[:: len(spread) + 1]  # a view
            diagonal *= 1.0 + 1e-9
            diagonal[diagonal <= 0.0] = 1.0  # definite, also for constant features
            gradient = naive.copy()
            gradient[-d:] += (end.noise - start.noise).dot(share * coef)
            solution, failed = dposv(spread, gradient)[1:]
            if failed:
                solution = np.linalg.solve(spread, gradient)
            if gradient.dot(solution) > chdtri(len(spread), _LEVEL):
                return True
        return False

    def _choose(self, kept: Sequence[Sums], shrinkage: Shrinkage, fit_all: FitAll) -> int:
        """Return the best candidate by the losses of the last blocks."""
        recent = kept[-HORIZON - 1 :]
        last = recent[-1].block
        if last not in self._best:
            new = [sums for sums in recent if sums.block not in self._candidates]
            found = self._fit_candidates(new, shrinkage, fit_all) if new else []
            self._candidates |= zip((sums.block for sums in new), found, strict=True)
            for before, after in pairwise(recent):
                if after.block not in self._losses:
                    u, clean = self._candidates[before.block][0], after.clean - before.clean
                    self._losses[after.block] = ((u @ clean) * u).sum(axis=1)
            self._best[last] = choose(np.array([self._losses[s.block] for s in recent[1:]]))
            for known in (self._candidates, self._losses, self._best):
                for old in [block for block in known if block < last - HORIZON - EVERY]:
                    del known[old]
        return self._best[last]

    def _fit_candidates(
        self, ends: Sequence[Sums], shrinkage: Shrinkage, fit_all: FitAll
    ) -> list[tuple[FloatArray, FloatArray]]:
        """Return the candidates that end with each block, and their shares."""
        n_candidates, d = len(LEVELS) + 2, len(ends[0].gram) - 2
        starts = [[self._start(end.block, level) for level in LEVELS] for end in ends]
        clean = np.repeat([[end.clean] for end in ends], n_candidates, axis=1)
        for k, end in enumerate(ends):
            clean[k, 0] = end.gram + shrinkage.share * (end.clean - end.gram)
            for window, start in zip(clean[k, 2:], starts[k], strict=True):
                if start is not None:
                    window -= start.clean
        n_rows = clean[..., 0, 0].copy()
        too_few = n_rows < _MIN_ROWS * d
        clean[too_few] = np.eye(d + 2)
        share, alpha = np.ones(n_rows.shape), 1.0 / np.maximum(n_rows, 1e-300)
        share[:, 0], alpha[:, 0] = shrinkage.share, shrinkage.alpha
        variances = feature_variances(np.array([end.gram for end in ends]), self._centred)
        variances = np.repeat(variances, n_candidates, axis=0)
        flat = clean.reshape(-1, d + 2, d + 2)
        found, well_conditioned = self._solve(flat, alpha.ravel(), variances)
        candidates = found.reshape(*n_rows.shape, d + 2)
        candidates[too_few] = np.nan
        for k, j in np.argwhere(~well_conditioned.reshape(n_rows.shape)).tolist():
            candidates[k, j] = np.nan
            if j:  # without any correction
                start = starts[k][j - 2] if j > 1 else None
                gram = (ends[k].gram if start is None else ends[k].gram - start.gram)[None]
                u, good = self._solve(gram, alpha[k, j : j + 1], variances[:1])
                share[k, j] = 0.0
                if good[0]:
                    candidates[k, j] = u[0]
        for k, end in enumerate(ends):
            candidates[k, 2:][[start is None for start in starts[k]]] = np.nan
            norm, bound = np.linalg.norm(candidates[k, 0, 1:-1]), self._norm_bound or np.inf
            if not norm <= bound * (1.0 - 1e-9):  # ill conditioned, or on the surface of the ball
                coef, intercept = fit_all(end.gram, end.noise)
                candidates[k, 0] = np.concatenate([[-intercept], -coef, [1.0]])
        return list(zip(candidates, share, strict=True))

    def _solve(
        self, clean: FloatArray, alpha: FloatArray, variances: FloatArray
    ) -> tuple[FloatArray, BoolArray]:
        """Return fits as vectors u, moved into the ball, and which are well conditioned."""
        coef, intercept, good = solve_many_by_cholesky(
            clean, alpha, penalties=variances, centred=self._centred
        )
        if self._norm_bound is not None:
            norms = np.linalg.norm(coef, axis=1)
            factors = self._norm_bound / np.maximum(norms, self._norm_bound)
            if self._centred:
                means = clean[:, 0, 1:] / clean[:, :1, 0]
                intercept = means[:, -1] - factors * (means[:, -1] - intercept)
            coef *= factors[:, None]
        u = np.empty((len(coef), coef.shape[1] + 2))
        u[:, 0], u[:, 1:-1], u[:, -1] = -intercept, -coef, 1.0
        return u, good

    def _start(self, block: int, level: int) -> Sums | None:
        """Return the sums up to the start of the window that ends with a block."""
        wanted = ((block >> level) - 1) << level
        for sums in reversed(self._kept[level]):
            if sums.block <= wanted:
                return sums if sums.block == wanted else None
        return None


def choose(losses: FloatArray) -> int:
    """Return the candidate to predict with, given losses (blocks, candidates), all rows first."""
    weights = _WEIGHTS[-len(losses) :]
    weights = weights / weights.sum()
    difference = losses - losses[:, :1]
    mean = weights @ difference
    difference -= mean
    limit = mean + np.sqrt(weights**2 @ difference**2)
    limit[0] = 0.0
    return int(np.argmin(np.where(np.isnan(limit), np.inf, limit)))
