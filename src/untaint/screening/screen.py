r"""Detection of feature outliers from X alone.

Five measures give every sample a size; :mod:`.edges` finds the upper limit of the inlying sizes.
The outlyingness of a sample is its size over that limit, at most of the five:

1. the mean logarithm of the features' distances (:mod:`.measures`), for samples that are outlying
   in most features, up to almost half of all samples;
2. each feature by itself, for values out of range;
3. the root mean square of the distances, for samples that are outlying in some features;
4. the first measure, applied to uncorrelated coordinates (:mod:`.relations`);
5. the residual of each feature that the others nearly determine, for violated relations.

Measures 2 to 5 use only the samples that are not flagged so far, and are repeated once if they flag
any.

Regular data have clusters. A group that measure 1, 3 or 4 separates is not flagged while it is not
very far and its spread is like that of the other samples; one repeated point, or widely scattered
samples, are flagged. A large group in one feature has to be far away, because regular features may
be bimodal. In doubt, a sample is not flagged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from .._typing import BoolArray, FloatArray, IntArray
from .column_edges import column_edges
from .edges import Accept, MinFactor, edge
from .measures import MAX_VALUE, Columns, Measures, row_sizes
from .radius import projection, representatives
from .relations import Relations, relations
from .scales import quantile, scale_of

# Below these numbers of samples and of distinct samples nothing is flagged.
MIN_ROWS = 20
MIN_DISTINCT = 12
# Samples from which the relations between features are estimated.
RELATION_ROWS = 20_000
# Groups beyond this factor are outliers, whatever their spread.
MAX_CLUSTER_FACTOR = 25.0
# A group is no regular cluster if its spread is smaller than that of the other samples over the
# first factor, or larger than it times the second (the third if the gap is narrow).
CONCENTRATED = 30.0
WIDE, WIDER = 3.0, 4.0
MAX_PASSES = 2
# Bounds of the outlyingness up to here are below 1 whatever the rounding.
MARGIN = 1.0 - 1e-9
# Smallest factors that separate groups by each measure.
SIZE_FACTOR, MEAN_SQUARE_FACTOR = (2.0, 0.0), (2.0, 5.0)
FEATURE_FACTOR, RELATION_FACTOR = (3.0, 60.0), (3.5, 150.0)


@dataclass(frozen=True)
class Screen:
    """The result of screening X for feature outliers.

    The outlyingness of a sample is its size relative to the limit of inlying sizes. The model is
    None if there were too few samples to fit limits.
    """

    outlyingness: FloatArray
    X: Any = field(default=None, repr=False, compare=False)
    screen_model: ScreenModel | None = field(default=None, repr=False, compare=False)

    @property
    def feature_outlier(self) -> BoolArray:
        """The mask of the feature outliers, whose outlyingness exceeds 1."""
        return self.outlyingness > 1

    def outlying_features(self, rows: Any, most: int = 5) -> list[IntArray]:
        """Return the outlying features of some samples, the most outlying first.

        Only features at least half as outlying as the first are listed, at most ``most`` of them.
        """
        if self.screen_model is None:
            return [np.empty(0, dtype=np.intp) for _ in np.atleast_1d(rows)]
        found = []
        for outlying in self.screen_model.outlyingness(self.X[np.atleast_1d(rows)]):
            order = np.argsort(-outlying, kind="stable")[:most]
            sizes = outlying[order]
            found.append(order[(sizes > 0) & (sizes >= 0.5 * sizes[0])])
        return found


def screen(X: Any, sample_weight: FloatArray | None = None) -> Screen:
    """Find the feature outliers of X, an array or CSR of finite numbers.

    The result does not depend on the order of the samples, nor on the unit or origin of a feature.
    A sample of weight zero is ignored and not flagged, and so are all among fewer than 20 samples.
    """
    n = X.shape[0]
    weights = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    outlyingness = np.zeros(n)
    present = np.flatnonzero(weights > 0)
    few = float(weights.sum()) < MIN_ROWS or X.shape[1] == 0
    # The repeated points of an experimental design are separate from one another.
    if few or len(np.unique(projection(X[present]))) < MIN_DISTINCT:
        return Screen(outlyingness)
    work = _Screening(Columns(X if len(present) == n else X[present]), weights[present])
    work.run()
    outlyingness[present] = work.outlyingness
    scale = work.measures.scale
    model = ScreenModel(work.centre, work.limits, work.relation, scale, work.size_limit)
    return Screen(outlyingness, X, model)


class _Screening:
    """One run of the five measures over samples of positive weight."""

    def __init__(self, columns: Columns, weights: FloatArray) -> None:
        self.columns, self.weights = columns, weights
        self.outlyingness = np.zeros(columns.n)
        self.limits = np.full(columns.d, np.inf)
        self.size_limit = np.inf
        self.relation: tuple[Relations, FloatArray] | None = None
        self.measures = Measures(columns, weights)
        self.centre, self.size = self.measures.centre, self.measures.size

    @property
    def unflagged(self) -> BoolArray:
        """The mask of the samples that no measure has flagged so far."""
        return self.outlyingness <= 1

    def run(self) -> None:
        """Apply all measures."""
        self.size_limit = self.assess(self.size, np.full(self.columns.n, True), SIZE_FACTOR)
        for _ in range(MAX_PASSES):
            before = self.unflagged.sum()
            self.screen_features()
            active = self.unflagged
            self.assess(self.measures.root_mean_square(active), active, MEAN_SQUARE_FACTOR)
            self.screen_relations(active)
            if self.unflagged.sum() == before:
                break

    def assess(self, size: FloatArray, active: BoolArray, min_factor: MinFactor) -> float:
        """Flag samples by a measure of all features, and return its limit."""
        rows = np.flatnonzero(active)
        limit = edge(size[rows], self.weights[rows], min_factor, self._accept(size[rows], rows))
        self._update(rows, size[rows] / limit)
        return limit

    def screen_features(self) -> None:
        """Flag samples by the limit of each single feature."""
        active, before = self.unflagged, self.outlyingness.copy()
        (self._screen_sparse if self.columns.sparse else self._screen_dense)(active)
        if float(self.weights[self.unflagged].sum()) < 0.5 * float(self.weights.sum()):
            # Most samples flagged: the limits come from the outliers, so discard them.
            self.outlyingness = np.maximum(before, np.minimum(self.outlyingness, 1.0))

    def _screen_dense(self, active: BoolArray) -> None:
        """Flag active samples by the limits of dense features."""
        rows, weights = np.flatnonzero(active), self.weights[active]
        for block in self.columns.blocks():
            z = np.abs(self.columns.X[active, block] - self.centre[block])
            limits = column_edges(z, weights, FEATURE_FACTOR)
            self.limits[block] = np.minimum(self.limits[block], limits)
            self._update(rows, (z / limits).max(axis=1))

    def _screen_sparse(self, active: BoolArray) -> None:
        """Flag active samples by the limits of sparse features, whose centre is zero."""
        active_total = float(self.weights[active].sum())
        for j in range(self.columns.d):
            rows, values = self.columns[j]
            inside = active[rows]
            z, weights = np.abs(values[inside]), self.weights[rows][inside]
            limit = edge(z, weights, FEATURE_FACTOR, zeros=active_total - float(weights.sum()))
            self.limits[j] = min(self.limits[j], limit)
            self._update(rows[inside], z / limit)

    def screen_relations(self, active: BoolArray) -> None:
        """Flag samples by the relations between features; dense X only."""
        if self.columns.sparse:
            return
        rows = np.flatnonzero(active)
        Z = self.columns.X[rows] - self.centre
        weights, size = self.weights[rows], self.size[rows]
        sample, counts = representatives(Z, weights, size, RELATION_ROWS)
        found = relations(Z[sample], counts, size[sample])
        if found is None:
            return
        coordinates = np.abs(found.coordinates(Z))
        sizes = np.zeros(self.columns.n)
        sizes[rows] = np.expm1(np.log1p(coordinates).mean(axis=1))
        self.assess(sizes, active, SIZE_FACTOR)
        if not len(found.strong):
            return
        residuals = found.violations(Z)
        limits = np.array([edge(e, weights, RELATION_FACTOR) for e in residuals.T])
        for e, limit in zip(residuals.T, limits, strict=True):
            self._update(rows, e / limit)
        self.relation = (found, limits)

    def _update(self, rows: IntArray, outlying: FloatArray) -> None:
        self.outlyingness[rows] = np.maximum(self.outlyingness[rows], outlying)

    def _accept(self, size: FloatArray, rows: IntArray) -> Accept:
        """Return a function that tests whether a group of these samples is no regular cluster."""
        flagged = ~self.unflagged

        def accept(cut: float, top: float, factor: float) -> bool:
            if factor >= MAX_CLUSTER_FACTOR:
                return True
            if self.columns.sparse:
                return factor >= 8.0
            beyond = size > cut
            usual = scale_of(self.size[rows[~beyond]], self.weights[rows[~beyond]])
            layer = beyond & (size <= top)
            if self._is_irregular(rows[layer], usual, factor):
                return True
            # A thin layer around a flagged group is assessed together with it.
            group = np.union1d(rows[beyond], np.flatnonzero(flagged))
            fringe = float(self.weights[rows[layer]].sum())
            if fringe > 0.25 * float(self.weights[group].sum()):
                return False
            return self._is_irregular(group, usual, factor)

        return accept

    def _is_irregular(self, rows: IntArray, usual: float, factor: float) -> bool:
        """Return whether samples are nearly one repeated point, or widely scattered."""
        weights, spread = self.weights[rows], self.measures.spread(rows)
        if factor >= 3.0 and spread < usual / CONCENTRATED:
            return True
        scattered = spread > 0.5 * quantile(self.size[rows], weights, 0.5)
        wide = spread > (WIDE if factor >= 3.0 else WIDER) * usual
        return wide and (scattered or factor >= 4.0)


@dataclass(frozen=True)
class ScreenModel:
    """The fitted centres, limits and scales of the features, and the largest inlying size.

    A limit is the largest inlying distance of a feature from its centre. The strong relations go
    with the limits of their residuals.
    """

    centre: FloatArray
    limits: FloatArray
    relation: tuple[Relations, FloatArray] | None
    scale: FloatArray
    size_limit: float

    def total(self, X: Any) -> FloatArray:
        """Return the outlyingness of each sample: of the worst feature or of all together."""
        sizes = row_sizes(_clipped(X), self.centre, self.scale)
        return np.maximum(self.outlyingness(X).max(axis=1), sizes / self.size_limit)

    def beyond_one(self, X: Any) -> FloatArray:
        """Return a number for each sample that exceeds 1 where :meth:`total` does, in less time.

        The size of a sample is at most the mean of its standardised distances, as a geometric mean
        is at most the arithmetic one: only the samples that this leaves open are measured.
        """
        if self.relation is not None or sparse.issparse(X):
            return self.total(X)
        used = self.scale > 0
        with np.errstate(over="ignore", invalid="ignore"):
            distances = np.array(X.T, dtype=float, order="C")  # reduced along its first axis
            np.abs(np.subtract(distances, self.centre[:, None], out=distances), out=distances)
            mean = (used / np.where(used, self.scale, 1.0)) @ distances / max(int(used.sum()), 1)
            distances *= 1.0 / self.limits[:, None]
            worst = distances.max(axis=0)
        out = np.zeros(X.shape[0])
        near = np.flatnonzero(~((worst < MARGIN) & (mean < MARGIN * self.size_limit)))
        if len(near):
            out[near] = self.total(X[near])
        return out

    def outlyingness(self, X: Any) -> FloatArray:
        """Return the outlyingness of each feature of each sample, shape (n, d)."""
        Z = _clipped(X) - self.centre
        outlying = np.abs(Z) / self.limits
        if self.relation is not None:
            found, limits = self.relation
            violated = found.violations(Z) / limits
            outlying[:, found.strong] = np.maximum(outlying[:, found.strong], violated)
        return outlying


def _clipped(X: Any) -> FloatArray:
    X = X.toarray() if sparse.issparse(X) else X
    return np.clip(np.asarray(X, dtype=float), -MAX_VALUE, MAX_VALUE)
