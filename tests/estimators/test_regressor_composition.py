"""scikit-learn's own tools work on it."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import r2_score
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from estimators.cases import assert_close, corrupted, smooth
from untaint import SubquantileRegressor
from untaint.kernels import RBF


def test_score_is_the_coefficient_of_determination():
    X, y, _ = corrupted(100)
    model = SubquantileRegressor(contamination=0.2).fit(X, y)
    assert model.score(X, y) == pytest.approx(r2_score(y, model.predict(X)))
    weights = np.linspace(0, 1, 100)
    assert model.score(X, y, sample_weight=weights) == pytest.approx(
        r2_score(y, model.predict(X), sample_weight=weights)
    )


def test_works_in_a_pipeline():
    X, y, _ = corrupted(120)
    units = np.array([1.0, 1e3, 1e-3, 1.0])
    model = make_pipeline(StandardScaler(), SubquantileRegressor(contamination=0.2))
    by_pipeline = model.fit(X * units, y).predict(X * units)
    scaled = StandardScaler().fit_transform(X)
    by_hand = SubquantileRegressor(contamination=0.2).fit(scaled, y).predict(scaled)
    assert_close(by_pipeline, by_hand, 1e-8)
    assert model.set_params(subquantileregressor__alpha=5.0)[-1].alpha == 5.0


def test_weights_pass_through_a_pipeline():
    X, y, _ = corrupted(80)
    weights = np.linspace(0.5, 2, 80)
    model = make_pipeline(StandardScaler(), SubquantileRegressor(contamination=0.2))
    model.fit(X, y, subquantileregressor__sample_weight=weights)
    expected = SubquantileRegressor(contamination=0.2)
    expected.fit(StandardScaler().fit_transform(X), y, sample_weight=weights)
    assert_close(model.predict(X), expected.predict(StandardScaler().fit_transform(X)), 1e-10)


def test_grid_search_over_alpha_and_kernel():
    X, y = smooth(120)
    grid = {"alpha": [1e-2, 1e3], "kernel": ["rbf", "linear", RBF(0.1)]}
    search = GridSearchCV(SubquantileRegressor(contamination=0), grid, cv=3).fit(X, y)
    assert search.best_params_["alpha"] == 1e-2
    assert search.best_params_["kernel"] != "linear"
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.predict(X).shape == (120,)


def test_cross_validation():
    X, y = smooth(120)
    model = SubquantileRegressor(contamination=0.1, alpha=0.1)
    assert (cross_val_score(model, X, y, cv=3) > 0.5).all()
    assert cross_val_predict(model, X, y, cv=3).shape == (120,)


def test_cross_validation_of_a_precomputed_kernel_takes_its_columns_too():
    X, y = smooth(90)
    K = pairwise_kernels(X, metric="rbf", gamma=0.2)
    given = SubquantileRegressor(contamination=0, kernel="precomputed")
    named = SubquantileRegressor(contamination=0, gamma=0.2)
    folds = KFold(3)
    assert_close(
        cross_val_score(given, K, y, cv=folds), cross_val_score(named, X, y, cv=folds), 1e-9
    )


def test_multi_output_wrapper_trims_each_output_alone():
    X, y, _ = corrupted(80)
    Y = np.column_stack([y, y[::-1]])
    wrapped = MultiOutputRegressor(SubquantileRegressor(contamination=0.2)).fit(X, Y)
    alone = SubquantileRegressor(contamination=0.2).fit(X, y)
    np.testing.assert_array_equal(wrapped.estimators_[0].inlier_mask_, alone.inlier_mask_)


def test_parameters_can_be_set():
    model = SubquantileRegressor().set_params(alpha=0.5, kernel="laplacian", contamination=0.1)
    assert (model.alpha, model.kernel, model.contamination) == (0.5, "laplacian", 0.1)
    with pytest.raises(ValueError, match="Invalid parameter 'alhpa'"):
        model.set_params(alhpa=1)


def test_fit_leaves_the_parameters_alone():
    X, y, _ = corrupted(60)
    params = {"contamination": "auto", "gamma": "median", "max_iter": None, "random_state": 3}
    model = SubquantileRegressor(**params)
    before = clone(model).get_params()
    assert model.fit(X, y).get_params() == before
