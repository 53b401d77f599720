"""Several measurements of a row, or of some rows only, and the covariance seen from them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from online.cases import FULL, as_dicts, linear_rows, noisy, quietly, rmse
from untaint.online import CorrectedRidge, NoisyKernelRegressor, NoisyLinearRegressor

LEARNERS = [CorrectedRidge(), NoisyLinearRegressor()]
each = pytest.mark.parametrize("model", LEARNERS, ids=["ridge", "stream"])


def replicated(n=2000, k=3, *, share=1.0, seed=0):
    """Clean rows and targets, and k measurements of which a share of the rows has the last ones."""
    X, y, coef = linear_rows(n, seed=seed, intercept=1.0, target_noise=0.5)
    first, *others = [noisy(X, FULL, 1000 + 10 * seed + j) for j in range(k)]
    rng = np.random.default_rng(seed)
    for copy in others:
        copy[rng.random(n) > share] = np.nan
    return X, y, coef, first, others


@each
@pytest.mark.parametrize(("k", "share"), [(3, 1.0), (5, 1.0), (3, 0.3), (2, 0.3)])
def test_unknown_covariance_costs_little(model, k, share):
    ratios = []
    for seed in range(5):
        X, y, _, first, others = replicated(k=k, share=share, seed=seed)
        known = clone(model).set_params(noise_cov=FULL).fit(first, y, X_copy=others)
        unknown = clone(model).set_params(noise_cov="replicates").fit(first, y, X_copy=others)
        ratios.append(rmse(unknown, X, y) / rmse(known, X, y))
    assert np.median(ratios) <= 1.05


def test_covariance_is_estimated_from_all_replicates():
    _, y, _, first, others = replicated(4000, k=4, share=0.5)
    fit = CorrectedRidge(noise_cov="replicates").fit(first, y, X_copy=others)
    np.testing.assert_allclose(fit.noise_cov_, FULL, atol=0.03)
    assert fit.share_ > 0


@each
def test_order_of_the_measurements_does_not_matter(model):
    X, y, _, first, others = replicated(300)
    one = clone(model).fit(first, y, X_copy=others)
    other = clone(model).fit(others[1], y, X_copy=[first, others[0]])
    np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-8)


@each
def test_a_list_of_one_copy_is_that_copy(model):
    X, y, _, first, others = replicated(300, k=2)
    one = clone(model).fit(first, y, X_copy=others[0])
    other = clone(model).fit(first, y, X_copy=others)
    np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-8)
    named = clone(model).set_params(noise_cov="replicates").fit(first, y, X_copy=others[0])
    np.testing.assert_allclose(named.predict(X), one.predict(X), rtol=1e-8)


@each
def test_batches_may_be_cut_anywhere_and_some_have_no_copies(model):
    X, y, _, first, others = replicated(600, k=3, share=0.6)
    for copy in others:
        copy[:40] = copy[400:] = np.nan
    model = clone(model).set_params(noise_cov="replicates")
    whole = clone(model).fit(first, y, X_copy=others)
    cut = clone(model)
    for rows in np.split(np.arange(600), [40, 41, 250, 400]):
        copies = [copy[rows] for copy in others]
        alone = all(np.isnan(copy).all() for copy in copies)
        cut.partial_fit(first[rows], y[rows], X_copy=None if alone else copies)
    np.testing.assert_allclose(cut.predict(X), whole.predict(X), rtol=1e-7)


def test_streams_of_single_rows_may_have_copies_now_and_then():
    _, y, coef, first, others = replicated(1500, k=2, share=0.4)
    model = NoisyLinearRegressor(noise_cov="replicates")
    copies = as_dicts(others[0], range(3))
    for x, second, target in zip(as_dicts(first, range(3)), copies, y.tolist(), strict=True):
        model.predict_one(x)
        model.learn_one(x, target, x_copy=None if np.isnan(second[0]) else second)
    assert np.abs(model.coef_ - coef).max() < 0.25


def test_frames_and_weights():
    _, y, _, first, others = replicated(400, k=3, share=0.5)
    weights = np.random.default_rng(0).integers(0, 3, 400)
    rows = np.repeat(np.arange(400), weights)
    model = CorrectedRidge(noise_cov="replicates", share=1.0, alpha=1.0)
    columns = ["a", "b", "c"]
    frames = [pd.DataFrame(copy, columns=columns) for copy in (first, *others)]
    weighted = model.fit(frames[0], y, X_copy=frames[1:], sample_weight=weights)
    repeated = clone(model).fit(first[rows], y[rows], X_copy=[copy[rows] for copy in others])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8)


def test_given_covariance_is_divided_by_the_number_of_measurements():
    _, y, _, first, others = replicated(500, k=3)
    mean = (first + sum(others)) / 3
    expected = CorrectedRidge(noise_cov=FULL / 3, share=1.0, alpha=1.0).fit(mean, y)
    fit = CorrectedRidge(noise_cov=FULL, share=1.0, alpha=1.0).fit(first, y, X_copy=others)
    np.testing.assert_allclose(fit.coef_, expected.coef_, rtol=1e-10)
    np.testing.assert_allclose(fit.noise_cov_, FULL, rtol=1e-10)
    by_row = np.broadcast_to(np.diag(FULL), (500, 3))
    fit = CorrectedRidge(share=1.0, alpha=1.0).fit(first, y, X_copy=others, noise_cov=by_row)
    expected = CorrectedRidge(noise_cov=np.diag(FULL) / 3, share=1.0, alpha=1.0).fit(mean, y)
    np.testing.assert_allclose(fit.coef_, expected.coef_, rtol=1e-10)


def test_corrected_score_takes_replicates():
    X, y, _, first, others = replicated(4000, k=3, share=0.5, seed=3)
    fit = CorrectedRidge(noise_cov="replicates").fit(first, y, X_copy=others)
    clean = np.mean((fit.predict(X) - y) ** 2)
    assert fit.corrected_score(first, y, X_copy=others) == pytest.approx(clean, abs=0.15)


def test_gradient_steps_take_the_mean_of_the_other_measurements():
    _, y, coef, first, others = replicated(4000, k=3)
    fit = NoisyLinearRegressor(learning_rate="adaptive").fit(first, y, X_copy=others)
    assert np.abs(fit.coef_ - coef).max() < 0.4
    others[0][:5] = others[1][:5] = np.nan
    with pytest.raises(ValueError, match="every row"):
        NoisyLinearRegressor(learning_rate="adaptive").fit(first, y, X_copy=others)
    known = NoisyLinearRegressor(learning_rate="adaptive", noise_cov=FULL)
    assert np.abs(known.fit(first, y, X_copy=others).coef_ - coef).max() < 0.4


@each
def test_bad_copies_are_refused(model):
    _, y, _, first, others = replicated(50)
    with pytest.raises(ValueError, match="the rows of X again"):
        clone(model).fit(first, y, X_copy=first.copy())
    with pytest.raises(ValueError, match="the rows of X again"):
        clone(model).fit(first, y, X_copy=[others[0], first])
    torn = others[0].copy()
    torn[3, 1] = np.nan
    with pytest.raises(ValueError, match="a part is NaN"):
        clone(model).fit(first, y, X_copy=[torn])
    with pytest.raises(ValueError, match="shape of X"):
        clone(model).fit(first, y, X_copy=[others[0][:, :2]])
    with pytest.raises(ValueError, match="missing"):
        clone(model).set_params(missing="random").fit(first, y, X_copy=others)
    with pytest.raises(ValueError, match="noise_cov"):
        clone(model).set_params(noise_cov="copies").fit(first, y)


def test_kernels_take_one_copy_of_every_row():
    _, y, _, first, others = replicated(100)
    with pytest.raises(ValueError, match="one copy of every row"):
        NoisyKernelRegressor(budget=20).fit(first, y, X_copy=others)
    with pytest.raises(ValueError, match="replicates"):
        NoisyKernelRegressor(budget=20, noise_cov="replicates").fit(first, y, X_copy=others[0])
    quietly(NoisyKernelRegressor(budget=20).fit, first, y, X_copy=others[0])
