"""Every message names the parameter, says what it should be and what was found."""

from __future__ import annotations

import re
import warnings
from datetime import datetime
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from untaint import _validation
from untaint._validation import (
    check_choice,
    check_class_sizes,
    check_class_weight,
    check_contamination,
    check_count,
    check_labelled_data,
    check_matrix_memory,
    check_query_data,
    check_rate,
    check_real,
    check_training_data,
    memory,
    memory_bytes,
    seed_of,
)
from untaint.datasets._random_state import as_generator
from untaint.exceptions import MemoryLimitError


class Anything(BaseEstimator):
    """An estimator to hang attributes on."""


def raises(message, error=ValueError):
    return pytest.raises(error, match="^" + re.escape(message) + "$")


# Numbers


@pytest.mark.parametrize("value", [0, 0.5, 3, np.float32(2), np.int64(1), 1e300])
def test_real_numbers_are_accepted(value):
    check_real("alpha", value, low=0)


@pytest.mark.parametrize("value", [-1, -0.1, np.nan, np.inf, "1", None, True, np.bool_(True), [1]])
def test_a_bad_real_number_is_named(value):
    with raises(f"alpha must be a finite number of at least 0, got {value!r}."):
        check_real("alpha", value, low=0)


def test_bounds_are_spelt_out():
    with raises("tol must be a finite number greater than 0, got 0."):
        check_real("tol", 0, low=0, inclusive=False)
    with raises("momentum must be a finite number of at least 0 and less than 1, got 1."):
        check_real("momentum", 1, low=0, high=1)
    with raises("norm_bound must be a finite number greater than 0 or None, got -2."):
        check_real("norm_bound", -2, low=0, inclusive=False, optional=True)
    check_real("norm_bound", None, low=0, optional=True)


@pytest.mark.parametrize("value", [Fraction(1, 2), 10**30])
def test_any_python_number_will_do(value):
    check_real("alpha", value, low=0)


@pytest.mark.parametrize("value", [1, 7, np.int32(3)])
def test_counts_are_accepted(value):
    check_count("n_starts", value)


@pytest.mark.parametrize("value", [0, -1, 1.0, 2.5, "3", True, None])
def test_a_bad_count_is_named(value):
    with raises(f"n_starts must be an integer of at least 1, got {value!r}."):
        check_count("n_starts", value)


def test_an_optional_count_may_be_none():
    check_count("max_iter", None, optional=True)
    with raises("max_iter must be an integer of at least 5 or None, got 4."):
        check_count("max_iter", 4, low=5, optional=True)


# Names


def test_a_misspelt_choice_is_corrected():
    with raises(
        "solver must be one of 'exact', 'gradient', got 'gradiant'. Did you mean 'gradient'?"
    ):
        check_choice("solver", "gradiant", ("exact", "gradient"))


@pytest.mark.parametrize("value", ["zzz", 3, ["exact"], b"exact"])
def test_a_choice_unlike_any_other_gets_the_list(value):
    with raises(f"solver must be one of 'exact', 'gradient', got {value!r}."):
        check_choice("solver", value, ("exact", "gradient"))


def test_none_may_be_one_of_the_choices():
    check_choice("acceleration", None, (None, "momentum"))
    check_choice("acceleration", "momentum", (None, "momentum"))
    with raises("init must be one of 'auto', 'zeros', got None."):
        check_choice("init", None, ("auto", "zeros"))


# Contamination


@pytest.mark.parametrize("contamination", [0, 0.0, 0.1, 0.499, np.float32(0.25)])
def test_fractions_are_accepted(contamination):
    assert check_contamination(contamination, np.ones(100)) == pytest.approx(float(contamination))


def test_auto_leaves_the_contamination_open():
    assert check_contamination("auto", np.ones(3)) is None


@pytest.mark.parametrize("contamination", [-0.1, 0.5, 1, np.nan, "some", None, True])
def test_a_bad_contamination_is_named(contamination):
    with raises(f'contamination must be a number in [0, 0.5) or "auto", got {contamination!r}.'):
        check_contamination(contamination, np.ones(100))


def test_a_contamination_of_less_than_one_row_says_how_many_rows_it_takes():
    with pytest.raises(ValueError, match=r"contamination=0\.1 of n_samples = 5 .*at least 10 rows"):
        check_contamination(0.1, np.ones(5))
    assert check_contamination(0.1, np.ones(10)) == 0.1
    assert check_contamination(0.0, np.ones(1)) == 0.0


def test_copies_count_as_rows():
    assert check_contamination(0.1, np.full(5, 2.0)) == 0.1
    with pytest.raises(ValueError, match="n_samples = 5 "):
        check_contamination(0.1, np.r_[np.ones(5), np.zeros(20)])


