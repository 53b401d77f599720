import numpy as np
import pytest

from untaint.report.stops import MOST_STOPS, slider_stops


def count_at(scores, cut):
    return 0 if cut is None else int((scores >= float(cut)).sum())


SCORES = {
    "few": np.array([1.0, 2.0, 2.0, 3.0]),
    "many": np.random.default_rng(0).gamma(2.0, 1.0, 100_000),
    "ties": np.random.default_rng(1).integers(0, 5, 1000).astype(float),
    "one value": np.full(50, 0.25),
    "negative": -np.random.default_rng(2).gamma(2.0, 1.0, 500),
    "infinite": np.array([np.inf, np.inf, 1.0, 0.5, -np.inf]),
    "unknown": np.array([np.nan, 2.0, 1.0, np.nan]),
    "none": np.array([]),
    "single precision": np.random.default_rng(3).random(999).astype(np.float32),
}


@pytest.mark.parametrize("scores", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize("cut", [-1.0, 0.25, 1.7, 2.0, 99.0, np.inf, np.nan])
def test_every_stop_counts_exactly(scores, cut):
    stops = slider_stops(scores, cut)
    wide = scores.astype(np.float64)
    assert stops["counts"] == [count_at(wide, c) for c in stops["cuts"]]
    assert stops["counts"] == sorted(set(stops["counts"]), reverse=True)
    assert stops["counts"][-1] == 0 or cut == np.inf
    assert len(stops["cuts"]) <= MOST_STOPS + 2
    assert stops["counts"][stops["suggested"]] == count_at(wide, None if np.isnan(cut) else cut)


def test_the_suggested_cut_is_a_stop():
    stops = slider_stops(SCORES["many"], 6.123)
    assert stops["cuts"][stops["suggested"]] == 6.123


def test_few_rows_are_told_apart_one_by_one():
    counts = slider_stops(SCORES["many"], 5.0)["counts"]
    assert set(range(50)) <= set(counts)
    assert counts[0] == 50_000


def test_the_slider_reaches_beyond_the_suggestion():
    scores = SCORES["many"]
    assert slider_stops(scores, float(np.quantile(scores, 0.3)))["counts"][0] == 100_000
