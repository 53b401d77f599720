"""scikit-learn's estimator checks of the estimators on chunks."""

import pytest

pytest.importorskip("dask.array", reason="needs Dask")

from sklearn.utils.estimator_checks import check_estimator

from estimators.cases import failed_checks
from untaint.distributed import NystroemFeatures, SubquantileClassifier, SubquantileRegressor

ESTIMATORS = [
    SubquantileRegressor(contamination=0.2, n_starts=1),
    SubquantileClassifier(contamination=0.2, n_starts=1),
]
# Each skip carries its reason.
SKIPS = {"check_array_api_input": "SCIPY_ARRAY_API is not set"}


def test_features_pass_the_checks_of_sklearn():
    results = check_estimator(NystroemFeatures(n_components=5), on_fail=None, on_skip=None)
    assert len(results) > 30
    status = {result["check_name"]: result["status"] for result in results}
    assert {n for n, s in status.items() if s == "skipped"} <= SKIPS.keys()
    assert not {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_passes_the_checks_of_sklearn(estimator):
    failed, skipped = failed_checks(estimator)
    assert not failed
    assert skipped.keys() <= SKIPS.keys()
    assert all(reason.startswith(SKIPS[name]) for name, reason in skipped.items())
