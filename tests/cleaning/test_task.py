"""Numeric targets and class labels are distinguished, and a note says what was assumed."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from untaint.cleaning.task import decide_task
from untaint.preprocessing import MedianScaler


def rows(n=300, d=3, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def test_text_is_a_label():
    y = np.array(["a", "b"] * 150, dtype=object)
    assert decide_task("y", y, rows(), "auto") == ("classification", "")


def test_many_numbers_are_a_numeric_target():
    assert decide_task("y", rows()[:, 0], rows(), "auto") == ("regression", "")


def test_two_numbers_are_labels_and_a_note_says_so():
    task, note = decide_task("sold", (rows()[:, 0] > 0).astype(float), rows(), "auto")
    assert task == "classification"
    assert note.startswith("'sold' has 2 values and is treated as class labels")
    assert "--task regression" in note


def test_grades_are_a_numeric_target():
    X = rows(600)
    noisy = X[:, 0] + X[:, 1] + 0.5 * np.random.default_rng(1).standard_normal(600)
    task, note = decide_task("grade", np.digitize(noisy, [-2, -1, 0, 1, 2]) * 1.0, X, "auto")
    assert task == "regression"
    assert "--task classification" in note


@pytest.mark.parametrize("load", [load_digits, load_iris])
def test_codes_are_a_label(load):
    X, y = load(return_X_y=True)
    task, note = decide_task("code", y.astype(float), MedianScaler().fit_transform(X), "auto")
    assert task == "classification"
    assert "--task regression" in note


def test_codes_in_disorder_are_a_label_even_if_their_order_would_say_otherwise():
    X = rows(600)
    ordered = np.digitize(X[:, 0], [-1.2, -0.6, 0, 0.6, 1.2])
    disorder = np.array([3, 0, 5, 1, 4, 2])
    assert decide_task("y", ordered * 1.0, X, "auto")[0] == "regression"
    assert decide_task("y", disorder[ordered] * 1.0, X, "auto")[0] == "classification"


def test_few_rows_of_each_value_or_halves_are_a_numeric_target():
    assert decide_task("y", np.arange(9.0).repeat(2), rows(18), "auto") == ("regression", "")
    assert decide_task("y", np.array([0.5, 1, 1.5, 2] * 75), rows(), "auto") == ("regression", "")


@pytest.mark.parametrize("requested", ["regression", "classification"])
def test_the_user_decides(requested):
    y = np.array([0.0, 1.0] * 150)
    assert decide_task("y", y, rows(), requested) == (requested, "")


def test_text_is_no_numeric_target_whatever_the_user_asks_for():
    with pytest.raises(
        ValueError, match="regression needs numbers in the target, and 'y' holds text"
    ):
        decide_task("y", np.array(["a", "b"], dtype=object), rows(2), "regression")


def test_equal_rows_do_not_upset_it():
    y = np.array([1.0, 2.0, 3.0, 4.0] * 20)
    assert decide_task("y", y, np.zeros((80, 2)), "auto")[0] in ("regression", "classification")


def test_words_in_a_target_that_should_be_numbers_are_counted_and_quoted(tmp_path):
    from untaint.cleaning import clean_table
    from untaint.io import DataFileError, read_table

    lines = [f"{i % 7},{'lost' if i % 5 == 4 else i % 3}" for i in range(40)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["x,y", *lines]))
    said = r"target 'y', and of its 40 cells 8 are no numbers, such as 'lost' in line 6; correct"
    with pytest.raises(DataFileError, match=said):
        clean_table(read_table(path), "y", task="regression")


def test_words_that_make_labels_of_numbers_are_noted(tmp_path):
    from untaint.cleaning.preparing import prepare
    from untaint.io import read_table

    lines = [f"{i % 7},{'lost' if i % 5 == 4 else i % 3}" for i in range(40)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["x,y", *lines]))
    prepared = prepare(read_table(path), "y", "auto")
    assert prepared.task == "classification"
    assert "because of its 40 cells 8 are no numbers, such as 'lost' in line 6" in (
        prepared.task_note
    )
