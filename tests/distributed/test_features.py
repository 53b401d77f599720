"""Nystroem features on chunks: a kernel's inner products, without outliers."""

import pickle

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="needs Dask")

import dask.array as da
from dask_cases import chunked, rows, unsized
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from untaint.distributed import NystroemFeatures
from untaint.kernels import RBF


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly", RBF(0.1)], ids=str)
def test_inner_products_are_near_the_kernel(kernel):
    X, _ = rows()
    model = NystroemFeatures(kernel=kernel, gamma=0.05, n_components=200)
    features = model.fit_transform(chunked(X))[:300].compute()
    exact = model.kernel_.matrix(X[:300], X[:300])
    assert np.abs(features @ features.T - exact).mean() < 0.01 * np.abs(exact).mean()
    assert model.components_.shape == (200, 3)


def test_lazy_and_the_same_as_in_memory():
    X, _ = rows()
    here = NystroemFeatures(n_components=30).fit(X)
    for given in (chunked(X), chunked(X, (0, 1, 5999)), unsized(chunked(X))):
        there = NystroemFeatures(n_components=30).fit(given)
        np.testing.assert_array_equal(there.components_, here.components_)
        np.testing.assert_array_equal(there.normalization_, here.normalization_)
        lazy = there.transform(given)
        assert isinstance(lazy, da.Array)
        np.testing.assert_array_equal(lazy.chunks[0], given.chunks[0])
        assert lazy.shape[1] == there.normalization_.shape[1]
        np.testing.assert_allclose(lazy.compute(), here.transform(X), rtol=1e-10, atol=1e-12)


def test_frames_and_their_names():
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    table = pd.DataFrame(rows()[0], columns=["a", "b", "c"]).assign(b=lambda t: t["b"] > 0)
    here = NystroemFeatures(n_components=10).fit(table)
    parts = dd.from_pandas(table, npartitions=4)
    there = NystroemFeatures(n_components=10).fit(parts)
    assert there.feature_names_in_.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(
        there.transform(parts).compute(), here.transform(table), rtol=1e-10, atol=1e-12
    )
    with pytest.raises(ValueError, match="feature names should match"):
        there.transform(parts[["c", "b", "a"]]).compute()


def test_outliers_are_no_landmarks():
    X = rows()[0].copy()
    X[::50] *= 1e4
    plain, feature_outlier = (
        NystroemFeatures(n_components=50).fit(chunked(t)) for t in (rows()[0], X)
    )
    assert np.abs(feature_outlier.components_).max() < 10
    assert feature_outlier.kernel_.gamma == pytest.approx(plain.kernel_.gamma, rel=0.1)


def test_single_precision_stays_single():
    X = rows()[0].astype(np.float32)
    features = NystroemFeatures(n_components=10).fit_transform(chunked(X))
    assert features.dtype == features.compute().dtype == np.float32


def test_names_pickles_clones_and_pipelines():
    X, y = (part[:2000] for part in rows())
    model = NystroemFeatures(n_components=40, gamma=0.1).fit(chunked(X, 500))
    assert model.get_feature_names_out()[0] == "nystroemfeatures0"
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(X[:9]), model.transform(X[:9]))
    assert clone(model).get_params() == model.get_params()
    line = make_pipeline(NystroemFeatures(n_components=40, gamma=0.1), Ridge()).fit(X, y)
    assert line.score(X, y) > 0.5


@pytest.mark.parametrize("value", [0, -3, 2.5, "many"])
def test_components_that_are_no_count(value):
    with pytest.raises(ValueError, match=r"n_components must be .*got"):
        NystroemFeatures(n_components=value).fit(chunked(rows()[0]))


def test_more_components_than_rows():
    X = rows()[0][:30]
    features = NystroemFeatures(n_components=100).fit_transform(chunked(X, 10)).compute()
    assert features.shape[0] == 30
    assert features.shape[1] <= 100
    assert np.isfinite(features).all()
