"""Drawn problems follow their formulas and their seeds."""

from __future__ import annotations

import numpy as np
import pytest

from untaint.datasets import make_polynomial, make_smooth


@pytest.mark.parametrize("make", [make_polynomial, make_smooth])
def test_seeds_decide(make):
    one, two, other = (make(30, random_state=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one[1], two[1])
    assert (one[1] != other[1]).any()


def test_polynomial_is_a_cubic_up_to_its_noise():
    X, y = make_polynomial(5000, noise=0.1, random_state=0)
    fit = np.polynomial.Polynomial.fit(X[:, 0], y, deg=3)
    assert np.std(y - fit(X[:, 0])) == pytest.approx(0.1, rel=0.05)
    noiseless = make_polynomial(200, degree=2, noise=0.0, random_state=0)
    fit = np.polynomial.Polynomial.fit(noiseless[0][:, 0], noiseless[1], deg=2)
    np.testing.assert_allclose(fit(noiseless[0][:, 0]), noiseless[1], atol=1e-9)


def test_smooth_surface_has_about_unit_variance_and_is_learnable():
    X, y = make_smooth(1500, n_features=4, noise=0.1, random_state=0)
    assert X.shape == (1500, 4)
    assert 0.3 < np.var(y) < 3.0
    kernel_ridge = pytest.importorskip("sklearn.kernel_ridge")
    model = kernel_ridge.KernelRidge(kernel="rbf", gamma=1 / 8, alpha=0.01)
    error = model.fit(X[:1200], y[:1200]).predict(X[1200:]) - y[1200:]
    assert np.sqrt(np.mean(error**2)) < 0.15
