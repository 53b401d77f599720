"""scikit-learn's estimator checks for the regressor that chooses its own setting."""

import pytest

from estimators.cases import failed_checks
from untaint import SubquantileRegressorCV

CONFIGURATIONS = [{}]
MORE = [
    {"kernel": "linear", "contamination": 0.2, "n_starts": 1, "alphas": [0.1, 1.0]},
    {"kernel": "laplacian", "contamination": 0, "alphas": [0.1, 1.0], "gammas": [0.1, 1.0]},
]
# Each skip carries its reason.
SKIPS = {"check_array_api_input": "SCIPY_ARRAY_API is not set"}


@pytest.mark.parametrize(
    "params",
    [*CONFIGURATIONS, *(pytest.param(more, marks=pytest.mark.slow) for more in MORE)],
    ids=str,
)
def test_passes_the_checks_of_sklearn(params):
    failed, skipped = failed_checks(SubquantileRegressorCV(**params))
    assert not failed
    assert skipped.keys() <= SKIPS.keys()
    assert all(reason.startswith(SKIPS[name]) for name, reason in skipped.items())
