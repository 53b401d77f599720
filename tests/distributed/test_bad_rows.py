"""Bad labels and rows end in one clear sentence, and leave the model as it was."""

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="needs Dask")

import dask.array as da
from dask_cases import LINEAR, N, chunked, labelled, rows

from untaint.distributed import NystroemFeatures, SubquantileClassifier, SubquantileRegressor

SIZE = 750


def with_value(values, row, value):
    values = np.array(values, dtype=float)
    values[row] = value
    return values


def sort(y, weights=None, **params):
    X = chunked(labelled()[0], SIZE)
    weights = None if weights is None else chunked(weights, SIZE)
    return SubquantileClassifier(**{**LINEAR, **params}).fit(X, chunked(y, SIZE), weights)


def test_labels_that_cannot_be_told_apart():
    y = labelled()[1]
    with pytest.raises(ValueError, match="at least two classes, got only one class: 1 in all"):
        sort(np.ones(N, dtype=int))
    with pytest.raises(ValueError, match=r"^Chunk 4 of X: .*(NaN|missing)"):
        sort(with_value(y, 4 * SIZE + 1, np.nan))
    with pytest.raises(ValueError, match=r"^Chunk \d of X: .*[Uu]nknown label type"):
        sort(y + 0.5 * np.random.default_rng(0).random(N))
    with pytest.raises(ValueError, match="names the class 7, which y does not hold"):
        sort(y, class_weight={7: 1.0})


def test_class_without_weight():
    y = labelled()[1]
    with pytest.raises(ValueError, match=r"positive for at least one row of each class.*class 1"):
        sort(y, weights=(y == 0).astype(float))
    y = np.where(np.arange(N) % 9 == 0, 2, y)
    with pytest.raises(ValueError, match=r"positive for at least one row of each class.*class 2"):
        sort(y, weights=(y < 2).astype(float))


# --- afterwards ------------------------------------------------------------------------------


def test_model_is_as_it_was_after_a_fit_that_failed():
    X, y = rows()
    model = SubquantileRegressor(**LINEAR).fit(chunked(X, SIZE), chunked(y, SIZE))
    before = dict(vars(model))
    bad = with_value(X, (5 * SIZE, 0), np.nan)
    for given in (chunked(bad, SIZE), bad):
        with pytest.raises(ValueError, match=r"NaN|finite"):
            model.fit(given, chunked(y, SIZE) if isinstance(given, da.Array) else y)
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[name] is before[name] for name in before)
    for values in ({"solver": "gradient"}, {"tol": -1.0}):
        model.set_params(**values)
        with pytest.raises(ValueError, match=next(iter(values))):
            model.fit(chunked(X, SIZE), chunked(y, SIZE))
        assert model.statistics_ is before["statistics_"]
        model.set_params(solver="auto", tol=1e-8)


def test_no_rows_at_all():
    with pytest.raises(ValueError, match=r"0 (sample|row)"):
        SubquantileRegressor().fit(chunked(np.zeros((0, 3)), 10), chunked(np.zeros(0), 10))
    with pytest.raises(ValueError, match=r"0 (sample|row)"):
        SubquantileClassifier().fit(chunked(np.zeros((0, 3)), 10), chunked(np.zeros(0), 10))


def test_features_of_bad_rows():
    X = chunked(with_value(rows()[0], (5 * SIZE, 0), np.nan), SIZE)
    with pytest.raises(ValueError, match=r"^Chunk 5 of X"):
        NystroemFeatures(n_components=5).fit(X)
    lazy = NystroemFeatures(n_components=5).fit(rows()[0]).transform(X)
    with pytest.raises(ValueError, match="NaN"):
        lazy.compute()