# Learning rate


def test_rates_are_accepted():
    assert check_rate("auto") is None
    assert check_rate(0.5) == 0.5
    schedule = (1.0).__truediv__
    assert check_rate(schedule)(2) == schedule(2) == 0.5


@pytest.mark.parametrize("rate", [0, -1.0, np.inf, np.nan, "fast", None, True])
def test_a_bad_rate_is_named(rate):
    with raises(
        'learning_rate must be a positive number, a function of the iteration or "auto", '
        f"got {rate!r}."
    ):
        check_rate(rate)


# Memory


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4GB", 4 * 10**9),
        ("4 GB", 4 * 10**9),
        (" 4gb ", 4 * 10**9),
        ("1.5G", 15 * 10**8),
        (".5MB", 5 * 10**5),
        ("200k", 2 * 10**5),
        ("2TB", 2 * 10**12),
        ("512", 512),
        ("512B", 512),
        (1000, 1000),
        (np.int64(1000), 1000),
        (1e9, 10**9),
    ],
)
def test_memory_is_read(text, size):
    assert memory_bytes(text) == size


@pytest.mark.parametrize(("text", "size"), [("1KiB", 2**10), ("4GiB", 2**32), ("2 MiB", 2**21)])
def test_binary_units_are_binary(text, size):
    assert memory_bytes(text) == size


@pytest.mark.parametrize(
    "limit",
    ["", "GB", "four GB", "-1GB", "1.2.3GB", ".", "4XB", "0GB", "0", 0, -5, np.inf, None, True],
)
def test_a_bad_memory_limit_is_named(limit):
    with raises(
        f'memory_limit must be a number of bytes, a string such as "4GB" or "auto", got {limit!r}.'
    ):
        memory_bytes(limit)


def test_auto_is_half_of_what_is_free(monkeypatch):
    monkeypatch.setattr(memory, "_free_memory", lambda: 10**6)
    assert memory_bytes("auto") == 500_000


def test_free_memory_is_a_sensible_number():
    assert 10**7 < memory._free_memory() < 10**15


def test_a_matrix_that_does_not_fit_is_refused_with_both_sizes():
    message = (
        r"kernel matrix of 10,000 rows takes 800 MB, more than memory_limit='100MB' allows "
        r"\(100 MB\): raise memory_limit, .*kernel=\"linear\""
    )
    for error in (MemoryLimitError, MemoryError, ValueError):
        with pytest.raises(error, match=message):
            check_matrix_memory(10_000, np.float64, "100MB")


def test_a_matrix_that_just_fits_is_let_through():
    check_matrix_memory(1000, np.float64, 8_000_000)
    check_matrix_memory(1000, np.float32, 4_000_000)
    with pytest.raises(MemoryLimitError, match="8 MB"):
        check_matrix_memory(1000, np.float64, 7_999_999)


def test_rows_by_the_million_do_not_overflow():
    with pytest.raises(MemoryLimitError, match=r"takes 8e\+07 TB|takes 8e\+06 TB"):
        check_matrix_memory(10**9, np.float64, "1TB")


# Data


def training(X, y, sample_weight=None, pairwise=False):
    return check_training_data(Anything(), X, y, sample_weight, pairwise=pairwise)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (np.float64, np.float64),
        (np.float32, np.float32),
        (np.int64, np.float64),
        (bool, np.float64),
    ],
)
def test_single_precision_stays_and_all_else_is_double(given, kept):
    X, y, weights = training(np.eye(3).astype(given), [1, 2, 3])
    assert X.dtype == kept
    assert y.dtype == kept
    np.testing.assert_array_equal(weights, np.ones(3))
    assert weights.dtype == np.float64


def test_double_targets_stay_double_beside_single_rows():
    _, y, _ = training(np.eye(3, dtype=np.float32), np.array([1.0, 2.0, 3.0]))
    assert y.dtype == np.float64


@pytest.mark.parametrize("convert", [sp.csr_array, sp.csc_array, sp.coo_array])
def test_sparse_rows_become_csr(convert):
    X, _, _ = training(convert(np.eye(3)), [1.0, 2.0, 3.0])
    assert X.format == "csr"


def test_several_outputs_keep_their_shape():
    _, y, _ = training(np.eye(3), np.ones((3, 2)))
    assert y.shape == (3, 2)


