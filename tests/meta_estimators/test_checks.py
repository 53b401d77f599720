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


@pytest.mark.parametrize(
    "learner",
    [
        Ridge(),
        pytest.param(DecisionTreeRegressor(random_state=0), marks=pytest.mark.slow),
        pytest.param(KNeighborsRegressor(), marks=pytest.mark.slow),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_robust_regressor(learner):
    assert_passes(RobustRegressor(learner))


@pytest.mark.parametrize(
    "learner",
    [
        LogisticRegression(),
        pytest.param(DecisionTreeClassifier(random_state=0), marks=pytest.mark.slow),
        pytest.param(KNeighborsClassifier(), marks=pytest.mark.slow),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_robust_classifier(learner):
    assert_passes(RobustClassifier(learner))


@pytest.mark.slow
@pytest.mark.parametrize("model", [RobustRegressor(), RobustClassifier()])
def test_stacks(model):
    assert_passes(model, RANDOM)
