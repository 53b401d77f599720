"""Rows in single precision are fitted to as the same values in double precision are.

A small alpha makes a kernel matrix ill-conditioned: what single precision rounds away is then
larger than alpha, and a factorisation of it predicts values out of all proportion.
"""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning

from estimators.cases import assert_close, raw
from untaint import (
    SubquantileClassifier,
    SubquantileClassifierCV,
    SubquantileRegressor,
    SubquantileRegressorCV,
)
from untaint.baselines import (
    ConsistentRegressor,
    HardThresholdRegressor,
    ReweightedRegressor,
    SeverClassifier,
    SeverRegressor,
    TiltedClassifier,
    TiltedRegressor,
)
from untaint.kernels import RBF

CLOSE = 1e-3  # in standard deviations of the targets; of scores, in units of log-odds
ILL = {"gamma": 0.01, "alpha": 1e-6, "random_state": 0}
FIXED = {**ILL, "contamination": 0.15}
# Features of many rows are in single precision where that is safe: for this alpha it has to be.
MANY = {"contamination": 0.15, "gamma": 0.2, "n_components": 40, "random_state": 0}


def targets(n, seed, n_wrong=7):
    """Rows whose values single precision holds, and targets of which the first are wrong."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3)).astype(np.float32)
    y = 2 * X[:, 0] + np.sin(X[:, 1]) + 0.1 * rng.standard_normal(n)
    y[:n_wrong] += 8
    return X, y


def labels(n, seed=0, n_classes=2):
    """Round classes that overlap, and labels of which the first are wrong."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_classes, n)
    X = rng.standard_normal((n, 3)) + 3.0 * np.eye(3)[truth]
    truth[: n // 20] = (truth[: n // 20] + 1) % n_classes
    return X.astype(np.float32), truth


def both(model, X, y, double=None):
    """Fits to the rows as they are, and to the same values in double precision."""
    double = X.astype(np.float64) if double is None else double
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return clone(model).fit(X, y), clone(model).fit(double, y)


def assert_same_rows(single, double, tol=1e-5):
    """Rows are kept alike, but for some whose scores are those of the last row that is kept."""
    scores = double.outlier_scores_
    edge = scores[~double.inlier_mask_].min(initial=np.inf)
    differ = single.inlier_mask_ != double.inlier_mask_
    assert (np.abs(scores[differ] - edge) <= tol * edge).all()


def assert_alike(single, double, X, y):
    """Fits keep the same rows, and predict alike whatever the precision of the query."""
    assert_same_rows(single, double)
    scale = 1.0 if is_classifier(single) else float(np.std(y))
    expected = raw(double, X.astype(np.float64))
    for model in (single, double):
        assert_close(raw(model, X.astype(np.float64)), expected, CLOSE, scale)
        found = raw(model, X)
        assert found.dtype == np.float32
        assert_close(found, expected, CLOSE, scale)


# --- as few rows as a kernel matrix takes ----------------------------------------------------

# Fits to these rows in single precision had up to a thousand times the error.
RUINED = [(60, 101), (60, 103), (60, 109), (60, 111), (100, 100), (100, 108), (100, 110),
          (150, 103), (150, 110), (250, 103), (250, 106), (250, 108)]  # fmt: skip


@pytest.mark.parametrize(("n", "seed"), RUINED)
def test_rows_that_single_precision_ruined(n, seed):
    X, y = targets(n, seed)
    fresh, _ = targets(200, seed + 1000)
    single, double = both(SubquantileRegressorCV(), X, y)
    assert (single.alpha_, single.gamma_) == (double.alpha_, double.gamma_)
    assert_alike(single, double, fresh, y)
    truth = 2 * fresh[:, 0] + np.sin(fresh[:, 1])
    assert np.sqrt(np.mean((single.predict(fresh) - truth) ** 2)) < 0.5


REGRESSORS = {
    "auto": SubquantileRegressor(**ILL),
    "fixed-contamination": SubquantileRegressor(**FIXED),
    "without-ridge": SubquantileRegressor(**{**FIXED, "alpha": 0.0, "gamma": 1.0}),
    "without-intercept": SubquantileRegressor(**FIXED, fit_intercept=False),
    "in-a-ball": SubquantileRegressor(**FIXED, norm_bound=20.0),
    "exact": SubquantileRegressor(**FIXED, solver="exact"),
    "iterative": SubquantileRegressor(**FIXED, solver="iterative"),
    "gradient": SubquantileRegressor(**{**FIXED, "alpha": 0.1}, solver="gradient", max_iter=50),
    "laplacian": SubquantileRegressor(**FIXED, kernel="laplacian"),
    "exponential": SubquantileRegressor(**FIXED, kernel="exponential"),
    "polynomial": SubquantileRegressor(**FIXED, kernel="poly"),
    "rational-quadratic": SubquantileRegressor(**FIXED, kernel="rational_quadratic"),
    "linear": SubquantileRegressor(**FIXED, kernel="linear"),
    "nystroem": SubquantileRegressor(**FIXED, approximation="nystroem", n_components=50),
    "rff": SubquantileRegressor(**FIXED, approximation="rff", n_components=50),
    "cv-linear": SubquantileRegressorCV(kernel="linear", random_state=0),
    "cv-nystroem": SubquantileRegressorCV(approximation="nystroem", random_state=0),
    "cv-rff": SubquantileRegressorCV(approximation="rff", n_components=60, random_state=0),
    "sever": SeverRegressor(contamination=0.1, gamma=0.01, alpha=1e-6),
    "sever-linear": SeverRegressor(contamination=0.1, kernel="linear", alpha=1e-6),
    "tilted": TiltedRegressor(gamma=0.01, alpha=1e-6),
    "hard-threshold": HardThresholdRegressor(contamination=0.1),
    "consistent": ConsistentRegressor(contamination=0.1),
    "reweighted": ReweightedRegressor(),
}


@pytest.mark.parametrize("model", REGRESSORS.values(), ids=REGRESSORS)
def test_regressors(model):
    X, y = targets(120, 0)
    assert_alike(*both(model, X, y), X, y)


@pytest.mark.parametrize("solver", ["exact", "iterative"])
def test_more_rows_than_are_factorised(solver):
    X, y = targets(800, 1)
    assert_alike(*both(SubquantileRegressor(**FIXED, solver=solver), X, y), X, y)


CLASSIFIERS = {
    "auto": SubquantileClassifier(**{**ILL, "alpha": 1e-4}),
    "fixed-contamination": SubquantileClassifier(**{**FIXED, "alpha": 1e-4}),
    "iterative": SubquantileClassifier(**{**FIXED, "alpha": 1e-4}, solver="iterative"),
    "linear": SubquantileClassifier(**{**FIXED, "alpha": 1e-3}, kernel="linear"),
    "nystroem": SubquantileClassifier(
        **{**FIXED, "alpha": 1e-3}, approximation="nystroem", n_components=40
    ),
    "rff": SubquantileClassifier(**{**FIXED, "alpha": 1e-3}, approximation="rff", n_components=40),
    "cv": SubquantileClassifierCV(random_state=0),
    "cv-linear": SubquantileClassifierCV(kernel="linear", random_state=0),
    "cv-nystroem": SubquantileClassifierCV(approximation="nystroem", random_state=0),
    "sever": SeverClassifier(contamination=0.1, gamma=0.01, alpha=1e-3),
    "tilted": TiltedClassifier(gamma=0.01, alpha=1e-3),
}


@pytest.mark.parametrize("model", CLASSIFIERS.values(), ids=CLASSIFIERS)
def test_classifiers(model):
    X, y = labels(120)
    assert_alike(*both(model, X, y), X, y)


def test_three_classes():
    X, y = labels(120, n_classes=3)
    assert_alike(*both(SubquantileClassifier(**{**FIXED, "alpha": 1e-3}), X, y), X, y)


@pytest.mark.parametrize("kind", [SubquantileRegressorCV, SubquantileRegressor, TiltedRegressor])
def test_precomputed_matrices(kind):
    X, y = targets(120, 0)
    K = RBF(0.01).matrix(X, dtype=np.float64).astype(np.float32)
    single, double = both(kind(kernel="precomputed"), K, y)
    assert_alike(single, double, K, y)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_sparse_rows(kernel):
    X, y = targets(120, 0)
    X[np.abs(X) < 0.5] = 0.0
    rows = sp.csr_array(X)
    single, double = both(SubquantileRegressor(**FIXED, kernel=kernel), rows, y)
    assert_alike(single, double, rows, y)


def test_weights_and_rows_that_are_absent():
    X, y = targets(120, 0)
    weights = np.arange(120.0) % 4
    single, double = (
        SubquantileRegressor(**FIXED).fit(rows, y, weights) for rows in (X, X.astype(np.float64))
    )
    assert_alike(single, double, X, y)


@pytest.mark.parametrize("kind", [SubquantileRegressor, SubquantileRegressorCV])
def test_audits_agree(kind):
    X, y = targets(120, 0)
    single, double = (model.audit() for model in both(kind(), X, y))
    np.testing.assert_array_equal(single["row"], double["row"])
    np.testing.assert_allclose(single["expected"], double["expected"], atol=CLOSE)


def test_whole_targets_beside_single_rows_keep_their_digits():
    X, _ = targets(120, 0)
    y = 2**24 + np.arange(120) % 2  # which single precision does not tell apart
    single, double = both(SubquantileRegressor(contamination=0, kernel="linear"), X, y)
    np.testing.assert_array_equal(single.audit()["observed"], double.audit()["observed"])
    assert_close(single.predict(X.astype(float)), double.predict(X.astype(float)), CLOSE, y.std())


# --- many rows, on features ------------------------------------------------------------------


@pytest.fixture
def small_subsample(set_sizes):
    set_sizes(subsample_rows=1000)


MANY_ROWS = {
    "linear": SubquantileRegressor(kernel="linear", contamination=0.15, alpha=1e-6),
    "linear-auto": SubquantileRegressor(kernel="linear", alpha=1e-6),
    "nystroem": SubquantileRegressor(**MANY, approximation="nystroem"),
    "nystroem-ill": SubquantileRegressor(
        **{**MANY, "gamma": 0.01, "alpha": 1e-6}, approximation="nystroem"
    ),
    "rff": SubquantileRegressor(**MANY, approximation="rff"),
    "cv": SubquantileRegressorCV(
        approximation="nystroem", alphas=[0.1, 1.0], n_components=40, random_state=0
    ),
    "classifier-linear": SubquantileClassifier(kernel="linear", contamination=0.1),
    "classifier": SubquantileClassifier(**{**MANY, "alpha": 1e-2}, approximation="nystroem"),
}


@pytest.mark.slow
@pytest.mark.usefixtures("small_subsample")
@pytest.mark.parametrize("model", MANY_ROWS.values(), ids=MANY_ROWS)
def test_many_rows(model):
    X, y = labels(4500) if is_classifier(model) else targets(4500, 2, n_wrong=500)
    assert_alike(*both(model, X, y), X, y)


@pytest.mark.usefixtures("small_subsample")
@pytest.mark.parametrize("n", [120, 4500], ids=["few", "many"])
def test_columns_far_from_zero_that_all_but_repeat_one_another(n):
    X, y = targets(n, 3)
    rng = np.random.default_rng(3)
    X[:, 2] = X[:, 0] + 1e-3 * rng.standard_normal(n)
    X = X + np.float32(30.0)
    assert_alike(*both(MANY_ROWS["linear"], X, y), X, y)


def test_a_ridge_that_single_precision_drowns_is_solved_in_double_however_many_rows():
    X, y = targets(4100, seed=1)
    setting = {"gamma": 0.05, "alpha": 1e-5, "contamination": 0.0}
    quick = SubquantileRegressor(**setting).fit(X, y)
    exact = SubquantileRegressor(**setting, solver="exact").fit(X, y)
    query, _ = targets(200, seed=2)
    assert_close(quick.predict(query), exact.predict(query), CLOSE * y.std())
