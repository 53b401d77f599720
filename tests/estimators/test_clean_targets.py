"""Clean targets of unusual shape are kept, and wrong ones within the range are found."""

import numpy as np
import pytest

from untaint import SubquantileRegressor, SubquantileRegressorCV
from untaint.exceptions import AmbiguousContaminationWarning

IGNORED = "ignore::untaint.exceptions.AmbiguousContaminationWarning"


def growing_noise(n, seed, contamination=0.0):
    """Noise of a tenth of the expected value, and random targets."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 3, size=(n, 2))
    f = np.exp(X[:, 0]) + X[:, 1]
    y = f * (1 + 0.1 * rng.normal(size=n))
    wrong = np.arange(n) < contamination * n
    y[wrong] = rng.normal(40, 20, size=wrong.sum())
    return X, y, f, wrong


def step(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    beyond = X[:, 2] > 0.5
    return X, np.sin(X[:, 0]) + 3.0 * beyond + 0.2 * rng.normal(size=n), beyond


def rates(model, wrong):
    flagged = ~model.inlier_mask_
    return flagged[wrong].mean() if wrong.any() else 1.0, flagged[~wrong].mean()


@pytest.mark.parametrize("estimator", [SubquantileRegressorCV(), SubquantileRegressor(alpha=0.01)])
@pytest.mark.parametrize("contamination", [0.0, 0.2])
def test_noise_that_grows_with_the_value(estimator, contamination):
    X, y, _, wrong = growing_noise(400, 1, contamination)
    model = estimator.fit(X, y)
    found, accused = rates(model, wrong)
    assert found > 0.85
    assert accused < 0.02
    assert model.contamination_ == pytest.approx(contamination, abs=0.03)


def test_noise_scale_follows_the_noise():
    X, y, f, wrong = growing_noise(600, 2, 0.2)
    model = SubquantileRegressorCV().fit(X, y)
    ratio = model.noise_scale_[~wrong] / (0.1 * f[~wrong])
    assert np.median(ratio) == pytest.approx(1.0, abs=0.2)
    assert np.quantile(ratio, 0.9) / np.quantile(ratio, 0.1) < 2.5
    # The noise itself spans a factor of ten.
    assert np.ptp(np.log(model.noise_scale_)) > 1.0


def test_scores_are_in_units_of_the_row_s_own_noise():
    X, y, f, _ = growing_noise(600, 3)
    scores = SubquantileRegressorCV().fit(X, y).outlier_scores_
    small, large = f < np.quantile(f, 0.3), f > np.quantile(f, 0.7)
    assert np.median(scores[small]) == pytest.approx(np.median(scores[large]), rel=0.4)


def test_given_contamination_has_certain_probabilities_and_one_noise_scale():
    X, y, _, _ = growing_noise(300, 4, 0.2)
    model = SubquantileRegressor(contamination=0.2, alpha=0.01).fit(X, y)
    assert set(np.unique(model.inlier_probability_)) <= {0.0, 1.0}
    np.testing.assert_array_equal(model.inlier_probability_ > 0.5, model.inlier_mask_)
    assert np.ptp(model.noise_scale_) == 0


def test_rows_beyond_a_step_are_kept_named_and_listed():
    X, y, beyond = step()
    with pytest.warns(AmbiguousContaminationWarning, match="told from the others by their feat"):
        model = SubquantileRegressorCV().fit(X, y)
    assert model.inlier_mask_.mean() > 0.98
    table = model.audit()
    listed = np.zeros(len(y), dtype=bool)
    listed[table["row"][table["kind"] == "misfit"]] = True
    assert listed[beyond].mean() > 0.8
    assert listed[~beyond].mean() < 0.05


@pytest.mark.filterwarnings(IGNORED)
def test_gross_errors_are_flagged_next_to_a_step():
    X, y, _ = step()
    y[:6] += 1e4
    model = SubquantileRegressorCV().fit(X, y)
    assert not model.inlier_mask_[:6].any()
    assert model.inlier_mask_[6:].mean() > 0.95


@pytest.mark.filterwarnings(IGNORED)
def test_a_group_whose_targets_are_far_from_all_others_is_no_misfit():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-3, 3, size=(100, 1))
        y, wrong = 2 * np.sin(2 * X[:, 0]) + 0.5 * rng.normal(size=100), np.arange(100) < 20
        X[wrong], y[wrong] = rng.normal(1.0, 0.1, size=(20, 1)), 15.0
        model = SubquantileRegressor(gamma=0.5, alpha=0.1).fit(X, y)
        assert not model.inlier_mask_[wrong].any()
        assert model.inlier_mask_[~wrong].mean() > 0.97


@pytest.mark.filterwarnings(IGNORED)
@pytest.mark.parametrize("contamination", [0.2, 0.4])
@pytest.mark.parametrize("seed", [0, 1])
def test_permuted_targets_are_found(contamination, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(500, 3))
    f = 2 * np.sin(X[:, 0]) + X[:, 1]
    y = f + 0.2 * rng.normal(size=500)
    wrong = np.arange(500) < contamination * 500
    y[wrong] = rng.permutation(y[wrong])
    model = SubquantileRegressorCV().fit(X, y)
    assert model.contamination_ == pytest.approx(contamination, abs=0.06)
    clean = SubquantileRegressorCV(contamination=0).fit(X[~wrong], y[~wrong])
    grid = rng.normal(size=(500, 3))
    truth = 2 * np.sin(grid[:, 0]) + grid[:, 1]
    errors = [np.sqrt(np.mean((m.predict(grid) - truth) ** 2)) for m in (model, clean)]
    assert errors[0] < 1.5 * errors[1]


@pytest.mark.filterwarnings(IGNORED)
@pytest.mark.parametrize("cap", [0.8, 1.0])
def test_zeros_and_caps_are_not_accused(cap):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 2))
    y = np.clip(X[:, 0] + 0.3 * rng.normal(size=400), -0.5, cap)
    assert SubquantileRegressorCV().fit(X, y).inlier_mask_.mean() > 0.98


@pytest.mark.filterwarnings(IGNORED)
def test_knowing_the_contamination_does_not_hurt():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(400, 3))
    f = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    y = f + 0.2 * rng.normal(size=400)
    y[:160] += 3 * y.std()
    told = SubquantileRegressorCV(contamination=0.4).fit(X, y)
    estimated = SubquantileRegressorCV().fit(X, y)
    errors = [np.sqrt(np.mean((m.predict(X) - f) ** 2)) for m in (told, estimated)]
    assert errors[0] < 1.1 * errors[1]
    assert (~told.inlier_mask_).sum() == 160


@pytest.mark.parametrize("seed", [1, 2])
def test_skewed_whole_numbers_on_few_levels_are_not_half_wrong(seed):
    """Ages with a long tail, of people who have many features in common."""
    rng, n = np.random.default_rng(seed), 300
    levels = rng.random((n, 4)) < [0.8, 0.75, 0.9, 0.8]
    X = np.c_[levels, rng.integers(1997, 2003, n), rng.integers(0, 6, n)].astype(float)
    rank = np.clip(rng.random(n) + 0.06 * (X[:, 5] - 2.5) + 0.1 * (X[:, 0] - 0.8), 0, 1)
    ages = [13.0, 16.0, 18.0, 21.0, 27.0, 36.0, 42.0, 64.0]
    y = np.round(np.interp(rank, [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0], ages))
    assert SubquantileRegressorCV().fit(X, y).contamination_ < 0.05
