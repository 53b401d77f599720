"""Extra trees of all folds at once."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor

from untaint.cells.extra_trees import grow_forests


def rows(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * (X[:, 2] > 0) + 0.2 * rng.normal(size=n)


def test_they_predict_as_well_as_those_of_a_library():
    own, theirs = [], []
    for seed in range(5):
        X, y = rows(300, seed)
        new, target = rows(300, seed + 100)
        (forest,) = grow_forests(
            X, y[:, None], np.ones((1, 300), dtype=bool), 12, leaf=2, seed=seed
        )
        library = ExtraTreesRegressor(12, min_samples_leaf=2, random_state=seed).fit(X, y)
        own.append(np.mean((forest.predict(new)[:, 0] - target) ** 2))
        theirs.append(np.mean((library.predict(new) - target) ** 2))
    assert np.mean(own) < 1.1 * np.mean(theirs)


def test_a_fold_is_grown_from_its_own_rows():
    X, y = rows(100, 0)
    train = np.zeros((2, 100), dtype=bool)
    train[0, :50] = train[1, 50:] = True
    y[50:] += 1000
    first, second = grow_forests(X, y[:, None], train, 5, leaf=3)
    assert first.predict(X).max() < 100 < second.predict(X).min()


def test_levels_have_probabilities():
    X, y = rows(120, 1)
    levels = np.eye(3)[np.digitize(y, [-0.5, 0.5])]
    (forest,) = grow_forests(X, levels, np.ones((1, 120), dtype=bool), 8, leaf=3, tried=0.5)
    found = forest.predict(X)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-6)
    assert (found.argmax(axis=1) == levels.argmax(axis=1)).mean() > 0.7


@pytest.mark.parametrize("missing", [0.3, 1.0])
def test_missing_values_are_a_value_of_their_own(missing):
    X, y = rows(200, 2)
    X[np.random.default_rng(0).random(200) < missing, 0] = np.nan
    y = y + 10 * np.isnan(X[:, 0])
    (forest,) = grow_forests(X, y[:, None], np.ones((1, 200), dtype=bool), 10, leaf=2)
    assert np.corrcoef(forest.predict(X)[:, 0], y)[0, 1] > 0.9


def test_rows_without_features_have_the_mean():
    y = np.arange(10.0)
    (forest,) = grow_forests(np.zeros((10, 1)), y[:, None], np.ones((1, 10), dtype=bool), 3, leaf=2)
    np.testing.assert_allclose(forest.predict(np.zeros((2, 1))), 4.5)


def test_trees_that_grow_one_after_another_are_one_forest(monkeypatch):
    X, y = rows(80, 3)
    train = np.ones((2, 80), dtype=bool)
    monkeypatch.setattr("untaint.cells.extra_trees.MAX_CELLS", 1)
    few = grow_forests(X, y[:, None], train, 4, leaf=2)
    assert len(few[0].roots) == 4
    assert np.corrcoef(few[1].predict(X)[:, 0], y)[0, 1] > 0.8
