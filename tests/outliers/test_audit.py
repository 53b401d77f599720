"""What an audit is made of: rates, kinds, tables, one size a row, and the grids of settings."""

from __future__ import annotations

import sys

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest

from untaint.contamination.residual_norm import median_distance, resolution, signed_norms
from untaint.kernels import RBF
from untaint.model_selection.grid import ALPHA_FACTORS, Grid, auto_alphas, nearest
from untaint.outliers.audit import kinds, outlying_feature_names, q_values, table

quick = settings(max_examples=25)


@st.composite
def scored(draw):
    """Probabilities, some of them tied, and whole weights, some of them zero."""
    n = draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 9999)))
    good = np.round(rng.random(n), draw(st.sampled_from([0, 1, 15])))
    return good, rng.integers(draw(st.integers(0, 1)), 4, size=n).astype(float)


# q-values.


@given(frame=scored())
@quick
def test_q_is_the_fraction_of_mistakes_among_rows_that_are_no_better(frame):
    good, weights = frame
    for i, q in enumerate(q_values(good, weights)):
        flagged = good <= good[i]
        if weights[flagged].sum() > 0:
            expected = weights[flagged] @ good[flagged] / weights[flagged].sum()
            assert q == pytest.approx(expected, abs=1e-12)


@given(frame=scored())
@quick
def test_q_never_falls_as_rows_get_better(frame):
    good, weights = frame
    order = np.argsort(good, kind="stable")
    assert (np.diff(q_values(good, weights)[order]) >= -1e-12).all()


@given(frame=scored())
@quick
def test_q_lies_between_the_best_flagged_and_the_row_itself(frame):
    good, weights = frame
    q = q_values(good, weights)
    assert (q <= good + 1e-12).all()
    assert (q >= good.min() - 1e-12).all()


@given(frame=scored())
@quick
def test_rows_that_are_alike_have_the_same_q(frame):
    good, weights = frame
    q = q_values(good, weights)
    for value in np.unique(good):
        assert len(np.unique(q[good == value])) == 1


@given(frame=scored(), seed=st.integers(0, 99))
@quick
def test_order_is_immaterial_to_q(frame, seed):
    good, weights = frame
    order = np.random.default_rng(seed).permutation(len(good))
    np.testing.assert_allclose(
        q_values(good[order], weights[order]), q_values(good, weights)[order], atol=1e-12
    )


@given(frame=scored())
@quick
def test_a_weight_is_that_many_copies_to_q(frame):
    good, weights = frame
    owner = np.repeat(np.arange(len(good)), weights.astype(int))
    expected = q_values(good, weights)[owner]
    np.testing.assert_allclose(q_values(good[owner], np.ones(len(owner))), expected, atol=1e-12)


def test_rows_without_weight_do_not_dilute_a_rate():
    good, weights = np.array([0.0, 0.2, 0.4]), np.array([1.0, 0.0, 1.0])
    np.testing.assert_allclose(q_values(good, weights), [0.0, 0.0, 0.2], atol=1e-12)


def test_flagging_by_q_keeps_the_rate_on_average():
    # Rows that are good with probability p, flagged at a rate of 10 %.
    rng = np.random.default_rng(0)
    good = rng.random(20_000) ** 3
    is_good = rng.random(20_000) < good
    flagged = q_values(good, np.ones(20_000)) <= 0.1
    assert flagged.sum() > 5000
    assert is_good[flagged].mean() == pytest.approx(0.1, abs=0.01)


# Kinds.


def test_kinds_name_what_is_wrong():
    flagged = np.array([False, True, True, True, False])
    feature_outlier = np.array([False, False, True, True, False])
    far_off = np.array([False, True, False, True, True])
    assert list(kinds(flagged, feature_outlier, far_off)) == ["", "target", "features", "both", ""]


