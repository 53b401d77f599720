import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from untaint.online import CorrectedRidge, NoisyKernelRegressor, NoisyLinearRegressor

COEF = np.array([1.0, -2.0, 0.5])


def noisy_rows(n=1000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    y = X @ COEF + 0.1 * rng.standard_normal(n)
    return X, y, *(X + np.sqrt(0.5) * rng.standard_normal(X.shape) for _ in range(2))


def dictionaries(X, names="abc"):
    return [dict(zip(names, row, strict=True)) for row in X.tolist()]


def test_one_stray_feature_does_not_spoil_the_correction():
    _, y, noisy, _ = noisy_rows(4000)
    model = NoisyLinearRegressor(noise_cov=0.5)
    for i, (x, target) in enumerate(zip(dictionaries(noisy), y.tolist(), strict=True)):
        model.learn_one({**x, "d": 1.0} if i == 100 else x, target)
    assert np.abs(model.coef_[:3] - COEF).max() < 0.2


def test_a_refused_first_row_leaves_no_trace():
    model = NoisyLinearRegressor()
    with pytest.raises(ValueError, match="noise_cov or X_copy"):
        model.learn_one({"a": 1.0}, 1.0)
    model.set_params(noise_cov=0.1)
    model.learn_one({"a": 1.0}, 1.0)
    assert model.n_rounds_ == 1


@pytest.mark.parametrize(
    ("row", "target"),
    [({"a": 1e200}, 1.0), ({"a": np.array([1.0])}, 1.0), ({"a": 1j}, 1.0), ({"a": 1.0}, [1.0])],
)
def test_a_bad_row_is_refused_at_once_and_the_stream_goes_on(row, target):
    model = NoisyLinearRegressor(noise_cov=0.1)
    for value in range(20):
        model.learn_one({"a": float(value)}, 2.0 * value)
    with pytest.raises(ValueError, match="must"):
        model.learn_one(row, target)
    model.learn_one({"a": 1.0}, 2.0)
    assert model.n_rounds_ == 21
    assert np.isfinite(model.predict_one({"a": 1.0}))


def test_a_refused_first_batch_leaves_no_trace():
    _, y, noisy, again = noisy_rows()
    model = NoisyKernelRegressor(gamma=5.0, noise_cov=0.5, learning_rate=0.1)
    with pytest.raises(ValueError, match="width"):
        model.partial_fit(noisy, y, again)
    model.set_params(gamma=0.1).partial_fit(noisy, y, again)
    assert model.n_rounds_ == len(y)


def test_an_array_of_variances_follows_the_order_of_the_first_row():
    _, y, noisy, _ = noisy_rows()
    by_order = NoisyLinearRegressor(noise_cov=[0.5, 0.1, 0.0])
    by_name = NoisyLinearRegressor(noise_cov={"z": 0.5, "m": 0.1, "a": 0.0})
    for x, target in zip(dictionaries(noisy, "zma"), y.tolist(), strict=True):
        by_order.learn_one(x, target)
        by_name.learn_one(x, target)
    np.testing.assert_allclose(by_order.coef_, by_name.coef_, rtol=1e-12)


def test_a_series_of_variances_goes_by_its_labels():
    _, y, noisy, _ = noisy_rows()
    frame = pd.DataFrame(noisy, columns=list("abc"))
    series = CorrectedRidge(noise_cov=pd.Series({"c": 0.5, "b": 0.0, "a": 0.0})).fit(frame, y)
    np.testing.assert_allclose(np.diag(series.noise_cov_), [0.0, 0.0, 0.5])


def test_copies_with_other_columns_are_refused():
    _, y, noisy, again = noisy_rows()
    with pytest.raises(ValueError, match="X_copy must have the columns of X in the same order"):
        CorrectedRidge().fit(
            pd.DataFrame(noisy, columns=list("abc")),
            y,
            X_copy=pd.DataFrame(again, columns=list("cba")),
        )


def test_copies_with_different_scaling_cause_a_warning():
    _, y, noisy, again = noisy_rows()
    with pytest.warns(UserWarning, match="have both been scaled alike"):
        CorrectedRidge().fit(noisy, y, X_copy=again + 5.0)


def test_names_that_an_array_fit_does_not_know_are_refused():
    _, y, noisy, _ = noisy_rows()
    model = CorrectedRidge(noise_cov=0.5).fit(noisy, y)
    row = {"a": 1.0, "b": 1.0, "c": 1.0}
    for call in (lambda: model.learn_one(row, 1.0), lambda: model.predict_one(row)):
        with pytest.raises(ValueError, match="x must have the features 0 to 2"):
            call()
    assert model.predict_one({0: 1.0, 1: 1.0, 2: 1.0}) == pytest.approx(-0.5, abs=0.3)


def test_an_overstated_noise_is_refused_again_and_again():
    _, y, noisy, _ = noisy_rows()
    model = CorrectedRidge(noise_cov=50.0)
    for _ in range(3):
        with pytest.raises(ValueError, match="noise_cov must be smaller"):
            model.partial_fit(noisy, y)


def test_a_kernel_learner_reports_how_many_rows_it_needs():
    _, y, noisy, _ = noisy_rows()
    model = NoisyKernelRegressor(noise_cov=0.5)
    for x, target in zip(dictionaries(noisy[:20]), y[:20].tolist(), strict=True):
        model.learn_one(x, target)
    assert model.predict_one({"a": 0.0, "b": 0.0, "c": 0.0}) == pytest.approx(y[:20].mean())
    with pytest.raises(NotFittedError, match="64 rows"):
        model.coef_  # noqa: B018


def test_the_noise_of_mixed_batches_is_that_of_one_copy():
    _, y, noisy, again = noisy_rows()
    model = CorrectedRidge(noise_cov=0.5).fit(noisy, y, X_copy=again).partial_fit(noisy, y)
    np.testing.assert_allclose(model.noise_cov_, 0.5 * np.eye(3), atol=1e-12)


def test_the_ball_is_kept_at_any_scale():
    X, y, _, _ = noisy_rows()
    for scale, bound in ((1e-12, 1.0), (1.0, 1e-12)):
        model = NoisyLinearRegressor(noise_cov=0.0, norm_bound=bound).fit(scale * X, y)
        assert np.linalg.norm(model.coef_) <= bound * (1 + 1e-9)


def test_zero_alpha_and_a_constant_column_give_the_least_norm_fit():
    X, y, _, _ = noisy_rows()
    model = CorrectedRidge(noise_cov=0.0, alpha=0.0).fit(np.c_[X, np.ones(len(X))], y)
    np.testing.assert_allclose(model.coef_, [*COEF, 0.0], atol=0.02)
