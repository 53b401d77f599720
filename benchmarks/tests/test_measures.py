"""Measures follow their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.data.protocol import split_of
from benchmarks.frame import Case
from benchmarks.measures import (
    balanced_error,
    bounded_error,
    false_discoveries,
    recall,
    recall_allowed,
)
from benchmarks.methods import detection
from benchmarks.methods.search import estimator

BAD = np.array([True, True, False, False, True])


def test_shares_follow_their_definitions():
    flagged = np.array([True, False, True, False, False])
    assert false_discoveries(flagged, BAD) == 0.5
    assert recall(flagged, BAD) == pytest.approx(1 / 3)


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


def test_validation_errors_of_wild_rows_are_bounded():
    y = np.array([-1.0, 0.0, 1.0, 1e6])
    assert bounded_error(y, np.zeros(4)) < 2.0
    assert bounded_error(np.array([0.0, 0.0, 0.0, 4.0]), np.zeros(4)) == 4.0  # without deviation
    assert balanced_error(np.array([0, 0, 0, 1]), np.zeros(4)) == 0.5


def test_the_oracle_scores_clean_rows_by_fits_without_them():
    split = split_of(Case("smooth-150", "label", 0.2, "untaint-cv", 0))
    genie = estimator("label", 0, contamination=0.0)
    clean = split.clean_mask
    genie.fit(split.X_train[clean], split.y_train[clean])
    fitted = np.abs(genie.predict(split.X_train[clean]) - split.y_train[clean])
    assert np.all(detection.oracle(split, "label", 0)[clean] >= fitted - 1e-9)
