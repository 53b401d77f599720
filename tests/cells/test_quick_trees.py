"""Boosted trees of all folds at once."""

import numpy as np

from untaint.cells.quick_trees import (
    fit_quick_trees,
    fit_trees_that_add,
    predict_out_of_fold,
)


def surface(n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    return X, np.where(X[:, 0] > 0, X[:, 1], -2.0) + 0.1 * rng.normal(size=n)


def test_folds_at_once_predict_as_each_alone():
    X, y = surface()
    train = np.arange(len(y)) % 3 != np.arange(3)[:, None]
    # Thresholds are those of all rows that are fitted, so that all folds need the same rows.
    together = fit_quick_trees(X, y, train)
    for k in range(3):
        weights = np.vstack([train[k], np.ones(len(y), dtype=bool)])
        alone = fit_quick_trees(X, y, weights)[0]
        # Rounding of single precision decides between splits that are equally good.
        apart = np.abs(together[k].predict(X) - alone.predict(X))
        assert np.mean(apart < 1e-4) > 0.9
        assert apart.max() < 0.1 * y.std()


def test_jumps_and_interactions_are_followed_out_of_fold():
    X, y = surface()
    folds = np.arange(len(y)) % 5
    (predicted,) = predict_out_of_fold(X, y, [np.ones(len(y), dtype=bool)], folds)
    assert np.var(y - predicted) < 0.1 * np.var(y)


def test_rows_that_may_not_be_used_do_not_matter():
    X, y = surface()
    kept = np.arange(len(y)) >= 50
    folds = np.arange(len(y)) % 5
    wild = np.where(kept, y, 1e6)
    (ours,) = predict_out_of_fold(X, y, [kept], folds)
    (theirs,) = predict_out_of_fold(X, wild, [kept], folds)
    np.testing.assert_array_equal(ours, theirs)


def test_missing_values_are_a_side_of_their_own():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 1))
    y = np.where(rng.random(400) < 0.3, 5.0, 0.0)
    X[y > 0] = np.nan
    trees = fit_quick_trees(X, y, np.ones((1, 400), dtype=bool))[0]
    np.testing.assert_allclose(trees.predict(np.array([[np.nan], [0.5]])), [5.0, 0.0], atol=0.1)


def test_constant_features_predict_the_mean():
    y = np.arange(50.0)
    trees = fit_quick_trees(np.ones((50, 2)), y, np.ones((1, 50), dtype=bool))[0]
    np.testing.assert_allclose(trees.predict(np.zeros((1, 2))), y.mean())


def test_no_trees_are_grown_that_add_nothing_to_other_predictions(rng):
    X, folds = rng.normal(size=(300, 3)), np.arange(300) % 5
    train = folds != np.arange(5)[:, None]
    bent, zero = np.abs(X[:, 0]), np.zeros(300)
    found = fit_trees_that_add(X, bent, train, zero)
    for one, other in zip(found, fit_quick_trees(X, bent, train), strict=True):
        np.testing.assert_array_equal(one.predict(X), other.predict(X))
    assert fit_trees_that_add(X, rng.normal(size=300), train, zero) is None
    assert fit_trees_that_add(X, bent, train, bent) is None
