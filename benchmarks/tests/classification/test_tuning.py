"""Settings are scored on rows held out, by labels as they are, every class counting the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from benchmarks.classification.tuning import Method, Setting, cross_validated_error, grid, tune
from sklearn.svm import SVC

from untaint.datasets import contaminate, make_classes

X, Y = make_classes(100, random_state=0)


@dataclass
class Coin:
    """Predicts class 1 if alpha exceeds one half, whatever it is shown."""

    gamma: float
    alpha: float

    def fit(self, X, y):
        self.seen_ = X
        return self

    def predict(self, X):
        return np.full(len(X), int(self.alpha > 0.5))


def test_a_constant_answer_is_right_for_half_of_the_classes_however_unequal():
    y = (np.arange(100) < 10).astype(int)
    for alpha in (0.2, 0.8):
        assert cross_validated_error(Coin, Setting(1.0, alpha), X, y) == pytest.approx(0.5)


def test_no_row_is_scored_by_a_fit_that_has_seen_it():
    sizes = []

    class Honest(Coin):
        def predict(self, X):
            assert not {tuple(row) for row in self.seen_} & {tuple(row) for row in X}
            sizes.append((len(self.seen_), len(X)))
            return super().predict(X)

    cross_validated_error(Honest, Setting(1.0, 0.2), X[:50], np.arange(50) % 2)
    assert sizes == [(40, 10)] * 5


def test_the_smoothest_setting_leads_and_wins_ties():
    settings = grid([0.2, 0.1], [1.0, 5.0])
    assert settings == [(0.1, 5.0), (0.1, 1.0), (0.2, 5.0), (0.2, 1.0)]
    assert tune(Method(Coin), X, Y, gammas=[0.2, 0.1], alphas=[1.0, 5.0]).setting == settings[0]


def test_the_best_setting_is_fitted_on_all_rows():
    tuned = tune(Method(Coin), X, Y, gammas=[1.0], alphas=[0.1, 0.9])
    np.testing.assert_array_equal(tuned.model.seen_, X)


def test_linear_methods_are_not_tried_once_for_every_gamma():
    calls = []

    def make(gamma, alpha):
        calls.append(alpha)
        return Coin(gamma, alpha)

    tuned = tune(Method(make, has_gamma=False), X, Y, gammas=[1.0, 2.0], alphas=[0.5, 0.6])
    assert len(calls) == 2 * 5 + 1
    assert np.isnan(tuned.setting.gamma)


def test_flipped_rows_ask_for_more_smoothing_than_clean_ones():
    X, y = make_classes(300, random_state=1)
    _, flipped, _ = contaminate(X, y, epsilon=0.3, kind="flip", random_state=0)
    svc = Method(lambda gamma, alpha: SVC(C=1 / (2 * alpha), gamma=gamma))
    clean, bad = (
        tune(svc, X, labels, gammas=[1 / 16], alphas=[0.01, 0.1, 1.0, 10.0]).setting.alpha
        for labels in (y, flipped)
    )
    assert clean < bad
