"""The pieces that a reading of residuals is made of, each next to its formula."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from untaint.selection.two_groups import (
    GATHERED,
    SCATTERED,
    SHIFTED,
    TwoGroups,
    _binned,
    _distance,
    _first_scale,
    _maximised,
    _own_interval,
    _two_means,
    _two_peaks,
    _with_interval,
    two_groups,
)

# Written out: a test that borrows a number cannot notice that it has changed.
ANYWHERE = 0.001
BINS = 2000
CERTAIN = 50.0
CLOSE_CALL = 2.0
LARGEST_SHARE = 0.49

READING = TwoGroups(share=0.3, scale=1.5, tail=5.0, centre=7.0, width=2.0, offset=-0.5)


def densities(r, reading=READING):
    good = stats.t(reading.tail).pdf((r - reading.offset) / reading.scale) / reading.scale
    bad = stats.norm(reading.centre, reading.width).pdf(r)
    return (1 - reading.share) * good, reading.share * bad


def test_a_row_is_good_by_its_density_among_good_and_bad_rows():
    r = np.linspace(-20.0, 30.0, 31)
    good, bad = densities(r)
    anywhere = ANYWHERE / (2 * CERTAIN * READING.scale)
    np.testing.assert_allclose(READING.good(r), good / (good + bad + anywhere))


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_row_out_of_all_proportion_is_certainly_bad(side):
    edge = READING.offset + side * CERTAIN * READING.scale
    inside, outside = READING.good(np.array([edge - side * 1e-6, edge + side * 1e-6]))
    assert outside == 0.0 < inside
    clean = TwoGroups(0.0, 1.5, 5.0, offset=-0.5)
    np.testing.assert_array_equal(clean.good(np.array([edge - side * 1e-6, edge + side])), [1, 0])


def test_the_interval_is_by_the_information_on_the_share(rng):
    r, weights = rng.normal(size=400), rng.integers(1, 3, 400).astype(float)
    r[:100] += 7.0
    step = 1e-5

    def slopes(share):
        reading = TwoGroups(share, 1.5, 5.0, 7.0, 2.0, -0.5)
        return np.log(np.sum(densities(r, reading), axis=0))

    score = (slopes(0.3 + step) - slopes(0.3 - step)) / (2 * step)
    error = 1.96 / np.sqrt(weights @ score**2)
    assert _own_interval(READING, r, weights) == pytest.approx((0.3 - error, 0.3 + error))


def test_an_interval_of_few_rows_stays_between_none_and_all():
    assert _own_interval(READING, np.array([0.0]), np.array([1e-3])) == (0.0, 1.0)
    assert _own_interval(TwoGroups(0.0, 1.0, 3.0), np.zeros(10), np.ones(10)) == (0.0, 0.3)
    assert _own_interval(TwoGroups(0.0, 1.0, 3.0), np.zeros(2), np.ones(2)) == (0.0, 1.0)


@pytest.mark.parametrize(("behind", "wider"), [(CLOSE_CALL - 0.1, True), (CLOSE_CALL + 0.1, False)])
def test_readings_about_as_likely_widen_the_interval(behind, wider, rng):
    r, weights = rng.normal(size=400), np.ones(400)
    first = TwoGroups(0.1, 1.0, 5.0, 7.0, 2.0, log_likelihood=-50.0)
    rival = TwoGroups(0.4, 1.0, 5.0, 7.0, 2.0, log_likelihood=-50.0 - behind)
    own, other = _own_interval(first, r, weights), _own_interval(rival, r, weights)
    for one in (first, rival):
        low, high = _with_interval(one, [first, rival], r, weights).interval
        both = (min(own[0], other[0]), max(own[1], other[1]))
        alone = own if one is first else other
        assert (low, high) == pytest.approx(both if wider else alone)


@pytest.mark.parametrize("kind", [SCATTERED, GATHERED, SHIFTED])
def test_shares_centres_and_scales_are_means_over_probabilities(kind, rng):
    r, weights, good = rng.normal(size=50), rng.uniform(0.5, 2.0, 50), rng.uniform(size=50)
    r += 9.0 * (good < 0.3)
    state = TwoGroups(0.1, 1.2, 5.0, offset=0.3)
    found = _maximised(r, weights, good, state, kind, 0.0)
    heard = weights * good * 6.0 / (5.0 + ((r - 0.3) / 1.2) ** 2)
    offset = np.average(r, weights=heard) if kind.offset else 0.0
    variance = heard @ (r - offset) ** 2 / (weights @ good)
    bad = weights * (1 - good)
    centre = np.average(r, weights=bad)
    spread = bad @ (r - centre) ** 2
    if kind is SHIFTED:
        variance = (variance * (weights @ good) + spread) / weights.sum()
    scale = np.sqrt(variance)
    width = max(np.sqrt(spread / bad.sum()), kind.least_width * scale)
    if kind is SHIFTED:
        width = scale
    if kind is SCATTERED:
        width = max(width, np.sqrt(max(0.0, (6.0 * scale) ** 2 - centre**2)))
    share = min(bad.sum() / weights.sum(), LARGEST_SHARE)
    assert (found.share, found.scale, found.tail) == pytest.approx((share, scale, 5.0))
    assert (found.centre, found.width, found.offset) == pytest.approx((centre, width, offset))
    assert _maximised(r, weights, good, state, kind, 99.0).scale == 99.0


def test_bad_rows_lie_at_least_so_far_out_on_the_whole():
    r, good = np.array([-1.0, 1.0, 4.0, 4.2]), np.array([1.0, 1.0, 0.0, 0.0])
    found = _maximised(r, np.ones(4), good, TwoGroups(0.1, 1.0, np.inf), SCATTERED, 0.0)
    assert found.width**2 + found.centre**2 == pytest.approx(36.0 * found.scale**2)


def test_scattered_rows_are_at_least_three_times_as_wide_as_good_ones_and_gathered_ones_half():
    r, good = np.array([-1.0, 1.0, 50.0, 50.2]), np.array([1.0, 1.0, 0.0, 0.0])
    for kind, times in ((SCATTERED, 3.0), (GATHERED, 0.5), (SHIFTED, 1.0)):
        found = _maximised(r, np.ones(4), good, TwoGroups(0.1, 1.0, np.inf), kind, 0.0)
        assert found.width == pytest.approx(times * found.scale)


def test_two_groups_lie_apart_by_the_distance_of_their_centres():
    assert _distance(READING) == 7.5
    assert _distance(TwoGroups(0.3, 1.0, 3.0, centre=-2.0, width=1.0, offset=1.0)) == 3.0


@pytest.mark.parametrize("share", [0.2, 0.45])
@pytest.mark.parametrize("distance", np.linspace(1.0, 5.0, 17))
def test_two_peaks_have_a_dip_between_them(share, distance):
    reading = TwoGroups(share, 1.0, np.inf, centre=distance + 0.5, width=1.0, offset=0.5)
    density = np.sum(densities(np.linspace(0.5, distance + 0.5, 41), reading_of(reading)), axis=0)
    assert _two_peaks(reading) is bool(density.min() < 0.8 * min(density[0], density[-1]))


def reading_of(reading):
    """The same with tails so thin that SciPy has a Student for them."""
    return TwoGroups(reading.share, 1.0, 1e9, reading.centre, 1.0, reading.offset)


@pytest.mark.parametrize("larger", ["low", "high"])
def test_two_means_part_the_rows_between_them(larger, rng):
    r = np.r_[rng.normal(0.0, 1.0, 60), rng.normal(10.0, 1.0, 60)]
    heavy = np.arange(120) < 60 if larger == "low" else np.arange(120) >= 60
    weights = np.where(heavy, 1.5, 1.0)
    np.testing.assert_array_equal(_two_means(r, weights), heavy.astype(float))
    assert (_two_means(np.full(5, 2.0), np.ones(5)) == 1.0).all()


def test_two_means_are_at_rest(rng):
    r, weights = rng.normal(size=200) ** 3, rng.integers(1, 4, 200).astype(float)
    larger = _two_means(r, weights) > 0
    means = [np.average(r[part], weights=weights[part]) for part in (larger, ~larger)]
    upper = r > 0.5 * sum(means)
    assert np.array_equal(upper, larger) or np.array_equal(upper, ~larger)
    assert weights[larger].sum() > weights[~larger].sum()


def test_two_means_start_from_quarters():
    # Between 0 and 1 the middle is one half: the far row stays with the ones, as their mean does.
    r = np.r_[np.zeros(30), np.ones(68), np.full(2, 30.0)]
    larger = _two_means(r, np.ones(100))
    np.testing.assert_array_equal(larger, np.r_[np.zeros(30), np.ones(70)])


def test_the_first_scale_is_of_trusted_rows_and_no_row_counts_beyond_reason():
    r = np.array([1.0, -2.0, 3.0, 1e9, np.nan, 5.0])
    weights = np.array([1.0, 2.0, 1.0, 1.0, 7.0, 0.0])
    # The middle of the sizes 1, 2, 2, 3, 1e9 is 2.
    sizes = np.array([1.0, 2.0, 2.0, 3.0, 2.0 * CERTAIN])
    assert _first_scale(r, weights) == pytest.approx(np.sqrt(np.mean(sizes**2)))
    assert _first_scale(r, np.array([0.0, 0.0, 0.0, 0.0, 1.0, 0.0])) == 0.0


def test_bins_are_means_of_neighbours(rng):
    n = 3 * BINS
    r, good = rng.normal(size=n), rng.uniform(size=n)
    values, weights, trusted = _binned(r, np.ones(n), good)
    order = np.argsort(r)
    # A row counts in the bin that its own end lies in.
    bins = np.minimum((np.arange(1, n + 1) / n * BINS).astype(int), BINS - 1)
    for found, x in ((values, r[order]), (trusted, good[order])):
        expected = np.bincount(bins, x) / np.bincount(bins)
        np.testing.assert_allclose(found, expected)
    assert len(values) == BINS
    assert weights.sum() == n


def test_few_residuals_are_left_as_they_are(rng):
    r = rng.normal(size=BINS)
    values, weights, good = _binned(r, np.full(BINS, 2.0), np.arange(BINS) % 2 > 0)
    assert values is r and (weights == 2.0).all()
    assert good.dtype == float
    assert len(_binned(rng.normal(size=BINS + 1), np.ones(BINS + 1), np.ones(BINS + 1))[0]) <= BINS


@pytest.mark.parametrize(("steps", "groups"), [(1.9, False), (2.1, True), (3.9, True)])
def test_peaks_at_neighbouring_values_of_a_rounded_target_are_no_groups(steps, groups, rng):
    r = 0.3 * rng.normal(size=400)
    r[:150] += 10.0
    readings = two_groups(r, np.ones(400), r < 5.0, step=10.0 / steps)
    assert any(reading.coherent for reading in readings) is groups
