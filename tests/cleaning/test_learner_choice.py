"""Trees judge a table where they predict held-out targets better, and the report says so."""

import numpy as np
import pytest

from untaint.cleaning import ModelFileError, clean_table, load_model, save_model
from untaint.cleaning.exports import summary
from untaint.io import read_table

N = 300


def steps(rng):
    """Return a table that no kernel fits: jumps in one of many columns."""
    X = rng.uniform(size=(N, 6))
    y = 10.0 * np.floor(8 * X[:, 0]) * (X[:, 1] > 0.5) + rng.normal(size=N)
    return X, y


def line(rng):
    X = rng.normal(size=(N, 2))
    return X, X @ [3.0, 1.0] + 0.1 * rng.normal(size=N)


def table(tmp_path, X, y):
    path = tmp_path / "t.csv"
    header = ",".join([*(f"x{j}" for j in range(X.shape[1])), "y"])
    lines = [",".join([*map(str, row), str(t)]) for row, t in zip(X.round(4), y, strict=True)]
    path.write_text("\n".join([header, *lines]) + "\n")
    return read_table(path)


@pytest.mark.parametrize(("make", "learner"), [(steps, "trees"), (line, "kernel")])
def test_the_learner_is_the_one_that_predicts_held_out_targets_better(make, learner, tmp_path):
    X, y = make(np.random.default_rng(0))
    cleaning = clean_table(table(tmp_path, X, y.round(2)), "y", pictures=False, skip=["columns"])
    findings = cleaning.findings
    assert findings.learner == learner
    assert "held-out rows" in findings.why_learner
    assert any(findings.why_learner in note.text for note in findings.notes)
    assert summary(cleaning)["learner"] == learner


def test_trees_find_a_few_wrong_rows_of_a_table_with_jumps(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(400, 6))
    y = 10.0 * np.floor(8 * X[:, 0]) * (X[:, 1] > 0.5) + rng.normal(size=400)
    wrong = rng.choice(400, 20, replace=False)
    y[wrong] += 60.0
    flagged = clean_table(table(tmp_path, X, y.round(2)), "y", pictures=False).findings.flagged
    assert flagged[wrong].mean() >= 0.8
    assert flagged.sum() <= 24


def test_trees_find_the_wrong_rows_of_a_table_with_jumps(tmp_path):
    rng = np.random.default_rng(1)
    X, y = steps(rng)
    wrong = rng.choice(N, 60, replace=False)
    y[wrong] = rng.uniform(100, 500, 60)
    data = table(tmp_path, X, y.round(2))
    found = clean_table(data, "y", pictures=False, skip=["columns"])
    flagged = found.findings.flagged
    assert flagged[wrong].mean() >= 0.9
    assert np.delete(flagged, wrong).mean() <= 0.02
    assert found.findings.improvement.after < found.findings.improvement.before


@pytest.mark.parametrize("labels", [False, True])
def test_trees_survive_a_trip_through_their_file(labels, tmp_path):
    X, y = steps(np.random.default_rng(2))
    target = np.where(y > 20, "high", "low") if labels else y.round(2)
    data = table(tmp_path, X, target)
    model = clean_table(data, "y", learner="trees", pictures=False, skip=["columns"]).model
    path = tmp_path / "m.skops"
    path.write_bytes(save_model(model))
    loaded = load_model(path)
    np.testing.assert_array_equal(loaded.predict(data), model.predict(data))
    if labels:
        np.testing.assert_array_equal(loaded.predict_proba(data), model.predict_proba(data))


def test_a_file_of_trees_that_lead_nowhere_is_refused(tmp_path):
    X, y = steps(np.random.default_rng(3))
    model = clean_table(
        table(tmp_path, X, y.round(2)), "y", learner="trees", pictures=False, skip=["columns"]
    ).model
    model.estimator.trees.left[0] = 0
    path = tmp_path / "m.skops"
    path.write_bytes(save_model(model))
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(path)
