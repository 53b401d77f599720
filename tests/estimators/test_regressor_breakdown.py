"""Almost half of the rows may hold anything: the fit stays that of the others."""

import numpy as np
import pytest

from estimators.cases import rmse, smooth
from untaint import SubquantileRegressor

# Almost half of the rows are wrong, some alike: that this might be the truth is worth a warning.
pytestmark = pytest.mark.filterwarnings(
    "error", "ignore::untaint.exceptions.AmbiguousContaminationWarning"
)

HUGE = 1e12
N, SHARE = 160, 0.45


def clean_problem(kernel, seed):
    rng = np.random.default_rng(seed)
    X, y = smooth(N + 300, seed=seed)
    if kernel == "linear":
        y = X @ np.array([1.0, -2.0, 0.5, 0.0]) + 3 + 0.1 * rng.normal(size=len(X))
    return (X[:N], y[:N]), (X[N:], y[N:])


def targets_alike(X, y, bad, rng):
    y[bad] = HUGE


def targets_of_random_sign(X, y, bad, rng):
    y[bad] = HUGE * rng.choice([-1, 1], bad.sum())


def features_alike(X, y, bad, rng):
    X[bad] = HUGE


def features_of_random_sign(X, y, bad, rng):
    X[bad] = HUGE * rng.choice([-1, 1], (bad.sum(), X.shape[1]))


def features_of_random_size(X, y, bad, rng):
    X[bad] = 10.0 ** rng.uniform(2, 12, (bad.sum(), X.shape[1]))


def one_feature(X, y, bad, rng):
    X[bad, 0] = HUGE


def both_alike(X, y, bad, rng):
    X[bad], y[bad] = HUGE, HUGE


def both_of_random_sign(X, y, bad, rng):
    features_of_random_sign(X, y, bad, rng)
    targets_of_random_sign(X, y, bad, rng)


def on_a_line_of_their_own(X, y, bad, rng):
    """Bad rows that a linear function fits exactly, far from the good ones."""
    X[bad] = HUGE * rng.normal(size=(bad.sum(), X.shape[1]))
    y[bad] = X[bad] @ np.array([5.0, 5.0, 5.0, 5.0])


ATTACKS = [
    targets_alike,
    targets_of_random_sign,
    features_alike,
    features_of_random_sign,
    features_of_random_size,
    one_feature,
    both_alike,
    both_of_random_sign,
    on_a_line_of_their_own,
]
# Attacks that the target gives away too, not the features alone.
TELLING = [
    targets_alike,
    targets_of_random_sign,
    both_alike,
    both_of_random_sign,
    on_a_line_of_their_own,
]


def attacked(attack, kernel, seed, contamination=SHARE):
    (X, y), (X_test, y_test) = clean_problem(kernel, seed)
    rng = np.random.default_rng(seed + 100)
    bad = np.zeros(N, dtype=bool)
    bad[rng.choice(N, round(contamination * N), replace=False)] = True
    X_bad, y_bad = X.copy(), y.copy()
    attack(X_bad, y_bad, bad, rng)
    return (X_bad, y_bad, bad), (X[~bad], y[~bad]), (X_test, y_test)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
@pytest.mark.parametrize(
    ("kernel", "contamination"), [("rbf", SHARE), ("laplacian", SHARE), ("exponential", "auto")]
)
def test_no_attack_carries_the_fit_away(attack, kernel, contamination):
    (X, y, _), (_, y_clean), test = attacked(attack, kernel, seed=0)
    model = SubquantileRegressor(contamination=contamination, kernel=kernel, alpha=0.1).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert np.isfinite(model.dual_coef_).all()
    assert np.isfinite(model.outlier_scores_).all()
    assert np.isfinite(model.objective_path_).all()
    assert rmse(model, *test) < y_clean.std()


def price_of_attack(attack, kernel, seed, contamination=SHARE, **params):
    """Clean test error over that of the same learner on the clean rows."""
    (X, y, _), clean, test = attacked(attack, kernel, seed)
    robust = SubquantileRegressor(kernel=kernel, alpha=0.1, contamination=contamination, **params)
    robust.fit(X, y)
    params = {**params, "gamma": getattr(robust.kernel_, "gamma", 1.0)}
    reference = SubquantileRegressor(kernel=kernel, alpha=0.1, contamination=0, **params)
    return rmse(robust, *test) / rmse(reference.fit(*clean), *test)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
