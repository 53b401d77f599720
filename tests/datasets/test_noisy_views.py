"""Noisy views have the moments asked for, follow their seeds, and refuse what makes no sense."""

from __future__ import annotations

import numpy as np
import pytest

from untaint.datasets import make_noisy_views

N = 40_000
MATRIX = np.array([[1.0, 0.6], [0.6, 0.5]])
ZEROS = np.zeros((N, 2))


@pytest.mark.parametrize(
    ("noise_cov", "expected"),
    [
        (0.5, np.diag([0.5, 0.5])),
        ([0.25, 2.0], np.diag([0.25, 2.0])),
        (MATRIX, MATRIX),
        (np.ones((2, 2)), np.ones((2, 2))),  # singular: one noise for both features
        (np.broadcast_to([0.25, 2.0], (N, 2)), np.diag([0.25, 2.0])),
        (np.broadcast_to(MATRIX, (N, 2, 2)), MATRIX),
        (0.0, np.zeros((2, 2))),
    ],
)
def test_every_shape_of_covariance_is_kept(noise_cov, expected):
    views = make_noisy_views(ZEROS, noise_cov=noise_cov, n_views=3, random_state=0)
    assert len(views) == 3
    for view in views:
        np.testing.assert_allclose(view.mean(axis=0), 0.0, atol=0.03)
        np.testing.assert_allclose(np.cov(view.T), expected, atol=0.05)


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_views_are_independent_and_have_the_kurtosis_of_their_noise(noise):
    A, B = make_noisy_views(ZEROS, noise_cov=[0.25, 2.0], noise=noise, random_state=0)
    np.testing.assert_allclose(np.corrcoef(A.T, B.T), np.eye(4), atol=0.03)
    np.testing.assert_allclose(A.var(axis=0), [0.25, 2.0], rtol=0.05)
    kurtosis = np.mean(A**4, axis=0) / np.mean(A**2, axis=0) ** 2
    np.testing.assert_allclose(kurtosis, {"gaussian": 3.0, "laplace": 6.0}[noise], rtol=0.15)


def test_rows_may_have_noise_of_their_own():
    variances = np.repeat([[0.0, 1.0], [4.0, 0.0]], N // 2, axis=0)
    matrices = np.zeros((N, 2, 2))
    matrices[:, [0, 1], [0, 1]] = variances
    matrices[N // 2 :] += 1.0
    (view,) = make_noisy_views(ZEROS, noise_cov=variances, n_views=1, random_state=0)
    np.testing.assert_allclose(view[: N // 2].var(axis=0), [0.0, 1.0], atol=0.05)
    np.testing.assert_allclose(view[N // 2 :].var(axis=0), [4.0, 0.0], rtol=0.05)
    (view,) = make_noisy_views(ZEROS, noise_cov=matrices, n_views=1, random_state=0)
    np.testing.assert_allclose(np.cov(view[: N // 2].T), [[0.0, 0.0], [0.0, 1.0]], atol=0.05)
    np.testing.assert_allclose(np.cov(view[N // 2 :].T), [[5.0, 1.0], [1.0, 1.0]], atol=0.2)


def test_a_square_matrix_of_a_square_table_is_one_covariance():
    X = np.zeros((2, 2))
    draws = [
        make_noisy_views(X, noise_cov=np.ones((2, 2)), n_views=1, random_state=seed)[0]
        for seed in range(5)
    ]
    for view in draws:
        np.testing.assert_allclose(view[:, 0], view[:, 1])


def test_rows_are_kept_and_the_caller_s_array_left_alone(rng):
    X = rng.normal(size=(50, 3))
    X[0, 0] = np.nan
    before = X.copy()
    A, B = make_noisy_views(X, noise_cov=0.0, random_state=0)
    np.testing.assert_array_equal(A, before)
    A[:] = 0.0
    np.testing.assert_array_equal(B, before)
    np.testing.assert_array_equal(X, before)


def test_seeds_decide(rng):
    X = rng.normal(size=(20, 2))
    one, two, other = (make_noisy_views(X, noise_cov=1.0, random_state=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, two)
    assert (one[0] != other[0]).all()


def test_a_frame_is_read_as_its_numbers():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2], "b": [3, 4]})
    (view,) = make_noisy_views(frame, noise_cov=0.0, n_views=1)
    np.testing.assert_array_equal(view, [[1.0, 3.0], [2.0, 4.0]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"noise_cov": -1.0}, "no negative variance, got -1"),
        ({"noise_cov": [1.0, np.nan]}, "finite numbers"),
        ({"noise_cov": [1.0, 1.0, 1.0]}, r"shape \(2,\), \(2, 2\), .* got shape \(3,\)"),
        ({"noise_cov": [[1.0, 0.5], [0.0, 1.0]]}, "symmetric"),
        ({"noise_cov": [[1.0, 2.0], [2.0, 1.0]]}, "semi-definite.* eigenvalue -1"),
        ({"noise_cov": MATRIX, "noise": "laplace"}, "must be diagonal"),
        ({"noise_cov": 1.0, "noise": "cauchy"}, "'gaussian', 'laplace', got 'cauchy'"),
        ({"noise_cov": 1.0, "n_views": 0}, "1 or more, got 0"),
        ({"noise_cov": 1.0, "n_views": 2.0}, "1 or more, got 2.0"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(options, message):
    with pytest.raises(ValueError, match=message) as error:
        make_noisy_views(np.zeros((5, 2)), **options)
    assert str(error.value).count("\n") == 0


def test_rows_must_be_a_dense_table():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="dense"):
        make_noisy_views(sparse.eye(3, format="csr"), noise_cov=1.0)
    with pytest.raises(ValueError, match="two dimensions"):
        make_noisy_views([1.0, 2.0], noise_cov=1.0)


def test_a_diagonal_matrix_will_do_for_laplace_noise():
    A, _ = make_noisy_views(ZEROS, noise_cov=np.diag([1.0, 0.0]), noise="laplace", random_state=0)
    np.testing.assert_allclose(A.var(axis=0), [1.0, 0.0], rtol=0.05)


def test_the_noise_knows_nothing_of_rows_drawn_with_the_same_seed():
    X = np.random.default_rng(0).standard_normal((2000, 2))
    (copy,) = make_noisy_views(X, noise_cov=1.0, n_views=1, random_state=0)
    assert abs(np.corrcoef((copy - X)[:, 0], X[:, 0])[0, 1]) < 0.1
