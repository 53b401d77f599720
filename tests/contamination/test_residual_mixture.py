"""The mixture given residuals and predictions: uneven noise, and targets of other rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from untaint.contamination.posterior_updates import SETTLED, PosteriorUpdates, mean_change
from untaint.contamination.residual_mixture import ResidualMixture

N = 800


def fitted(y, predictions, sample_weight=None, weights=None, outlying=None, deviations=None):
    """The posterior given predictions, from a start at the half of the smallest residuals."""
    n = len(y)
    sample_weight = np.ones(n) if sample_weight is None else sample_weight
    outlying = np.zeros(n, dtype=bool) if outlying is None else outlying
    deviations = np.ones(n) if deviations is None else deviations
    residuals = (y - predictions) / deviations
    if weights is None:
        sizes = np.abs(residuals)
        weights = sample_weight * (sizes <= np.median(sizes[sample_weight > 0]))
    mixture = ResidualMixture(y[:, None], sample_weight, outlying)
    return mixture.fit(residuals[:, None], deviations, weights)


def uneven(rng, n=N, part=0.15):
    """Targets whose noise is a part of the prediction, and the predictions."""
    predictions = rng.uniform(1.0, 10.0, size=n)
    return predictions * (1.0 + part * rng.normal(size=n)), predictions


def relabelled(rng, y, share):
    """Replace a share of the targets by numbers from their range, and tell which."""
    bad = rng.permutation(len(y)) < round(share * len(y))
    return np.where(bad, rng.uniform(y.min(), y.max(), size=len(y)), y), bad


def permuted(rng, y, share):
    """Exchange a share of the targets among themselves, and tell which."""
    rows, moved = rng.permutation(len(y))[: round(share * len(y))], y.copy()
    moved[rows] = y[np.roll(rows, 1)]
    return moved, np.isin(np.arange(len(y)), rows)


# Noise that varies with the prediction.


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("part", [0.05, 0.15])
def test_uneven_noise_has_no_outliers(part, seed):
    posterior = fitted(*uneven(np.random.default_rng(seed), part=part))
    assert posterior.contamination == 0
    assert posterior.inlier_probability.min() == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_wrong_targets_are_found_in_uneven_noise(seed):
    rng = np.random.default_rng(seed)
    y, predictions = uneven(rng, part=0.03)
    y, bad = relabelled(rng, y, 0.2)
    posterior = fitted(y, predictions)
    assert posterior.contamination == pytest.approx(0.2, abs=0.04)
    assert posterior.inlier_probability[~bad].mean() > 0.95
    assert posterior.inlier_probability[bad].mean() < 0.2


def test_the_noise_of_a_row_is_that_at_its_prediction(rng):
    y, predictions = uneven(rng, n=2000)
    posterior = fitted(y, predictions)
    assert posterior.model.noise_scale.varies
    between = (predictions > 2.5) & (predictions < 8.5)
    np.testing.assert_allclose(
        posterior.noise_scale[between], 0.15 * predictions[between], rtol=0.25
    )


def test_scores_are_in_units_of_the_noise_of_the_row(rng):
    y, predictions = uneven(rng, n=2000)
    posterior = fitted(y, predictions)
    np.testing.assert_allclose(posterior.scores, np.abs(y - predictions) / posterior.noise_scale)
    small, large = predictions < 4, predictions > 7
    medians = [np.median(posterior.scores[part]) for part in (small, large)]
    assert medians[0] == pytest.approx(medians[1], rel=0.2)
    assert np.median(posterior.scores) == pytest.approx(0.6745, rel=0.15)


def test_even_noise_has_one_scale(rng):
    predictions = rng.uniform(1.0, 10.0, size=N)
    posterior = fitted(predictions + rng.normal(size=N), predictions)
    assert not posterior.model.noise_scale.varies
    assert np.ptp(posterior.noise_scale) == 0
    assert posterior.contamination == 0


def test_a_small_error_where_noise_is_small_is_an_outlier(rng):
    y, predictions = uneven(rng, n=2000, part=0.1)
    predictions[:2] = [1.5, 9.5]
    y[:2] = predictions[:2] + 1.8
    scores = fitted(y, predictions).scores
    assert scores[0] > 6
    assert scores[1] < 3


# Targets of other rows.


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [0.2, 0.4])
def test_permuted_targets_are_found(share, seed):
    rng = np.random.default_rng(seed)
    predictions = 5.0 * rng.normal(size=N)
    y, bad = permuted(rng, predictions + rng.normal(size=N), share)
    posterior = fitted(y, predictions)
    assert posterior.contamination == pytest.approx(share, abs=0.06)
    low, high = posterior.interval
    assert low <= posterior.contamination <= high
    own = (1 - share) * norm.pdf(y - predictions)
    best = own / (own + share * norm.pdf(y, scale=np.sqrt(26.0)))
    assert posterior.inlier_probability[~bad].mean() > best[~bad].mean() - 0.05
    assert posterior.inlier_probability[bad].mean() < best[bad].mean() + 0.05


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("signal", [1.0, 5.0])
def test_clean_targets_are_those_of_their_own_rows(signal, seed):
    rng = np.random.default_rng(seed)
    predictions = signal * rng.normal(size=N)
    assert fitted(predictions + rng.normal(size=N), predictions).contamination == 0


@pytest.mark.parametrize("seed", range(5))
def test_targets_that_predictions_do_not_explain_have_no_outliers(seed):
    rng = np.random.default_rng(seed)
    posterior = fitted(rng.normal(size=N), 0.05 * rng.normal(size=N))
    assert posterior.contamination == 0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("signal", [0.05, 2.0])
def test_a_few_gross_targets_are_a_few_outliers(signal, seed):
    rng = np.random.default_rng(seed)
    predictions = signal * rng.normal(size=200)
    y = predictions + rng.normal(size=200)
    y[:6] = 1e4 * rng.normal(size=6)
    posterior = fitted(y, predictions)
    assert posterior.contamination == pytest.approx(0.03, abs=0.03)
    assert posterior.inlier_probability[:6].max() < 0.01
    assert posterior.inlier_probability[6:].mean() > 0.97


# Censored targets, excluded rows, several outputs.


@pytest.mark.parametrize("seed", range(3))
def test_zeros_of_a_censored_target_are_no_outliers(seed):
    rng = np.random.default_rng(seed)
    predictions = np.maximum(rng.normal(1.0, 1.0, size=N), 0.0)
    y = np.maximum(predictions + 0.3 * rng.normal(size=N), 0.0)
    posterior = fitted(y, predictions)
    assert posterior.contamination <= 0.01
    assert posterior.inlier_probability.mean() > 0.98


def test_excluded_rows_are_outliers_without_influence(rng):
    y, predictions = uneven(rng)
    outlying = np.arange(N) < 80
    y[:80] = 1e3
    posterior = fitted(y, predictions, outlying=outlying)
    assert posterior.contamination == pytest.approx(0.1)
    assert posterior.inlier_probability[:80].max() == 0
    assert posterior.scores[:80].min() >= posterior.scores[80:].max()


def test_several_outputs_have_one_noise_scale(rng):
    predictions = rng.uniform(1, 10, size=(N, 2))
    y = predictions * (1 + 0.1 * rng.normal(size=(N, 2)))
    mixture = ResidualMixture(y, np.ones(N), np.zeros(N, dtype=bool))
    posterior = mixture.fit(y - predictions, np.ones(N), np.ones(N))
    assert not posterior.model.noise_scale.varies
    assert posterior.model.target_density is None


def test_targets_without_noise_have_no_outliers(rng):
    for y in (np.zeros(100), np.full(100, 3.0), rng.normal(size=100)):
        posterior = fitted(y, y.copy())
        assert posterior.contamination == 0
        np.testing.assert_array_equal(posterior.inlier_probability, 1.0)


def test_a_contaminated_start_takes_outliers_for_granted(rng):
    y, predictions = uneven(rng)
    mixture = ResidualMixture(y[:, None], np.ones(N), np.zeros(N, dtype=bool))
    parts = ((y - predictions)[:, None], np.ones(N), np.ones(N))
    assert PosteriorUpdates(mixture)(*parts).min() == 1.0
    start = (np.abs(y - predictions) < 0.5).astype(float)
    assert PosteriorUpdates(mixture, contaminated=True)(parts[0], parts[1], start).min() < 1.0


# What must not matter.


def cases(rng):
    y, predictions = uneven(rng, n=300, part=0.05)
    yield "uneven", relabelled(rng, y, 0.2)[0], predictions
    predictions = 5.0 * rng.normal(size=300)
    yield "permuted", permuted(rng, predictions + rng.normal(size=300), 0.3)[0], predictions


def assert_same_posterior(one, other, rows=slice(None), rtol=1e-8):
    assert other.contamination == pytest.approx(one.contamination, abs=1e-8)
    assert other.interval == pytest.approx(one.interval, abs=1e-8)
    np.testing.assert_allclose(other.inlier_probability, one.inlier_probability[rows], atol=1e-8)
    np.testing.assert_allclose(other.scores, one.scores[rows], rtol=rtol, atol=1e-8)


def test_a_weight_is_that_many_copies(rng):
    for _, y, predictions in cases(rng):
        copies = rng.integers(1, 4, size=300)
        owner = np.repeat(np.arange(300), copies)
        start = (np.abs(y - predictions) < 1.0).astype(float)
        one = fitted(y, predictions, copies.astype(float), copies * start)
        other = fitted(y[owner], predictions[owner], weights=start[owner])
        assert_same_posterior(one, other, owner)


def test_order_of_the_rows_is_immaterial(rng):
    for _, y, predictions in cases(rng):
        order = rng.permutation(300)
        assert_same_posterior(fitted(y, predictions), fitted(y[order], predictions[order]), order)


@pytest.mark.parametrize("unit", [0.25, 1 / 300])
def test_the_unit_of_equal_weights_does_not_matter(unit, rng):
    for _, y, predictions in cases(rng):
        assert_same_posterior(
            fitted(y, predictions), fitted(y, predictions, np.full(300, unit)), rtol=1e-6
        )


@pytest.mark.parametrize("unit", [1e-3, 1e6])
def test_the_unit_of_the_targets_does_not_matter(unit, rng):
    for _, y, predictions in cases(rng):
        one, other = fitted(y, predictions), fitted(unit * y, unit * predictions)
        assert other.contamination == pytest.approx(one.contamination, abs=1e-4)
        np.testing.assert_allclose(other.inlier_probability, one.inlier_probability, atol=2e-3)


def test_targets_predictions_and_deviations_together_say_where_a_target_lies(rng):
    # Residuals in units of a deviation: the density of a target changes by that unit.
    predictions = 5.0 * rng.normal(size=N)
    y, bad = permuted(rng, predictions + 2.0 * rng.normal(size=N), 0.2)
    one, other = fitted(y, predictions), fitted(y, predictions, deviations=np.full(N, 2.0))
    assert other.contamination == pytest.approx(one.contamination, abs=0.01)
    assert other.log_likelihood == pytest.approx(one.log_likelihood + N * np.log(2.0), abs=1.0)
    assert other.inlier_probability[bad].mean() < 0.5


def test_rounds_end_where_all_models_agree(rng):
    """Between comparisons one model is updated alone; the weights settle all the same."""
    y = rng.normal(size=N)
    bad = rng.random(N) < 0.2
    y[bad] += rng.normal(8.0, 4.0, size=bad.sum())
    mixture = ResidualMixture(y[:, None], np.ones(N), np.zeros(N, dtype=bool))
    updates, weights = PosteriorUpdates(mixture), np.ones(N)
    for _ in range(8):
        weights = updates(y[:, None], np.ones(N), weights)
    again = PosteriorUpdates(mixture)(y[:, None], np.ones(N), weights)
    assert mean_change(weights, again, np.ones(N)) <= 2 * SETTLED
    assert abs(1 - weights.mean() - bad.mean()) < 0.05
