import numpy as np
import pytest

from untaint.kernels import (
    RBF,
    CallableKernel,
    Exponential,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    RationalQuadratic,
    gamma_distance,
    make_kernel,
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("linear", Linear()),
        ("poly", Polynomial(0.5, degree=2, coef0=3.0)),
        ("rbf", RBF(0.5)),
        ("laplacian", Laplacian(0.5)),
        ("exponential", Exponential(0.5)),
        ("rational_quadratic", RationalQuadratic(0.5, shape=4.0)),
        ("precomputed", Precomputed()),
    ],
)
def test_names(name, expected):
    kernel = make_kernel(name, gamma=0.5, degree=2, coef0=3.0, shape=4.0)
    assert kernel == expected
    assert kernel.name == name
    assert gamma_distance(name) == kernel.distance


def test_kernels_pass_through_and_functions_are_wrapped():
    kernel = RBF(2.0)
    assert make_kernel(kernel, gamma=1.0) is kernel
    assert make_kernel(np.dot) == CallableKernel(np.dot)
    assert gamma_distance(kernel) is None
    assert gamma_distance(np.dot) is None


def test_numpy_numbers_become_plain_ones():
    assert repr(RBF(np.float64(0.5))) == "RBF(gamma=0.5)"
    kernel = Polynomial(np.float32(0.5), degree=2.0, coef0=np.int64(1))
    assert repr(kernel) == "Polynomial(gamma=0.5, degree=2, coef0=1.0)"


def test_kernels_differ_by_their_parameters():
    assert RBF(1.0) != RBF(2.0)
    assert RBF(1.0) != Exponential(1.0)
    assert len({RBF(1.0), RBF(1), RBF(2.0)}) == 2


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"kernel must be one of 'linear', 'poly'.*got 'rfb'"):
        make_kernel("rfb", gamma=1.0)
    with pytest.raises(ValueError, match=r"Did you mean 'laplacian'\?"):
        make_kernel("Laplace", gamma=1.0)
    with pytest.raises(ValueError, match="must be a name, a function or a Kernel, got 3"):
        make_kernel(3, gamma=1.0)


@pytest.mark.parametrize("gamma", [0, -1.0, np.nan, np.inf, None, "median", True])
def test_gamma_must_be_positive(gamma):
    with pytest.raises(ValueError, match="gamma must be a positive finite number, got"):
        make_kernel("rbf", gamma=gamma)
    make_kernel("linear", gamma=gamma)


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("poly", {"degree": -1}, "degree must be a non-negative integer, got -1"),
        ("poly", {"degree": 1.5}, "degree must be a non-negative integer, got 1.5"),
        ("poly", {"degree": "3"}, "degree must be a non-negative integer, got '3'"),
        ("poly", {"degree": np.inf}, "degree must be a non-negative integer, got inf"),
        ("poly", {"coef0": np.nan}, "coef0 must be a finite number, got nan"),
        ("rational_quadratic", {"shape": 0}, "shape must be a positive finite number, got 0"),
    ],
)
def test_other_parameters_are_checked(name, params, message):
    with pytest.raises(ValueError, match=message):
        make_kernel(name, gamma=1.0, **params)


@pytest.mark.parametrize("degree", range(9))
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_degree(degree, dtype, rng):
    X = rng.normal(size=(20, 3)).astype(dtype)
    K = Polynomial(0.3, degree=degree, coef0=-0.5).matrix(X)
    expected = (0.3 * X.astype(float) @ X.T.astype(float) - 0.5) ** degree
    np.testing.assert_allclose(K, expected, rtol=1e-4 if dtype == np.float32 else 1e-9, atol=1e-6)
