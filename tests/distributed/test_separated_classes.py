"""Classes that lie apart, where the second order of the log-loss vanishes."""

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="needs Dask")

from dask_cases import LINEAR, assert_same, pair

FULL_SIZE = True
N = 24_000


@pytest.mark.parametrize("distance", [pytest.param(5.0, marks=pytest.mark.slow), 12.0])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weak_ridge_does_not_let_a_step_run_away(distance):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, N)
    X = distance * np.column_stack([2 * truth - 1, 0 * truth]) + rng.normal(size=(N, 2))
    y = np.where(rng.random(N) < 0.1, 1 - truth, truth)
    params = {**LINEAR, "contamination": 0.1, "alpha": 1e-3}
    here, there = pair("SubquantileClassifier", params, X, y, size=7000)
    assert_same(there, here)
    assert np.isfinite(there.coef_).all()
    assert (here.predict(X) == truth).mean() > 0.999
