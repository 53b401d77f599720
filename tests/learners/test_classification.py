"""Labels, codes, targets of the loss, scores and probabilities, and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untaint import SubquantileClassifier
from untaint.learners.classification import likeliest, loss_of, targets_of
from untaint.losses import class_codes

quick = settings(max_examples=25)


@given(n_classes=st.integers(2, 5), seed=st.integers(0, 99))
@quick
def test_targets_encode_the_codes(n_classes, seed):
    codes = np.random.default_rng(seed).integers(0, n_classes, 12)
    targets = targets_of(codes, n_classes)
    assert targets.shape == (12, 1 if n_classes == 2 else n_classes)
    np.testing.assert_array_equal(class_codes(targets), codes)


def fitted(n_classes, **params):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20 * n_classes, 2)), np.repeat(np.arange(n_classes), 20)
    X += 1.5 * np.c_[np.cos(y), np.sin(y)]
    names = np.array([f"class {k}" for k in range(n_classes)])
    return SubquantileClassifier(contamination=0, **params).fit(X, names[y]), X, y


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_labels_scores_and_probabilities_agree_with_the_loss(n_classes):
    model, X, y = fitted(n_classes)
    p, scores = model.predict_proba(X), model.decision_function(X)
    assert scores.shape == ((len(X),) if n_classes == 2 else (len(X), n_classes))
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(X), model.classes_[p.argmax(axis=1)])
    raw = scores.reshape(len(X), -1)
    np.testing.assert_array_equal(likeliest(raw), p.argmax(axis=1))
    losses = loss_of(n_classes).value(targets_of(y, n_classes), raw)
    np.testing.assert_allclose(losses, -np.log(p[np.arange(len(X)), y]), rtol=1e-8)


def test_a_tie_goes_to_the_first_class():
    assert likeliest(np.array([[0.0]])).tolist() == [0]
    assert likeliest(np.zeros((1, 3))).tolist() == [0]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("size", [1e4, 1e200])
def test_probabilities_of_huge_scores_are_zero_and_one(size, n_classes):
    model, X, _ = fitted(n_classes, kernel="linear")
    p = model.predict_proba(size * X[:5])
    np.testing.assert_allclose(np.sort(p, axis=1)[:, -1], 1.0, atol=1e-9)


@pytest.mark.parametrize("labels", [["b", "a"], [3, -1], [True, False]])
def test_predictions_are_labels_as_given(labels, rng):
    X = rng.normal(size=(20, 2)) + 5.0 * (np.arange(20) % 2)[:, None]
    y = np.array(labels)[np.arange(20) % 2]
    model = SubquantileClassifier(contamination=0).fit(X, y)
    np.testing.assert_array_equal(model.classes_, np.unique(y))
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.predict(X).dtype == y.dtype
