"""A setting is chosen by rows held out, the same for all, and with the share of each fold."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.papers.method import Method
from benchmarks.papers.tuning import Trial, drawn_rows, tune

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
    tuned = tune(Method(Constant, settings(2500.0, 0.5, -3.0)), DATA, most_rows=100, seed=0)
    assert tuned.setting == {"value": 0.5}
    assert tuned.model.n_ == 60


def test_the_share_is_that_of_the_rows_given(monkeypatch):
    log = []
    monkeypatch.setattr(Constant, "log", (log,))
    tune(Method(Constant, settings(0.0, 1.0), takes_contamination=True), DATA, most_rows=40, seed=0)
    assert len(log) == 2 * 3 + 1
    assert all(model.contamination == pytest.approx(model.bad_) for model in log)
    assert len({model.contamination for model in log}) > 1


def test_settings_are_chosen_on_some_rows_and_fitted_on_all(monkeypatch):
    log = []
    monkeypatch.setattr(Constant, "log", (log,))
    tune(Method(Constant, settings(0.0, 1.0)), DATA, most_rows=30, seed=0)
    assert [model.n_ for model in log] == [20] * 6 + [60]


def test_a_single_setting_is_not_tried_first(monkeypatch):
    log = []
    monkeypatch.setattr(Constant, "log", (log,))
    tune(Method(Constant, settings(0.0)), DATA, most_rows=100, seed=0)
    assert len(log) == 1


def test_a_setting_that_fails_loses_and_equals_go_to_the_first():
    tuned = tune(Method(Constant, settings("fails", 1.0, -1.0)), DATA, most_rows=100, seed=0)
    assert tuned.setting == {"value": 1.0}


def test_a_method_that_always_fails_says_why():
    with pytest.raises(ValueError, match="cannot"):
        tune(Method(Constant, settings("fails", "fails")), DATA, most_rows=100, seed=0)


def test_a_choice_that_fails_on_all_rows_gives_way_to_the_next():
    class Late(Constant):
        def fit(self, X, y):
            if len(y) == 60 and self.value == 0.0:
                raise ValueError("too many rows")
            return super().fit(X, y)

    tuned = tune(Method(Late, settings(0.0, 1.0, 5.0)), DATA, most_rows=100, seed=0)
    assert tuned.setting == {"value": 1.0}


def test_classes_count_the_same_however_rare():
    labels = (np.arange(60) < 12).astype(int)
    data = Trial(X, labels, np.zeros(60, dtype=bool), classes=True)
    assert data.error(lambda train: Constant(0)) == data.error(lambda train: Constant(1)) == 0.5


def test_rows_to_choose_on_depend_on_the_seed_alone():
    np.testing.assert_array_equal(drawn_rows(100, 10, 3), drawn_rows(100, 10, 3))
    assert set(drawn_rows(100, 10, 3)) != set(drawn_rows(100, 10, 4))
    np.testing.assert_array_equal(drawn_rows(5, 10, 3), np.arange(5))
