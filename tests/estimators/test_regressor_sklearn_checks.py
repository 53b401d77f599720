"""scikit-learn's estimator checks, over several configurations."""

import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import check_estimator

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
    with warnings.catch_warnings():
        # The gradient method is given too few steps on purpose.
        warnings.simplefilter("ignore", ConvergenceWarning)
        results = check_estimator(SubquantileRegressor(**params), on_fail=None, on_skip=None)
    failed = {
        result["check_name"]: result["exception"]
        for result in results
        if result["status"] not in ("passed", "skipped")
    }
    assert not failed
    skipped = {
        result["check_name"]: str(result["exception"])
        for result in results
        if result["status"] == "skipped"
    }
    assert skipped.keys() <= SKIPS.keys()
    assert all(reason.startswith(SKIPS[name]) for name, reason in skipped.items())
    assert len(results) > 50