@given(bits=st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1))
@quick
def test_every_flagged_row_has_a_kind_and_it_names_outlying_features(bits):
    flagged, feature_outlier, far_off = np.array(bits).T
    flagged = flagged | feature_outlier
    found = kinds(flagged, feature_outlier, far_off)
    np.testing.assert_array_equal(found != "", flagged)
    np.testing.assert_array_equal(np.isin(found, ["features", "both"]), feature_outlier)


def test_without_a_screen_no_feature_is_odd():
    found = outlying_feature_names(None, 3, ["a", "b"])
    assert found.tolist() == ["", "", ""]


# Tables.

COLUMNS = {
    "row": np.arange(4),
    "score": np.array([0.5, 9.0, 3.0, 0.1]),
    "flagged": np.array([False, True, False, False]),
    "kind": np.array(["", "target", "features", ""]),
}
ORDER = np.array([1, 2, 0, 3])


@pytest.fixture
def no_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)


def test_table_is_a_data_frame_in_the_order_asked_for():
    found = table(COLUMNS, ORDER)
    assert isinstance(found, pandas.DataFrame)
    assert list(found.columns) == list(COLUMNS)
    for name, values in COLUMNS.items():
        np.testing.assert_array_equal(found[name].to_numpy(), values[ORDER])


def test_table_without_pandas_is_a_structured_array(no_pandas):
    found = table(COLUMNS, ORDER)
    assert isinstance(found, np.ndarray)
    assert found.dtype.names == tuple(COLUMNS)
    for name, values in COLUMNS.items():
        assert found[name].dtype == values.dtype
        np.testing.assert_array_equal(found[name], values[ORDER])


def test_several_outputs_are_one_cell_of_a_data_frame():
    values = np.arange(8.0).reshape(4, 2)
    found = table({"expected": values}, ORDER)
    assert len(found) == 4
    np.testing.assert_array_equal(np.stack(found["expected"].to_list()), values[ORDER])


def test_several_outputs_are_one_field_without_pandas(no_pandas):
    values = np.arange(8.0).reshape(4, 2)
    found = table({"row": np.arange(4), "expected": values}, ORDER)
    assert found.shape == (4,)
    np.testing.assert_array_equal(found["expected"], values[ORDER])


def test_labels_of_any_kind_survive_without_pandas(no_pandas):
    labels = np.array(["spam", 3, None, (1, 2)], dtype=object)
    found = table({"expected": labels}, ORDER)
    assert found["expected"].tolist() == [3, None, "spam", (1, 2)]


@pytest.mark.parametrize("there", [True, False], ids=["pandas", "no pandas"])
def test_an_empty_choice_of_rows_is_an_empty_table(there, request):
    if not there:
        request.getfixturevalue("no_pandas")
    found = table(COLUMNS, np.array([], dtype=int))
    assert len(found) == 0


def test_columns_are_copied():
    columns = {"score": np.arange(4.0)}
    found = table(columns, np.arange(4))
    found.loc[0, "score"] = 99.0
    assert columns["score"][0] == 0.0


# Rounding of targets.


def column(*values):
    return np.array(values, dtype=float)[:, None]


@pytest.mark.parametrize(
    ("y", "step"),
    [
        (column(0, 1, 0, 1, 1), 1.0),
        (column(0, 0, 0.5, 0.5, 1, 1), 0.5),
        (column(1, 2, 3, 4, 5), 0.0),  # no value recurs
        (column(7, 7, 7, 7), 0.0),  # a single value has no gaps
        (column(1, 1, 2, 2, 2.2, 3.3, 4.4, 5.5, 6.6), 0.0),  # most rows are alone
        (column(-2, -2, -4, -4, -6, -6, 1e9), 2.0),
    ],
)
def test_resolution_is_the_gap_between_values_that_recur(y, step):
    assert resolution(y, np.ones(len(y))) == pytest.approx(step)


def test_targets_rounded_to_a_tenth_have_that_resolution(rng):
    y = np.round(rng.normal(size=(500, 1)), 1)
    assert resolution(y, np.ones(500)) == pytest.approx(0.1)
    assert resolution(1e3 * y, np.ones(500)) == pytest.approx(100.0)


