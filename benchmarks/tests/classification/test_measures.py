"""Scores follow their definitions, and a class that is unknown or trimmed shows."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks.classification.measures import SCORES, log_loss, scores
from sklearn.metrics import balanced_accuracy_score
from sklearn.metrics import log_loss as sklearn_log_loss
from sklearn.svm import SVC

Y = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])
PREDICTED = np.array([0, 0, 0, 1, 1, 1, 0, 0, 0])


def oracle(predicted, probabilities=None, classes=(0, 1, 2)):
    """A model that has its answers from us."""
    model = SimpleNamespace(predict=lambda X: predicted, classes_=np.array(classes))
    if probabilities is not None:
        model.predict_proba = lambda X: probabilities
    return model


def test_recalls_are_of_the_true_classes():
    found = scores(oracle(PREDICTED), None, Y)
    assert tuple(found) == SCORES
    assert found["accuracy"] == pytest.approx(5 / 9)
    assert found["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(Y, PREDICTED))
    assert found["smallest_recall"] == 0.0
    assert found["rarest_recall"] == 0.0


def test_the_smallest_recall_need_not_be_that_of_the_rarest_class():
    found = scores(oracle(np.where(Y == 0, 1, Y)), None, Y)
    assert found["smallest_recall"] == 0.0
    assert found["rarest_recall"] == 1.0


def test_log_loss_is_scikit_learns(rng):
    P = rng.dirichlet(np.ones(3), size=len(Y))
    assert log_loss(oracle(PREDICTED, P), None, Y) == pytest.approx(sklearn_log_loss(Y, P))


def test_a_class_never_met_has_probability_zero_and_a_finite_loss():
    P = np.full((9, 2), 0.5)
    loss = log_loss(oracle(PREDICTED, P, classes=(0, 1)), None, Y)
    unknown = -np.log(np.finfo(float).eps)
    assert loss == pytest.approx((7 * np.log(2) + 2 * unknown) / 9)


def test_without_probabilities_there_is_no_log_loss():
    X = np.arange(9.0)[:, np.newaxis]
    assert np.isnan(log_loss(SVC().fit(X, Y), X, Y))
