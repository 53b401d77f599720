"""A classifier fitted to chunks is the one fitted in memory."""

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="needs Dask")

import dask.array as da
from dask_cases import LINEAR, NYSTROEM, N, assert_same, chunked, labelled, pair

from untaint import distributed

KIND = "SubquantileClassifier"
FLAT, CURVED = {**LINEAR, "contamination": 0.1}, {**NYSTROEM, "contamination": 0.1}
SETTINGS = {
    "linear": FLAT,
    "linear-auto": {**FLAT, "contamination": "auto"},
    "linear-none-bad": {**FLAT, "contamination": 0},
    "linear-balanced": {**FLAT, "class_weight": "balanced"},
    "linear-doubled": {**FLAT, "class_weight": {0: 2.0}},
    "linear-halved": {**FLAT, "class_weight": {0: 0.5}},
    "linear-ball": {**FLAT, "norm_bound": 1.0},
    "linear-through-origin": {**FLAT, "fit_intercept": False},
    "linear-soft": {**FLAT, "smoothing": 2.0},
    "nystroem": CURVED,
    "nystroem-auto": {**CURVED, "contamination": "auto"},
    "waves": {**CURVED, "approximation": "rff"},
}
NAMES = np.array(["cat", "dog", "elephant"])


SEVERAL = ("linear-balanced", "nystroem-auto")
# Roads that others of these go as well.
MORE = {("linear-halved", 2), ("linear-doubled", 2), ("linear-auto", 2), ("nystroem-auto", 2)}
CASES = [*((name, 2) for name in SETTINGS), *((name, 3) for name in SEVERAL)]


@pytest.mark.parametrize(
    ("name", "n_classes"),
    [pytest.param(*case, marks=[pytest.mark.slow] * (case in MORE)) for case in CASES],
)
def test_same_model_as_in_memory(name, n_classes):
    here, there = pair(KIND, SETTINGS[name], *labelled(n_classes))
    assert_same(there, here)
    np.testing.assert_array_equal(there.classes_, here.classes_)


@pytest.mark.parametrize("kind", [str, object])
def test_labels_of_text(kind):
    X, y = labelled(2)
    here, there = pair(KIND, {**FLAT, "class_weight": {"cat": 2.0}}, X, NAMES[y].astype(kind))
    assert_same(there, here)
    expected = here.predict(X[:100])
    np.testing.assert_array_equal(there.predict(chunked(X[:100], 30)).compute(), expected)
    np.testing.assert_array_equal(there.predict(X[:100]), expected)


def test_a_class_that_only_one_chunk_has():
    X, y = labelled(2)
    y = y.copy()
    y[-225:] = 2
    here, there = pair(KIND, FLAT, X, y)
    # That of all classes together is read off bins which lie around those of each class.
    assert_same(there, here, without=["loss_threshold_"])
    assert there.loss_threshold_ == pytest.approx(here.loss_threshold_, rel=0.2)
    assert there.classes_.tolist() == [0, 1, 2]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_classes_that_lie_far_apart():
    X, y = labelled(2)
    X = X + 10.0 * np.sign(X[:, :1]) * [1.0, 0.0]
    for alpha in (1.0, 1e-3):
        here, there = pair(KIND, {**FLAT, "alpha": alpha}, X, y)
        assert np.isfinite(there.coef_).all()
        np.testing.assert_array_equal(there.coef_, here.coef_)


def test_labels_true_and_false():
    X, y = labelled(2)
    here, there = pair(KIND, FLAT, X, y == 1)
    assert_same(there, here)
    assert there.predict(chunked(X[:10], 5)).dtype == bool


@pytest.mark.parametrize("weighting", ["integers", "halves", "reals"])
def test_weights(weighting):
    rng = np.random.default_rng(3)
    weights = {
        "integers": rng.integers(1, 4, N).astype(float),
        "halves": np.full(N, 0.5),
        "reals": rng.uniform(0.5, 1.5, N),
    }[weighting]
    here, there = pair(KIND, FLAT, *labelled(3 if weighting == "integers" else 2), weights)
    assert_same(there, here)


@pytest.mark.parametrize("params", [FLAT, CURVED], ids=["linear", "nystroem"])
def test_rows_of_weight_zero_have_no_say_but_are_scored(params):
    weights = (np.random.default_rng(3).random(N) > 0.05).astype(float)
    here, there = pair(KIND, params, *labelled(2), weights)
    assert_same(there, here, score_tol=1e-3)


def test_probabilities_and_scores_are_those_in_memory():
    for n_classes in (2, 3):
        X, y = labelled(n_classes)
        here, there = pair(KIND, {**CURVED, "contamination": 0}, X, y)
        new = chunked(X[:1000], 300)
        for method in ("predict", "predict_proba", "decision_function"):
            found = getattr(there, method)(new)
            assert isinstance(found, da.Array)
            expected = getattr(here, method)(X[:1000])
            assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
            np.testing.assert_allclose(found.compute(), expected, rtol=1e-10)


def test_score_of_rows_in_memory():
    X, y = labelled(2)
    model = distributed.SubquantileClassifier(**FLAT).fit(chunked(X), chunked(y))
    assert model.score(X, y) > 0.85