def test_wrong_targets_between_rounded_ones_leave_the_resolution_as_it_is(rng):
    y = rng.choice(
        [3.0, 4.0, 5.0, 6.0, 7.0, 8.0], size=(500, 1), p=[0.01, 0.04, 0.4, 0.4, 0.1, 0.05]
    )
    y[:100] += 2.4
    assert resolution(y, np.ones(500)) == pytest.approx(1.0)


def test_smooth_targets_have_no_resolution(rng):
    assert resolution(rng.normal(size=(500, 1)), np.ones(500)) == 0.0


def test_several_outputs_have_no_resolution(rng):
    assert resolution(np.round(rng.normal(size=(50, 2))), np.ones(50)) == 0.0


def test_a_weight_is_that_many_copies_to_the_resolution(rng):
    y = np.round(rng.normal(size=(40, 1)), 1)
    copies = rng.integers(0, 4, size=40)
    owner = np.repeat(np.arange(40), copies)
    assert resolution(y, copies.astype(float)) == resolution(y[owner], np.ones(len(owner)))


def test_rows_without_weight_do_not_change_the_resolution():
    y, weights = column(0, 0, 1, 1, 0.25, 0.25), np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])
    assert resolution(y, weights) == 1.0


def test_the_unit_of_equal_weights_does_not_matter_to_the_resolution():
    y = column(0, 1, 0, 1, 1, 0)
    assert resolution(y, np.full(6, 0.25)) == resolution(y, np.ones(6))


# Spread.


def test_spread_is_the_median_distance_from_the_median(rng):
    y = rng.normal(5.0, 3.0, size=(2001, 1))
    assert median_distance(y, np.ones(2001)) == pytest.approx(0.6745 * 3.0, rel=0.1)
    y[:400] = 1e12
    assert median_distance(y, np.ones(2001)) < 6.0


def test_spread_of_several_outputs_adds_up_as_lengths_do():
    y = np.column_stack([[-3.0, 0.0, 3.0], [-4.0, 0.0, 4.0]])
    assert median_distance(y, np.ones(3)) == pytest.approx(5.0)


# One size a row.


@pytest.mark.parametrize("outputs", [2, 3, 10])
@pytest.mark.parametrize("scale", [1.0, 1e-6])
def test_sizes_of_several_gaussian_outputs_are_gaussian(outputs, scale):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        residuals = scale * rng.normal(size=(2000, outputs))
        sizes = signed_norms(residuals, np.ones(2000))
        assert sizes.shape == (2000,)
        assert kstest(sizes / scale, "norm").pvalue > 1e-3


def test_the_size_of_a_single_output_is_the_residual(rng):
    residuals = rng.normal(size=(20, 1))
    np.testing.assert_array_equal(signed_norms(residuals, np.ones(20)), residuals[:, 0])


def test_sizes_follow_the_norms(rng):
    residuals = rng.standard_t(1.5, size=(500, 3))
    residuals[:5] *= np.array([1e2, 1e3, 1e4, 1e8, 1e12])[:, None]
    order = np.argsort(np.linalg.norm(residuals, axis=1))
    sizes = np.abs(signed_norms(residuals, np.ones(500)))[order]
    assert (np.diff(sizes) >= -1e-9 * sizes[1:]).all()


def test_the_unit_of_the_residuals_does_not_matter_to_sizes(rng):
    residuals = rng.standard_t(2, size=(300, 2))
    sizes = signed_norms(residuals, np.ones(300))
    for unit in (1e-6, 1e6):
        found = signed_norms(unit * residuals, np.ones(300))
        np.testing.assert_allclose(found, unit * sizes, rtol=1e-6)


def test_signs_are_those_of_the_sum(rng):
    residuals = rng.normal(size=(100, 3))
    sizes = signed_norms(residuals, np.ones(100))
    np.testing.assert_array_equal(np.sign(sizes), np.sign(residuals.sum(axis=1)))


