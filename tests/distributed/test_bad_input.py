"""Bad input ends in one clear sentence, and leaves the model as it was."""

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="needs Dask")

import dask.array as da
from dask_cases import LINEAR, N, chunked, rows, unsized

from untaint.distributed import SubquantileRegressor

SIZE = 750


def with_value(values, row, value):
    values = np.array(values, dtype=float)
    values[row] = value
    return values


def fit(X=None, y=None, weights=None, size=SIZE, params=LINEAR, **options):
    plain = rows()
    X, y = (own if given is None else given for given, own in zip((X, y), plain, strict=True))
    X, y, weights = (chunked(p, size) if type(p) is np.ndarray else p for p in (X, y, weights))
    return SubquantileRegressor(**params).fit(X, y, weights, **options)


def test_number_that_is_none_names_its_chunk():
    X = with_value(rows()[0], (5 * SIZE + 7, 1), np.nan)
    with pytest.raises(ValueError, match=r"^Chunk 5 of X: X must hold finite numbers, got NaN in"):
        fit(X=X)
    with pytest.raises(ValueError, match=r"column 1 of the chunk's row 7\.$"):
        fit(X=X, persist=False)


def test_number_that_is_none_among_chunks_of_unknown_size():
    X, y = with_value(rows()[0], (5 * SIZE, 0), np.nan), rows()[1]
    with pytest.raises(ValueError, match=r"^Chunk 5 of X"):
        fit(X=unsized(chunked(X, SIZE)), y=unsized(chunked(y, SIZE)))


def test_infinite_number():
    X = with_value(rows()[0], (2 * SIZE, 2), -np.inf)
    with pytest.raises(ValueError, match=r"^Chunk 2 of X: .*got an infinite number in column 2"):
        fit(X=X)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_target_that_is_no_number(value):
    with pytest.raises(ValueError, match=r"^Chunk 1 of X: y must "):
        fit(y=with_value(rows()[1], SIZE + 3, value))


def test_number_that_is_none_among_few_rows():
    X, y = rows()
    X = with_value(X[:900], (250, 0), np.nan)
    with pytest.raises(ValueError, match=r"^Chunk 2 of X"):
        fit(X=chunked(X, 100), y=chunked(y[:900], 100))


def test_number_that_is_none_in_a_prediction():
    model = fit()
    bad = chunked(with_value(rows()[0][:500], (250, 0), np.nan), 100)
    lazy = model.predict(bad)
    with pytest.raises(ValueError, match=r"^Chunk 2 of X: .*NaN"):
        lazy.compute()


def test_column_of_text():
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    table = pd.DataFrame({"a": rows()[0][:, 0], "town": "Ulm", "y": rows()[1]})
    parts = dd.from_pandas(table, npartitions=4)
    with pytest.raises(ValueError, match=r"numbers only, .*: 'town'\. Encode or drop them\."):
        fit(X=parts[["a", "town"]], y=parts["y"])
    categories = parts.assign(town=parts["town"].astype("category"))
    with pytest.raises(ValueError, match="'town'"):
        fit(X=categories[["a", "town"]], y=parts["y"])


def test_array_of_text():
    with pytest.raises(ValueError, match="X must hold numbers, got a Dask array of"):
        fit(X=chunked(rows()[0].astype(str), SIZE))


def test_another_number_of_targets_or_weights():
    with pytest.raises(ValueError, match=r"y must have 6,000 rows like X, got 5,999\."):
        fit(y=rows()[1][1:])
    with pytest.raises(ValueError, match="sample_weight must have 6,000 rows like X, got 5"):
        fit(weights=np.ones(5))
    with pytest.raises(ValueError, match="y must have 6,000 rows like X, got 5"):
        fit(y=[1.0] * 5)


def test_another_number_of_partitions_of_unknown_size():
    X = unsized(chunked(rows()[0], SIZE))
    with pytest.raises(ValueError, match="y must have as many chunks as X, which has 8 of unknown"):
        fit(X=X, y=unsized(chunked(rows()[1], 2 * SIZE)))
    with pytest.raises(ValueError, match="y must be a Dask collection like X"):
        fit(X=X, y=list(rows()[1]))
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    frames = [dd.from_pandas(pd.DataFrame(rows()[0]), npartitions=n) for n in (4, 5)]
    with pytest.raises(ValueError, match="y must have as many partitions as X, which has 4, got 5"):
        fit(X=frames[0], y=frames[1][0])


def test_another_number_of_rows_in_one_partition():
    sizes = (SIZE, SIZE + 1, *(SIZE,) * 5, SIZE - 1)
    X, y = unsized(chunked(rows()[0], SIZE)), unsized(chunked(rows()[1], sizes))
    with pytest.raises(ValueError, match=r"^Chunk [17] of X: y must have 750 rows .*, got 7\d\d\."):
        fit(X=X, y=y)
    with pytest.raises(ValueError, match=r"^Chunk [17] of X: sample_weight must have 750 rows"):
        fit(X=X, y=unsized(chunked(rows()[1], SIZE)), weights=abs(y))


def test_shapes_that_are_no_tables():
    with pytest.raises(ValueError, match=r"X must have two dimensions, got 1: reshape it"):
        fit(X=chunked(rows()[1], SIZE))
    with pytest.raises(ValueError, match="y must have one dimension or two, got 3"):
        fit(y=da.ones((N, 1, 1), chunks=SIZE))
    with pytest.raises(ValueError, match="X must be a Dask array or data frame, got Bag"):
        fit(X=pytest.importorskip("dask.bag").from_sequence([1, 2]))


def test_rows_in_memory_with_targets_in_chunks():
    with pytest.raises(ValueError, match=r"X must be a Dask array .* got ndarray"):
        SubquantileRegressor().fit(rows()[0], chunked(rows()[1]))
    with pytest.raises(ValueError, match=r"X must be a Dask array .* got list"):
        SubquantileRegressor().fit(rows()[0].tolist(), rows()[1], chunked(np.ones(N)))


def test_weights_below_zero_or_all_zero():
    with pytest.raises(ValueError, match=r"^Chunk 3 of X: .*[Nn]egative"):
        fit(weights=with_value(np.ones(N), 3 * SIZE, -1.0))
    with pytest.raises(ValueError, match=r"sample_weight must .*positive"):
        fit(weights=np.zeros(N))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"kernel": "precomputed"}, 'kernel="precomputed" needs the kernel matrix of all rows'),
        ({"solver": "gradient"}, 'solver="gradient" needs the kernel matrix of all rows, which 6'),
        ({"approximation": None, "kernel": "rbf"}, 'approximation must be "nystroem", "rff" or'),
        ({"approximation": "rff", "kernel": "poly"}, 'approximation="rff" needs a kernel of the'),
        ({"contamination": 0.7}, "contamination must be"),
        ({"alpha": -1.0}, "alpha must be"),
    ],
)
def test_settings_that_chunks_do_not_allow(params, message):
    with pytest.raises(ValueError, match=message):
        fit(params={**LINEAR, **params})


def test_persist_that_is_no_answer():
    with pytest.raises(ValueError, match=r"persist must be True or False, .*got 'yes'"):
        fit(persist="yes")
