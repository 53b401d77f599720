"""Chunks of rows in single precision are fitted to as the same values in double precision are."""

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="needs Dask")

import dask.array as da
from dask_cases import LINEAR, NYSTROEM, chunked, labelled, rows

from untaint import distributed

pytestmark = pytest.mark.slow

CLOSE = 1e-3  # in standard deviations of the targets; of scores, in units of log-odds
ILL = {"gamma": 0.01, "alpha": 1e-6}
REGRESSORS = {
    "linear": {**LINEAR, "alpha": 1e-6},
    "linear-auto": {**LINEAR, "alpha": 1e-6, "contamination": "auto"},
    "nystroem": NYSTROEM,
    "nystroem-ill": {**NYSTROEM, **ILL},
    "rff": {**NYSTROEM, "approximation": "rff"},
}
CLASSIFIERS = {"linear": {**LINEAR, "alpha": 1e-3}, "nystroem": {**NYSTROEM, "alpha": 1e-2}}


def both(kind, params, X, y):
    """Fits to the rows as they are, and to the same values in double precision."""
    return tuple(
        getattr(distributed, kind)(**params).fit(chunked(rows), chunked(y))
        for rows in (X, X.astype(np.float64))
    )


def assert_same_rows(single, double, tol=1e-5):
    """Rows are kept alike, but for some whose scores are those of the last row that is kept."""
    kept, expected, scores = da.compute(
        single.inlier_mask_, double.inlier_mask_, double.outlier_scores_
    )
    edge = scores[~expected].min()
    assert (np.abs(scores[kept != expected] - edge) <= tol * edge).all()


def assert_alike(found, expected, scale=1.0):
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=CLOSE * scale)


@pytest.mark.parametrize("params", REGRESSORS.values(), ids=REGRESSORS)
def test_regressors(params):
    X, y = rows()
    X = X.astype(np.float32)
    single, double = both("SubquantileRegressor", params, X, y)
    assert_same_rows(single, double)
    expected = double.predict(X.astype(np.float64))
    for query in (X, X.astype(np.float64)):
        assert_alike(single.predict(query), expected, y.std())
        assert_alike(single.predict(chunked(query)).compute(), expected, y.std())


@pytest.mark.parametrize("params", CLASSIFIERS.values(), ids=CLASSIFIERS)
def test_classifiers(params):
    X, y = labelled()
    X = X.astype(np.float32)
    single, double = both("SubquantileClassifier", params, X, y)
    assert_same_rows(single, double)
    expected = double.decision_function(X.astype(np.float64))
    assert_alike(single.decision_function(X), expected)
    assert_alike(single.decision_function(chunked(X)).compute(), expected)


@pytest.mark.parametrize("params", [{**LINEAR, **ILL, "kernel": "rbf"}, LINEAR])
def test_rows_few_enough_for_the_client(params):
    X, y = (part[:150] for part in rows())
    X = X.astype(np.float32)
    single, double = both("SubquantileRegressor", params, X, y)
    assert_same_rows(single, double)
    assert_alike(single.predict(X), double.predict(X.astype(np.float64)), y.std())


def test_nystroem_features():
    X = rows()[0].astype(np.float32)
    single, double = (
        distributed.NystroemFeatures(gamma=0.01, n_components=30).fit(chunked(part))
        for part in (X, X.astype(np.float64))
    )
    found, expected = single.transform(X), double.transform(X.astype(np.float64))
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-6)
