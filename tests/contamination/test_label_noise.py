"""The rate of wrong labels by likelihood: none where there is none, close where it is planted."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from untaint.contamination.label_noise import _Channel, estimate_noise_rate

several = pytest.mark.parametrize("classes", [2, 4])


def draw(rng, classes=2, n=600, signal=3.0, rates=None, wrong=0.0):
    """Scores of the right class raised by the signal, labels drawn by them, some then changed."""
    truth = np.arange(n) % classes
    scores = rng.normal(size=(n, classes)) + signal * np.eye(classes)[truth]
    # The class is what the scores say it is, with their own uncertainty.
    odds = np.exp(signal * scores)
    reached = np.cumsum(odds / odds.sum(axis=1, keepdims=True), axis=1)
    codes = np.minimum((reached < rng.random((n, 1))).sum(axis=1), classes - 1)
    chance = np.full(n, wrong) if rates is None else np.asarray(rates)[codes]
    changed = rng.random(n) < chance
    codes = np.where(changed, (codes + rng.integers(1, classes, size=n)) % classes, codes)
    return scores, codes, changed.mean()


@several
def test_the_gradient_is_that_of_the_value(classes, rng):
    channel = _Channel(
        rng.normal(size=(40, classes)), rng.integers(0, classes, 40), rng.uniform(0.5, 2, 40)
    )
    x = 0.5 * rng.normal(size=1 + classes + channel.n_rates)
    numeric = approx_fprime(x, lambda x: channel._value(x, 0.2, 0.05)[0], 1e-6)
    np.testing.assert_allclose(channel._value(x, 0.2, 0.05)[1], numeric, atol=1e-4)


@several
@pytest.mark.parametrize("signal", [1.0, 3.0])
def test_overlapping_classes_without_wrong_labels_have_next_to_no_noise(classes, signal):
    rates = []
    for seed in range(6):
        scores, codes, _ = draw(np.random.default_rng(seed), classes, signal=signal)
        # The second opinion takes the overlap for errors.
        found = estimate_noise_rate(scores, codes, np.ones(600), disagreement=0.06)
        rates.append(found.contamination)
        assert found.interval[0] <= 0.03
    assert np.mean(rates) < 0.03


@several
@pytest.mark.parametrize("wrong", [0.1, 0.2, 0.3, 0.4])
def test_a_planted_rate_is_found(classes, wrong, rng):
    scores, codes, planted = draw(rng, classes, wrong=wrong)
    found = estimate_noise_rate(scores, codes, np.ones(600), disagreement=wrong + 0.05)
    assert abs(found.contamination - planted) < 0.05
    assert found.interval[0] <= planted <= found.interval[1]
    assert found.evidence > 2.0


@pytest.mark.parametrize("rates", [(0.4, 0.0), (0.0, 0.4)], ids=str)
def test_errors_that_go_one_way_are_found(rates, rng):
    scores, codes, planted = draw(rng, rates=rates)
    found = estimate_noise_rate(scores, codes, np.ones(600), disagreement=0.2)
    assert abs(found.contamination - planted) < 0.04


def test_scores_that_say_nothing_leave_the_second_opinion(rng):
    codes = rng.integers(0, 2, size=400)
    found = estimate_noise_rate(np.zeros((400, 2)), codes, np.ones(400), disagreement=0.3)
    assert found.contamination == pytest.approx(0.3, abs=0.02)
    assert found.interval[1] - found.interval[0] > 0.15


def test_more_rows_narrow_the_interval(rng):
    widths = []
    for n in (200, 3200):
        scores, codes, _ = draw(rng, n=n, wrong=0.2)
        low, high = estimate_noise_rate(scores, codes, np.ones(n), disagreement=0.2).interval
        widths.append(high - low)
    assert widths[1] < 0.6 * widths[0]


def test_never_more_than_the_largest_rate(rng):
    scores, codes, _ = draw(rng, wrong=0.6, classes=4)
    found = estimate_noise_rate(scores, codes, np.ones(600), disagreement=0.45)
    assert found.contamination <= 0.45
    assert found.interval[1] <= 0.45


@several
def test_a_weight_is_a_number_of_copies(classes, rng):
    scores, codes, _ = draw(rng, classes, n=150, wrong=0.2)
    counts = rng.integers(1, 4, size=150)
    copies = np.repeat(np.arange(150), counts)
    weighted = estimate_noise_rate(scores, codes, counts.astype(float), 0.2)
    copied = estimate_noise_rate(scores[copies], codes[copies], np.ones(len(copies)), 0.2)
    assert weighted.contamination == pytest.approx(copied.contamination, abs=1e-3)
    np.testing.assert_allclose(weighted.interval, copied.interval, atol=5e-3)


@several
def test_unit_level_and_order_do_not_matter(classes, rng):
    scores, codes, _ = draw(rng, classes, n=150, wrong=0.2)
    order = rng.permutation(150)
    plain = estimate_noise_rate(scores, codes, np.ones(150), 0.2)
    other = estimate_noise_rate(100.0 * scores[order] + 7.0, codes[order], np.ones(150), 0.2)
    assert plain.contamination == pytest.approx(other.contamination, abs=1e-3)
    np.testing.assert_allclose(plain.interval, other.interval, atol=5e-3)
