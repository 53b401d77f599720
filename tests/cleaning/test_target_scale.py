"""The scale that suits the targets is found, whatever some rows say."""

import numpy as np
import pytest

from untaint.cleaning.target_scale import (
    from_scale,
    profile_neg_log_likelihood,
    scales_to_try,
    to_scale,
)


@pytest.mark.parametrize(
    ("y", "tried"),
    [
        (np.geomspace(1, 1000, 50), ["plain", "log"]),
        (np.linspace(100, 120, 50), ["plain"]),
        (np.linspace(-1, 100, 50), ["plain"]),
        (np.linspace(0, 100, 50), ["plain"]),
    ],
)
def test_a_logarithm_is_tried_where_targets_are_positive_and_wide(y, tried):
    assert scales_to_try(y) == tried


@pytest.mark.parametrize("scale", ["plain", "log"])
def test_there_and_back(scale):
    y = np.geomspace(1e-8, 1e8, 30)
    np.testing.assert_allclose(from_scale(to_scale(y, scale), scale), y, rtol=1e-12)


def test_absurd_predictions_stay_finite():
    assert np.isfinite(from_scale(np.array([1e6, -1e6]), "log")).all()


@pytest.mark.parametrize("wrong", [0.0, 0.2])
@pytest.mark.parametrize("true_scale", ["plain", "log"])
def test_the_scale_of_even_noise_has_the_higher_likelihood(true_scale, wrong):
    rng = np.random.default_rng(0)
    expected = rng.uniform(1, 5, 4000)
    noise = 0.1 * rng.standard_normal(4000)
    y = np.exp(expected + noise) if true_scale == "log" else 50 * expected + 50 * noise
    centre = np.exp(expected) if true_scale == "log" else 50 * expected
    y[rng.random(4000) < wrong] *= 10
    found = {
        scale: profile_neg_log_likelihood(y, to_scale(y, scale) - to_scale(centre, scale), scale)
        for scale in ("plain", "log")
    }
    assert min(found, key=found.get) == true_scale


def test_a_unit_does_not_matter():
    rng = np.random.default_rng(1)
    centre = rng.uniform(1, 50, 500)
    y = centre * np.exp(0.1 * rng.standard_normal(500))
    gaps = []
    for unit in (1.0, 1000.0):
        own, middle = unit * y, unit * centre
        plain = profile_neg_log_likelihood(own, own - middle, "plain")
        gaps.append(plain - profile_neg_log_likelihood(own, np.log(own) - np.log(middle), "log"))
    assert gaps[0] == pytest.approx(gaps[1], abs=1e-9)