def test_rows_without_weight_do_not_set_the_scale_of_sizes(rng):
    residuals = rng.normal(size=(300, 2))
    weights = np.r_[np.zeros(140), np.ones(160)]
    expected = signed_norms(residuals, weights)
    residuals[:140] *= 1e6
    found = signed_norms(residuals, weights)
    np.testing.assert_array_equal(found[140:], expected[140:])
    assert np.abs(found[:140]).min() > np.abs(found[140:]).max()


def test_a_weight_is_that_many_copies_to_sizes(rng):
    residuals = rng.normal(size=(60, 2))
    copies = rng.integers(1, 4, size=60)
    owner = np.repeat(np.arange(60), copies)
    found = signed_norms(residuals[owner], np.ones(len(owner)))
    expected = signed_norms(residuals, copies.astype(float))[owner]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("far", [1e12, 1e160, np.inf, np.nan])
def test_far_rows_have_the_largest_norms(far, rng):
    residuals = rng.normal(size=(100, 2))
    residuals[0, 1] = far
    with np.errstate(over="ignore", invalid="ignore"):
        sizes = signed_norms(residuals, np.r_[0.0, np.ones(99)])
    assert np.isfinite(sizes[1:]).all()
    assert not np.isnan(sizes[0])
    assert np.abs(sizes[0]) > 100 * np.abs(sizes[1:]).max()


def test_residuals_that_vanish_have_no_size():
    np.testing.assert_array_equal(signed_norms(np.zeros((30, 2)), np.ones(30)), 0.0)


# Grids.


def test_automatic_ridges_cover_at_least_six_decades_in_order():
    alphas = auto_alphas(1.0, 1000)
    assert (np.diff(alphas) > 0).all()
    assert alphas[-1] / alphas[0] >= 0.99e6
    np.testing.assert_allclose(alphas, ALPHA_FACTORS)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e9])
def test_automatic_ridges_follow_the_unit_of_the_kernel(unit):
    np.testing.assert_allclose(auto_alphas(unit, 1000), unit * auto_alphas(1.0, 1000))


def test_automatic_ridges_grow_with_the_cube_root_of_the_rows():
    np.testing.assert_allclose(auto_alphas(1.0, 1_000_000), 10 * auto_alphas(1.0, 1000))
    np.testing.assert_allclose(auto_alphas(1.0, 1), 0.1 * auto_alphas(1.0, 1000))


@given(unit=st.floats(1e-12, 1e12), n=st.integers(1, 10**7))
@quick
def test_automatic_ridges_are_round_numbers_around_what_is_asked_for(unit, n):
    alphas = auto_alphas(unit, n)
    size = unit * (n / 1000) ** (1 / 3)
    powers = np.log10(alphas[::2])
    np.testing.assert_allclose(powers, np.round(powers), atol=1e-9)
    assert alphas[0] < 1e-3 * size
    assert alphas[-1] > 10 * size


def test_features_that_say_nothing_have_positive_ridges():
    alphas = auto_alphas(0.0, 50)
    assert (alphas > 0).all()
    assert np.isfinite(alphas).all()


def test_nearest_measures_by_ratios():
    assert nearest(np.array([0.1, 1.0, 10.0]), 4.0) == 2
    assert nearest(np.array([0.1, 1.0, 10.0]), 3.0) == 1
    assert nearest(np.array([5.0]), 1e9) == 0


def test_results_list_kernels_first_and_rank_the_smallest_error_highest():
    grid = Grid([0.5, 2.0], [RBF(0.5), RBF(2.0)], np.array([0.1, 1.0, 10.0]), (0, 0))
    errors = np.array([[3.0, 1.0, 2.0], [0.5, 1.0, 9.0]])
    found = grid.results(errors)
    assert found["params"][4] == {"alpha": 1.0, "gamma": 2.0}
    np.testing.assert_array_equal(found["param_gamma"], [0.5, 0.5, 0.5, 2.0, 2.0, 2.0])
    np.testing.assert_array_equal(found["mean_test_score"], -errors.ravel())
    np.testing.assert_array_equal(found["rank_test_score"], [5, 2, 4, 1, 2, 6])
