import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import pdist
from sklearn.svm import SVC

from untaint.kernels import resolve_gamma
from untaint.screening.radius import weighted_median

METRICS = {"sqeuclidean": "sqeuclidean", "euclidean": "euclidean", "manhattan": "cityblock"}
each_distance = pytest.mark.parametrize("distance", METRICS)

small_rows = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 12), st.integers(1, 3)),
    elements=st.one_of(st.integers(-3, 3).map(float), st.floats(-5, 5, width=32)),
)


@pytest.mark.parametrize("gamma", [0.3, 2, np.float32(0.5)])
def test_numbers_pass_through(gamma):
    assert resolve_gamma(gamma, np.eye(3)) == gamma
    assert type(resolve_gamma(gamma, np.eye(3))) is float


@pytest.mark.parametrize("gamma", [0, -1.0, np.nan, np.inf, None, True])
def test_other_numbers_do_not(gamma):
    with pytest.raises(
        ValueError, match="gamma must be a positive finite number, 'scale' or 'median', got"
    ):
        resolve_gamma(gamma, np.eye(3))


def test_unknown_rules_are_refused():
    with pytest.raises(
        ValueError, match="gamma must be a positive finite number, 'scale' or 'median'"
    ):
        resolve_gamma("auto", np.eye(3))


def test_scale_is_that_of_svc(rng):
    X, y = rng.normal(size=(30, 4)) * 3 + 1, np.arange(30) % 2
    expected = SVC(gamma="scale").fit(X, y)._gamma
    assert resolve_gamma("scale", X) == pytest.approx(expected, rel=1e-12)
    assert resolve_gamma("scale", sp.csr_array(X)) == pytest.approx(expected, rel=1e-12)
    assert resolve_gamma("scale", np.ones((5, 2))) == 1.0


def test_scale_counts_weights_as_copies(rng):
    X, weights = rng.normal(size=(30, 4)), rng.integers(0, 4, 30)
    expected = resolve_gamma("scale", np.repeat(X, weights, axis=0))
    assert resolve_gamma("scale", X, weights) == pytest.approx(expected, rel=1e-12)
    assert resolve_gamma("scale", sp.csr_array(X), weights) == pytest.approx(expected, rel=1e-12)


@each_distance
@pytest.mark.parametrize("shape", [(2, 1), (7, 3), (100, 4), (101, 4), (60, 200)])
def test_median_is_that_of_all_pairs(distance, shape, rng):
    X = rng.normal(size=shape)
    expected = 1 / np.median(pdist(X, METRICS[distance]))
    assert resolve_gamma("median", X, distance=distance) == pytest.approx(expected, rel=1e-12)
    sparse = resolve_gamma("median", sp.csr_array(X), distance=distance)
    assert sparse == pytest.approx(expected, rel=1e-10)


@each_distance
def test_median_of_many_rows_is_nearly_that_of_all_pairs(distance, rng):
    X = rng.normal(size=(4000, 5))
    expected = 1 / np.median(pdist(X, METRICS[distance]))
    assert resolve_gamma("median", X, distance=distance) == pytest.approx(expected, rel=0.02)


@given(small_rows, st.data())
def test_weights_mean_copies_and_zero_means_absent(X, data):
    weights = data.draw(hnp.arrays(np.int64, len(X), elements=st.integers(0, 4)))
    for distance in METRICS:
        weighted = resolve_gamma("median", X, weights, distance=distance)
        repeated = resolve_gamma("median", np.repeat(X, weights, axis=0), distance=distance)
        assert weighted == pytest.approx(repeated, rel=1e-12)


@settings(max_examples=15)
@given(st.integers(0, 1000), st.booleans())
def test_weights_mean_copies_in_large_samples(seed, grid):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 2))
    X = np.round(X) if grid else X
    weights = rng.integers(0, 9, 400)
    repeated = rng.permutation(np.repeat(X, weights, axis=0))
    assert len(repeated) > 1000
    for convert in (np.asarray, sp.csr_array):
        weighted = resolve_gamma("median", convert(X), weights)
        assert weighted == pytest.approx(resolve_gamma("median", convert(repeated)), rel=1e-12)


