"""Nystroem features reproduce the kernel on the span of their landmarks."""

from __future__ import annotations

import numpy as np
import pytest

from properties.problems import rbf, smooth_problem
from untaint.optim.low_rank import nystroem_features


@pytest.mark.parametrize(("dtype", "atol"), [(np.float64, 1e-10), (np.float32, 1e-3)])
def test_all_rows_as_landmarks_reproduce_the_matrix(dtype, atol, rng):
    K, _ = smooth_problem(rng)
    features = nystroem_features(K.astype(dtype), np.arange(30))
    assert features.dtype == dtype
    np.testing.assert_allclose(features @ features.T, K, atol=atol)


def test_exact_between_landmarks_and_all_rows(rng):
    K, _ = smooth_problem(rng)
    landmarks = np.array([2, 5, 11, 17])
    features = nystroem_features(K[landmarks], landmarks)
    assert features.shape == (30, 4)
    np.testing.assert_allclose(features @ features[landmarks].T, K[:, landmarks], atol=1e-8)


def test_equals_the_formula(rng):
    K, _ = smooth_problem(rng)
    landmarks = np.array([0, 9, 20, 3])
    features = nystroem_features(K[landmarks], landmarks)
    expected = K[:, landmarks] @ np.linalg.solve(K[np.ix_(landmarks, landmarks)], K[landmarks])
    np.testing.assert_allclose(features @ features.T, expected, atol=1e-8)


def test_never_above_the_kernel(rng):
    K, _ = smooth_problem(rng)
    landmarks = np.arange(0, 30, 4)
    features = nystroem_features(K[landmarks], landmarks)
    assert np.linalg.eigvalsh(K - features @ features.T).min() > -1e-8


def test_a_low_rank_kernel_is_reproduced_by_few_landmarks(rng):
    X = rng.normal(size=(40, 3))
    K, landmarks = X @ X.T, np.array([1, 8, 30])
    features = nystroem_features(K[landmarks], landmarks)
    np.testing.assert_allclose(features @ features.T, K, atol=1e-7)


def test_repeated_landmarks_are_no_failure(rng):
    X = np.repeat(rng.normal(size=(6, 2)), 3, axis=0)
    K = rbf(X)
    features = nystroem_features(K, np.arange(18))
    assert np.isfinite(features).all()
    np.testing.assert_allclose(features @ features.T, K, atol=1e-5)


def test_a_matrix_that_is_no_kernel_still_gives_finite_features():
    K = np.array([[1.0, 5.0], [5.0, 1.0]])
    assert np.isfinite(nystroem_features(K, np.arange(2))).all()


def test_features_are_stored_row_by_row(rng):
    K, _ = smooth_problem(rng)
    assert nystroem_features(K[:4], np.arange(4)).flags.c_contiguous
