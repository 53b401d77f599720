"""scikit-learn's own checks of meta-estimators, around different learners."""

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
