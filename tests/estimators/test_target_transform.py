"""A regressor that transforms its targets: predictions, audits and residuals in their own units."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from untaint import SubquantileRegressorCV

SETTING = {"alphas": [0.1], "gammas": [0.5], "random_state": 0}


def wages(n=200, seed=0, noise=0.4):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n, 1))
    return X, np.exp(3 + np.sin(X[:, 0]) + noise * rng.normal(size=n))


def fitted(X, y, sample_weight=None, **changed):
    return SubquantileRegressorCV(**{"random_state": 0} | changed).fit(X, y, sample_weight)


@pytest.fixture(scope="module")
def table():
    return wages()


@pytest.fixture(scope="module")
def model(table):
    return fitted(*table)


def test_skewed_targets_are_fitted_on_their_logarithms(model):
    assert model.target_transform_ == "log"
    assert model.contamination_ == 0
    assert model.inlier_mask_.all()


@pytest.mark.parametrize("contamination", [0, 0.1])
def test_a_given_contamination_leaves_the_choice(table, contamination):
    assert fitted(*table, contamination=contamination).target_transform_ == "log"


def test_targets_with_even_noise_stay_as_they_are():
    X, y = wages()
    one = fitted(X, np.log(y))
    other = fitted(X, np.log(y), target_transform=None)
    assert one.target_transform_ is None
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


@pytest.mark.parametrize("contamination", ["auto", 0, 0.1])
def test_a_median_is_the_exponential_of_a_fit_to_logarithms(table, contamination):
    X, y = table
    setting = SETTING | {"contamination": contamination}
    model = fitted(X, y, target_transform="log", target_statistic="median", **setting)
    logs = fitted(X, np.log(y), target_transform=None, **setting)
    np.testing.assert_allclose(model.predict(X), np.exp(logs.predict(X)), rtol=1e-9)
    np.testing.assert_array_equal(model.inlier_mask_, logs.inlier_mask_)
    np.testing.assert_allclose(model.outlier_scores_, logs.outlier_scores_, rtol=1e-6)
    np.testing.assert_allclose(model.dual_coef_, logs.dual_coef_, atol=1e-9)


def test_a_mean_is_the_mean_of_the_target(table):
    X, _ = table
    mean, median = (fitted(*table, target_statistic=name) for name in ("mean", "median"))
    ratios = mean.predict(X) / median.predict(X)
    np.testing.assert_allclose(ratios, np.exp(0.4**2 / 2), rtol=0.03)
    truth = np.exp(3 + np.sin(X[:, 0]))
    assert np.median(np.abs(median.predict(X) / truth - 1)) < 0.1


def test_wrong_rows_are_found_and_have_no_part_in_means(table):
    X, y = table
    wrong = np.arange(len(y)) % 10 == 0
    bad = np.where(wrong, y * np.where(np.arange(len(y)) % 20, 30.0, 1 / 30.0), y)
    model, clean = fitted(X, bad), fitted(X[~wrong], y[~wrong])
    assert model.target_transform_ == clean.target_transform_ == "log"
    assert not model.inlier_mask_[wrong].any()
    assert model.inlier_mask_[~wrong].mean() > 0.95
    ratios = model.predict(X) / clean.predict(X)
    assert np.mean(np.abs(np.log(ratios))) < 0.05


@pytest.mark.parametrize("statistic", ["mean", "median"])
@pytest.mark.parametrize("transform", ["log", "power"])
def test_audits_and_residuals_are_in_units_of_the_targets(table, transform, statistic):
    X, y = table
    model = fitted(X, y, target_transform=transform, target_statistic=statistic)
    audit = model.audit()
    order = np.argsort(np.asarray(audit["row"]))
    np.testing.assert_array_equal(np.asarray(audit["observed"])[order], y)
    expected = np.asarray(audit["expected"])[order]
    np.testing.assert_allclose(expected, model.predict(X), rtol=0.2)
    residuals = model.leave_one_out_residuals()
    np.testing.assert_allclose(y - residuals, expected, rtol=0.05)


def test_one_unit_is_as_good_as_another(table):
    X, y = table
    for name in ("auto", "power"):
        one, other = (fitted(X, unit * y, target_transform=name) for unit in (1.0, 1e6))
        assert one.target_transform_ == other.target_transform_ is not None
        np.testing.assert_allclose(1e6 * one.predict(X), other.predict(X), rtol=1e-6)
        np.testing.assert_allclose(one.outlier_scores_, other.outlier_scores_, rtol=1e-5)


def test_a_weight_means_copies():
    X, y = wages(120)
    counts = np.random.default_rng(1).integers(0, 3, size=120)
    one = fitted(X, y, counts.astype(float))
    other = fitted(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert one.target_transform_ == other.target_transform_ == "log"
    np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-5)


def test_predictors_copies_and_pickles_predict_the_same(model, table):
    X, _ = table
    expected = model.predict(X)
    for other in (model.predictor(), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict(X), expected)


@pytest.mark.slow
def test_another_fit_forgets_the_scale(table):
    X, y = table
    model = clone(fitted(X, y))
    model.fit(X, y).fit(X, np.log(y))
    assert model.target_transform_ is None
    assert model.target_transformer_ is None
    np.testing.assert_array_equal(model.predict(X), fitted(X, np.log(y)).predict(X))


def test_predictions_of_single_precision_are_single(model, table):
    X, _ = table
    found = model.predict(X.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, model.predict(X), rtol=1e-5)


def test_features_of_the_kernel_take_transformed_targets(table):
    X, y = table
    model = fitted(X, y, approximation="nystroem", n_components=60, contamination=0.1)
    assert model.target_transform_ == "log"
    exact = fitted(X, y, contamination=0.1)
    np.testing.assert_allclose(model.predict(X), exact.predict(X), rtol=0.02)


def test_a_precomputed_kernel_takes_transformed_targets(table):
    X, y = table
    K = np.exp(-0.5 * (X - X.T) ** 2)
    model = fitted(K, y, kernel="precomputed")
    assert model.target_transform_ == "log"
    assert np.median(np.abs(np.log(model.predict(K) / y))) < 0.5


def test_several_outputs_stay_as_they_are(table):
    X, y = table
    model = fitted(X, np.column_stack([y, 2 * y]))
    assert model.target_transform_ is None
    assert model.predict(X).shape == (200, 2)


@pytest.mark.parametrize(
    ("y", "changed", "words"),
    [
        ("negative", {"target_transform": "log"}, "needs positive targets, got the smallest"),
        ("several", {"target_transform": "log"}, "needs one output, got 2 outputs"),
        ("several", {"target_transform": "power"}, "needs one output, got 2 outputs"),
        ("good", {"target_transform": "box-cox"}, "target_transform must be one of"),
        ("good", {"target_statistic": "mode"}, "target_statistic must be one of"),
    ],
)
def test_what_cannot_be_done_is_said(table, y, changed, words):
    X, good = table
    targets = {"good": good, "negative": good - 50, "several": np.column_stack([good, good])}
    with pytest.raises(ValueError, match=words):
        fitted(X, targets[y], **changed)
