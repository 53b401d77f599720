"""Corrupted rows cost little: the error on clean new rows stays near that of the clean-row fit."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from estimators.cases import corrupted, grossly_corrupted, rmse
from untaint import SubquantileRegressor
from untaint.datasets import contaminate, load_kiln, make_smooth

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

SEEDS = range(3)
PARAMS = {"gamma": 0.15, "alpha": 0.1}


def smooth_split(seed):
    X, y = make_smooth(900, n_features=4, random_state=seed)
    return X[:400], y[:400], X[400:], y[400:]


def kiln_split(seed):
    X, y = load_kiln(return_X_y=True)
    X, y = StandardScaler().fit_transform(X), (y - y.mean()) / y.std()
    order = np.random.default_rng(seed).permutation(len(y))
    return X[order[:260]], y[order[:260]], X[order[260:]], y[order[260:]]


def price_of_corruption(split, kind, contamination, seed, **params):
    """Clean test error of the robust fit over that of the same learner on the clean rows."""
    X, y, X_test, y_test = split(seed)
    X_bad, y_bad, bad = contaminate(X, y, epsilon=contamination, kind=kind, random_state=seed)
    params = {**PARAMS, **params}
    robust = SubquantileRegressor(contamination=contamination, **params).fit(X_bad, y_bad)
    clean = SubquantileRegressor(contamination=0, **params).fit(X[~bad], y[~bad])
    return rmse(robust, X_test, y_test) / rmse(clean, X_test, y_test)


@pytest.mark.parametrize("split", [smooth_split, kiln_split])
@pytest.mark.parametrize(
    ("kind", "contamination", "mean", "worst"),
    [
        # Some of these bad rows are hardly wrong, so that good ones are trimmed for them.
        ("label", 0.2, 1.2, 1.3),
        ("label", 0.4, 1.25, 1.45),
        ("mirror", 0.2, 1.3, 1.45),
        # These are all plainly wrong: nothing is lost.
        ("cluster", 0.4, 1.01, 1.02),
        ("shift", 0.2, 1.01, 1.02),
        ("local", 0.2, 1.01, 1.02),
        ("label+feature", 0.4, 1.01, 1.02),
    ],
)
def test_corruption_costs_little(split, kind, contamination, mean, worst):
    prices = [price_of_corruption(split, kind, contamination, seed) for seed in SEEDS]
    assert np.mean(prices) < mean, prices
    assert np.max(prices) < worst, prices


@pytest.mark.parametrize("kernel", ["laplacian", "exponential", "rational_quadratic"])
def test_label_noise_costs_little_with_every_kernel(kernel):
    prices = [
        price_of_corruption(smooth_split, "label", 0.2, seed, kernel=kernel) for seed in range(3)
    ]
    assert np.mean(prices) < 1.2, prices


def test_iterative_solver_is_as_robust():
    prices = [
        price_of_corruption(smooth_split, "label", 0.4, seed, solver="iterative") for seed in SEEDS
    ]
    assert np.mean(prices) < 1.25, prices


@pytest.mark.parametrize("kind", ["label", "cluster", "shift", "adversarial"])
@pytest.mark.parametrize("contamination", [0.2, 0.4])
def test_linear_fit_costs_little(kind, contamination):
    prices = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, 6))
        truth = rng.normal(size=6)
        y = X @ truth + 1 + 0.2 * rng.normal(size=300)
        X_bad, y_bad, bad = contaminate(X, y, epsilon=contamination, kind=kind, random_state=seed)
        robust = SubquantileRegressor(contamination=contamination, kernel="linear").fit(
            X_bad, y_bad
        )
        clean = SubquantileRegressor(contamination=0, kernel="linear").fit(X[~bad], y[~bad])
        X_test = rng.normal(size=(500, 6))
        # With the noise of the test rows, as in the other tests.
        y_test = X_test @ truth + 1 + 0.2 * rng.normal(size=500)
        prices.append(rmse(robust, X_test, y_test) / rmse(clean, X_test, y_test))
    assert np.max(prices) < 1.1, prices


@pytest.mark.parametrize("contamination", [0.2, 0.4])
def test_several_outputs_are_trimmed_together(contamination):
    """A row whose first output is wrong is trimmed for the second as well."""
    X, y, bad = grossly_corrupted(300, contamination=contamination)
    Y = np.column_stack([y, X[:, 0]])
    model = SubquantileRegressor(contamination=contamination, **PARAMS).fit(X, Y)
    np.testing.assert_array_equal(model.inlier_mask_, ~bad)


@pytest.mark.parametrize("kind", ["label", "cluster", "shift"])
@pytest.mark.parametrize("contamination", [0.2, "auto"])
@pytest.mark.parametrize("seed", range(3))
def test_scores_rank_bad_rows_above_good_ones(kind, contamination, seed):
    X, y, bad = corrupted(250, kind=kind, seed=seed)
    # A wrong target within the noise of the right one cannot be detected.
    clean = corrupted(250, contamination=0.0, seed=seed)[1]
    separable = ~bad | (np.abs(y - clean) > 1.0)
    model = SubquantileRegressor(contamination=contamination, **PARAMS).fit(X, y)
    assert roc_auc_score(bad[separable], model.outlier_scores_[separable]) > 0.99


@pytest.mark.parametrize("seed", range(3))
def test_scores_rank_gross_errors_above_everything(seed):
    X, y, bad = grossly_corrupted(200, contamination=0.3, seed=seed)
    for contamination in (0.1, 0.3, 0.45, "auto"):
        model = SubquantileRegressor(contamination=contamination).fit(X, y)
        if contamination == 0.1:  # too little trimmed: still in the right order, mostly
            assert roc_auc_score(bad, model.outlier_scores_) > 0.95
        else:
            assert model.outlier_scores_[bad].min() > model.outlier_scores_[~bad].max()


def test_scores_are_standard_deviations():
    """On clean Gaussian errors the scores have the spread of a standard normal's size."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(2000, 2))
    for noise in (0.01, 3.0):
        y = X @ [1.0, 2.0] + noise * rng.normal(size=2000)
        for contamination in (0, 0.1, 0.3, "auto"):
            model = SubquantileRegressor(contamination=contamination, kernel="linear").fit(X, y)
            assert np.median(model.outlier_scores_) == pytest.approx(0.6745, rel=0.08)
            assert np.mean(model.outlier_scores_ > 2) == pytest.approx(0.0455, abs=0.015)


