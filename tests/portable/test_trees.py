"""Trees as arrays predict what scikit-learn's do, and refuse branches that lead nowhere."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from untaint.portable import tree_ensemble_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(5000, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2


def ensemble():
    return tree_ensemble_of(HistGradientBoostingRegressor(max_iter=5).fit(X[:200], Y[:200]))


def test_numbers_are_those_of_scikit_learn_also_where_some_are_missing():
    rows = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
    model = HistGradientBoostingRegressor(max_iter=30).fit(rows, Y)
    np.testing.assert_allclose(tree_ensemble_of(model)(rows)[:, 0], model.predict(rows))


@pytest.mark.parametrize("cuts", [[0.0], [0.0, 1.0, 2.0]])
def test_log_odds_are_those_of_scikit_learn(cuts):
    model = HistGradientBoostingClassifier(max_iter=10).fit(X, np.digitize(Y, cuts))
    found = np.squeeze(tree_ensemble_of(model)(X))
    np.testing.assert_allclose(found, model.decision_function(X))


def test_no_rows_have_no_predictions():
    assert ensemble()(X[:0]).shape == (0, 1)


def test_trees_of_categories_are_refused():
    codes = np.digitize(X, [-1.0, 0.0, 1.0]).astype(float)
    model = HistGradientBoostingRegressor(categorical_features=[0]).fit(codes, codes[:, 0] % 2)
    with pytest.raises(ValueError, match="categories"):
        tree_ensemble_of(model)


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("left", 0, 0),  # a node that leads to itself
        ("right", 0, 10**9),
        ("feature", 0, -1),
        ("tree", 0, 1),
        ("output", 0, 1),
        ("output", 0, -1),
    ],
)
def test_branches_that_lead_nowhere_are_refused(name, place, value):
    trees = ensemble()
    state = copy.deepcopy(trees.__getstate__())
    state[name][place] = value
    with pytest.raises(ValueError, match="must"):
        type(trees)(**state)


def test_loading_checks_what_was_stored():
    trees = ensemble()
    assert np.array_equal(pickle.loads(pickle.dumps(trees))(X[:5]), trees(X[:5]))
    trees.left[0] = 0
    with pytest.raises(ValueError, match="come after"):
        pickle.loads(pickle.dumps(trees))


def test_rows_need_the_columns_that_trees_ask_for():
    with pytest.raises(ValueError, match="columns"):
        ensemble()(X[:5, :1])
