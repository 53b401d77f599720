"""Few rows come to the client, and rows in memory stay what they were."""

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="needs Dask")

import dask.array as da
from dask_cases import LINEAR, chunked, labelled, rows, unsized
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import untaint
from untaint import distributed
from untaint.distributed import SubquantileRegressor

FEW = 600
PER_ROW = ("inlier_mask_", "outlier_scores_")


def assert_same_attributes(one, other, lazy=True):
    names = {n for n in vars(other) if n.endswith("_") and not n.startswith("_")} - set(PER_ROW)
    for name in names - {"kernel_"}:
        expected = getattr(other, name)
        np.testing.assert_array_equal(getattr(one, name), expected, err_msg=name)
    for name in PER_ROW:
        assert isinstance(getattr(one, name), da.Array) == lazy
        np.testing.assert_array_equal(np.asarray(getattr(one, name)), getattr(other, name))


@pytest.mark.parametrize(
    "params",
    [{}, {"contamination": 0.1}, {"solver": "gradient", "max_iter": 20}, {"approximation": None}],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_few_rows_are_fitted_to_by_any_solver(params):
    X, y = (part[:FEW] for part in rows())
    here = untaint.SubquantileRegressor(**params).fit(X, y)
    there = SubquantileRegressor(**params).fit(chunked(X, 250), chunked(y, 250))
    assert_same_attributes(there, here)
    assert there.inlier_mask_.chunks == ((250, 250, 100),)
    assert [stage for stage, _, _ in there.statistics_.stages] == ["description", "everything"]


def test_few_labelled_rows():
    X, y = (part[:FEW] for part in labelled(3))
    for labels in (y, np.array(["a", "b", "c"])[y]):
        here = untaint.SubquantileClassifier(contamination=0.1).fit(X, labels)
        there = distributed.SubquantileClassifier(contamination=0.1)
        there.fit(unsized(chunked(X, 250)), unsized(chunked(labels, 250)))
        assert_same_attributes(there, here)
        new = chunked(X[:20], 7)
        np.testing.assert_allclose(
            there.predict_proba(new).compute(), here.predict_proba(X[:20]), rtol=1e-12
        )


def test_few_rows_with_weights_and_empty_chunks():
    X, y = (part[:FEW] for part in rows())
    weights, size = np.random.default_rng(0).integers(0, 3, FEW), (0, 100, 0, 500)
    here = untaint.SubquantileRegressor(**LINEAR).fit(X, y, weights)
    there = SubquantileRegressor(**LINEAR)
    there.fit(chunked(X, size), chunked(y, size), chunked(weights, size))
    assert_same_attributes(there, here)


def test_few_single_precision_rows_of_several_outputs():
    X, y = (part[:FEW].astype(np.float32) for part in rows())
    y = np.column_stack([y, -y])
    here = untaint.SubquantileRegressor(**LINEAR).fit(X, y)
    there = SubquantileRegressor(**LINEAR).fit(chunked(X, 90), chunked(y, 90))
    assert_same_attributes(there, here)
    assert there.coef_.dtype == here.coef_.dtype == np.float64


@pytest.mark.parametrize("kind", ["SubquantileRegressor", "SubquantileClassifier"])
def test_rows_in_memory_are_fitted_to_as_by_the_class_of_one_machine(kind):
    X, y = (part[:FEW] for part in (rows() if kind.endswith("Regressor") else labelled()))
    here = getattr(untaint, kind)(random_state=0).fit(X, y)
    there = getattr(distributed, kind)(random_state=0).fit(X, y)
    assert_same_attributes(there, here, lazy=False)
    assert not hasattr(there, "statistics_")
    np.testing.assert_array_equal(there.predict(X), here.predict(X))
    np.testing.assert_array_equal(there.audit()["score"], here.audit()["score"])
    np.testing.assert_allclose(there.predict(chunked(X, 99)).compute(), here.predict(X))


def test_a_fit_in_memory_forgets_the_cluster_and_the_other_way_round():
    X, y = rows()
    model = SubquantileRegressor(**LINEAR).fit(chunked(X), chunked(y))
    model.fit(X[:FEW], y[:FEW])
    plain = SubquantileRegressor(**LINEAR).fit(X[:FEW], y[:FEW])
    assert not hasattr(model, "statistics_")
    assert vars(model).keys() == vars(plain).keys()
    again = model.fit(chunked(X), chunked(y))
    fresh = SubquantileRegressor(**LINEAR).fit(chunked(X), chunked(y))
    assert vars(again).keys() == vars(fresh).keys()
    again.set_params(kernel="rbf", approximation="rff", n_components=10)
    again.fit(chunked(X), chunked(y))
    assert not hasattr(again, "coef_")


def test_pipelines_and_cross_validation_in_memory():
    X, y = (part[:FEW] for part in rows())
    scores = [
        cross_val_score(make_pipeline(StandardScaler(), kind(**LINEAR)), X, y, cv=3)
        for kind in (untaint.SubquantileRegressor, SubquantileRegressor)
    ]
    np.testing.assert_array_equal(*scores)
