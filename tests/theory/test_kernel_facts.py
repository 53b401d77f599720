"""Kernels as the papers use them: feature maps, Fourier features, Mercer, and Gaussian designs.

First version, eqs. (79), (80), (84) to (87), Lemmas 29 and 30, Theorem 36; second version,
Assumption 10.
"""

from math import comb, factorial, prod

import numpy as np
import pytest

from naive import kernels as naive
from untaint.feature_maps.fourier import draw_frequencies
from untaint.kernels import RBF, Linear, Polynomial


def multi_indices(d, degree):
    """Exponents of all monomials of d variables up to a degree."""
    if d == 0:
        return [()]
    return [(k, *rest) for k in range(degree + 1) for rest in multi_indices(d - 1, degree - k)]


def polynomial_features(X, degree, constant):
    """Features whose products are (x'z + c)^p: monomials with multinomial roots."""
    columns = []
    for powers in multi_indices(X.shape[1], degree):
        left = degree - sum(powers)
        count = factorial(degree) / prod(factorial(k) for k in (*powers, left))
        columns.append(np.sqrt(count * constant**left) * np.prod(X**powers, axis=1))
    return np.column_stack(columns)


@pytest.mark.parametrize("d, degree", [(1, 2), (2, 3), (3, 2)])
def test_polynomial_kernel_is_the_product_of_weighted_monomials(d, degree, rng):
    """Eq. (80) with its weights, its constant and the mixed terms; comb(d + p, p) of them."""
    X = rng.normal(size=(6, d))
    phi = polynomial_features(X, degree, 1.0)
    np.testing.assert_allclose(
        phi @ phi.T, Polynomial(gamma=1.0, degree=degree, coef0=1.0)(X), rtol=1e-10
    )
    assert phi.shape[1] == comb(d + degree, degree)


def printed_features(x, degree):
    """Eq. (80) as it stands: powers of single features, and products of two of them."""
    powers = [x**k for k in range(1, degree + 1)]
    pairs = [x[i] * x[j] for i in range(len(x)) for j in range(i)]
    return np.concatenate([*powers, pairs])


@pytest.mark.parametrize(("d", "degree"), [(2, 2), (3, 3)])
def test_printed_polynomial_features_have_other_products(d, degree, rng):
    """Weights and the constant are missing, from degree three on also other products."""
    x, z = rng.normal(size=(2, d)) + 1.0
    kernel = Polynomial(gamma=1.0, degree=degree, coef0=1.0)(x[None], z[None]).item()
    ours = polynomial_features(np.stack([x, z]), degree, 1.0)
    assert ours[0] @ ours[1] == pytest.approx(kernel)
    phi_x, phi_z = printed_features(x, degree), printed_features(z, degree)
    assert abs(phi_x @ phi_z - kernel) > 0.2 * kernel
    # With the weights of their monomials and the constant they would do at degree two only.
    monomials = len(multi_indices(d, degree))
    assert (len(phi_x) + 1 == monomials) == (degree == 2)
    assert d**degree != monomials != len(phi_x)


def test_as_many_rows_as_lemma_30_asks_for_may_be_too_few(rng):
    """n > d log d, but fewer rows than features: the least singular value is zero."""
    d, n = 6, 12
    assert n > d * np.log(d)
    phi = polynomial_features(rng.normal(size=(n, d)), 2, 1.0)
    assert np.linalg.eigvalsh(phi.T @ phi)[0] < 1e-9


@pytest.mark.parametrize("gamma", [0.2, 1.0, 3.0])
def test_waves_of_variance_two_gamma_have_the_kernel_as_their_mean(gamma):
    """Eqs. (86), (87): exactly, by the normal law's characteristic function, and drawn."""
    apart = np.array([0.3, -0.5])
    kernel = naive.rbf(apart, np.zeros(2), gamma=gamma)

    def mean_cosine(variance):
        return np.exp(-variance * apart @ apart / 2)

    assert mean_cosine(2 * gamma) == pytest.approx(kernel)
    if gamma != 1.0:
        assert abs(mean_cosine(2 / gamma) - kernel) > 0.1  # as printed: right for gamma = 1 only
    omega = draw_frequencies(RBF(gamma=gamma), 2, 8_000, np.random.default_rng(0))
    assert np.cos(apart @ omega).mean() == pytest.approx(kernel, abs=0.01)
    assert np.var(omega) == pytest.approx(2 * gamma, rel=0.03)


def test_mercer_on_a_finite_set(rng):
    """Theorem 36: K is the sum of eigenvalues times products; a function's norm is 1 / root."""
    n = 12
    K = RBF(gamma=0.5)(rng.normal(size=(n, 2)))
    values, vectors = np.linalg.eigh(K / n)  # the operator for the uniform measure on the rows
    phi = np.sqrt(n) * vectors
    np.testing.assert_allclose((phi * values) @ phi.T, K, atol=1e-10)
    for value, column in zip(values[-6:], phi.T[-6:], strict=True):
        coef = column / (value * n)  # the same function as a sum of kernels at the rows
        np.testing.assert_allclose(K @ coef, column, atol=1e-6)
        assert np.sqrt(coef @ K @ coef) == pytest.approx(value**-0.5, rel=1e-6)


def test_gaussian_features_are_those_of_the_linear_kernel(rng):
    """Assumption 10: k(x, x) then varies like a weighted chi-square, with mean Tr(Sigma)."""
    X = rng.normal(size=(20_000, 3)) * [1.0, 2.0, 0.5]
    squares = Linear().diagonal(X)
    assert squares.mean() == pytest.approx(5.25, rel=0.03)
    assert np.var(squares) == pytest.approx(2 * np.sum(np.array([1.0, 4.0, 0.25]) ** 2), rel=0.1)


def test_gaussian_kernels_features_are_never_gaussian(rng):
    """Assumption 10 excludes the default kernel: all lengths are one, and the mean is not zero."""
    X = rng.normal(size=(300, 3))
    K = RBF(gamma=0.3)(X)
    assert np.ptp(np.diag(K)) == 0.0  # Gaussian features would vary by 2 Tr(Sigma^2)
    assert K.min() > 0.0  # and features of mean zero would have products of either sign
    assert K[~np.eye(300, dtype=bool)].mean() > 0.1
