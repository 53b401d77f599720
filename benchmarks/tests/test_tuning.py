"""A setting is chosen by rows held out, the same for all, and with the share of each fold."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.methods.base import Method
from benchmarks.tuning import Folds, Trial, two_scores, vote

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 1)), np.tile([-1.0, 1.0], 30)
BAD = np.arange(60) < 16
Y[BAD] = 1e4
DATA = Trial(X, Y, BAD, classes=False)


class Constant:
    """Predicts one number, whatever it is shown."""

    log: tuple[list, ...] = ()

    def __init__(self, value, contamination=None):
        self.value, self.contamination = value, contamination

    def fit(self, X, y):
        if self.value == "fails":
            raise ValueError("cannot")
        self.n_, self.bad_ = len(y), float(np.mean(y > 1))
        for log in self.log:
            log.append(self)
        return self

    def predict(self, X):
        return np.full(len(X), self.value)


def settings(*values):
    return [{"value": value} for value in values]


def test_bad_rows_do_not_choose():
    tuned = Folds(most_rows=100)(Method(Constant, settings(2500.0, 0.5, -3.0)), DATA, 0)
    assert tuned.setting == {"value": 0.5}
    assert tuned.model.n_ == 60


def test_the_share_is_that_of_the_rows_given(monkeypatch):
    log = []
    monkeypatch.setattr(Constant, "log", (log,))
    Folds(most_rows=40)(Method(Constant, settings(0.0, 1.0), takes_contamination=True), DATA, 0)
    assert len(log) == 2 * 3 + 1
    assert all(model.contamination == pytest.approx(model.bad_) for model in log)
    assert len({model.contamination for model in log}) > 1


def test_settings_are_chosen_on_some_rows_and_fitted_on_all(monkeypatch):
    log = []
    monkeypatch.setattr(Constant, "log", (log,))
    Folds(most_rows=30)(Method(Constant, settings(0.0, 1.0)), DATA, 0)
    assert [model.n_ for model in log] == [20] * 6 + [60]


def test_a_setting_that_fails_loses_and_equals_go_to_the_first():
    tuned = Folds(most_rows=100)(Method(Constant, settings("fails", 1.0, -1.0)), DATA, 0)
    assert tuned.setting == {"value": 1.0}


def test_a_method_that_always_fails_says_why():
    with pytest.raises(ValueError, match="cannot"):
        Folds(most_rows=100)(Method(Constant, settings("fails", "fails")), DATA, 0)


def test_a_choice_that_fails_on_all_rows_gives_way_to_the_next():
    class Late(Constant):
        def fit(self, X, y):
            if len(y) == 60 and self.value == 0.0:
                raise ValueError("too many rows")
            return super().fit(X, y)

    tuned = Folds(most_rows=100)(Method(Late, settings(0.0, 1.0, 5.0)), DATA, 0)
    assert tuned.setting == {"value": 1.0}


def test_classes_count_the_same_however_rare():
    labels = (np.arange(60) < 12).astype(int)
    data = Trial(X, labels, np.zeros(60, dtype=bool), classes=True)
    errors = [Folds().error(Method(Constant), setting, data) for setting in settings(0, 1)]
    assert errors == [0.5, 0.5]


def test_a_share_that_is_given_holds_for_every_fold(monkeypatch):
    log = []
    monkeypatch.setattr(Constant, "log", (log,))
    data = Trial(X, Y, BAD, classes=False, given=0.3)
    Folds()(Method(Constant, settings(0.0, 1.0), takes_contamination=True), data, 0)
    assert {model.contamination for model in log} == {0.3}


def test_votes_keep_the_rows_that_most_models_keep():
    masks = [[1, 1, 0, 1], [1, 0, 0, 1], [1, 1, 1, 0]]
    scores = np.array([0.0, 1.0, 2.0, 0.5])
    models = [
        type("Model", (), {"inlier_mask_": np.array(mask, dtype=bool), "outlier_scores_": scores})
        for mask in masks
    ]
    assert vote(models, 0.25).tolist() == [0, 1, 3]
    assert vote(models, 0.5).tolist() == [0, 3]


def test_two_scores_choose_two_models():
    from sklearn.dummy import DummyRegressor

    def make(**setting):
        return DummyRegressor(strategy="constant").set_params(**setting)

    method = Method(make, [{"constant": value} for value in (0.5, 2600.0)])
    tuned = two_scores(method, DATA, 0)
    assert tuned.setting == {"constant": 2600.0}
    assert tuned.by_median.constant == 0.5