def test_bad_weights_are_named():
    with raises("sample_weight must not be negative, got a smallest weight of -2."):
        training(np.eye(3), [1, 2, 3], [1.0, -2.0, 1.0])
    with raises("sample_weight must be positive for at least one row, got only zeros."):
        training(np.eye(3), [1, 2, 3], np.zeros(3))
    with pytest.raises(ValueError, match=r"sample_weight.*shape"):
        training(np.eye(3), [1, 2, 3], np.ones(2))
    with pytest.raises(ValueError, match="sample_weight contains NaN"):
        training(np.eye(3), [1, 2, 3], [1.0, np.nan, 1.0])


@pytest.mark.parametrize("weight", [2, 2.0, None])
def test_one_weight_for_all_rows_and_none_at_all(weight):
    _, _, weights = training(np.eye(3), [1, 2, 3], weight)
    np.testing.assert_array_equal(weights, np.full(3, weight or 1.0))


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_missing_and_infinite_cells_are_refused(wrong):
    X = np.eye(3)
    X[1, 1] = wrong
    with pytest.raises(ValueError, match="Input X contains"):
        training(X, [1, 2, 3])
    with pytest.raises(ValueError, match="Input y contains"):
        training(np.eye(3), [1.0, wrong, 2.0])


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("wrong", ["text", "dates", "missing"])
def test_the_column_of_a_frame_that_is_no_number_is_named(library, wrong):
    frames = pytest.importorskip(library)
    days = [datetime(2020, 1, 1 + k) for k in range(3)]
    cells = {"text": ["1", "two", "3"], "dates": days, "missing": [1.0, None, 2.0]}[wrong]
    X = frames.DataFrame({"a": [1.0, 2.0, 3.0], "b": cells})
    found = {"text": "'two' in", "dates": "the type datetime.* in", "missing": "nan in"}[wrong]
    for check in (training, labelled):
        with pytest.raises(ValueError, match=rf"X must hold .*numbers, got {found} column 'b'.*;"):
            check(X, [1, 2, 3])


def test_rows_without_columns_are_refused_with_their_shape():
    with pytest.raises(ValueError, match=r"^X must have rows and columns, got the shape \(3,\)"):
        training(np.ones(3), [1, 2, 3])


def test_targets_that_are_fewer_than_the_rows_are_counted():
    for check in (training, labelled):
        with pytest.raises(ValueError, match=r"^y must have 3 rows like X, got 2"):
            check(np.ones((3, 1)), [1, 2])


def test_lazy_frames_are_refused():
    lazy = pytest.importorskip("polars").LazyFrame({"a": [1.0, 2.0]})
    with pytest.raises(TypeError, match="X must be a table in memory, got a lazy frame"):
        training(lazy, [1, 2])


def test_a_kernel_matrix_must_be_square_and_dense():
    with raises(
        "X must be the square kernel matrix of the training rows when kernel='precomputed', "
        "got shape (3, 2)."
    ):
        training(np.ones((3, 2)), [1, 2, 3], pairwise=True)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        training(sp.csr_array(np.eye(3)), [1, 2, 3], pairwise=True)


def test_a_query_must_have_the_columns_of_the_fit():
    estimator = Anything()
    check_training_data(estimator, np.eye(3), [1, 2, 3], None, pairwise=False)
    check_query_data(estimator, np.ones((5, 3)), pairwise=False, n_fit=3)
    with pytest.raises(ValueError, match="X has 2 features, but Anything is expecting 3"):
        check_query_data(estimator, np.ones((5, 2)), pairwise=False, n_fit=3)


def test_a_kernel_query_says_how_many_columns_it_needs():
    estimator = Anything()
    check_training_data(estimator, np.ones((4, 3)), [1, 2, 3, 4], None, pairwise=False)
    with raises(
        "X must hold the kernel of each new row with every training row when "
        "kernel='precomputed': 4 columns, got shape (5, 3)."
    ):
        check_query_data(estimator, np.ones((5, 3)), pairwise=True, n_fit=4)


# Labels


def labelled(X, y, sample_weight=None, pairwise=False):
    return check_labelled_data(Anything(), X, y, sample_weight, pairwise=pairwise)


@pytest.mark.parametrize(
    ("y", "classes", "codes"),
    [
        ([3, 1, 3, 7], [1, 3, 7], [1, 0, 1, 2]),
        (["dog", "cat", "dog", "cat"], ["cat", "dog"], [1, 0, 1, 0]),
        ([True, False, True, True], [False, True], [1, 0, 1, 1]),
        ([-1.0, 1.0, 1.0, -1.0], [-1.0, 1.0], [0, 1, 1, 0]),
        (np.array(["b", "a", "b", "a"], dtype=object), ["a", "b"], [1, 0, 1, 0]),
    ],
    ids=["integers", "strings", "booleans", "whole floats", "objects"],
)
def test_labels_of_any_type_become_codes(y, classes, codes):
    X, found, found_codes, weights = labelled(np.eye(4), y)
    np.testing.assert_array_equal(found, classes)
    np.testing.assert_array_equal(found_codes, codes)
    np.testing.assert_array_equal(weights, np.ones(4))
    assert X.dtype == np.float64


