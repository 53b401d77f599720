"""Random Fourier features: inner products are the kernel up to an error of order 1 / sqrt(m)."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from feature_maps.cases import CALLABLE, GAMMA, RADIAL, rows
from naive import features as naive
from untaint.feature_maps.fourier import FourierFeatures
from untaint.kernels import RBF, Laplacian, Linear, Polynomial

each = pytest.mark.parametrize("kernel", RADIAL, ids=repr)


def drawn(kernel, m, d=4, seed=0, **options):
    return FourierFeatures(kernel, d, m, np.random.default_rng(seed), **options)


def error(kernel, X, m, seed=0):
    """Root mean square difference from the kernel over all pairs."""
    phi = drawn(kernel, m, X.shape[1], seed)(X)
    apart = ~np.eye(len(X), dtype=bool)
    return np.sqrt(np.mean(np.square(phi @ phi.T - kernel.matrix(X))[apart]))


@each
def test_equals_the_double_loop(kernel, rng):
    X, centre = rows(rng, 9), rng.normal(size=4)
    one = drawn(kernel, 10, centre=centre)
    np.testing.assert_allclose(one(X), naive.waves(one.omega, centre, X), atol=1e-10)


@each
@pytest.mark.parametrize("d", [1, 4, 9])
def test_error_is_that_of_a_mean_of_independent_draws(kernel, d, rng):
    # A cosine has a variance of at most one, and m / 2 of them are averaged.
    X = rows(rng, 40, d)
    for m in (100, 10_000):
        assert error(kernel, X, m) <= 1.25 * np.sqrt(2.0 / m)


@each
def test_a_hundred_times_as_many_waves_have_a_tenth_of_the_error(kernel, rng):
    X = rows(rng, 40)
    few = np.mean([error(kernel, X, 60, seed) for seed in range(12)])
    many = np.mean([error(kernel, X, 6000, seed) for seed in range(4)])
    assert 7.0 < few / many < 14.0


@each
def test_every_row_has_length_one(kernel, rng):
    phi = drawn(kernel, 21)(rows(rng, 30))
    np.testing.assert_allclose(np.linalg.norm(phi, axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize(("asked", "made"), [(1, 2), (2, 2), (7, 8), (100, 100)])
def test_an_odd_number_is_rounded_up(asked, made):
    assert drawn(RBF(GAMMA), asked).width == made


@each
def test_a_centre_moves_no_inner_product(kernel, rng):
    X = rows(rng, 30)
    here, there = drawn(kernel, 40)(X), drawn(kernel, 40, centre=np.full(4, 3.0))(X)
    np.testing.assert_allclose(there @ there.T, here @ here.T, atol=1e-10)


@each
@pytest.mark.parametrize("convert", [sp.csr_array, sp.csr_matrix])
def test_sparse_equals_dense(kernel, convert, rng):
    X = rows(rng, 30) * (rng.random((30, 4)) < 0.5)
    one = drawn(kernel, 40, centre=np.ones(4))
    np.testing.assert_allclose(one(convert(X)), one(X), atol=1e-10)


@each
def test_single_precision_keeps_six_digits_even_of_many_turns(kernel, rng):
    X = 100.0 * rows(rng, 30)
    double, single = drawn(kernel, 40)(X), drawn(kernel, 40, dtype=np.float32)(X)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, double, atol=1e-6)


@each
@pytest.mark.parametrize("size", [1e6, 1e100, 1e300])
def test_feature_outliers_are_finite_and_no_longer_than_others(kernel, size, rng):
    phi = drawn(kernel, 40)(size * rows(rng, 10))
    assert np.isfinite(phi).all()
    np.testing.assert_allclose(np.linalg.norm(phi, axis=1), 1.0, atol=1e-6)


@each
def test_a_seed_says_it_all(kernel, rng):
    X = rows(rng, 10)
    np.testing.assert_array_equal(drawn(kernel, 40)(X), drawn(kernel, 40)(X))
    assert (drawn(kernel, 40)(X) != drawn(kernel, 40, seed=1)(X)).all(axis=1).any()


def test_frequencies_of_a_euclidean_kernel_are_orthogonal_in_groups():
    omega = drawn(RBF(GAMMA), 8, d=4).omega
    off = omega.T @ omega
    np.testing.assert_allclose(off - np.diag(np.diag(off)), 0.0, atol=1e-12)


def test_frequencies_of_a_manhattan_kernel_are_independent_of_one_another():
    # Cauchy numbers: half of them lie within gamma of zero.
    omega = drawn(Laplacian(GAMMA), 4000, d=3).omega
    np.testing.assert_allclose(np.mean(np.abs(omega) < GAMMA), 0.5, atol=0.02)


@pytest.mark.parametrize(
    "kernel", [Linear(), Polynomial(GAMMA, degree=2, coef0=1.0), CALLABLE], ids=lambda k: k.name
)
def test_kernels_without_waves_are_refused(kernel):
    with pytest.raises(ValueError, match=r"needs a kernel of the difference.*nystroem"):
        drawn(kernel, 10)
