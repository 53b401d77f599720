"""Labels, codes, targets of the loss, scores and probabilities: one into the other and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator

from untaint.learners.classification import (
    ClassificationMixin,
    codes_of,
    likeliest,
    loss_of,
    targets_of,
)
from untaint.losses import LogisticLoss, SoftmaxLoss

quick = settings(max_examples=25)


class Scores(ClassificationMixin, BaseEstimator):
    """A learner whose raw predictions are its input."""

    _pairwise = False

    def __init__(self, classes):
        self.classes = classes
        self.classes_ = np.array(classes)

    def _query(self, X):
        return np.asarray(X)


@given(n_classes=st.integers(2, 5), seed=st.integers(0, 99))
@quick
def test_codes_survive_the_way_to_targets_and_back(n_classes, seed):
    codes = np.random.default_rng(seed).integers(0, n_classes, 12)
    targets = targets_of(codes, n_classes)
    assert targets.shape == (12, 1 if n_classes == 2 else n_classes)
    assert targets.dtype == float
    np.testing.assert_array_equal(codes_of(targets), codes)
    if n_classes > 2:
        np.testing.assert_array_equal(targets.sum(axis=1), 1.0)


def test_loss_goes_with_the_number_of_classes():
    assert isinstance(loss_of(2), LogisticLoss)
    assert isinstance(loss_of(3), SoftmaxLoss)


@given(n_classes=st.integers(2, 5), seed=st.integers(0, 99))
@quick
def test_loss_is_minus_the_logarithm_of_the_label_s_probability(n_classes, seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_classes, 12)
    raw = rng.normal(size=(12, 1 if n_classes == 2 else n_classes))
    p = Scores(range(n_classes)).predict_proba(raw[:, 0] if n_classes == 2 else raw)
    losses = loss_of(n_classes).value(targets_of(codes, n_classes), raw)
    np.testing.assert_allclose(losses, -np.log(p[np.arange(12), codes]), rtol=1e-9)


@given(n_classes=st.integers(2, 5), seed=st.integers(0, 99))
@quick
def test_the_predicted_label_is_the_most_probable(n_classes, seed):
    raw = np.random.default_rng(seed).normal(size=(12, 1 if n_classes == 2 else n_classes))
    model = Scores([f"class {k}" for k in range(n_classes)])
    p = model.predict_proba(raw)
    assert p.shape == (12, n_classes)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(raw), model.classes_[p.argmax(axis=1)])
    np.testing.assert_array_equal(likeliest(raw), p.argmax(axis=1))


def test_log_odds_of_two_classes_are_those_of_the_second():
    model = Scores(["no", "yes"])
    assert model.decision_function(np.array([[2.0]])).shape == (1,)
    assert model.predict(np.array([[2.0], [-2.0]])).tolist() == ["yes", "no"]
    np.testing.assert_allclose(model.predict_proba(np.array([[np.log(3.0)]])), [[0.25, 0.75]])


def test_a_tie_goes_to_the_first_class():
    assert Scores(["no", "yes"]).predict(np.array([[0.0]])).tolist() == ["no"]
    assert Scores(["a", "b", "c"]).predict(np.zeros((1, 3))).tolist() == ["a"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e3, 1e300])
def test_probabilities_of_scores_of_any_size(size):
    two = Scores([0, 1]).predict_proba(np.array([[size], [-size]]))
    np.testing.assert_allclose(two, [[0.0, 1.0], [1.0, 0.0]], atol=1e-12)
    three = Scores([0, 1, 2]).predict_proba(np.array([[size, 0.0, -size]]))
    np.testing.assert_allclose(three, [[1.0, 0.0, 0.0]], atol=1e-12)


@pytest.mark.parametrize("labels", [["b", "a", "b"], [3, -1, 3], [True, False, True]])
def test_observed_labels_are_those_given(labels):
    model = Scores([0, 1])
    y = np.array(labels)
    _, targets, weights = model._check_data(np.eye(3), y, None)
    np.testing.assert_array_equal(model._observed(), y)
    np.testing.assert_array_equal(model.classes_, np.unique(y))
    np.testing.assert_array_equal(targets[:, 0], [1.0, 0.0, 1.0])
    np.testing.assert_array_equal(weights, 1.0)
    assert isinstance(model._loss, LogisticLoss)
