r"""Few rows: the posterior of a design by tests of its rows.

A mixture model of the residuals of few rows cannot pay for its parameters, and tests
(:mod:`~untaint.contamination.outlier_test`) take its place.

* For the linear kernel with few columns the tests are made on least trimmed squares, without a
  ridge: a ridge is a prior on the slopes, and its shrinkage must not make outliers. Rows with
  outlying features are tested like all others, because they may lie on the line.
* For other kernels the tests are made on ridge fits, whose effective degrees of freedom take the
  place of the number of columns. The trimmed fit comes from the multi-start search.

Several outputs are tested one by one, at levels that they share. A row is an inlier with
probability 1 or 0. The contamination has the interval of Clopper and Pearson.
"""

from dataclasses import dataclass, replace
from typing import final

import numpy as np
from scipy import sparse
from scipy.special import betaincinv

from .._typing import BoolArray, FloatArray, IntArray
from ..contamination.expectation_maximisation import MAX_CONTAMINATION, Residuals
from ..contamination.loo_diagnostics import min_alpha
from ..contamination.outlier_test import RowTests, can_test, find_outliers, is_contaminated
from ..contamination.residual_mixture import (
    MIN_NOISE,
    Interval,
    OutlierPosterior,
    ResidualModel,
)
from ..contamination.residual_norm import median_distance
from ..contamination.two_groups import TwoGroups, as_rows
from ..design.base import Design
from ..initialization.forward_search import forward_path
from ..initialization.least_trimmed_squares import (
    TrimmedPath,
    lts_path,
    lts_rows,
    well_conditioned,
)
from ..initialization.multistart import find_inliers
from ..kernels import Linear
from ..optim.subset_fit import SubsetFit, fit_subset

# Rows from which a mixture model takes over: of the linear kernel, and of others.
MIXTURE_ROWS, MIXTURE_ROWS_OF_KERNELS = 150, 60
# Rows from which a mixture model serves fits that are too flexible for tests.
FEWEST_MIXTURE_ROWS = 20
# Columns, the intercept's included, and rows up to which least trimmed squares is searched.
MAX_COLUMNS, MAX_LTS_ROWS = 12, 1000
# Median size of a Gaussian variable.
GAUSSIAN_MEDIAN = 0.6745
# Larger values of features overflow in the squares of elemental fits.
MAX_VALUE = 1e100
# Ridge of least squares, relative to the sum of squares of a column.
RIDGE = 1e-12


def posterior_by_tests(
    design: Design, y: FloatArray, n_starts: int, rng: np.random.Generator
) -> OutlierPosterior | None:
    """Test the rows of a design.

    None if the rows are many, or enough for a mixture model and the tests find no outlier, or keep
    some that mask one another: groups that the tests miss, such as nearly half of the rows, may be
    clear from their shape.
    """
    columns = linear_columns(design)
    if design.size >= (MIXTURE_ROWS_OF_KERNELS if columns is None else MIXTURE_ROWS):
        return None
    if columns is None:
        sample = _sample_of_kernel(design, y)
    else:
        sample = _sample_of_columns(design, y, columns)
    n, dof = len(sample.y), sample.fit(0, np.ones(len(sample.y), dtype=bool)).effective_dof
    if not can_test(n, dof):
        if design.size >= FEWEST_MIXTURE_ROWS:
            return None
        # The fit follows the rows too closely to say anything of them: the noise may be as large as
        # the spread of the targets.
        kept = np.ones(len(y), dtype=bool)
        spread = median_distance(y, design.sample_weight) / GAUSSIAN_MEDIAN
        scale = max(spread, float(np.finfo(float).tiny))
        residuals = y[:, 0] - np.median(y[:, 0])
        return _certain(kept, residuals, scale, 0.0, (0.0, MAX_CONTAMINATION))
    if columns is None:
        found = find_inliers(design, y, int((n - dof) / 2) / n, n_starts, rng).weights
        start = (found >= 0.5 * design.sample_weight)[sample.rows]
        sample = replace(sample, start=start)
    tested = [sample.test(j) for j in range(y.shape[1])]
    if design.size >= FEWEST_MIXTURE_ROWS and (
        all(test.kept.all() for test in tested)
        or any(sample.at(test.kept).is_contaminated(j) for j, test in enumerate(tested))
    ):
        return None
    return _posterior(design, sample.rows, tested)


def starting_weights(
    design: Design,
    y: FloatArray,
    contamination: float,
    n_starts: int,
    rng: np.random.Generator,
    agreement: float = 0.0,
) -> FloatArray:
    """Return weights to begin with, from least trimmed squares if there are few columns.

    The search for other kernels begins with few degrees of freedom, and can follow a distant group
    of rows whose targets agree with one another.
    """
    columns = linear_columns(design)
    if columns is None or design.size >= MAX_LTS_ROWS or y.shape[1] > 1:
        return find_inliers(design, y, contamination, n_starts, rng, agreement).weights
    sample, weights = _sample_of_columns(design, y, columns), np.zeros(len(y))
    kept = lts_rows(sample.features, sample.y[:, 0])
    np.add.at(weights, sample.rows[kept], 1.0)
    counts = np.bincount(sample.rows, minlength=len(y))
    return weights / counts * design.sample_weight


def linear_columns(design: Design) -> FloatArray | None:
    """Return the columns of few features under the linear kernel, else None."""
    X = design.X
    if not isinstance(design.kernel, Linear) or X.shape[1] + design.fit_intercept > MAX_COLUMNS:
        return None
    columns = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float)
    return columns if np.abs(columns).max(initial=0.0) < MAX_VALUE else None


