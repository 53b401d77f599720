"""However rows are cut into chunks, and whatever container they come in, the model is the same."""

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="needs Dask")

import dask.array as da
from dask_cases import LINEAR, NYSTROEM, N, assert_same, chunked, labelled, rows, unsized

import untaint
from untaint import distributed

AUTO = {**NYSTROEM, "contamination": "auto"}
CHUNKINGS = {
    "one": N,
    "seven": -(-N // 7),
    "hundreds": 40,
    "uneven": (1, 3250, 2, 2500, 247),
    "empty-ones": (0, 1, 3250, 0, 0, 2749, 0),
    "blocks-cut": (1501, 1499, 7, 2993),
}


@pytest.fixture(scope="module")
def here():
    """Fits in memory, by setting."""
    X, y = rows()
    linear = untaint.SubquantileRegressor(**LINEAR).fit(X, y)
    return {"linear": linear, "auto": untaint.SubquantileRegressor(**AUTO).fit(X, y)}


@pytest.fixture(scope="module")
def sorter():
    return untaint.SubquantileClassifier(**LINEAR).fit(*labelled())


@pytest.mark.parametrize("size", CHUNKINGS.values(), ids=CHUNKINGS)
def test_chunks_do_not_matter_to_a_linear_fit(here, size):
    X, y = rows()
    model = distributed.SubquantileRegressor(**LINEAR).fit(chunked(X, size), chunked(y, size))
    assert_same(model, here["linear"])
    assert model.inlier_mask_.chunks == model.outlier_scores_.chunks == chunked(y, size).chunks


@pytest.mark.parametrize("name", ["one", "empty-ones"])
def test_chunks_do_not_matter_to_an_estimated_share(here, name):
    (X, y), size = rows(), CHUNKINGS[name]
    model = distributed.SubquantileRegressor(**AUTO).fit(chunked(X, size), chunked(y, size))
    assert_same(model, here["auto"])


@pytest.mark.parametrize("name", ["one", "empty-ones"])
def test_chunks_do_not_matter_to_a_classifier(sorter, name):
    (X, y), size = labelled(), CHUNKINGS[name]
    model = distributed.SubquantileClassifier(**LINEAR).fit(chunked(X, size), chunked(y, size))
    assert_same(model, sorter)


def test_rows_cut_along_columns(here):
    X, y = rows()
    model = distributed.SubquantileRegressor(**LINEAR)
    model.fit(da.from_array(X, chunks=(1300, 2)), da.from_array(y, chunks=2100))
    assert_same(model, here["linear"])
    np.testing.assert_array_equal(
        model.predict(da.from_array(X[:90], chunks=(40, 1))).compute(), model.predict(X[:90])
    )


def test_targets_in_other_chunks_or_in_memory(here):
    X, y = rows()
    for targets in (chunked(y, 400), y, list(y)):
        model = distributed.SubquantileRegressor(**LINEAR).fit(chunked(X), targets)
        assert_same(model, here["linear"])


def test_weights_in_memory():
    X, y = rows()
    weights = np.random.default_rng(1).integers(1, 4, N)
    here = untaint.SubquantileRegressor(**LINEAR).fit(X, y, weights)
    there = distributed.SubquantileRegressor(**LINEAR).fit(chunked(X), chunked(y), weights)
    assert_same(there, here)


@pytest.mark.parametrize("name", ["seven", "empty-ones"])
def test_chunks_of_unknown_sizes(here, name):
    (X, y), size = rows(), CHUNKINGS[name]
    given = unsized(chunked(X, size)), unsized(chunked(y, size))
    assert np.isnan(given[0].chunks[0]).all()
    model = distributed.SubquantileRegressor(**LINEAR).fit(*given)
    assert_same(model, here["linear"])
    predicted = model.predict(given[0])
    assert np.isnan(predicted.chunks[0]).all()
    np.testing.assert_allclose(predicted.compute(), here["linear"].predict(X), rtol=1e-12)


def test_weights_of_unknown_chunk_sizes():
    X, y = rows()
    weights = np.random.default_rng(1).integers(0, 3, N)
    here = untaint.SubquantileRegressor(**LINEAR).fit(X, y, weights)
    given = (unsized(chunked(part)) for part in (X, y, weights))
    assert_same(distributed.SubquantileRegressor(**LINEAR).fit(*given), here)


# --- data frames -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table():
    """Columns of several types, a target and labels."""
    pd = pytest.importorskip("pandas")
    X, y = rows()
    columns = {
        "real": X[:, 0],
        "single": X[:, 1].astype(np.float32),
        "whole": np.round(4 * X[:, 2]).astype(int),
        "flag": X[:, 0] + X[:, 1] > 0,
        "target": y,
        "label": np.where(X[:, 2] > 0, "up", "down"),
    }
    return pd.DataFrame(columns)


FEATURES = ["real", "single", "whole", "flag"]


@pytest.mark.parametrize("share", [0.15, "auto"])
def test_mixed_columns_of_a_frame(table, share):
    dd = pytest.importorskip("dask.dataframe")
    params = {**LINEAR, "contamination": share}
    here = untaint.SubquantileRegressor(**params).fit(table[FEATURES], table["target"])
    parts = dd.from_pandas(table, npartitions=5)
    there = distributed.SubquantileRegressor(**params).fit(parts[FEATURES], parts["target"])
    assert_same(there, here)
    np.testing.assert_array_equal(there.feature_names_in_, FEATURES)


def test_labels_in_a_frame(table):
    dd = pytest.importorskip("dask.dataframe")
    here = untaint.SubquantileClassifier(**LINEAR).fit(table[FEATURES], table["label"])
    parts = dd.from_pandas(table, npartitions=3)
    there = distributed.SubquantileClassifier(**LINEAR).fit(parts[FEATURES], parts["label"])
    assert_same(there, here)
    np.testing.assert_array_equal(
        there.predict(parts[FEATURES]).compute(), here.predict(table[FEATURES])
    )


def test_filtered_frames_whose_partitions_may_be_empty(table):
    dd = pytest.importorskip("dask.dataframe")
    some = table.iloc[:5500]
    parts = dd.from_pandas(table.assign(row=np.arange(N)), npartitions=24)
    parts = parts[parts["row"] < 5500]
    here = untaint.SubquantileRegressor(**LINEAR).fit(some[FEATURES], some["target"])
    there = distributed.SubquantileRegressor(**LINEAR).fit(parts[FEATURES], parts["target"])
    assert_same(there, here)


def test_several_targets_in_a_frame(table):
    dd = pytest.importorskip("dask.dataframe")
    outputs = ["target", "real"]
    here = untaint.SubquantileRegressor(**LINEAR).fit(table[FEATURES], table[outputs])
    parts = dd.from_pandas(table, npartitions=4)
    there = distributed.SubquantileRegressor(**LINEAR).fit(parts[FEATURES], parts[outputs])
    assert_same(there, here)
