"""scikit-learn's estimator checks, over several configurations."""

import pytest

from estimators.cases import failed_checks
from untaint import SubquantileRegressor

CONFIGURATIONS = [
    {},
    {"contamination": 0.2, "n_starts": 1},
    pytest.param({"kernel": "linear"}, marks=pytest.mark.slow),
    pytest.param({"solver": "iterative", "n_starts": 1}, marks=pytest.mark.slow),
    pytest.param({"kernel": "laplacian", "n_starts": 1}, marks=pytest.mark.slow),
    pytest.param(
        {"solver": "gradient", "contamination": 0.2, "max_iter": 100}, marks=pytest.mark.slow
    ),
    pytest.param({"smoothing": 1.0, "n_starts": 1}, marks=pytest.mark.slow),
]
# Each skip carries its reason.
SKIPS = {"check_array_api_input": "SCIPY_ARRAY_API is not set"}


@pytest.mark.parametrize("params", CONFIGURATIONS, ids=str)
def test_passes_the_checks_of_sklearn(params):
    failed, skipped = failed_checks(SubquantileRegressor(**params))
    assert not failed
    assert skipped.keys() <= SKIPS.keys()
    assert all(reason.startswith(SKIPS[name]) for name, reason in skipped.items())
