"""A weight of k is k copies of the row, whatever the order of the copies."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_sample_weight_equivalence_on_dense_data

from estimators.cases import assert_close, flipped_blobs
from untaint import (
    SubquantileClassifier,
    SubquantileClassifierCV,
    SubquantileRegressor,
    SubquantileRegressorCV,
)

ESTIMATORS = [
    SubquantileClassifier,
    SubquantileClassifierCV,
    SubquantileRegressor,
    SubquantileRegressorCV,
]


def assert_equal_models(model, X, y, seed, tol):
    """Weights, some of them zero, and shuffled copies give one model."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 5, len(y))
    rows = rng.permutation(np.repeat(np.arange(len(y)), weights))
    weighted = clone(model).fit(X, y, sample_weight=weights)
    repeated = clone(model).fit(X[rows], y[rows])
    assert weighted.contamination_ == pytest.approx(repeated.contamination_, abs=1e-9)
    np.testing.assert_array_equal(weighted.inlier_mask_[rows], repeated.inlier_mask_)
    assert_close(weighted.predict_proba(X), repeated.predict_proba(X), tol)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_passes_the_check_of_sklearn(estimator):
    check_sample_weight_equivalence_on_dense_data(estimator.__name__, estimator())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("model", [SubquantileClassifierCV(), SubquantileClassifier(alpha=0.1)])
def test_two_classes_agree_to_eight_digits(model, seed):
    X, y, _, _ = flipped_blobs((40, 40), distance=2.5, seed=seed)
    assert_equal_models(model, X, y, seed, tol=1e-8)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("model", [SubquantileClassifierCV(), SubquantileClassifier(alpha=0.1)])
def test_several_classes_agree_to_six_digits(model, seed):
    # The weights of a soft edge approach their fixed point step by step.
    X, y, _, _ = flipped_blobs((30, 30, 30), distance=2.5, seed=seed)
    assert_equal_models(model, X, y, seed, tol=1e-6)