@pytest.mark.parametrize(("given", "kept"), [(np.float32, np.float32), (int, np.float64)])
def test_labelled_rows_keep_their_precision(given, kept):
    X, *_ = labelled(np.eye(4).astype(given), [0, 1, 0, 1])
    assert X.dtype == kept


def test_labelled_sparse_rows_become_csr():
    X, *_ = labelled(sp.coo_array(np.eye(4)), [0, 1, 0, 1])
    assert X.format == "csr"


@pytest.mark.parametrize("label", [1, "a"])
def test_one_class_is_not_enough(label):
    message = "^y must hold at least two classes, got only one class: .*%s.* in all rows.$"
    with pytest.raises(ValueError, match=message % label):
        labelled(np.eye(4), [label] * 4)


@pytest.mark.parametrize(("label", "shown"), [(1, "1"), ("a", "'a'")])
def test_a_class_is_shown_as_the_user_wrote_it(label, shown):
    with raises(f"y must hold at least two classes, got only one class: {shown} in all rows."):
        labelled(np.eye(4), [label] * 4)


def test_a_class_without_weight_is_named():
    with pytest.raises(
        ValueError,
        match=r"^sample_weight must be positive for at least one row of each class, got only zeros "
        r"for class .*dog.*[.]$",
    ):
        labelled(np.eye(4), ["cat", "dog", "cat", "dog"], [1.0, 0.0, 1.0, 0.0])
    labelled(np.eye(4), ["cat", "dog", "cat", "dog"], [1.0, 0.0, 0.0, 1.0])


def test_bad_weights_of_labelled_rows_are_named():
    with raises("sample_weight must not be negative, got a smallest weight of -2."):
        labelled(np.eye(3), [0, 1, 1], [1.0, -2.0, 1.0])
    with raises("sample_weight must be positive for at least one row, got only zeros."):
        labelled(np.eye(3), [0, 1, 1], np.zeros(3))


def test_numbers_are_no_labels():
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        labelled(np.eye(3), [0.1, 0.2, 0.3])


def test_labels_are_one_column():
    with pytest.raises(ValueError, match="y should be a 1d array"):
        labelled(np.eye(3), np.eye(3))


MISSING = [[0.0, np.nan, 1.0], *(np.array(["a", x, "b"], dtype=object) for x in (np.nan, pd.NA))]


@pytest.mark.parametrize("y", MISSING, ids=["numbers", "text", "pandas.NA"])
def test_missing_labels_are_refused(y):
    with pytest.raises(ValueError, match="contains NaN"):
        labelled(np.eye(3), y)


def test_labelled_kernel_matrices_are_square():
    with pytest.raises(ValueError, match="X must be the square kernel matrix"):
        labelled(np.ones((3, 2)), [0, 1, 1], pairwise=True)


CLASSES, CODES = np.array(["cat", "dog"]), np.array([0, 0, 0, 1])


def test_no_class_weight_leaves_the_weights():
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_array_equal(check_class_weight(None, CLASSES, CODES, weights), weights)


def test_class_weights_multiply_the_weights_of_the_rows():
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    found = check_class_weight({"dog": 0.5}, CLASSES, CODES, weights)
    np.testing.assert_array_equal(found, [1.0, 2.0, 3.0, 2.0])
    numbers = check_class_weight({np.int64(5): 2, 7: 3}, np.array([5, 7]), CODES, weights)
    np.testing.assert_array_equal(numbers, [2.0, 4.0, 6.0, 12.0])
    np.testing.assert_array_equal(weights, [1.0, 2.0, 3.0, 4.0])


def test_balanced_gives_every_class_the_same_total():
    weights = np.array([1.0, 2.0, 1.0, 1.0])
    found = check_class_weight("balanced", CLASSES, CODES, weights)
    np.testing.assert_allclose(np.bincount(CODES, found), [2.5, 2.5])
    # And a weight is still that many copies.
    owner = np.array([0, 1, 1, 2, 3])
    copies = check_class_weight("balanced", CLASSES, CODES[owner], np.ones(5))
    np.testing.assert_allclose(np.bincount(owner, copies), found)


@pytest.mark.parametrize("weight", ["equal", "Balanced", [1, 2], 3])
def test_a_bad_class_weight_is_named(weight):
    with raises(f'class_weight must be a dict, "balanced" or None, got {weight!r}.'):
        check_class_weight(weight, CLASSES, CODES, np.ones(4))


