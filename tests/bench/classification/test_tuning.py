"""Settings are scored on rows that the fits agree on, by the learner without trimming."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.svm import SVC

from untaint.bench.classification.measures import error_rate
from untaint.bench.classification.tuning import (
    Method,
    Setting,
    cross_validated_loss,
    grid,
    trusted_rows,
    tune,
)
from untaint.datasets import contaminate, make_classes

X, Y = make_classes(100, random_state=0)
ALL = np.arange(100)


@dataclass
class Coin:
    """Gives class 1 the probability alpha, whatever it is shown, and keeps the rows it is told."""

    gamma: float
    alpha: float
    keep: tuple[bool, ...] = ()

    def fit(self, X, y):
        self.seen_ = X
        self.classes_ = np.array([0, 1])
        self.inlier_mask_ = np.array(self.keep)
        self.outlier_scores_ = np.zeros(len(self.keep))
        return self

    def predict(self, X):
        return np.full(len(X), int(self.alpha > 0.5))

    def predict_proba(self, X):
        return np.tile([1 - self.alpha, self.alpha], (len(X), 1))


def test_the_loss_is_the_mean_over_the_trusted_rows_only():
    trusted = np.flatnonzero(np.arange(100) % 3 > 0)
    loss = cross_validated_loss(Method(Coin), Setting(1.0, 0.2), X, Y, trusted)
    share = np.mean(Y[trusted])
    assert loss == pytest.approx(-share * np.log(0.2) - (1 - share) * np.log(0.8))


def test_no_row_is_scored_by_a_fit_that_has_seen_it():
    seen = []

    def overlap(model, X, y):
        both = {tuple(row) for row in model.seen_} & {tuple(row) for row in X}
        seen.append((len(model.seen_), len(X)))
        return float(len(both))

    method = Method(Coin, loss=overlap)
    assert cross_validated_loss(method, Setting(1.0, 0.2), X, Y, ALL[:50]) == 0.0
    assert seen == [(40, 10)] * 5


def test_one_class_left_is_the_worst_of_scores():
    trusted = np.flatnonzero(Y == 1)
    assert cross_validated_loss(Method(Coin), Setting(1.0, 0.2), X, Y, trusted) == np.inf


def test_rows_that_most_fits_keep_are_trusted_as_many_as_the_median_keeps():
    masks = [(True, True, True, False), (True, False, True, False), (False, True, True, False)]
    models = [Coin(1.0, 1.0, keep=mask).fit(X, Y) for mask in masks]
    for model in models:
        model.outlier_scores_ = np.array([2.0, np.inf, 0.0, 0.0])
    assert trusted_rows(models).tolist() == [0, 2]


def test_the_smoothest_setting_leads_and_wins_ties():
    settings = grid([0.2, 0.1], [1.0, 5.0])
    assert settings == [(0.1, 5.0), (0.1, 1.0), (0.2, 5.0), (0.2, 1.0)]
    tied = Method(Coin, loss=lambda model, X, y: 1.0)
    assert tune(tied, X, Y, gammas=[0.2, 0.1], alphas=[1.0, 5.0]).setting == settings[0]


def test_a_method_that_trims_nothing_is_fitted_on_all_rows():
    tuned = tune(Method(Coin), X, Y, gammas=[1.0], alphas=[0.1, 0.5, 0.9])
    assert tuned.setting.alpha == 0.5
    np.testing.assert_array_equal(tuned.model.seen_, X)


def test_a_method_that_trims_is_scored_by_its_plain_learner_on_the_rows_it_keeps():
    keep = tuple(Y == 1)
    keep = (*keep[:90], *(True,) * 10)
    method = Method(Coin, trimmed=lambda gamma, alpha: Coin(gamma, alpha, keep=keep))
    tuned = tune(method, X, Y, gammas=[1.0], alphas=[0.1, 0.5, 0.9])
    assert tuned.setting.alpha == 0.9
    assert tuned.model.keep == keep


def test_linear_methods_are_not_tried_once_for_every_gamma():
    calls = []

    def plain(gamma, alpha):
        calls.append(alpha)
        return Coin(gamma, alpha)

    tuned = tune(Method(plain, has_gamma=False), X, Y, gammas=[1.0, 2.0], alphas=[0.5, 0.6])
    assert len(calls) == 2 * 5 + 1
    assert np.isnan(tuned.setting.gamma)


def test_the_score_can_be_replaced():
    tuned = tune(
        Method(Coin),
        X,
        Y,
        gammas=[1.0, 2.0],
        alphas=[0.3, 0.6],
        score=lambda method, setting, X, y, trusted: abs(setting.gamma * setting.alpha - 0.6),
    )
    assert tuned.setting in [(1.0, 0.6), (2.0, 0.3)]


def test_flipped_rows_ask_for_more_smoothing_than_clean_ones():
    X, y = make_classes(300, random_state=1)
    _, flipped, _ = contaminate(X, y, epsilon=0.3, kind="flip", random_state=0)
    svc = Method(lambda gamma, alpha: SVC(C=1 / (2 * alpha), gamma=gamma), loss=error_rate)
    clean, bad = (
        tune(svc, X, labels, gammas=[1 / 16], alphas=[0.01, 0.1, 1.0, 10.0]).setting.alpha
        for labels in (y, flipped)
    )
    assert clean < bad
