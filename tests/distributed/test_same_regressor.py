"""A regressor fitted to chunks is the one fitted in memory."""

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="needs Dask")

from dask_cases import LINEAR, NYSTROEM, N, assert_same, chunked, pair, rows

from untaint import distributed

KIND = "SubquantileRegressor"
AUTO = {**LINEAR, "contamination": "auto"}
WAVES = {**NYSTROEM, "approximation": "rff"}
SETTINGS = {
    "linear": LINEAR,
    "linear-auto": AUTO,
    "linear-none-bad": {**LINEAR, "contamination": 0},
    "linear-ball": {**LINEAR, "norm_bound": 1.0},
    "linear-through-origin": {**LINEAR, "fit_intercept": False},
    "nystroem": NYSTROEM,
    "nystroem-auto": {**NYSTROEM, "contamination": "auto"},
    "nystroem-none-bad": {**NYSTROEM, "contamination": 0},
    "nystroem-ball": {**NYSTROEM, "norm_bound": 1.0},
    "nystroem-through-origin": {**NYSTROEM, "fit_intercept": False},
    "nystroem-median": {**NYSTROEM, "gamma": "median"},
    "nystroem-iterative": {**NYSTROEM, "solver": "iterative"},
    "nystroem-polynomial": {**NYSTROEM, "kernel": "poly"},
    "nystroem-from-zeros": {**NYSTROEM, "init": "zeros"},
    "waves": WAVES,
    "waves-laplacian": {**WAVES, "kernel": "laplacian"},
}


# Roads that others of these go as well.
MORE = {"nystroem-none-bad", "nystroem-through-origin", "nystroem-from-zeros", "waves-laplacian"}


@pytest.mark.parametrize(
    "params",
    [
        pytest.param(params, marks=[pytest.mark.slow] * (name in MORE), id=name)
        for name, params in SETTINGS.items()
    ],
)
def test_same_model_as_in_memory(params):
    here, there = pair(KIND, params, *rows())
    assert_same(there, here)


@pytest.mark.parametrize("params", [LINEAR, NYSTROEM, AUTO], ids=["linear", "nystroem", "auto"])
def test_soft_edge_keeps_the_same_rows(params):
    here, there = pair(KIND, {**params, "smoothing": 1.0}, *rows())
    assert_same(there, here, tol=1e-6, score_tol=1e-3)


@pytest.mark.parametrize("params", [LINEAR, NYSTROEM, AUTO], ids=["linear", "nystroem", "auto"])
def test_several_outputs(params):
    X, y = rows()
    here, there = pair(KIND, params, X, np.column_stack([y, np.cos(X[:, 1]) + 0.1 * y]))
    assert_same(there, here)
    assert there.predict(chunked(X[:50], 20)).shape == (50, 2)


def test_one_column_of_targets_is_a_plain_column():
    X, y = rows()
    model = distributed.SubquantileRegressor(**LINEAR).fit(chunked(X), chunked(y[:, None]))
    assert model.predict(chunked(X)).ndim == 1
    assert model.coef_.shape == (3,)


def weights_of(name):
    rng = np.random.default_rng(3)
    return {
        "integers": rng.integers(1, 4, N).astype(float),
        "halves": np.full(N, 0.5),
        "reals": rng.uniform(0.5, 1.5, N),
    }[name]


@pytest.mark.parametrize("name", ["integers", "halves", "reals"])
@pytest.mark.parametrize("params", [LINEAR, AUTO], ids=["linear", "auto"])
def test_weights(name, params):
    here, there = pair(KIND, params, *rows(), weights_of(name))
    assert_same(there, here)


@pytest.mark.parametrize("params", [LINEAR, NYSTROEM, AUTO], ids=["linear", "nystroem", "auto"])
def test_rows_of_weight_zero_have_no_say_but_are_scored(params):
    weights = np.ones(N)
    weights[np.random.default_rng(3).random(N) < 0.05] = 0.0
    weights[1750:1770] = 0.0
    here, there = pair(KIND, params, *rows(), weights)
    # Predictions of rows outside the fit are made in another precision in memory.
    assert_same(there, here, score_tol=1e-3)


def test_a_chunk_of_weight_zero_is_as_good_as_none():
    X, y = rows()
    more = np.vstack([X, X[:500] + 1.0]), np.concatenate([y, y[:500] + 100.0])
    weights = np.r_[np.ones(N), np.zeros(500)]
    sizes = (3500, 2500, 500)
    model = distributed.SubquantileRegressor(**LINEAR)
    model.fit(chunked(more[0], sizes), chunked(more[1], sizes), chunked(weights, sizes))
    plain = distributed.SubquantileRegressor(**LINEAR).fit(chunked(X), chunked(y))
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    assert model.inlier_mask_.shape == (N + 500,)
    assert not model.inlier_mask_[N:].compute().any()


@pytest.mark.parametrize("params", [LINEAR, NYSTROEM, AUTO], ids=["linear", "nystroem", "auto"])
def test_rows_of_single_precision(params):
    X, y = rows()
    here, there = pair(KIND, params, X.astype(np.float32), y)
    assert_same(there, here)
    assert np.asarray(there.intercept_).dtype == np.float64


def test_whole_numbers():
    X, y = rows()
    here, there = pair(KIND, LINEAR, np.round(8 * X).astype(int), np.round(8 * y).astype(int))
    assert_same(there, here)


def test_many_ties_are_settled_alike():
    X, y = rows()
    here, there = pair(KIND, LINEAR, np.round(X), np.round(y))
    assert_same(there, here)
    assert len(np.unique(here.outlier_scores_)) < N // 4


def test_feature_outliers_are_trimmed():
    X, y = (part.copy() for part in rows())
    X[::97] *= 1e6
    for params in (LINEAR, NYSTROEM, AUTO):
        here, there = pair(KIND, params, X, y)
        # Single-precision features of a row depend on the outliers of its block.
        assert_same(there, here, score_tol=1e-3)
        assert not there.inlier_mask_[::97].compute().any()
