"""Real workers: the same model as without them, be they more or fewer."""

import time

import dask
import numpy as np
import pytest

pytest.importorskip("distributed", reason="needs dask.distributed")

from dask_cases import LINEAR, NYSTROEM, assert_same, chunked, labelled, rows

import untaint
from distributed import Client
from untaint.distributed import NystroemFeatures, SubquantileClassifier, SubquantileRegressor

# Another process may have its arrays elsewhere, and sums depend on that.
ROUNDING = 1e-9
AUTO = {**NYSTROEM, "contamination": "auto"}


def test_same_model_on_workers(client):
    X, y = rows()
    here = untaint.SubquantileRegressor(**AUTO).fit(X, y)
    there = SubquantileRegressor(**AUTO).fit(chunked(X, 900), chunked(y, 900))
    assert_same(there, here, rtol=ROUNDING)
    assert there.statistics_.kept == "features"


def test_same_classifier_on_workers(client):
    X, y = labelled(2)
    here = untaint.SubquantileClassifier(**LINEAR).fit(X, y)
    there = SubquantileClassifier(**LINEAR).fit(chunked(X, 900), chunked(y, 900), persist=False)
    assert_same(there, here, rtol=ROUNDING)
    predicted = there.predict_proba(chunked(X, 1300)).compute()
    np.testing.assert_allclose(predicted, here.predict_proba(X), rtol=1e-12)


def test_data_that_live_on_workers(client):
    X, y = rows()
    given = dask.persist(chunked(X, 900), chunked(y, 900))
    there = SubquantileRegressor(**LINEAR).fit(*given)
    assert_same(there, untaint.SubquantileRegressor(**LINEAR).fit(X, y), rtol=ROUNDING)


def test_nothing_stays_on_workers_after_a_fit(client):
    X, y = rows()
    model = SubquantileRegressor(**NYSTROEM).fit(chunked(X, 900), chunked(y, 900))
    model.inlier_mask_.compute()
    held = {}
    for _ in range(40):  # futures are released with some delay
        held = {key for keys in client.has_what().values() for key in keys}
        if not held:
            break
        time.sleep(0.05)
    assert not held


def test_bad_rows_on_workers_are_named(client):
    X, y = rows()
    X = X.copy()
    X[5 * 750] = np.nan
    for persist in (True, False):
        with pytest.raises(ValueError, match=r"^Chunk 5 of X: X must hold finite numbers"):
            SubquantileRegressor(**LINEAR).fit(chunked(X, 750), chunked(y, 750), persist=persist)


def test_features_on_workers(client):
    X, _ = rows()
    here = NystroemFeatures(n_components=20).fit(X)
    there = NystroemFeatures(n_components=20).fit(chunked(X, 900))
    np.testing.assert_array_equal(there.components_, here.components_)
    found = there.transform(chunked(X, 900)).compute()
    np.testing.assert_allclose(found, here.transform(X), rtol=1e-10, atol=1e-12)


def test_tasks_on_workers_are_annotated_with_their_stage(client):
    X, y = rows()
    seen = {}

    def look(dask_scheduler=None):
        found = {}
        for key, task in dask_scheduler.tasks.items():
            found[str(key)] = (task.annotations or {}).get("untaint")
        return found

    original = client.gather

    def gather(*args, **kwargs):
        seen.update(client.run_on_scheduler(look))
        return original(*args, **kwargs)

    client.gather = gather
    SubquantileRegressor(**LINEAR).fit(chunked(X, 900), chunked(y, 900))
    stages = {stage for stage in seen.values() if stage}
    assert {"rows", "description", "sample", "gradient-1"} <= stages


@pytest.mark.slow
def test_workers_that_come_and_go_by_themselves(cluster):
    X, y = rows()
    expected = SubquantileRegressor(**NYSTROEM).fit(chunked(X, 900), chunked(y, 900))
    with Client(cluster) as client:
        adaptive = cluster.adapt(minimum=1, maximum=2, interval="200ms", wait_count=1)
        try:
            model = SubquantileRegressor(**NYSTROEM).fit(chunked(X, 900), chunked(y, 900))
        finally:
            adaptive.stop()
            cluster.scale(2)
            client.wait_for_workers(2, timeout=60)
    np.testing.assert_allclose(model.dual_coef_, expected.dual_coef_, rtol=ROUNDING)
