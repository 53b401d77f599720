"""scikit-learn's estimator checks, over several configurations."""

import pytest

from estimators.cases import failed_checks
from untaint import SubquantileRegressor

CONFIGURATIONS = [
    {},
    {"contamination": 0.2, "n_starts": 1},
    {"kernel": "linear"},
    {"kernel": "laplacian", "n_starts": 1},
    {"solver": "iterative", "n_starts": 1},
    {"solver": "gradient", "contamination": 0.2, "max_iter": 100},
    {"smoothing": 1.0, "n_starts": 1},
]
# Each skip carries its reason.
SKIPS = {"check_array_api_input": "SCIPY_ARRAY_API is not set"}


@pytest.mark.parametrize("params", CONFIGURATIONS, ids=str)
def test_passes_the_checks_of_sklearn(params):
    failed, skipped = failed_checks(SubquantileRegressor(**params))
    assert not failed
    assert skipped.keys() <= SKIPS.keys()
    assert all(reason.startswith(SKIPS[name]) for name, reason in skipped.items())
