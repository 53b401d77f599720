"""Corruption touches exactly the rows it names, and writes into them what it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untaint.datasets import contaminate, make_smooth
from untaint.datasets.corruption import KINDS

REGRESSION = [kind for kind, recipe in KINDS.items() if recipe.task == "regression"]
CLASSIFICATION = [kind for kind, recipe in KINDS.items() if recipe.task == "classification"]


def problem(kind, n=100, seed=0):
    X, y = make_smooth(n, n_features=3, random_state=seed)
    if kind in CLASSIFICATION:
        y = np.array(["one", "two", "three"])[np.argsort(np.argsort(y)) * 3 // n]
    return X, y


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=20, deadline=None)
@given(n=st.integers(12, 60), epsilon=st.floats(0.0, 0.3), seed=st.integers(0, 99))
def test_exactly_the_named_rows_change(kind, n, epsilon, seed):
    X, y = problem(kind, n, seed)
    X_before, y_before = X.copy(), y.copy()
    X_bad, y_bad, corrupted = contaminate(X, y, epsilon=epsilon, kind=kind, random_state=seed)
    assert corrupted.dtype == bool
    assert corrupted.sum() == round(epsilon * n)
    np.testing.assert_array_equal(X_bad[~corrupted], X[~corrupted])
    np.testing.assert_array_equal(y_bad[~corrupted], y[~corrupted])
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(y, y_before)
    assert not np.shares_memory(X, X_bad)
    assert not np.shares_memory(y, y_bad)


@pytest.mark.parametrize("kind", KINDS)
def test_every_corrupted_row_differs_from_the_clean_one(kind):
    X, y = problem(kind)
    X_bad, y_bad, corrupted = contaminate(X, y, epsilon=0.2, kind=kind, random_state=1)
    changed = (X_bad != X).any(axis=1) | (y_bad != y)
    np.testing.assert_array_equal(changed, corrupted)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "flip-adversarial"])
def test_a_seed_decides_everything(kind):
    X, y = problem(kind)
    first = contaminate(X, y, epsilon=0.3, kind=kind, random_state=3)
    second = contaminate(X, y, epsilon=0.3, kind=kind, random_state=np.random.default_rng(3))
    other = contaminate(X, y, epsilon=0.3, kind=kind, random_state=4)
    for one, two in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, two)
    assert (first[2] != other[2]).any()


def test_a_legacy_random_state_is_accepted():
    X, y = problem("label")
    one = contaminate(X, y, epsilon=0.2, random_state=np.random.RandomState(0))
    two = contaminate(X, y, epsilon=0.2, random_state=np.random.RandomState(0))
    np.testing.assert_array_equal(one[1], two[1])


def test_label_targets_are_normal_5_5_in_units_of_the_clean_target():
    X = np.zeros((40_000, 1))
    y = np.random.default_rng(0).normal(100.0, 2.0, size=40_000)
    _, y_bad, corrupted = contaminate(X, y, epsilon=0.5, kind="label", random_state=0)
    standard = (y_bad[corrupted] - y.mean()) / y.std()
    assert standard.mean() == pytest.approx(5.0, abs=0.15)
    assert standard.std() == pytest.approx(5.0, abs=0.1)


def test_simple_kinds_follow_their_formulas():
    X, y = problem("label")
    m, s = y.mean(), y.std()

    def corrupt(kind):
        return contaminate(X, y, epsilon=0.2, kind=kind, random_state=0)

    X_bad, y_bad, bad = corrupt("label+feature")
    np.testing.assert_allclose(X_bad[bad], 100 * X[bad])
    np.testing.assert_allclose(y_bad[bad], 10_000 * y[bad])
    _, y_bad, bad = corrupt("shift")
    np.testing.assert_allclose(y_bad[bad], y[bad] + 3 * s)
    _, y_bad, bad = corrupt("mirror")
    np.testing.assert_allclose(y_bad[bad], 2 * m - y[bad])
    _, y_bad, bad = corrupt("cluster")
    np.testing.assert_allclose(y_bad[bad], m + 5 * s, atol=0.3 * s)
    X_bad, y_bad, bad = corrupt("leverage")
    np.testing.assert_allclose(X_bad[bad], np.tile(X.mean(0) + 10 * X.std(0), (20, 1)))
    np.testing.assert_allclose(y_bad[bad], m + 5 * s)
    assert (corrupt("huge-label")[1] == 1e12).sum() == 20
    assert (corrupt("huge-feature")[0] == 1e12).all(axis=1).sum() == 20


def test_local_rows_share_a_region_and_leave_half_of_it_clean():
    X = np.arange(100.0)[:, np.newaxis]
    y = np.random.default_rng(0).normal(size=100)
    _, y_bad, bad = contaminate(X, y, epsilon=0.1, kind="local", random_state=0)
    assert np.ptp(np.flatnonzero(bad)) < 20
    np.testing.assert_allclose(y_bad[bad], y[bad] + 5 * y.std())
    _, _, bad = contaminate(X, y, epsilon=0.1, kind="local-solid", random_state=0)
    assert np.ptp(np.flatnonzero(bad)) == 9


def test_local_is_capped_at_all_rows():
    X, y = problem("local")
    assert contaminate(X, y, epsilon=0.7, kind="local", random_state=0)[2].sum() == 70


def test_adversarial_targets_lie_on_the_negated_linear_signal():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    y = X @ np.array([2.0, 0.0]) + 0.1 * rng.normal(size=2000)
    _, y_bad, bad = contaminate(X, y, epsilon=0.3, kind="adversarial", random_state=0)
    slope = np.linalg.lstsq(X[bad], y_bad[bad] - y.mean(), rcond=None)[0]
    np.testing.assert_allclose(slope, [-6.0, 0.0], atol=0.5)


def test_two_classes_flip_to_the_other():
    X, y = np.zeros((10, 1)), np.array([0, 1] * 5)
    _, y_bad, bad = contaminate(X, y, epsilon=0.4, kind="flip", random_state=0)
    np.testing.assert_array_equal(y_bad[bad], 1 - y[bad])
    assert y_bad.dtype == y.dtype


def test_several_classes_flip_to_every_other():
    X, y = np.zeros((3000, 1)), np.repeat(["a", "b", "c"], 1000)
    _, y_bad, bad = contaminate(X, y, epsilon=0.9, kind="flip", random_state=0)
    _, counts = np.unique(y_bad[bad & (y == "a")], return_counts=True)
    assert len(counts) == 2
    assert counts.min() > 350


def test_one_sided_flips_leave_one_class_for_one_other():
    X, y = np.zeros((100, 1)), np.repeat([0, 1, 2], [50, 30, 20])
    _, y_bad, bad = contaminate(X, y, epsilon=0.3, kind="flip-one-sided", random_state=0)
    assert (y[bad] == 0).all()
    assert (y_bad[bad] == 1).all()
    with pytest.raises(ValueError, match="60 rows of class 0, of which there are only 50"):
        contaminate(X, y, epsilon=0.6, kind="flip-one-sided", random_state=0)


def test_one_sided_flips_go_back_from_the_second_class_to_the_largest():
    X, y = np.zeros((100, 1)), np.repeat(["a", "b", "c"], [20, 50, 30])
    _, y_bad, bad = contaminate(X, y, epsilon=0.3, kind="flip-one-sided-back", random_state=0)
    assert (y[bad] == "c").all()
    assert (y_bad[bad] == "b").all()
    with pytest.raises(ValueError, match="40 rows of class 'c', of which there are only 30"):
        contaminate(X, y, epsilon=0.4, kind="flip-one-sided-back", random_state=0)


def test_of_equal_classes_both_one_sided_kinds_take_the_same_pair():
    X, y = np.zeros((90, 1)), np.repeat([0, 1, 2], 30)
    _, forth, bad = contaminate(X, y, epsilon=0.2, kind="flip-one-sided", random_state=0)
    assert set(zip(y[bad], forth[bad], strict=True)) == {(0, 1)}
    _, back, bad = contaminate(X, y, epsilon=0.2, kind="flip-one-sided-back", random_state=0)
    assert set(zip(y[bad], back[bad], strict=True)) == {(1, 0)}


def test_a_rare_class_can_be_spared_of_losses_and_of_gains():
    X, y = np.zeros((1000, 1)), np.repeat(["a", "b", "c", "d"], [300, 30, 370, 300])
    _, y_bad, bad = contaminate(X, y, epsilon=0.5, kind="flip-spare-rare", random_state=0)
    np.testing.assert_array_equal(y_bad == "b", y == "b")
    pairs, counts = np.unique(np.column_stack([y, y_bad])[bad], axis=0, return_counts=True)
    assert len(pairs) == 6
    assert counts.min() > 50
    with pytest.raises(ValueError, match=r"980 rows of class 'c', 'a', 'd', .* only 970"):
        contaminate(X, y, epsilon=0.98, kind="flip-spare-rare", random_state=0)


@pytest.mark.parametrize("kind", REGRESSION)
def test_several_outputs_are_corrupted_each_in_its_own_units(kind):
    X, y = problem(kind)
    Y = np.column_stack([y, 1000 * y])
    _, Y_bad, bad = contaminate(X, Y, epsilon=0.2, kind=kind, random_state=0)
    assert Y_bad.shape == Y.shape
    np.testing.assert_array_equal(Y_bad[~bad], Y[~bad])
    if kind not in ("label", "cluster", "huge-label"):
        np.testing.assert_allclose(Y_bad[:, 1], 1000 * Y_bad[:, 0])


def test_missing_cells_do_not_spread():
    X, y = problem("local")
    X[3, 1] = np.nan
    for kind in ("local", "adversarial", "leverage"):
        X_bad, y_bad, _ = contaminate(X, y, epsilon=0.2, kind=kind, random_state=0)
        assert np.isfinite(y_bad).all()
        assert np.isnan(X_bad).sum() <= 1


def test_single_precision_and_integers_are_taken_as_they_come():
    X, y = problem("label")
    X_bad, y_bad, _ = contaminate(
        X.astype(np.float32), np.round(10 * y).astype(int), epsilon=0.2, random_state=0
    )
    assert X_bad.dtype == np.float32
    assert y_bad.dtype == np.float64


@pytest.mark.parametrize("epsilon", [-0.1, 1.0, float("nan")])
def test_epsilon_outside_the_unit_interval_is_refused(epsilon):
    with pytest.raises(ValueError, match=r"epsilon must be in \[0, 1\), got"):
        contaminate([[0.0]], [0.0], epsilon=epsilon)


def test_an_unknown_kind_is_refused_with_a_suggestion():
    with pytest.raises(ValueError, match="did you mean 'mirror'"):
        contaminate([[0.0]], [0.0], epsilon=0.1, kind="miror")
    with pytest.raises(ValueError, match="choose one of label, label\\+feature"):
        contaminate([[0.0]], [0.0], epsilon=0.1, kind="???")


@pytest.mark.parametrize("y", [["a", "b", "a"], [True, False, True], [0, 1, 1]])
def test_regression_kinds_refuse_classes(y):
    with pytest.raises(ValueError, match=r"kind='label' needs a numeric target.*kind='flip'"):
        contaminate(np.zeros((3, 1)), y, epsilon=0.3)


def test_flips_refuse_continuous_several_and_single_class_targets():
    X = np.zeros((3, 1))
    with pytest.raises(ValueError, match="y is continuous; use kind='label'"):
        contaminate(X, [0.1, 0.2, 0.3], epsilon=0.3, kind="flip")
    with pytest.raises(ValueError, match=r"shape \(n,\), got shape \(3, 1\)"):
        contaminate(X, [[0], [1], [0]], epsilon=0.3, kind="flip")
    with pytest.raises(ValueError, match="at least 2 classes, got 1"):
        contaminate(X, [1, 1, 1], epsilon=0.3, kind="flip")
    with pytest.raises(ValueError, match="at least 3 classes, got 2"):
        contaminate(X, [1, 1, 0], epsilon=0.3, kind="flip-spare-rare")


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="X must have rows and columns"):
        contaminate([1.0, 2.0], [1.0, 2.0], epsilon=0.1)
    with pytest.raises(ValueError, match=r"y must have shape \(2,\)"):
        contaminate([[1.0], [2.0]], [1.0], epsilon=0.1)
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="dense X"):
        contaminate(sparse.csr_matrix([[1.0]]), [1.0], epsilon=0.1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X, np.where(y > 0, y, np.nan)), "y must hold finite numbers of at most"),
        (lambda X, y: (X, y * 1e200), "y must hold finite numbers of at most"),
        (lambda X, y: (X, y + 1j), "y must hold real numbers, got the type complex128"),
        (lambda X, y: (X + 1j, y), "X must hold real numbers, got the type complex128"),
    ],
)
def test_what_corruption_would_spread_or_lose_is_refused(change, message):
    X, y = change(*make_smooth(30, random_state=0))
    with pytest.raises(ValueError, match=message):
        contaminate(X, y, epsilon=0.2, random_state=0)
