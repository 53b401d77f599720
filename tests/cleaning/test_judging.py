"""The verdict on the rows: what is flagged, what is spared, and what hides behind what."""

import numpy as np
import pytest

from untaint.cleaning import judging
from untaint.cleaning.judging import cut_at, judge
from untaint.cleaning.outlying import Outlying


def plausible(n):
    return Outlying(np.zeros(n, dtype=bool), {})


def curve(n=400, seed=0, noise=0.05):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 2))
    return X, np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + noise * rng.standard_normal(n)


def verdict(X, y, **changed):
    settings = {"task": "regression", "contamination": "auto", "seed": 0} | changed
    settings.setdefault("outlying", plausible(len(y)))
    return judge(X, y, **settings)


def test_flags_are_a_cut_through_the_scores():
    X, y = curve()
    y[::20] += 3
    found = verdict(X, y)
    np.testing.assert_array_equal(found.flagged, found.scores >= found.cut)


def test_clean_rows_are_all_spared():
    found = verdict(*curve())
    assert not found.flagged.any()
    assert found.share == 0
    assert found.interval[0] == 0


def test_gross_errors_are_flagged_and_the_share_is_estimated():
    X, y = curve()
    wrong = np.arange(400) % 10 == 0
    y[wrong] += np.where(np.arange(40) % 2, 3, -3)
    found = verdict(X, y)
    np.testing.assert_array_equal(found.flagged, wrong)
    assert found.share == pytest.approx(0.1, abs=0.02)
    assert found.interval[0] <= 0.1 <= found.interval[1]
    assert set(found.kinds[wrong]) == {"target"}
    np.testing.assert_allclose(found.expected[wrong], curve(noise=0)[1][wrong], atol=0.3)


def test_small_errors_behind_large_ones_are_found():
    X, y = curve(noise=0.02)
    large, small = np.arange(400) % 20 == 0, np.arange(400) % 20 == 10
    y[large] += 500
    y[small] += 0.8
    found = verdict(X, y)
    assert found.flagged[large].all()
    assert found.flagged[small].mean() > 0.8
    assert (found.flagged & ~large & ~small).mean() < 0.01


def test_a_single_gross_error_is_flagged_where_no_share_can_be_estimated():
    X, y = curve()
    y[7] += 4
    assert np.flatnonzero(verdict(X, y).flagged).tolist() == [7]


def test_a_share_that_is_asked_for_is_given_up():
    found = verdict(*curve(), contamination=0.05)
    assert found.flagged.sum() == 20
    assert found.interval is None


def test_factors_are_seen_on_the_scale_of_factors():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(400, 2))
    y = np.exp(2 * X[:, 0] + X[:, 1] + 0.05 * rng.standard_normal(400))
    wrong = np.arange(400) % 10 == 0
    y[wrong] *= np.where(np.arange(40) % 2, 10, 0.1)
    found = verdict(X, y)
    assert found.scale == "log"
    np.testing.assert_array_equal(found.flagged, wrong)
    assert np.median(np.abs(np.log(found.expected / y))[~wrong]) < 0.1


def test_implausible_rows_are_flagged_and_have_no_part_in_the_fit():
    X, y = curve()
    wild = np.zeros(400, dtype=bool)
    wild[[3, 70]] = True
    y[wild] = 1e6
    odd = {3: np.array([0]), 70: np.array([1])}
    found = verdict(X, y, outlying=Outlying(wild, odd))
    np.testing.assert_array_equal(found.flagged, wild)
    assert found.kinds[3] == "features"
    assert np.isnan(found.expected[3])
    assert len(found.fitted) == 398
    assert found.share == pytest.approx(2 / 400)
    np.testing.assert_array_equal(found.flagged, found.scores >= found.cut)


def test_wrong_labels_are_flagged():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(-2, 1, (150, 2)), rng.normal(2, 1, (150, 2))])
    truth = np.repeat(["left", "right"], 150)
    wrong = rng.random(300) < 0.1
    y = np.where(wrong, np.where(truth == "left", "right", "left"), truth)
    found = verdict(X, y, task="classification")
    assert (found.flagged & wrong).sum() > 0.8 * wrong.sum()
    assert (found.flagged & ~wrong).sum() < 0.1 * found.flagged.sum() + 1
    assert (found.expected[found.flagged] == truth[found.flagged]).mean() > 0.9


def test_a_few_wrong_labels_are_flagged_where_no_share_can_be_estimated():
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(-2.5, 1, (150, 2)), rng.normal(2.5, 1, (150, 2))])
    y = np.repeat(["left", "right"], 150)
    y[[20, 250]] = ["right", "left"]
    assert np.flatnonzero(verdict(X, y, task="classification").flagged).tolist() == [20, 250]


def test_clean_labels_are_all_spared():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(-2.5, 1, (150, 2)), rng.normal(2.5, 1, (150, 2))])
    assert not verdict(X, np.repeat(["a", "b"], 150), task="classification").flagged.any()


@pytest.mark.parametrize("n", [3000, 7000])
def test_many_rows_are_judged_like_few(n, monkeypatch):
    X, y = curve(n)
    wrong = np.arange(n) % 12 == 0
    y[wrong] += 4
    found = verdict(X, y)
    assert found.flagged[wrong].mean() > 0.99
    assert found.flagged[~wrong].mean() < 0.002
    assert found.share == pytest.approx(1 / 12, abs=0.02)
    assert np.isfinite(found.expected).all()


def test_the_same_seed_gives_the_same_verdict():
    X, y = curve(3000)
    y[::30] -= 2
    one, other = verdict(X, y, seed=3), verdict(X, y, seed=3)
    np.testing.assert_array_equal(one.scores, other.scores)
    assert one.cut == other.cut


def test_ties_are_not_torn_apart():
    cut, flagged = cut_at(np.array([3.0, 3.0, 3.0, 5.0]), 2)
    assert flagged.tolist() == [False, False, False, True]
    assert 3 < cut <= 5


def test_nothing_to_flag():
    cut, flagged = cut_at(np.array([3.0, 1.0]), 0)
    assert cut > 3
    assert not flagged.any()


def test_constants_are_in_order():
    for task in ("regression", "classification"):
        assert judging.SAMPLE_ROWS[task] <= judging.ALL_ROWS[task] <= judging.KERNEL_ROWS
