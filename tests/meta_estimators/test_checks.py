"""scikit-learn's own checks of meta-estimators, around different learners."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_estimator

from untaint import RobustClassifier, RobustRegressor

# A bootstrap draws copies one by one, and boosting bins by rows whatever they weigh.
RANDOM = {
    "check_sample_weight_equivalence_on_dense_data": "forests draw rows, boosting bins them: "
    "a weight of 2 is not two rows to either"
}


def assert_passes(model, expected=None):
    found = check_estimator(model, expected_failed_checks=expected, on_skip=None)
    assert sum(check["status"] == "passed" for check in found) > 50


def test_robust_regressor():
    assert_passes(RobustRegressor(Ridge(), contamination=0))


def test_robust_classifier():
    assert_passes(RobustClassifier(LogisticRegression(), contamination=0))


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        RobustRegressor(Ridge()),
        RobustRegressor(DecisionTreeRegressor(random_state=0)),
        RobustRegressor(KNeighborsRegressor()),
        RobustClassifier(LogisticRegression()),
        RobustClassifier(DecisionTreeClassifier(random_state=0)),
        RobustClassifier(KNeighborsClassifier()),
    ],
    ids=lambda model: type(model.estimator).__name__,
)
def test_around_other_learners(model):
    assert_passes(model)


@pytest.mark.slow
@pytest.mark.parametrize("model", [RobustRegressor(), RobustClassifier()])
def test_stacks(model):
    assert_passes(model, RANDOM)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_jobs": "foo"}, "n_jobs must be an integer .* got 'foo'"),
        ({"n_jobs": 10**30}, "n_jobs must be an integer .* and at most 1,000,000"),
        ({"cv": [1, 2]}, r"cv must be a number of folds, .* got \[1, 2\]"),
        ({"cv": b"x"}, "cv must be a number of folds, .* got b'x'"),
        ({"verbose": "foo"}, "verbose must be an integer .* got 'foo'"),
        ({"random_state": -1}, "random_state must be a whole number .* got -1"),
    ],
)
def test_parameters_of_a_robust_regressor_are_named(parameters, message):
    X = np.random.default_rng(0).normal(size=(40, 2))
    with pytest.raises(ValueError, match=message):
        RobustRegressor(**parameters).fit(X, X[:, 0])


def test_whole_numbers_beyond_all_floats_are_refused():
    X = np.random.default_rng(0).normal(size=(40, 2))
    with pytest.raises(ValueError, match=r"X and y must hold numbers of at most 1\.8e308"):
        RobustRegressor().fit(X, [10**400] * 40)
