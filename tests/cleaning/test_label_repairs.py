"""When a label that only the model of it contradicts is repaired."""

import numpy as np
import pandas
import pytest

from untaint import clean
from untaint.cleaning import target_cleaning


@pytest.fixture
def animals():
    """Return two groups of animals, of which twelve have the label of the other group."""
    rng = np.random.default_rng(0)
    side = np.repeat([0, 1], 100)
    a, b = (rng.normal(size=(200, 2)) + 4 * np.eye(2)[side]).T
    labels = np.array(["cat", "dog"])[side]
    labels[:12] = "dog"
    return pandas.DataFrame({"a": a, "b": b, "animal": labels})


def test_labels_are_repaired_where_some_are_certainly_wrong(animals):
    repaired = clean(animals, "animal", random_state=0).repaired
    assert len(repaired) == 200
    assert (repaired["animal"][:12] == "cat").sum() >= 8


def test_no_label_is_repaired_under_a_doubt(animals, monkeypatch):
    monkeypatch.setattr(target_cleaning, "caveats", lambda *_: ["No better."])
    found = clean(animals, "animal", random_state=0)
    assert found.rows["row"].nunique() >= 8
    assert found.repaired.equals(found.cleaned)
