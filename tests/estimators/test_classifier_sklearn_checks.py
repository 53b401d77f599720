"""scikit-learn's estimator checks, over several configurations."""

import pytest

from estimators.cases import failed_checks
from untaint import SubquantileClassifier

CONFIGURATIONS = [
    {},
]
MORE = [
    {"solver": "gradient", "contamination": 0, "max_iter": 20},
    {"contamination": 0},
    {"contamination": 0.2, "n_starts": 1},
    {"solver": "iterative", "contamination": 0},
    {"kernel": "linear", "n_starts": 1},
    {"n_starts": 1},
    {"class_weight": "balanced", "contamination": 0.2, "n_starts": 1},
    {"smoothing": 1.0, "contamination": 0.1, "n_starts": 1},
    {"solver": "gradient", "contamination": 0.2, "max_iter": 20},
    {"contamination": 0.2},
    {"kernel": "linear"},
]
# Each skip carries its reason.
SKIPS = {"check_array_api_input": "SCIPY_ARRAY_API is not set"}


@pytest.mark.parametrize(
    "params",
    [*CONFIGURATIONS, *(pytest.param(more, marks=pytest.mark.slow) for more in MORE)],
    ids=str,
)
def test_passes_the_checks_of_sklearn(params):
    failed, skipped = failed_checks(SubquantileClassifier(**params))
    assert not failed
    assert skipped.keys() <= SKIPS.keys()
    assert all(reason.startswith(SKIPS[name]) for name, reason in skipped.items())