@pytest.mark.parametrize("contamination", [SHARE, "auto"])
def test_linear_fit_costs_nothing(attack, contamination):
    assert price_of_attack(attack, "linear", 0, contamination) < 1.02


@pytest.mark.parametrize("attack", TELLING, ids=lambda attack: attack.__name__)
@pytest.mark.parametrize(
    ("kernel", "contamination"), [("rbf", SHARE), ("rbf", "auto"), ("laplacian", SHARE)]
)
def test_kernel_fit_costs_little(attack, kernel, contamination):
    for seed in range(2):
        assert price_of_attack(attack, kernel, seed, contamination, gamma=0.15) < 1.2


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_median_scale_is_that_of_the_clean_rows(attack):
    (X, y, _), clean, _ = attacked(attack, "rbf", seed=0)
    robust = SubquantileRegressor(contamination=SHARE).fit(X, y).kernel_.gamma
    reference = SubquantileRegressor(contamination=0).fit(*clean).kernel_.gamma
    assert reference / 2 < robust < 2 * reference


@pytest.mark.parametrize("attack", [targets_alike, both_of_random_sign])
@pytest.mark.parametrize("contamination", [SHARE, "auto"])
def test_iterative_solver_holds(attack, contamination):
    price = price_of_attack(attack, "rbf", 1, contamination, gamma=0.15, solver="iterative")
    assert price < 1.2


@pytest.mark.parametrize("attack", [targets_alike, targets_of_random_sign])
def test_float32_holds(attack):
    (X, y, _), clean, test = attacked(attack, "rbf", seed=0)
    params = {"gamma": 0.15, "alpha": 0.1}
    robust = SubquantileRegressor(contamination=SHARE, **params)
    robust.fit(X.astype(np.float32), y.astype(np.float32))
    reference = SubquantileRegressor(contamination=0, **params).fit(*clean)
    assert rmse(robust, *test) < 1.2 * rmse(reference, *test)


def test_huge_targets_are_the_most_suspicious():
    (X, y, bad), _, _ = attacked(targets_of_random_sign, "rbf", seed=0)
    model = SubquantileRegressor(contamination=SHARE).fit(X, y)
    np.testing.assert_array_equal(model.inlier_mask_, ~bad)
    assert model.outlier_scores_[bad].min() > 1e6 * model.outlier_scores_[~bad].max()


@pytest.mark.parametrize("alpha", [0.01, 1.0])
@pytest.mark.parametrize("place", ["one", "many"])
def test_rows_beyond_the_radius_are_excluded_first_and_do_no_harm(alpha, place):
    # Their targets are ordinary: only the place is wrong, and no residual would tell.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=200)
    far = np.arange(200) < 91  # rows are trimmed whole, and 0.452 * 200 is 90.4
    moved = X.copy()
    moved[far] = 1e12 if place == "one" else 1e12 * rng.normal(size=(91, 4))
    settings = {"alpha": alpha, "gamma": 0.2}
    model = SubquantileRegressor(contamination=0.452, **settings).fit(moved, y)
    oracle = SubquantileRegressor(contamination=0.0, **settings).fit(X[~far], y[~far])
    np.testing.assert_array_equal(model.inlier_mask_, ~far)
    np.testing.assert_allclose(model.predict(X), oracle.predict(X), atol=1e-9)
    assert np.isfinite(model.outlier_scores_).all()
    assert model.outlier_scores_[far].min() >= model.outlier_scores_[~far].max()


def test_more_rows_beyond_the_radius_than_can_be_trimmed_are_treated_like_all_others():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    X[:20] *= 1e9
    y = rng.normal(size=100)
    model = SubquantileRegressor(contamination=0.1).fit(X, y)
    assert model.inlier_mask_.sum() == 90
    assert np.isfinite(model.predict(X)).all()
    assert np.isfinite(model.objective_path_).all()