def test_auto_flags_few_rows_of_clean_data():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        X = rng.uniform(-3, 3, size=(200, 1))
        y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=200)
        model = SubquantileRegressor(alpha=0.1).fit(X, y)
        assert model.contamination_ <= 0.02
        assert (~model.inlier_mask_).mean() == pytest.approx(model.contamination_, abs=0.003)


def test_auto_flags_few_rows_where_there_is_nothing_to_learn():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
        assert SubquantileRegressor().fit(X, y).contamination_ <= 0.02


def test_auto_flags_few_rows_of_a_clean_linear_model():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(500, 5))
        y = X @ rng.normal(size=5) + rng.normal(size=500)
        assert SubquantileRegressor(kernel="linear").fit(X, y).contamination_ < 0.01


@pytest.mark.parametrize("contamination", [0.1, 0.2, 0.3, 0.4])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_auto_finds_the_fraction_of_gross_errors(contamination, kernel):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, y, bad = grossly_corrupted(300, contamination=contamination, seed=seed)
        if kernel == "linear":
            y = X @ [1.0, -1.0, 0.5, 0.0] + 0.1 * rng.normal(size=300) + np.where(bad, y, 0.0)
        model = SubquantileRegressor(kernel=kernel, alpha=0.1).fit(X, y)
        assert model.contamination_ == pytest.approx(contamination, abs=0.05)
        assert not model.inlier_mask_[bad].any()


def test_auto_is_within_a_tenth_on_label_noise():
    for seed in SEEDS:
        X, y, _ = corrupted(250, contamination=0.2, seed=seed)
        model = SubquantileRegressor(**PARAMS).fit(X, y)
        assert model.contamination_ == pytest.approx(0.2, abs=0.1)


@pytest.mark.parametrize(
    ("n", "contamination"), [(100, 0.2), (101, 0.2), (250, 0.45), (97, 0.33), (30, 0.1)]
)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_fraction_asked_for_is_trimmed(n, contamination, kernel):
    """To the whole row: what is left over of one is trimmed too."""
    X, y, _ = corrupted(n)
    model = SubquantileRegressor(contamination=contamination, kernel=kernel).fit(X, y)
    assert model.inlier_mask_.sum() == int((1 - contamination) * n + 1e-9)
    assert model.contamination_ == contamination
