"""Rows by features: which features, how many, in which precision, and what they lead back to."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import untaint.design.features as module
from feature_maps.cases import GAMMA, rows
from naive import features as naive
from untaint.design.features import make_feature_design
from untaint.design.memory_plan import min_bytes
from untaint.exceptions import MemoryLimitError
from untaint.feature_maps.fourier import FourierFeatures
from untaint.feature_maps.identity import IdentityMap
from untaint.feature_maps.nystroem import NystroemMap
from untaint.kernels import RBF, Linear
from untaint.losses import SquaredLoss

N = 300


def made(X, approximation="nystroem", *, kernel=None, weights=None, alpha=0.5, **options):
    options = {
        "n_components": 30, "memory_limit": "1GB", "n_outputs": 1, "fit_intercept": True
    } | options  # fmt: skip
    kernel = kernel or (Linear() if approximation == "columns" else RBF(GAMMA))
    return make_feature_design(
        kernel,
        X,
        np.ones(X.shape[0]) if weights is None else weights,
        alpha,
        approximation=approximation,
        rng=np.random.default_rng(0),
        **options,
    )


@pytest.fixture
def small_subsample(set_sizes):
    set_sizes(subsample_rows=100)


def test_each_approximation_has_its_map(rng):
    X = rows(rng, N)
    for approximation, kind in [
        ("columns", IdentityMap),
        ("nystroem", NystroemMap),
        ("rff", FourierFeatures),
    ]:
        assert isinstance(made(X, approximation).map, kind)


@pytest.mark.parametrize("asked", [1, 2, 30, N, 10 * N])
def test_landmarks_are_distinct_rows_and_no_more_than_there_are(asked, rng):
    X = rows(rng, N)
    landmarks = made(X, n_components=asked).map.landmarks
    assert len(landmarks) == min(asked, N)
    assert len(np.unique(landmarks, axis=0)) == len(landmarks)
    assert {tuple(row) for row in landmarks} <= {tuple(row) for row in X}


def test_rows_far_out_are_no_landmarks(rng):
    X = rows(rng, N)
    X[:20] *= 1e4
    assert np.abs(made(X, n_components=50).map.landmarks).max() < 100


@pytest.mark.parametrize("asked", [1, 2, 30, 3 * N])
def test_as_many_fourier_features_as_asked_for(asked, rng):
    assert made(rows(rng, N), "rff", n_components=asked).map.width == asked + asked % 2


def test_automatic_components_follow_the_ridge(rng):
    X = rows(rng, 2000)
    widths = [made(X, n_components=None, alpha=alpha).map.raw_width for alpha in (1e-3, 1.0, 1e4)]
    assert widths[0] > widths[1] >= widths[2] == 100


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_few_rows_have_double_features_whatever_their_own_precision(rng, dtype):
    X = rows(rng, N).astype(dtype)
    assert made(X).map.dtype == made(X, "rff").map.dtype == np.float64


def test_many_rows_have_single_precision_unless_it_rounds_away_more_than_the_ridge(rng):
    X, heavy = 0.1 * rows(rng, N), np.full(N, 100.0)  # so near that most directions are small
    assert made(X, weights=heavy, alpha=1.0).map.dtype == np.float32
    assert made(X, weights=heavy, alpha=1e-6).map.dtype == np.float64
    assert made(X, "rff", weights=heavy, alpha=1e-6).map.dtype == np.float32


def test_few_rows_have_no_subsample(rng):
    design = made(rows(rng, N))
    assert design.subsample_rows is None
    assert design.attainable(1e-8) == 1e-8


@pytest.mark.usefixtures("small_subsample")
@pytest.mark.parametrize("approximation", ["columns", "nystroem", "rff"])
def test_a_subsample_is_the_same_problem_for_some_rows(approximation, rng):
    X, weights = rows(rng, N), rng.integers(1, 4, N).astype(float)
    design = made(X, approximation, weights=weights, alpha=6.0)
    chosen, subsample = design.subsample()
    assert len(chosen) == 100
    assert subsample.map is design.map
    np.testing.assert_array_equal(subsample.X, X[chosen])
    np.testing.assert_array_equal(subsample.sample_weight, np.ones(100))
    assert subsample.alpha == pytest.approx(6.0 * 100 / weights.sum())
    assert subsample.subsample_rows is None


@pytest.mark.usefixtures("small_subsample")
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_coefficients_of_the_subsample_mean_the_same_for_all_rows(fit_intercept, rng):
    X = rows(rng, N)
    design = made(X, fit_intercept=fit_intercept)
    chosen, subsample = design.subsample()
    y = np.sin(X[chosen, :1]) + 2.0
    found = subsample.newton(SquaredLoss(), y).solve(np.ones(100), subsample.alpha)
    coef = np.vstack([found.coef, found.intercept]) if fit_intercept else found.coef
    values = design.features.values(coef)
    np.testing.assert_allclose(values[chosen], found.predictions, atol=1e-8)


@pytest.mark.usefixtures("small_subsample")
def test_the_tolerance_on_a_subsample_is_below_its_sampling_error(rng):
    design = made(rows(rng, N))
    _, subsample = design.subsample()
    assert 1e-8 < subsample.attainable(1e-8) <= module.MAX_TOL
    assert subsample.attainable(0.5) == 0.5
    assert design.attainable(1e-8) == 1e-8


@pytest.mark.usefixtures("small_subsample")
@pytest.mark.parametrize("approximation", ["columns", "nystroem"])
def test_feature_outliers_are_found_inside_and_outside_the_subsample(approximation, rng):
    X = rows(rng, 1000)
    feature_outlier = np.arange(1000) % 25 == 3
    X[feature_outlier] *= 100.0
    design = made(X, approximation)
    assert design.screen.feature_outlier[feature_outlier].all()
    assert design.screen.feature_outlier[~feature_outlier].mean() < 0.02
    assert not design.near[feature_outlier].any()


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_columns_lead_back_to_coefficients_of_the_rows_as_given(fit_intercept, rng):
    X = rows(rng, N) + 5.0
    y = X @ rng.normal(size=(4, 2)) + 3.0
    design = made(X, "columns", fit_intercept=fit_intercept)
    weights = rng.random(N) * (rng.random(N) < 0.7)
    fit = design.newton(SquaredLoss(), y).solve(weights, 0.5, tol=1e-12)
    expected = naive.ridge(naive.with_ones(X, fit_intercept), y, weights, 0.5, fit_intercept)
    coef, intercept = design.primal_coef(fit)
    np.testing.assert_allclose(coef, expected[:4], atol=1e-6)
    np.testing.assert_allclose(intercept, expected[4] if fit_intercept else 0.0, atol=1e-5)
    dual = design.dual_coef(fit, y, weights)
    np.testing.assert_array_equal(dual[weights == 0], 0.0)
    np.testing.assert_allclose(X.T @ dual, coef, atol=1e-6)


def test_landmarks_lead_back_to_a_kernel_expansion(rng):
    X = rows(rng, N)
    design = made(X)
    fit = design.newton(SquaredLoss(), np.sin(X[:, :1])).solve(np.ones(N), 0.5)
    values = design.kernel.matrix(X, design.map.landmarks) @ design.map.unwhiten_coef(fit.coef)
    np.testing.assert_allclose(values + fit.intercept, fit.predictions, atol=1e-7)


def test_leverages_are_of_the_problems_own_ridge(rng):
    X = rows(rng, N)
    design = made(X, "columns", alpha=3.0)
    phi = naive.with_ones(design.map(X), True)
    np.testing.assert_allclose(
        design.leverages(np.ones(N), exact=True), naive.leverages(phi, np.ones(N), 3.0, True)
    )


@pytest.mark.parametrize("approximation", ["nystroem", "rff"])
def test_sparse_rows_lead_to_the_same_values(approximation, rng):
    X = rows(rng, N) * (rng.random((N, 4)) < 0.5)
    y = np.sin(X[:, :1])
    fits = [
        made(x, approximation, n_components=N).newton(SquaredLoss(), y).solve(np.ones(N), 0.5)
        for x in (X, sp.csr_array(X))
    ]
    np.testing.assert_allclose(fits[0].predictions, fits[1].predictions, atol=1e-6)


def test_automatic_components_shrink_to_the_memory(rng):
    X = rows(rng, 2000)
    widths = [
        made(X, n_components=None, alpha=1e-3, memory_limit=limit).map.raw_width
        for limit in ("1GB", *(min_bytes(2000, 1, count, np.float64) for count in (100, 25)))
    ]
    assert widths[0] > widths[1] > widths[2] >= module.MIN_COMPONENTS


@pytest.mark.parametrize("asked", [None, 50])
def test_memory_for_not_even_the_fewest_is_refused(asked, rng):
    with pytest.raises(MemoryLimitError, match=r"memory_limit must be at least [\d.]+ MB for 300"):
        made(rows(rng, N), n_components=asked, memory_limit="5MB")
    with pytest.raises(MemoryLimitError, match="for 300 rows and 4 components"):
        made(rows(rng, N), "columns", memory_limit="5MB")