@pytest.mark.parametrize("n", [50, 999, 2500])
@pytest.mark.parametrize("d", [2, 150])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_row_order_does_not_matter(n, d, convert, rng):
    X = np.round(rng.normal(size=(n, d)), 1)
    order = rng.permutation(n)
    expected = resolve_gamma("median", convert(X))
    assert resolve_gamma("median", convert(X[order])) == pytest.approx(expected, rel=1e-11)


@each_distance
@pytest.mark.parametrize("size", [1e4, 1e12, 1e150, 1e300])
@pytest.mark.parametrize("kind", ["equal", "random", "one_column"])
@pytest.mark.parametrize("n", [60, 3000])
def test_almost_half_of_the_rows_may_lie_anywhere(distance, size, kind, n, rng):
    X = rng.normal(size=(n, 4))
    clean = resolve_gamma("median", X[int(0.45 * n) :], distance=distance)
    feature_outlier = {
        "equal": 1.0,
        "random": rng.normal(size=(n, 4)),
        "one_column": [1.0, 0, 0, 0],
    }[kind]
    X[: int(0.45 * n)] = (size * np.broadcast_to(feature_outlier, X.shape))[: int(0.45 * n)]
    with np.errstate(all="raise", under="ignore"):
        found = resolve_gamma("median", X, distance=distance)
    assert found == pytest.approx(clean, rel=1e-12 if n == 60 else 0.02)
    sparse = resolve_gamma("median", sp.csr_array(X), distance=distance)
    assert sparse == pytest.approx(clean, rel=1e-9 if n == 60 else 0.02)


def test_scale_invariance(rng):
    X = np.repeat(rng.normal(size=(40, 150)), 2, axis=0)
    for factor in (1e-9, 1e-3, 1e6):
        expected = resolve_gamma("median", X) / factor**2
        assert resolve_gamma("median", factor * X) == pytest.approx(expected, rel=1e-9)


@each_distance
def test_mostly_duplicates_take_the_mean_of_the_positive_distances(distance):
    X = np.zeros((20, 2))
    X[:3] = [[3.0, 4.0], [0.0, 1.0], [3.0, 4.0]]
    distances = pdist(X, METRICS[distance])
    expected = 1 / distances[distances > 0].mean()
    assert resolve_gamma("median", X, distance=distance) == pytest.approx(expected)
    assert resolve_gamma("median", sp.csr_array(X), distance=distance) == pytest.approx(expected)
    X[-1] = 1e12
    found = resolve_gamma("median", X, distance=distance)
    assert found == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("d", [3, 200])
def test_copies_of_wide_rows_are_at_distance_zero(d, rng):
    X = rng.normal(size=(3, d))[[0] * 30 + [1] * 4 + [2] * 4] * 1e-3 + 7
    distances = pdist(X, "sqeuclidean")
    assert np.median(distances) == 0.0
    expected = 1 / distances[distances > 0].mean()
    assert resolve_gamma("median", X) == pytest.approx(expected, rel=1e-6)


@each_distance
@pytest.mark.parametrize("X", [np.ones((5, 2)), np.ones((1, 2)), np.ones((0, 2))])
def test_no_scale_at_all_gives_one(X, distance):
    assert resolve_gamma("median", X, distance=distance) == 1.0
    assert resolve_gamma("scale", X) == 1.0
    assert resolve_gamma("median", sp.csr_array(X), distance=distance) == 1.0
    assert resolve_gamma("median", X, np.zeros(len(X)), distance=distance) == 1.0


def test_fractional_weights(rng):
    X = rng.normal(size=(2000, 2))
    uniform = resolve_gamma("median", X, np.full(2000, 1 / 2000))
    assert uniform == pytest.approx(resolve_gamma("median", X), rel=1e-2)
    assert resolve_gamma("median", X, rng.random(2000)) == pytest.approx(uniform, rel=0.1)


@given(
    hnp.arrays(np.float64, st.integers(1, 15), elements=st.integers(-5, 5).map(float)),
    st.data(),
)
def test_weighted_median_is_that_of_copies(values, data):
    weights = data.draw(hnp.arrays(np.float64, len(values), elements=st.sampled_from([1, 2, 5])))
    assert weighted_median(values, weights) == np.median(np.repeat(values, weights.astype(int)))
