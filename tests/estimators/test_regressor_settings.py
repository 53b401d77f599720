"""A fit keeps the settings it was made with, and takes kernel objects as it takes names."""

import numpy as np
import pytest

from untaint import SubquantileRegressor
from untaint.kernels import RBF, Precomputed


@pytest.fixture
def rows(rng):
    X = rng.normal(size=(80, 3))
    return X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=80)


def test_parameters_set_after_the_fit_do_not_change_it(rows):
    X, y = rows
    model = SubquantileRegressor(contamination=0.1, alpha=0.1).fit(X, y)
    before = model.predict(X), model.diagnostics(), model.leave_one_out_residuals()
    model.set_params(alpha=9.0, kernel="precomputed", fit_intercept=False, contamination=0.3)
    np.testing.assert_array_equal(model.predict(X), before[0])
    assert model.diagnostics() == before[1]
    np.testing.assert_array_equal(model.leave_one_out_residuals(), before[2])


def test_a_precomputed_kernel_object_is_the_precomputed_name(rows):
    X, y = rows
    K = RBF(0.3).matrix(X)
    by_name = SubquantileRegressor(contamination=0.1, kernel="precomputed").fit(K, y)
    by_object = SubquantileRegressor(contamination=0.1, kernel=Precomputed()).fit(K, y)
    np.testing.assert_array_equal(by_object.predict(K[:7]), by_name.predict(K[:7]))
    with pytest.raises(ValueError, match="square kernel matrix"):
        SubquantileRegressor(kernel=Precomputed()).fit(K[:, :10], y)
