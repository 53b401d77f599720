"""Flags are compared with the rows that are truly bad."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.automatic.audit import flags_and_scores
from benchmarks.automatic.detection import false_discoveries, recall, recall_allowed

BAD = np.array([True, True, False, False, True])


def test_shares_follow_their_definitions():
    flagged = np.array([True, False, True, False, False])
    assert false_discoveries(flagged, BAD) == 0.5
    assert recall(flagged, BAD) == pytest.approx(1 / 3)


def test_flagging_nothing_makes_no_false_discovery():
    nothing = np.zeros(5, dtype=bool)
    assert false_discoveries(nothing, BAD) == 0.0
    assert recall(nothing, BAD) == 0.0


def test_without_bad_rows_there_is_no_recall():
    good = np.zeros(5, dtype=bool)
    assert np.isnan(recall(BAD, good))
    assert np.isnan(recall_allowed(np.arange(5.0), good, 0.1))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.5])
def test_the_recall_allowed_is_the_best_over_all_thresholds(rng, share):
    score, bad = np.round(rng.normal(size=60), 1), rng.random(60) < 0.4
    score[bad] += 1.0
    flags = [score >= threshold for threshold in [*score, np.inf]]
    best = max(recall(flag, bad) for flag in flags if false_discoveries(flag, bad) <= share)
    assert recall_allowed(score, bad, share) == pytest.approx(best)


def test_rows_of_the_same_score_are_not_parted():
    score = np.array([2.0, 1.0, 1.0])
    assert recall_allowed(score, np.array([True, True, False]), 0.0) == 0.5


def test_flags_are_in_the_order_of_the_rows():
    table = {"row": [2, 0, 1], "flagged": [True, False, True], "score": [3.0, 1.0, 2.0]}
    flagged, score = flags_and_scores(table)
    np.testing.assert_array_equal(flagged, [False, True, True])
    np.testing.assert_array_equal(score, [1.0, 2.0, 3.0])