def test_a_class_weight_for_no_class_is_named():
    with raises("class_weight names the class 'cow', which y does not hold."):
        check_class_weight({"cat": 1.0, "cow": 2.0}, CLASSES, CODES, np.ones(4))


@pytest.mark.parametrize("weight", [0, -1, np.nan, np.inf, "1", None, True])
def test_a_bad_weight_of_a_class_is_named(weight):
    with raises(f"class_weight['cat'] must be a finite number greater than 0, got {weight!r}."):
        check_class_weight({"cat": weight}, CLASSES, CODES, np.ones(4))


@pytest.mark.parametrize("contamination", [0.1, 0.45])
def test_a_class_of_one_row_cannot_be_trimmed(contamination):
    with pytest.raises(
        ValueError,
        match=rf"^too few rows to trim: class .*dog.* has 1, and contamination={contamination} "
        r"needs at least 2 in each class; .*set contamination=0\.$",
    ):
        check_class_sizes(contamination, CLASSES, CODES, np.ones(4))


@pytest.mark.parametrize("contamination", [None, 0.0])
def test_a_class_of_one_row_is_welcome_without_trimming(contamination):
    check_class_sizes(contamination, CLASSES, CODES, np.ones(4))


def test_copies_and_fractions_count_as_rows_of_their_class():
    check_class_sizes(0.1, CLASSES, CODES, np.array([1.0, 1.0, 1.0, 2.0]))
    check_class_sizes(0.1, CLASSES, np.array([0, 0, 1, 1]), np.full(4, 0.01))
    with pytest.raises(ValueError, match=r"dog.* has 1, "):
        check_class_sizes(0.1, CLASSES, np.array([0, 0, 1, 1]), np.array([1.0, 1.0, 1.0, 0.0]))


def test_checks_of_good_input_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        training(np.eye(3), [1, 2, 3], [1, 2, 3])
        labelled(np.eye(3), ["a", "b", "a"], [1, 2, 3])
        check_contamination(0.2, np.ones(10))
        memory_bytes("4GB")


@pytest.mark.parametrize(
    "y", [["1", "two", "3"], np.array(["1", "two", "3"]), np.array([1.0, "two", 3.0], dtype=object)]
)
def test_text_among_the_targets_is_named(y):
    with pytest.raises(ValueError, match=r"y must hold numbers, got 'two' in row 1\."):
        _validation.check_training_data(BaseEstimator(), np.eye(3), y, None, pairwise=False)


def test_text_that_reads_as_a_number_is_one():
    y = ["1", "2.5", "-3e2"]
    found = _validation.check_training_data(BaseEstimator(), np.eye(3), y, None, pairwise=False)[1]
    np.testing.assert_array_equal(found, [1.0, 2.5, -300.0])


def test_a_target_that_is_none_is_named():
    with pytest.raises(ValueError, match=r"y must hold finite numbers, got none in row 2\."):
        _validation.check_training_data(
            BaseEstimator(), np.eye(3), [1.0, 2.0, None], None, pairwise=False
        )


def test_numbers_are_bounded_from_above():
    with pytest.raises(ValueError, match="greater than 0 or None, got 1000"):
        check_real("norm_bound", 10**400, low=0, inclusive=False, optional=True)
    with raises("n_rounds must be an integer of at least 1 and at most 9, got 10."):
        check_count("n_rounds", 10, high=9)
    with pytest.raises(ValueError, match="at least 1 and at most 1,000,000,000,000,000, got"):
        check_count("budget", 10**30)


@pytest.mark.parametrize("found", [None, "x", -1, np.nan, np.ones(2), 1j])
def test_what_a_schedule_returns_is_checked(found):
    schedule = check_rate(lambda t: found)
    with pytest.raises(ValueError, match="learning_rate must give a finite number of at least 0"):
        schedule(1)


@pytest.mark.parametrize("seed", [-1, "a", 1.5])
def test_seeds_are_named(seed):
    for draw in (seed_of, as_generator):
        with pytest.raises(ValueError, match=f"random_state must be .* got {seed!r}"):
            draw(seed)


def test_sparse_targets_and_weights_that_are_complex_are_refused():
    X = np.eye(4)
    with pytest.raises(TypeError, match="y must be a dense array, got a sparse matrix"):
        check_training_data(Anything(), X, sp.csr_matrix(X[:, :1]), None, pairwise=False)
    with pytest.raises(ValueError, match="sample_weight must hold numbers, got the type complex"):
        check_training_data(Anything(), X, X[0], X[0] + 1j, pairwise=False)
