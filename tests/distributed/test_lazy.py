"""Masks, scores and predictions are lazy, in the chunks of the rows that they are about."""

import pickle
from collections import Counter

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="needs Dask")

import dask
import dask.array as da
from dask_cases import LINEAR, NYSTROEM, assert_same_function, chunked, labelled, rows
from sklearn.base import clone

from untaint import distributed
from untaint.distributed import SubquantileClassifier, SubquantileRegressor


@pytest.fixture(scope="module")
def regressor():
    X, y = rows()
    return SubquantileRegressor(**NYSTROEM).fit(chunked(X), chunked(y))


@pytest.fixture(scope="module")
def classifier():
    X, y = labelled()
    return SubquantileClassifier(**LINEAR).fit(chunked(X), chunked(y))


def counted(values, size, seen):
    """The same rows; each chunk is recorded when it is computed, by its number."""

    def save_systems(block, block_info=None):
        seen[block_info[0]["chunk-location"][0]] += 1
        return block

    return chunked(values, size).map_blocks(save_systems, dtype=values.dtype, meta=values[:0])


def test_masks_and_scores_are_lazy_and_in_the_chunks_of_the_rows(regressor, classifier):
    for model in (regressor, classifier):
        for name, dtype in (("inlier_mask_", bool), ("outlier_scores_", float)):
            lazy = getattr(model, name)
            assert isinstance(lazy, da.Array)
            assert lazy.dtype == dtype
            assert lazy.chunks == ((1750, 1750, 1750, 750),)
    kept = chunked(rows()[0])[regressor.inlier_mask_].compute()
    np.testing.assert_array_equal(kept, rows()[0][regressor.inlier_mask_.compute()])


def test_a_score_needs_its_own_chunk_only():
    X, y = rows()
    seen = Counter()
    model = SubquantileRegressor(**LINEAR).fit(counted(X, 750, seen), chunked(y, 750))
    seen.clear()
    one = model.outlier_scores_[1500:2250]
    assert not seen
    one.compute()
    assert set(seen) == {2}


def test_predictions_are_lazy(regressor, classifier):
    seen = Counter()
    X = counted(rows()[0], 1500, seen)
    assert not seen
    predicted = regressor.predict(X)
    assert isinstance(predicted, da.Array)
    assert predicted.chunks == ((1500,) * 4,)
    assert not seen
    predicted[:10].compute()
    assert set(seen) == {0}
    np.testing.assert_allclose(predicted.compute(), regressor.predict(rows()[0]), rtol=1e-12)
    new = chunked(labelled()[0], 1500)
    assert classifier.predict(new).chunks == ((1500,) * 4,)
    assert classifier.predict_proba(new).chunks == ((1500,) * 4, (2,))
    assert classifier.decision_function(new).chunks == ((1500,) * 4,)


def test_predictions_of_no_rows(regressor):
    predicted = regressor.predict(chunked(rows()[0][:100], (0, 60, 0, 40)))
    assert predicted.chunks == ((0, 60, 0, 40),)
    np.testing.assert_allclose(predicted.compute(), regressor.predict(rows()[0][:100]))
    assert regressor.predict(chunked(np.zeros((0, 3)), 5)).compute().shape == (0,)


def test_persist_is_up_to_the_user():
    X, y = rows()
    models, passes = {}, {}
    for persist in (True, False, "auto"):
        seen = Counter()
        given = counted(X, 1500, seen), chunked(y, 1500)
        model = SubquantileRegressor(**NYSTROEM).fit(*given, persist=persist)
        models[persist], passes[persist] = model, min(seen.values())
    assert models[False].statistics_.kept == "nothing"
    assert models[True].statistics_.kept == models["auto"].statistics_.kept == "features"
    # The sample may need but some of the chunks, every other pass all of them.
    assert passes[True] == passes["auto"] == 1
    assert passes[False] >= models[False].statistics_.passes - 2
    for model in models.values():
        assert_same_function(model, models[True])


def test_names_of_columns():
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    X, y = rows()
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    parts = dd.from_pandas(table, npartitions=3)
    targets = dd.from_pandas(pd.Series(y), npartitions=3)
    model = SubquantileRegressor(**LINEAR).fit(parts, targets)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.n_features_in_ == 3
    np.testing.assert_allclose(model.predict(parts).compute(), model.predict(table), rtol=1e-12)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(parts.rename(columns={"a": "z"})).compute()
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(parts[["b", "a", "c"]]).compute()


def test_another_number_of_columns(regressor):
    with pytest.raises(ValueError, match=r"X has 2 features.* 3 features"):
        regressor.predict(chunked(rows()[0][:100, :2], 50)).compute()


def test_predictions_before_any_fit():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        SubquantileRegressor().predict(chunked(rows()[0]))
    with pytest.raises(NotFittedError):
        SubquantileClassifier().predict_proba(chunked(labelled()[0]))
    with pytest.raises(NotFittedError):
        distributed.NystroemFeatures().transform(chunked(rows()[0]))


def test_fitted_model_can_be_pickled_and_cloned(regressor, classifier):
    for model, X in ((regressor, rows()[0]), (classifier, labelled()[0])):
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict(X[:50]), model.predict(X[:50]))
        for one, other in zip(
            dask.compute(again.inlier_mask_, again.outlier_scores_),
            dask.compute(model.inlier_mask_, model.outlier_scores_),
            strict=True,
        ):
            np.testing.assert_array_equal(one, other)
        assert again.statistics_ == model.statistics_
        fresh = clone(model)
        assert fresh.get_params() == model.get_params()
        assert not hasattr(fresh, "inlier_mask_")
        assert fresh.set_params(alpha=3.0).alpha == 3.0


@pytest.mark.parametrize("method", ["audit", "leave_one_out_residuals", "diagnostics"])
def test_what_needs_all_rows_says_so(method):
    X, y = rows()
    model = SubquantileRegressor(**LINEAR).fit(X, y)
    model.fit(chunked(X), chunked(y))
    with pytest.raises(ValueError, match=r"needs the training rows in memory|kernel matrix of all"):
        getattr(model, method)()