def rounding_step(values: FloatArray) -> float:
    """Return the smallest gap between values, most of which recur; zero if most do not.

    Examples
    --------
    >>> rounding_step(np.array([7.0, 8.0, 8.0, 15.0, 15.0, 15.0])), rounding_step(np.arange(3.0))
    (1.0, 0.0)
    """
    levels, counts = np.unique(values, return_counts=True)
    if len(levels) < 2 or 2 * counts[counts > 1].sum() < len(values):
        return 0.0
    return float(np.min(np.diff(levels)))


@final
@dataclass(frozen=True)
class _SmallSample:
    """Rows to test: their positions, copies repeated, features (n, m) and targets (n, k).

    A search begins with the rows ``start``, or with least trimmed squares of columns.
    """

    rows: IntArray
    features: FloatArray
    y: FloatArray
    alpha: float
    fit_intercept: bool
    start: BoolArray | None = None

    def at(self, rows: BoolArray) -> "_SmallSample":
        """Return the sample of some rows."""
        start = None if self.start is None else self.start[rows]
        features, y = self.features[rows], self.y[rows]
        return replace(self, rows=self.rows[rows], features=features, y=y, start=start)

    def fit(self, j: int, kept: BoolArray) -> SubsetFit:
        """Fit the j-th output of the kept rows."""
        return fit_subset(self.features, self.y[:, j], kept, self.alpha, self.fit_intercept)

    def test(self, j: int) -> RowTests:
        """Test the j-th output."""
        path = self._path(j)
        parts = (path.trimmed, path.squares, path.kept[-1], self._least_scale(j), self.y.shape[1])
        return find_outliers(lambda kept: self.fit(j, kept), *parts)

    def is_contaminated(self, j: int) -> bool:
        """Return whether the test of all rows together finds outliers in the j-th output."""
        path, n = self._path(j), len(self.y)
        dof = self.fit(j, np.ones(n, dtype=bool)).effective_dof
        outputs, least_scale = self.y.shape[1], self._least_scale(j)
        return is_contaminated(path.trimmed, path.squares, n, dof, outputs, least_scale)

    def _least_scale(self, j: int) -> float:
        target = self.y[:, [j]]
        noise = MIN_NOISE * median_distance(target, np.ones(len(target)))
        return max(noise, rounding_step(target[:, 0]) / np.sqrt(12.0))

    def _path(self, j: int) -> TrimmedPath:
        target = self.y[:, j]
        if self.start is None:
            return lts_path(self.features, target)
        return forward_path(self.features, target, self.start, self.alpha, self.fit_intercept)


def _sample_of_columns(design: Design, y: FloatArray, columns: FloatArray) -> _SmallSample:
    """Return the rows in an order that they determine themselves, as the starts are by position."""
    rows = _copies(design, np.lexsort((*y.T, *columns.T)))
    features = well_conditioned(columns[rows], design.fit_intercept)
    targets = _centred(y[rows], design.fit_intercept)
    return _SmallSample(rows, features, targets, RIDGE * len(rows), fit_intercept=False)


def _sample_of_kernel(design: Design, y: FloatArray) -> _SmallSample:
    """Return the rows without those of outlying features."""
    rows = _copies(design, np.flatnonzero(~design.feature_outlier))
    alpha = max(design.alpha, min_alpha(design, design.feature_outlier))
    targets = _centred(y[rows], design.fit_intercept)
    return _SmallSample(rows, design.loo_features[rows], targets, alpha, design.fit_intercept)


def _copies(design: Design, rows: IntArray) -> IntArray:
    """Return the rows, each as often as its weight says; once unless weights are counts."""
    counts = as_rows(design.sample_weight)
    whole = bool((counts == np.floor(counts)).all())
    return np.repeat(rows, counts[rows].astype(int)) if whole else rows


def _centred(y: FloatArray, fit_intercept: bool) -> FloatArray:
    return y - np.median(y, axis=0) if fit_intercept else y


def _posterior(design: Design, rows: IntArray, tested: list[RowTests]) -> OutlierPosterior:
    """Return the posterior of the design's rows; a row that was not tested is an outlier."""
    weight, scale = design.sample_weight, tested[0].scale
    kept, residuals = weight == 0, np.zeros(len(weight))
    kept[rows] = np.all([test.kept for test in tested], axis=0)
    # Of several outputs the worst residual counts, in units of the first output's noise.
    scores = np.array([test.fit.residuals * (scale / test.scale) for test in tested])
    residuals[rows] = scores[np.argmax(np.abs(scores), axis=0), np.arange(len(rows))]
    share = float(weight[~kept].sum() / weight.sum())
    interval = clopper_pearson(share, float(as_rows(weight).sum()))
    return _certain(kept, residuals, scale, share, interval)


def _certain(
    kept: BoolArray, residuals: FloatArray, scale: float, share: float, interval: Interval
) -> OutlierPosterior:
    """Return the posterior with probabilities of 1 and 0."""
    candidate = TwoGroups(0.0, scale, np.inf)
    return OutlierPosterior(
        kept.astype(float),
        Residuals.of(residuals),
        min(share, MAX_CONTAMINATION),
        interval,
        [candidate],
        own_interval=interval,
        model=ResidualModel(candidate),
        log_likelihood=-np.inf,
        misfit=np.zeros(len(kept), dtype=bool),
    )


def clopper_pearson(share: float, n: float) -> Interval:
    """Return the 95 % interval of a share of n rows.

    Examples
    --------
    >>> low, high = clopper_pearson(0.2, 20)
    >>> round(low, 3), round(high, 3)
    (0.057, 0.437)
    """
    count = share * n
    low = float(betaincinv(count, n - count + 1, 0.025)) if share > 0 else 0.0
    high = float(betaincinv(count + 1, n - count, 0.975)) if share < 1 else 1.0
    return low, high
