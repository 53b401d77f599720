"""Both readings of the papers' label noise."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.papers.readings import READINGS, corrupted, evaluate

from benchmarks import Case
from benchmarks.studies import readings


@pytest.mark.parametrize(("kind", "reading"), READINGS.items())
def test_bad_targets_follow_the_reading_that_is_asked_for(kind, reading):
    split = corrupted("polynomial-var", kind, 0.4, 0)
    bad, (mean, deviation) = ~split.clean_mask, reading
    assert bad.sum() == 320
    assert split.y_train[bad].mean() == pytest.approx(mean, abs=4 * deviation / np.sqrt(320))
    assert split.y_train[bad].std() == pytest.approx(deviation, rel=0.15)


def test_the_same_clean_rows_serve_every_reading():
    splits = [corrupted("polynomial-sd", kind, 0.2, 1) for kind in READINGS]
    for split in splits[1:]:
        np.testing.assert_array_equal(split.clean_mask, splits[0].clean_mask)
        clean = split.clean_mask
        np.testing.assert_array_equal(split.y_train[clean], splits[0].y_train[clean])


@pytest.mark.parametrize("method", ["genie", "krr", "least-squares"])
def test_every_method_has_an_error(method):
    found = evaluate(Case("kiln", "N(0, var 5)", 0.2, method, 0))
    assert 0 < found["rmse"] < 2


def test_the_printed_errors_stand_beside_ours():
    case = Case("boston", "N(5, sd 5)", 0.2, "krr", 0)
    text = readings.table([{**vars(case), "rmse": 1.25, "error": ""}])
    assert "| boston | N(5, sd 5) | 0.2 | 1.250 | 1.285, 0.468 |" in text
