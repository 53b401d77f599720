"""The code path from a classification case to its row works with fake methods."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks.classification import MEASURES, evaluate
from benchmarks.classification.evaluate import ALPHAS
from benchmarks.classification.tuning import Setting, Tuned
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier

from benchmarks import Case


def fit(name, X, y, *, epsilon, clean_mask, gammas, alphas, seed):
    """``most`` predicts the most frequent class, ``nearest`` the nearest row's, ``genie`` too."""
    rows = clean_mask if name == "genie" else np.full(len(y), True)
    model = DummyClassifier() if name == "most" else KNeighborsClassifier(1)
    return Tuned(model.fit(X[rows], y[rows]), Setting(gammas[0], alphas[-1]))


@pytest.fixture(autouse=True)
def fake_methods(monkeypatch):
    fakes = SimpleNamespace(fit=fit)
    monkeypatch.setattr("benchmarks.classification.methods", fakes, raising=False)


def test_every_measure_is_there():
    row = evaluate(Case("rare-300", "flip-spare-rare", 0.2, "most", 0))
    assert tuple(row) == MEASURES
    assert row["smallest_recall"] == row["rarest_recall"] == 0.0
    assert row["balanced_accuracy"] == pytest.approx(1 / 3)
    assert row["seconds"] > 0


def test_the_grid_is_that_of_the_classifiers():
    row = evaluate(Case("classes2-100", "flip", 0.2, "most", 0))
    assert row["gamma"] == 2.0**-4 / 16
    assert row["alpha"] == ALPHAS[-1] == pytest.approx(10**0.5)
    assert ALPHAS[0] == pytest.approx(0.01)


def test_scores_are_of_clean_rows():
    genie, nearest = (
        evaluate(Case("classes2-1000", "flip", 0.3, name, 0)) for name in ("genie", "nearest")
    )
    assert genie["accuracy"] > 0.75
    # A flipped neighbour, three times in ten, turns a right answer into a wrong one and back.
    expected = 0.7 * genie["accuracy"] + 0.3 * (1 - genie["accuracy"])
    assert nearest["accuracy"] == pytest.approx(expected, abs=0.07)
