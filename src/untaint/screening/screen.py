r"""Rows whose features are wild, told from X alone.

Five views give every row a size; :mod:`.edges` says where the plausible sizes of each end.

1. The mean logarithm of the features' distances (:mod:`.measures`): rows that are wild in most
   features, up to almost half of all rows.
2. Each feature by itself: values out of range.
3. The root mean square of the distances: rows that are wild in some features.
4. The first view, of uncorrelated coordinates (:mod:`.relations`).
5. What is left of each feature that the others all but determine: relations that are broken.

Views 2 to 5 see only the rows that earlier ones left, and are taken twice if they found any.

Honest data have clusters. A group that views 1, 3 or 4 set apart is left in peace while it is not
very far and its own spread is like that of the other rows; one point repeated, or rows scattered
far and wide, are not. Large groups in one feature have to be far away, for honest features have two
humps at times.

The verdict prefers missing a row to accusing an honest one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from .._typing import BoolArray, FloatArray, IntArray
from .edges import Accept, Least, edge
from .measures import LARGEST, Columns, Measures, row_sizes
from .radius import representatives
from .relations import Relations, relations
from .scales import quantile, scale_of

# Fewer rows say too little about one another.
FEWEST_ROWS = 20
FEWEST_DISTINCT = 12
# Rows that show how columns hang together.
RELATION_ROWS = 20_000
# Groups farther away than this are no cluster, whatever their spread.
FAR_CLUSTER = 25.0
# Spread of a group, relative to the other rows, that no cluster has: smaller or larger.
LUMP = 30.0
WIDE, WIDER = 3.0, 4.0
PASSES = 2


@dataclass(frozen=True)
class Screen:
    """What the features say about the rows.

    Parameters
    ----------
    feature_outlier : array of bool of shape (n,)
        Rows whose features are implausible.
    outlyingness : array of shape (n,), non-negative
        Size of a row relative to the edge of plausible sizes; beyond 1 the row is wild.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> X[7, 1] = 500.0
    >>> found = screen(X)
    >>> np.flatnonzero(found.feature_outlier), found.outlying_features([7])
    (array([7]), [array([1])])
    """

    feature_outlier: BoolArray
    outlyingness: FloatArray
    screen_model: ScreenModel | None = field(default=None, repr=False, compare=False)

    def outlying_features(self, rows: Any, most: int = 5) -> list[IntArray]:
        """Features that make rows odd, the oddest first: those at least half as odd as it.

        Parameters
        ----------
        rows : array of indices
        most : int
            Features named for a row, at most.
        """
        if self.screen_model is None:
            return [np.empty(0, dtype=np.intp) for _ in np.atleast_1d(rows)]
        named = []
        for outlying in self.screen_model.outlyingness(np.atleast_1d(rows)):
            order = np.argsort(-outlying, kind="stable")[:most]
            named.append(
                order[(outlying[order] > 0) & (outlying[order] >= 0.5 * outlying[order[0]])]
            )
        return named


def _distinct(X: Any) -> int:
    """Number of different rows, told apart by one number that no two of them share by chance."""
    weights = np.modf(np.arange(1, X.shape[1] + 1) * np.sqrt(2.0))[0]
    with np.errstate(over="ignore", invalid="ignore"):
        return len(np.unique(np.asarray(X @ weights)))


def screen(X: Any, sample_weight: FloatArray | None = None) -> Screen:
    """Find the rows whose features are wild.

    The result does not depend on the order of the rows, nor on the unit or origin of a feature.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
        Finite numbers.
    sample_weight : array of shape (n,), optional
        A weight of k is k copies of the row; a row of weight zero is absent, and not judged.

    Returns
    -------
    Screen
        Without a verdict on fewer than 20 rows.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> X[:40] *= 1000.0
    >>> bool(screen(X).feature_outlier[:40].all())
    True
    """
    n = X.shape[0]
    weights = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    outlyingness = np.zeros(n)
    present = np.flatnonzero(weights > 0)
    if float(weights.sum()) < FEWEST_ROWS or X.shape[1] == 0:
        return Screen(outlyingness > 1, outlyingness)
    if _distinct(X[present]) < FEWEST_DISTINCT:
        return Screen(
            outlyingness > 1, outlyingness
        )  # repeated points of a design, each apart from others
    work = _Screening(Columns(X if len(present) == n else X[present]), weights[present])
    work.run()
    outlyingness[present] = work.outlyingness
    screen_model = ScreenModel(
        X, work.centre, work.reach, work.relation, work.measures.scale, work.size_reach
    )
    return Screen(outlyingness > 1, outlyingness, screen_model)


class _Screening:
    """One run of the views over rows of positive weight."""

    def __init__(self, columns: Columns, weights: FloatArray) -> None:
        self.columns = columns
        self.weights = weights
        self.total = float(weights.sum())
        self.outlyingness = np.zeros(columns.n)
        self.reach = np.full(columns.d, np.inf)
        self.size_reach = np.inf
        self.relation: tuple[Relations, FloatArray] | None = None
        self.measures = Measures(columns, weights)
        self.centre, self.size = self.measures.centre, self.measures.size

    @property
    def live(self) -> BoolArray:
        """Rows that no view has found wild."""
        return self.outlyingness <= 1

    def run(self) -> None:
        """Take all views."""
        self.size_reach = self.assess(self.size, np.full(self.columns.n, True), _any_factor)
        for _ in range(PASSES):
            before = self.live.sum()
            self.judge_features()
            live = self.live
            self.assess(self.measures.root_mean_square(live), live, _growing_factor)
            self.judge_relations(live)
            if self.live.sum() == before:
                break

    def assess(self, size: FloatArray, live: BoolArray, least: Least) -> float:
        """Hold rows to the edge of a view of all features, and tell where it is."""
        rows = np.flatnonzero(live)
        found = edge(size[rows], self.weights[rows], least, self._accept(size[rows], rows))
        self._mark(rows, size[rows] / found.reach)
        return found.reach

    def judge_features(self) -> None:
        """Hold rows to the edge of each feature."""
        live, before = self.live, self.outlyingness.copy()
        live_total = float(self.weights[live].sum())
        for j in range(self.columns.d):
            rows, values = self.columns[j]
            inside = live[rows]
            z, weights = np.abs(values - self.centre[j])[inside], self.weights[rows][inside]
            zeros = live_total - float(weights.sum())
            found = edge(z, weights, _feature_factor, zeros=zeros)
            self.reach[j] = min(self.reach[j], found.reach)
            self._mark(np.arange(self.columns.n)[rows][inside], z / found.reach)
        if float(self.weights[self.live].sum()) < 0.5 * self.total:
            # Features that accuse most of the rows have taken wild values for the usual ones.
            self.outlyingness = np.maximum(before, np.minimum(self.outlyingness, 1.0))

    def judge_relations(self, live: BoolArray) -> None:
        """Hold rows to the relations between features."""
        if self.columns.sparse:
            return
        rows = np.flatnonzero(live)
        Z = self.columns.X[rows] - self.centre
        weights, size = self.weights[rows], self.size[rows]
        sample, counts = representatives(Z, weights, size, RELATION_ROWS)
        found = relations(Z[sample], counts, size[sample])
        if found is None:
            return
        coordinates = np.abs(found.coordinates(Z))
        sizes = np.zeros(self.columns.n)
        sizes[rows] = np.expm1(np.log1p(coordinates).mean(axis=1))
        self.assess(sizes, live, _any_factor)
        if not len(found.strong):
            return
        residuals = found.broken(Z)
        reach = np.array([edge(e, weights, _relation_factor).reach for e in residuals.T])
        for e, limit in zip(residuals.T, reach, strict=True):
            self._mark(rows, e / limit)
        self.relation = (found, reach)

    def _mark(self, rows: IntArray, outlying: FloatArray) -> None:
        self.outlyingness[rows] = np.maximum(self.outlyingness[rows], outlying)

    def _accept(self, size: FloatArray, rows: IntArray) -> Accept:
        """Whether a group of these rows is no cluster such as honest data have."""
        gone = ~self.live

        def accept(cut: float, top: float, factor: float) -> bool:
            if factor >= FAR_CLUSTER:
                return True
            if self.columns.sparse:
                return factor >= 8.0
            beyond = size > cut
            usual = scale_of(self.size[rows[~beyond]], self.weights[rows[~beyond]])
            layer = beyond & (size <= top)
            if self._is_strange(rows[layer], usual, factor):
                return True
            # The fringe of a group belongs to it.
            group = np.union1d(rows[beyond], np.flatnonzero(gone))
            fringe = float(self.weights[rows[layer]].sum())
            if fringe > 0.25 * float(self.weights[group].sum()):
                return False
            return self._is_strange(group, usual, factor)

        return accept

    def _is_strange(self, rows: IntArray, usual: float, factor: float) -> bool:
        """Whether rows are one point repeated, or scattered far and wide."""
        weights, spread = self.weights[rows], self.measures.spread(rows)
        if factor >= 3.0 and spread < usual / LUMP:
            return True
        scattered = spread > 0.5 * quantile(self.size[rows], weights, 0.5)
        wide = spread > (WIDE if factor >= 3.0 else WIDER) * usual
        return wide and (scattered or factor >= 4.0)


@dataclass(frozen=True)
class ScreenModel:
    """What it takes to say which features of a row are odd."""

    X: Any
    centre: FloatArray
    reach: FloatArray
    relation: tuple[Relations, FloatArray] | None
    scale: FloatArray
    size_reach: float

    def for_samples(self, X: Any) -> ScreenModel:
        """The same for other rows."""
        return ScreenModel(X, self.centre, self.reach, self.relation, self.scale, self.size_reach)

    def total(self, rows: slice) -> FloatArray:
        """Of some rows as a whole: the worst feature, or all of them together."""
        outlying = self.outlyingness(rows).max(axis=1)
        if not np.isfinite(self.size_reach):
            return outlying
        X = self.X[rows].toarray() if sparse.issparse(self.X) else np.asarray(self.X[rows], float)
        size = row_sizes(np.clip(X, -LARGEST, LARGEST), self.centre, self.scale)
        return np.maximum(outlying, size / self.size_reach)

    def outlyingness(self, rows: IntArray | slice) -> FloatArray:
        """Of each feature of some rows, relative to the edge of plausible values."""
        X = self.X[rows].toarray() if sparse.issparse(self.X) else self.X[rows]
        Z = np.clip(np.asarray(X, dtype=float), -LARGEST, LARGEST) - self.centre
        outlying = np.abs(Z) / self.reach
        if self.relation is not None:
            found, reach = self.relation
            broken = found.broken(Z) / reach
            outlying[:, found.strong] = np.maximum(outlying[:, found.strong], broken)
        return outlying


def _any_factor(fraction: FloatArray) -> FloatArray:
    return np.full_like(fraction, 2.0)


def _growing_factor(fraction: FloatArray) -> FloatArray:
    return 2.0 + 5.0 * fraction


def _feature_factor(fraction: FloatArray) -> FloatArray:
    return 3.0 + 60.0 * fraction


def _relation_factor(fraction: FloatArray) -> FloatArray:
    return 3.5 + 150.0 * fraction
