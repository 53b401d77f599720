"""Frames of text as numbers, and what is said of rows that cannot be such."""

import numpy as np
import pytest

from untaint import RobustClassifier
from untaint.io.frame import frame_table
from untaint.meta_estimators.encoding import NumericEncoder
from untaint.meta_estimators.learner import FitRequest
from untaint.meta_estimators.problem import Problem

pandas = pytest.importorskip("pandas")


def test_few_distinct_rows_of_text_are_encoded():
    """No level is frequent among the distinct rows, of which there are four."""
    frame, codes = pandas.DataFrame({"t": ["a", "b"] * 40}), np.repeat([0, 1], 40)
    request = FitRequest(frame, codes, None, None, lambda _: None)
    problem = Problem(RobustClassifier(), request, codes)
    assert problem.features.shape == (80, 1) and np.ptp(problem.features) > 0


def test_names_of_columns_are_different():
    frame = pandas.DataFrame([["a", "b"]] * 9, columns=["z", "z"])
    with pytest.raises(ValueError, match="expected column names that are all different, found 'z'"):
        frame_table(frame)


def test_missing_cells_of_whole_numbers_are_filled():
    whole = pandas.array([1, None, 3, 4, 5], dtype="Int64")
    encoder = NumericEncoder().fit(pandas.DataFrame({"x": whole}))
    assert encoder.medians_.tolist() == [3.5]


def test_text_comes_in_frames():
    with pytest.raises(ValueError, match="X must hold numbers, or be a data frame"):
        NumericEncoder().fit(np.array([["a"], ["b"]], dtype=object))
    frame = pandas.DataFrame({"t": ["a", "b"] * 9})
    encoder = NumericEncoder().fit(frame)
    with pytest.raises(TypeError, match="X should be a data frame, as the one of the fit, got nda"):
        encoder.transform(frame.to_numpy())
