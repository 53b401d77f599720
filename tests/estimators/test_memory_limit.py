"""A fit keeps to the memory that it is given, and says how much it needs if that is too little."""

import gc
import re
import tracemalloc

import numpy as np
import pytest

from estimators.cases import blobs, grossly_corrupted, smooth
from untaint import SubquantileClassifier, SubquantileRegressor
from untaint.design.memory_plan import min_bytes
from untaint.exceptions import MemoryLimitError

N = 100_000
ALLOWED = 1.1


def least(n, components, n_outputs=1):
    """The smallest limit for so many components in double precision."""
    return min_bytes(n, n_outputs, components, np.float64)


def peak_of(model, X, y):
    """Bytes that a fit takes besides the rows: NumPy reports them all."""
    gc.collect()
    tracemalloc.start()
    try:
        model.fit(X, y)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def many():
    X, y, _ = grossly_corrupted(N, n_features=5)
    return X, y


@pytest.mark.parametrize(("approximation", "contamination"), [("nystroem", 0.2), ("rff", 0)])
def test_a_regressor_keeps_to_its_limit(
    many, approximation, contamination, record_property, set_sizes
):
    # The fit to the subsample takes the same time for more rows: a smaller one shows as much.
    set_sizes(subsample_rows=5000)
    X, y = many
    model = SubquantileRegressor(
        approximation=approximation, n_components=200, memory_limit="200MB",
        contamination=contamination, gamma=0.15, random_state=0,
    )  # fmt: skip
    peak = peak_of(model, X, y)
    record_property("peak_megabytes", peak / 1e6)
    assert peak <= ALLOWED * 200e6


@pytest.mark.slow
def test_a_regressor_that_estimates_the_contamination_keeps_to_its_limit(many, set_sizes):
    set_sizes(subsample_rows=5000)
    X, y = many
    model = SubquantileRegressor(
        approximation="nystroem", n_components=200, memory_limit="200MB", gamma=0.15
    )
    assert peak_of(model, X, y) <= ALLOWED * 200e6


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_classifier_keeps_to_its_limit(n_classes, set_sizes):
    set_sizes(subsample_rows=5000)
    X, labels = blobs([40_000 // n_classes] * n_classes, n_features=5)
    model = SubquantileClassifier(
        approximation="nystroem", n_components=100, memory_limit="120MB", contamination=0
    )
    assert peak_of(model, X, labels) <= ALLOWED * 120e6


def test_the_linear_kernel_keeps_to_its_limit(many, set_sizes):
    set_sizes(subsample_rows=5000)
    X, y = many
    model = SubquantileRegressor(kernel="linear", memory_limit="100MB", contamination=0.2)
    assert peak_of(model, X, y) <= ALLOWED * 100e6


def test_a_matrix_that_does_not_fit_leads_to_landmarks():
    X, y, _ = grossly_corrupted(3000)
    params = {"contamination": 0.2, "gamma": 0.15}
    limit = least(3000, 200)
    assert limit < 8 * 3000**2
    small = SubquantileRegressor(memory_limit=limit, **params).fit(X, y)
    large = SubquantileRegressor(memory_limit="1GB", **params).fit(X, y)
    assert len(small.X_fit_) < 3000
    assert len(large.X_fit_) == 3000
    np.testing.assert_array_equal(small.inlier_mask_, large.inlier_mask_)
    asked = SubquantileRegressor(approximation="nystroem", memory_limit=limit, **params).fit(X, y)
    np.testing.assert_array_equal(asked.predict(X), small.predict(X))


def test_without_an_approximation_a_matrix_that_does_not_fit_is_refused():
    X, y = smooth(3000)
    with pytest.raises(MemoryLimitError, match=r'3,000 rows.*use approximation="nystroem"'):
        SubquantileRegressor(approximation=None, memory_limit="50MB").fit(X, y)


def test_automatic_components_shrink_with_the_limit():
    X, y = smooth(4000)
    counts = [
        len(
            SubquantileRegressor(
                approximation="nystroem", contamination=0, alpha=0.01, memory_limit=limit
            ).fit(X, y).X_fit_
        )
        for limit in ("1GB", least(4000, 100), least(4000, 25))
    ]  # fmt: skip
    assert counts[0] > counts[1] > counts[2] >= 20
    assert counts[1] <= 100
    assert counts[2] <= 25


def test_the_limit_changes_nothing_but_the_memory():
    X, y, _ = grossly_corrupted(6000)
    fits = [
        SubquantileRegressor(
            approximation="nystroem", n_components=80, contamination=0.2, memory_limit=limit
        ).fit(X, y)
        for limit in ("1GB", least(6000, 80))
    ]
    np.testing.assert_array_equal(fits[0].inlier_mask_, fits[1].inlier_mask_)
    np.testing.assert_allclose(fits[0].predict(X), fits[1].predict(X), atol=1e-3)


def smallest(model, X, y):
    """What the error says is enough."""
    with pytest.raises(MemoryLimitError) as caught:
        model.fit(X, y)
    found = re.search(r"must be at least ([\d.]+ [kMG]?B) for", str(caught.value))
    assert found, str(caught.value)
    return found.group(1)


@pytest.mark.parametrize("components", [50, "auto"])
def test_the_smallest_limit_that_is_named_works(components):
    for n in range(1000, 2000, 100):
        X, y = smooth(n)
        model = SubquantileRegressor(
            approximation="nystroem", n_components=components, contamination=0, memory_limit="1kB"
        )
        model.set_params(memory_limit=smallest(model, X, y)).fit(X, y)


def test_components_asked_for_are_not_cut_but_refused():
    X, y = smooth(1000)
    with pytest.raises(
        MemoryLimitError, match=r"1,000 rows and 500 components.*or lower n_components\.$"
    ):
        SubquantileRegressor(
            approximation="nystroem", n_components=500, memory_limit=least(1000, 499)
        ).fit(X, y)
