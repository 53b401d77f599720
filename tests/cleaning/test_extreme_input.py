"""Values that no library can hold are read, or refused with a sentence that names them."""

import numpy as np
import pandas as pd
import pytest

import untaint

N = 100
BIG = 10**30


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"x": rng.normal(size=N), "z": rng.normal(size=N)})


def test_whole_numbers_above_64_bits_are_numbers(frame):
    frame["b"] = pd.Series([BIG * (3 + i % 17) for i in range(N)], dtype=object)
    frame.loc[7, "b"] = -frame.loc[7, "b"]
    found = untaint.clean(frame, random_state=0).cells
    assert found[["row", "column", "kind"]].to_numpy().tolist() == [[7, "b", "sign"]]


def test_targets_that_are_one_number_in_double_precision(frame):
    frame["b"] = pd.Series([BIG + i % 2 for i in range(N)], dtype=object)
    message = rf"data: expected numbers that double precision can tell apart .*'b'.*{BIG + 1}"
    with pytest.raises(ValueError, match=message):
        untaint.clean(frame, target="b")


def test_labels_above_64_bits(frame):
    message = rf"y must hold labels that are text or whole numbers of at most 64 bits, got {BIG}"
    with pytest.raises(ValueError, match=message):
        untaint.SubquantileClassifier().fit(frame, [BIG + i % 2 for i in range(N)])


def test_lone_surrogate(frame):
    frame["b"] = pd.Series(["a\ud800", "b"] * (N // 2), dtype=object)
    message = r"data: expected text that UTF-8 can encode in column 'b', found .*a\\ud800"
    with pytest.raises(ValueError, match=message):
        untaint.clean(frame)


@pytest.mark.parametrize(
    ("scale", "learner"), [(1e304, "trees"), (1e200, "kernel"), (1e-200, "auto")]
)
def test_targets_whose_squares_are_no_numbers(frame, scale, learner):
    frame["y"] = (3 * frame["x"] + frame["z"]) * scale
    message = r"data: expected targets between 1e-150 and 1e\+150 in size, and 'y' has sizes"
    with pytest.raises(ValueError, match=message):
        untaint.clean(frame, target="y", learner=learner)


def test_one_huge_target_is_wrong_for_trees_as_well(frame):
    frame["y"] = 3 * frame["x"] + frame["z"]
    frame.loc[3, "y"] = 1e308
    assert untaint.clean(frame, "y", learner="trees", random_state=0).rows["row"].tolist() == [3]
