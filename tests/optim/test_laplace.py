"""Marginal likelihoods and leave-one-out scores of classifiers."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit

from untaint.losses import CorrectedLogLoss
from untaint.model_selection.label_noise import uniform_noise
from untaint.optim.laplace import LaplaceApproximation

CLEAN, NOISY = np.eye(2), np.array([[0.9, 0.1], [0.2, 0.8]])


def problem(rng, n=40, width=3):
    X = rng.normal(size=(n, width))
    y = (rng.random(n) < expit(1.5 * X[:, 0])).astype(float)[:, None]
    return X, y


@pytest.mark.parametrize("noise_matrix", [CLEAN, NOISY], ids=["clean", "noisy"])
def test_evidence_of_one_coefficient_is_its_integral(noise_matrix, rng):
    """Without an intercept the marginal likelihood is an integral over one number."""
    X, y = problem(rng, 60, 1)
    alpha, loss = 0.5, CorrectedLogLoss(noise_matrix)
    model = LaplaceApproximation(X, y, np.ones(60), fit_intercept=False)
    mode = model.mode(alpha, noise_matrix)

    def likelihood(c):
        prior = np.sqrt(alpha / np.pi) * np.exp(-alpha * c**2)
        return np.exp(-loss.value(y, c * X).sum() - mode.evidence) * prior

    ratio = quad(likelihood, -20, 20, points=[float(mode.predictions[0, 0] / X[0, 0])], limit=200)[
        0
    ]
    assert np.log(ratio) == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("noise_matrix", [CLEAN, NOISY], ids=["clean", "noisy"])
def test_leave_one_out_scores_are_those_of_refits(noise_matrix, rng):
    X, y = problem(rng, 80)
    ones, alpha = np.ones(80), 1.0
    model = LaplaceApproximation(X, y, ones)
    fit = model.mode(alpha, noise_matrix)
    scores = model.leave_one_out(alpha, noise_matrix, fit)[:, 0]
    refits = np.empty(80)
    for i in range(80):
        weights = ones.copy()
        weights[i] = 0.0
        other = LaplaceApproximation(X, y, weights).mode(alpha, noise_matrix, fit.predictions)
        refits[i] = other.predictions[i, 0]
    moved = np.abs(refits - fit.predictions[:, 0])
    assert np.abs(scores - refits).max() < 0.3 * moved.max()
    assert np.median(np.abs(scores - refits)) < 0.1 * np.median(moved)


def test_a_weight_is_so_many_copies(rng):
    X, y = problem(rng)
    weights = rng.integers(1, 4, len(y)).astype(float)
    copies = np.repeat(np.arange(len(y)), weights.astype(int))
    one = LaplaceApproximation(X, y, weights).mode(0.3, NOISY)
    other = LaplaceApproximation(X[copies], y[copies], np.ones(len(copies))).mode(0.3, NOISY)
    assert one.evidence == pytest.approx(other.evidence, abs=1e-8)


def test_labels_in_other_words_have_the_same_evidence(rng):
    X, y = problem(rng)
    one = LaplaceApproximation(X, y, np.ones(len(y))).mode(0.3, NOISY)
    other = LaplaceApproximation(X, 1 - y, np.ones(len(y))).mode(0.3, NOISY[::-1, ::-1])
    assert one.evidence == pytest.approx(other.evidence, abs=1e-8)


def test_several_classes_in_another_order_have_the_same_evidence(rng):
    X, codes = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    noise_matrix = uniform_noise(3, 0.2)
    evidences = [
        LaplaceApproximation(X, np.eye(3)[order][codes], np.ones(60)).mode(0.5, noise_matrix)
        for order in ([0, 1, 2], [2, 0, 1])
    ]
    assert evidences[0].evidence == pytest.approx(evidences[1].evidence, abs=1e-6)


def test_features_that_say_nothing_leave_rates_open(rng):
    y = (np.arange(40) % 2).astype(float)[:, None]
    model = LaplaceApproximation(np.zeros((40, 2)), y, np.ones(40))
    evidences = [model.mode(1.0, uniform_noise(2, rate)).evidence for rate in (0.0, 0.2, 0.4)]
    assert np.ptp(evidences) < 1e-6


@pytest.mark.parametrize("noise_matrix", [np.eye(12), uniform_noise(12, 0.2)])
def test_blocks_of_single_classes_are_close_to_all_of_them(noise_matrix, rng, monkeypatch):
    """Of many classes only the blocks of A that belong to one class each are used."""
    codes = rng.integers(0, 12, 240)
    X, y = np.eye(12)[codes] + 0.3 * rng.normal(size=(240, 12)), np.eye(12)[codes]
    joint = LaplaceApproximation(X, y, np.ones(240))
    one = joint.mode(0.5, noise_matrix)
    monkeypatch.setattr("untaint.optim.laplace_curvature.MOST_JOINT", 20)
    blocks = LaplaceApproximation(X, y, np.ones(240))
    other = blocks.mode(0.5, noise_matrix)
    np.testing.assert_allclose(other.predictions, one.predictions, atol=1e-3)
    assert other.evidence == pytest.approx(one.evidence, rel=0.03)
    scores = blocks.leave_one_out(0.5, noise_matrix, other)
    exact = joint.leave_one_out(0.5, noise_matrix, one)
    moved = np.abs(exact - one.predictions).max()
    assert np.abs(scores - exact).max() < 0.3 * moved


def test_modes_do_not_depend_on_what_was_computed_before(rng):
    X, y = problem(rng, 200, 5)
    model = LaplaceApproximation(X, y, np.ones(200))
    for alpha in (100.0, 0.01, 3.0):
        model.mode(alpha, CLEAN)
    fresh = LaplaceApproximation(X, y, np.ones(200)).mode(0.3, NOISY)
    assert model.mode(0.3, NOISY).evidence == pytest.approx(fresh.evidence, abs=1e-4)
