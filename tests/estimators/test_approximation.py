"""Fits on features: with all rows as landmarks the exact fit, and near it with fewer."""

import io
import pickle
import re

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from estimators.cases import (
    assert_close,
    blobs,
    failed_checks,
    flipped_blobs,
    grossly_corrupted,
    rmse,
    smooth,
)
from untaint import (
    SubquantileClassifier,
    SubquantileClassifierCV,
    SubquantileRegressor,
    SubquantileRegressorCV,
)
from untaint.datasets import contaminate

N, ALL = 700, 10_000
ESTIMATORS = [
    SubquantileRegressor,
    SubquantileClassifier,
    SubquantileRegressorCV,
    SubquantileClassifierCV,
]
each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS)
both = pytest.mark.parametrize("approximation", ["nystroem", "rff"])


def pair(estimator, **params):
    """The exact fit, and that with all rows as landmarks."""
    return (
        estimator(approximation=None, **params),
        estimator(approximation="nystroem", n_components=ALL, **params),
    )


def labelled(n=300, seed=0):
    X, labels, _, bad = flipped_blobs([n // 2, n - n // 2], seed=seed)
    return X, labels, bad


# --- all rows as landmarks -------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly"])
@pytest.mark.parametrize("contamination", [0, 0.2, "auto"])
def test_regressor_with_all_rows_as_landmarks_is_exact(kernel, contamination):
    n = 300 if contamination == "auto" else N
    X, y, _ = grossly_corrupted(n)
    exact, found = pair(
        SubquantileRegressor, kernel=kernel, contamination=contamination, gamma=0.15
    )
    exact.fit(X, y), found.fit(X, y)
    assert found.X_fit_.shape == (n, 4)
    assert found.contamination_ == pytest.approx(exact.contamination_, abs=1e-6)
    np.testing.assert_array_equal(found.inlier_mask_, exact.inlier_mask_)
    new, _ = smooth(200, seed=1)
    assert_close(found.predict(X), exact.predict(X), 1e-4)
    assert_close(found.predict(new), exact.predict(new), 1e-4)
    assert_close(found.outlier_scores_, exact.outlier_scores_, 1e-3)
    assert found.loss_threshold_ == pytest.approx(exact.loss_threshold_, rel=1e-4)


@pytest.mark.parametrize("contamination", [0, 0.2, "auto"])
def test_several_outputs_with_all_rows_as_landmarks_are_exact(contamination):
    X, y, _ = grossly_corrupted(300)
    Y = np.column_stack([y, X[:, 0] ** 2, X @ [1.0, -1.0, 2.0, 0.5]])
    exact, found = pair(SubquantileRegressor, contamination=contamination, gamma=0.15)
    exact.fit(X, Y), found.fit(X, Y)
    assert found.predict(X).shape == (300, 3)
    np.testing.assert_array_equal(found.inlier_mask_, exact.inlier_mask_)
    assert_close(found.predict(X), exact.predict(X), 1e-4)


@pytest.mark.parametrize("contamination", [0, 0.2, "auto"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_weighted_rows_with_all_as_landmarks_are_exact(contamination, fit_intercept, rng):
    X, y, _ = grossly_corrupted(300)
    weights = rng.integers(0, 4, 300).astype(float)
    exact, found = pair(
        SubquantileRegressor, contamination=contamination, gamma=0.15, fit_intercept=fit_intercept
    )
    exact.fit(X, y, sample_weight=weights), found.fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(found.inlier_mask_, exact.inlier_mask_)
    assert_close(found.predict(X), exact.predict(X), 1e-4)


@pytest.mark.parametrize("params", [{"smoothing": 2.0}, {"norm_bound": 0.5}, {"init": "zeros"}])
def test_other_ways_to_fit_with_all_rows_as_landmarks_are_exact(params):
    X, y, _ = grossly_corrupted(300)
    exact, found = pair(SubquantileRegressor, contamination=0.2, gamma=0.15, **params)
    exact.fit(X, y), found.fit(X, y)
    assert_close(found.predict(X), exact.predict(X), 1e-3)


@pytest.mark.parametrize(
    ("kernel", "contamination"),
    [
        *(
            (kernel, contamination)
            for kernel in ("rbf", "laplacian", "poly")
            for contamination in (0, 0.15)
        ),
        # Not poly: its two fits end two rows apart, that on features with the lower objective.
        ("rbf", "auto"),
        ("laplacian", "auto"),
    ],
)
@pytest.mark.parametrize("sizes", [[150, 150], [100, 100, 100]], ids=["binary", "3 classes"])
def test_classifier_with_all_rows_as_landmarks_is_exact(kernel, sizes, contamination):
    X, labels, _, _ = flipped_blobs(sizes)
    exact, found = pair(
        SubquantileClassifier, kernel=kernel, contamination=contamination, gamma=0.15
    )
    exact.fit(X, labels), found.fit(X, labels)
    assert found.contamination_ == pytest.approx(exact.contamination_, abs=1e-6)
    np.testing.assert_array_equal(found.inlier_mask_, exact.inlier_mask_)
    assert_close(found.predict_proba(X), exact.predict_proba(X), 1e-4)


def test_smooth_kernels_of_few_columns_are_exact_too(rng):
    X = rng.normal(size=(300, 2))
    y = np.sin(X[:, 0]) + 0.3 * X.sum(axis=1) + 0.1 * rng.normal(size=300)
    exact, found = pair(SubquantileRegressor, contamination=0, alpha=1e-3)
    exact.fit(X, y), found.fit(X, y)
    assert_close(found.predict(X), exact.predict(X), 1e-4)
    assert_close(found.leave_one_out_residuals(), exact.leave_one_out_residuals(), 1e-4)


@pytest.mark.parametrize("contamination", [0, 0.2])
def test_leave_one_out_residuals_are_exact_too(contamination):
    X, y, _ = grossly_corrupted(300)
    exact, found = pair(SubquantileRegressor, contamination=contamination, gamma=0.15)
    exact.fit(X, y), found.fit(X, y)
    assert_close(found.leave_one_out_residuals(), exact.leave_one_out_residuals(), 1e-4)


def test_audits_agree_too():
    X, y, _ = grossly_corrupted(300)
    exact, found = pair(SubquantileRegressor, contamination=0.2, gamma=0.15)
    one, other = (model.fit(X, y).audit() for model in (exact, found))
    assert list(one.columns) == list(other.columns)
    assert set(one["row"][one["flagged"]]) == set(other["row"][other["flagged"]])
    np.testing.assert_allclose(other["score"], one["score"], rtol=1e-3, atol=1e-3)


# --- fewer landmarks, and Fourier features ---------------------------------------------------


@both
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "exponential", "rational_quadratic"])
def test_more_components_come_nearer_to_the_exact_fit(approximation, kernel):
    X, y, _ = grossly_corrupted(400)
    params = {"contamination": 0.2, "kernel": kernel, "random_state": 0, "alpha": 1.0}
    exact = SubquantileRegressor(approximation=None, **params).fit(X, y).predict(X)
    apart = []
    for m in (10, 60, 380):
        model = SubquantileRegressor(approximation=approximation, n_components=m, **params)
        apart.append(np.sqrt(np.mean((model.fit(X, y).predict(X) - exact) ** 2)))
    assert apart[0] > apart[1] > apart[2]
    assert apart[2] < (0.05 if approximation == "nystroem" else 0.25)


@both
def test_bad_rows_are_trimmed_by_a_rough_fit_too(approximation):
    X, y, bad = grossly_corrupted(400)
    for contamination in (0.2, "auto"):
        model = SubquantileRegressor(
            approximation=approximation,
            n_components=40,
            contamination=contamination,
            random_state=0,
        ).fit(X, y)
        assert np.mean(model.inlier_mask_ == ~bad) > (0.999 if contamination == 0.2 else 0.95)


@both
def test_wrong_labels_are_found_by_a_rough_fit_too(approximation):
    X, labels, bad = labelled(400)
    model = SubquantileClassifier(
        approximation=approximation, n_components=40, contamination=0.15, random_state=0
    ).fit(X, labels)
    assert np.mean(model.inlier_mask_ == ~bad) > 0.95


@both
@pytest.mark.parametrize("m", [1, 2, 3])
def test_hardly_any_components_are_no_failure(approximation, m):
    X, y = smooth(50)
    model = SubquantileRegressor(approximation=approximation, n_components=m, random_state=0)
    assert np.isfinite(model.fit(X, y).predict(X)).all()


def test_a_callable_kernel_has_landmarks():
    X, y, _ = grossly_corrupted(200)
    exact, found = pair(SubquantileRegressor, kernel=lambda a, b: a @ b.T + 1.0, contamination=0.2)
    assert_close(found.fit(X, y).predict(X), exact.fit(X, y).predict(X), 1e-4)


def test_the_linear_kernel_needs_no_approximation():
    X, y, _ = grossly_corrupted(200)
    plain = SubquantileRegressor(kernel="linear", contamination=0.2).fit(X, y)
    asked = SubquantileRegressor(
        kernel="linear", contamination=0.2, approximation="nystroem", n_components=2
    ).fit(X, y)
    np.testing.assert_array_equal(asked.coef_, plain.coef_)


# --- what the rows are kept in ---------------------------------------------------------------


@both
@pytest.mark.parametrize("convert", [sp.csr_matrix, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_sparse_equals_dense(approximation, convert, kernel, rng):
    X = rng.normal(size=(200, 8)) * (rng.random((200, 8)) < 0.4)
    y = X @ rng.normal(size=8) + np.sin(X[:, 0])
    y[:20] += 30.0
    model = SubquantileRegressor(
        approximation=approximation, n_components=ALL if approximation == "nystroem" else 100,
        contamination=0.1, kernel=kernel, gamma=0.2, random_state=0,
    )  # fmt: skip
    dense = clone(model).fit(X, y)
    sparse = clone(model).fit(convert(X), y)
    np.testing.assert_array_equal(sparse.inlier_mask_, dense.inlier_mask_)
    assert_close(sparse.predict(convert(X)), dense.predict(X), 1e-4)
    assert_close(sparse.predict(X), dense.predict(X), 1e-4)


@both
def test_float32_stays_float32_and_close_to_float64(approximation):
    X, y, _ = grossly_corrupted(300)
    model = SubquantileRegressor(
        approximation=approximation, n_components=80, contamination=0.2, gamma=0.15, random_state=0
    )
    double = clone(model).fit(X, y)
    single = clone(model).fit(X.astype(np.float32), y.astype(np.float32))
    found = single.predict(X.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(single.inlier_mask_, double.inlier_mask_)
    # Landmarks are the same; single precision leaves out their smallest directions.
    assert_close(found, double.predict(X), 0.05)


@both
@pytest.mark.parametrize("estimator", [SubquantileRegressor, SubquantileClassifier])
def test_memory_order_and_files_change_nothing(approximation, estimator, tmp_path):
    X, y, _ = grossly_corrupted(300) if estimator is SubquantileRegressor else labelled()
    np.save(tmp_path / "rows.npy", X)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    model = estimator(
        approximation=approximation, n_components=50, contamination=0.15, random_state=0
    )
    expected = clone(model).fit(X, y)
    for other in (mapped, np.asfortranarray(X), X[::-1][::-1]):
        found = clone(model).fit(other, y)
        np.testing.assert_array_equal(found.inlier_mask_, expected.inlier_mask_)
        if estimator is SubquantileRegressor:
            assert_close(found.predict(other), expected.predict(X), 1e-8)
        else:
            assert_close(found.predict_proba(other), expected.predict_proba(X), 1e-6)


@pytest.mark.parametrize("at_once", [1, 60, 1000])
@pytest.mark.parametrize("approximation", [None, "nystroem", "rff"])
def test_rows_are_predicted_in_blocks_as_they_are_at_once(approximation, at_once, set_sizes):
    X, y, _ = grossly_corrupted(200)
    Y = np.column_stack([y, X[:, 0]])
    labels = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
    params = {"approximation": approximation, "n_components": 30, "random_state": 0}
    models = [
        SubquantileRegressor(contamination=0.2, **params).fit(X, y),
        SubquantileRegressor(contamination=0.2, **params).fit(X, Y),
    ]
    label_model = SubquantileClassifier(contamination=0, **params).fit(X, labels)
    expected = [model.predict(X) for model in models], label_model.predict_proba(X)
    set_sizes(predicted_values=at_once)
    for model, values in zip(models, expected[0], strict=True):
        assert_close(model.predict(X), values, 1e-10)
        assert_close(model.predict(X[:1]), values[:1], 1e-10)
    assert_close(label_model.predict_proba(X), expected[1], 1e-10)


# --- weights, seeds, copies ------------------------------------------------------------------


def test_a_weight_is_that_many_copies(rng):
    # Landmarks of copies may be others of the same rows: with all of them they are not.
    X, y, _ = grossly_corrupted(150)
    copies = rng.integers(1, 4, 150)
    owner = np.repeat(np.arange(150), copies)
    for contamination in (0, 0.2):
        model = SubquantileRegressor(
            approximation="nystroem", n_components=ALL, contamination=contamination, gamma=0.15
        )
        weighted = clone(model).fit(X, y, sample_weight=copies)
        repeated = clone(model).fit(X[owner], y[owner])
        np.testing.assert_array_equal(weighted.inlier_mask_[owner], repeated.inlier_mask_)
        assert_close(weighted.predict(X), repeated.predict(X), 1e-5)


def test_a_row_of_no_weight_has_no_influence():
    X, y, _ = grossly_corrupted(200)
    weights = np.ones(200)
    weights[:30] = 0.0
    model = SubquantileRegressor(approximation="nystroem", n_components=50, contamination=0.1)
    expected = clone(model).fit(X[30:], y[30:]).predict(X)
    other = y.copy()
    other[:30] = 1e6
    found = clone(model).fit(X, other, sample_weight=weights)
    assert_close(found.predict(X), expected, 1e-8)
    assert len(found.outlier_scores_) == 200


@pytest.mark.parametrize("estimator", [SubquantileRegressor, SubquantileClassifier])
def test_a_seed_fixes_the_random_frequencies(estimator):
    X, y, _ = grossly_corrupted(200) if estimator is SubquantileRegressor else labelled(200)
    model = estimator(approximation="rff", n_components=20, contamination=0.1)

    def values(seed):
        fitted = clone(model).set_params(random_state=seed).fit(X, y)
        return fitted.feature_map_(X) @ fitted.feature_coef_

    np.testing.assert_array_equal(values(3), values(3))
    np.testing.assert_array_equal(
        values(np.random.RandomState(3)), values(np.random.RandomState(3))
    )
    assert np.abs(values(3) - values(4)).max() > 1e-3


def test_landmarks_need_no_seed():
    X, y, _ = grossly_corrupted(200)
    model = SubquantileRegressor(approximation="nystroem", n_components=20, contamination=0.2)
    np.testing.assert_array_equal(
        clone(model).fit(X, y).predict(X), clone(model).fit(X, y).predict(X)
    )


@each_estimator
def test_new_parameters_are_parameters_of_sklearn(estimator):
    values = {
        "approximation": "rff", "n_components": 30, "memory_limit": "1GB", "checkpoint": "here"
    }  # fmt: skip
    defaults = estimator().get_params()
    assert {name: defaults[name] for name in values} == {
        "approximation": "auto", "n_components": "auto", "memory_limit": "auto", "checkpoint": None
    }  # fmt: skip
    assert values.items() <= clone(estimator(**values)).get_params().items()


@both
@pytest.mark.parametrize("estimator", [SubquantileRegressor, SubquantileClassifier])
def test_survives_clone_pickle_and_joblib(approximation, estimator):
    X, y, _ = grossly_corrupted(200) if estimator is SubquantileRegressor else labelled(200)
    model = estimator(
        approximation=approximation, n_components=30, random_state=0, contamination=0.15
    ).fit(X, y)
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    for other in (pickle.loads(pickle.dumps(model)), joblib.load(file), clone(model).fit(X, y)):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        np.testing.assert_array_equal(other.audit()["row"], model.audit()["row"])


@both
def test_a_second_fit_forgets_the_first(approximation):
    X, y, _ = grossly_corrupted(200)
    model = SubquantileRegressor(contamination=0.2, random_state=0, n_components=30)
    for other in (approximation, None, "nystroem", "rff", None):
        expected = clone(model).set_params(approximation=other).fit(X, y).predict(X)
        np.testing.assert_array_equal(
            model.set_params(approximation=other).fit(X, y).predict(X), expected
        )


def test_works_in_pipelines_and_searches():
    X, y, _ = grossly_corrupted(120)
    pipeline = make_pipeline(
        StandardScaler(), SubquantileRegressor(contamination=0.2, n_components=20, random_state=0)
    )
    grid = {"subquantileregressor__approximation": [None, "nystroem", "rff"]}
    assert np.isfinite(GridSearchCV(pipeline, grid, cv=2).fit(X, y).best_score_)


@both
@pytest.mark.parametrize("estimator", [SubquantileRegressorCV, SubquantileClassifierCV])
def test_settings_are_chosen_for_fits_on_features(approximation, estimator, request):
    if estimator is SubquantileClassifierCV:
        reason = "under alphas from 0.1 on the noise is hardly evident: 0.87 agree"
        request.applymarker(pytest.mark.xfail(reason=reason))
    X, y, bad = grossly_corrupted(200) if estimator is SubquantileRegressorCV else labelled(200)
    model = estimator(
        approximation=approximation, n_components=60, random_state=0, alphas=[0.1, 1.0],
        gammas=[0.1, 0.5],
    ).fit(X, y)  # fmt: skip
    assert model.alpha_ in (0.1, 1.0)
    assert model.gamma_ in (0.1, 0.5)
    assert np.mean(model.inlier_mask_ == ~bad) > 0.9


# --- what the fit says of itself -------------------------------------------------------------


@both
def test_diagnostics_say_why_not(approximation):
    X, y, _ = grossly_corrupted(100)
    model = SubquantileRegressor(approximation=approximation, contamination=0.2).fit(X, y)
    with pytest.raises(ValueError, match=r"did without: fit with approximation=None\.$"):
        model.diagnostics()


def test_landmarks_are_the_rows_of_the_expansion():
    X, y, _ = grossly_corrupted(200)
    model = SubquantileRegressor(approximation="nystroem", n_components=30, contamination=0.2)
    model.fit(X, y)
    assert model.X_fit_.shape == (30, 4)
    assert model.dual_coef_.shape == (30,)
    expected = model.kernel_.matrix(X, model.X_fit_) @ model.dual_coef_ + model.intercept_
    assert_close(model.predict(X), expected, 1e-10)
    assert not hasattr(model, "feature_map_")


def test_waves_have_a_map_and_coefficients():
    X, y, _ = grossly_corrupted(200)
    model = SubquantileRegressor(approximation="rff", n_components=30, contamination=0.2).fit(X, y)
    assert_close(
        model.predict(X), model.feature_map_(X) @ model.feature_coef_ + model.intercept_, 1e-10
    )
    assert not hasattr(model, "dual_coef_")


@pytest.mark.parametrize(
    ("estimator", "params"),
    [
        (SubquantileRegressor, {"approximation": "nystroem", "contamination": 0.2, "n_starts": 1}),
        (SubquantileClassifier, {"approximation": "rff", "contamination": 0}),
        pytest.param(
            SubquantileRegressor,
            {"approximation": "rff", "n_components": 200, "contamination": 0},
            marks=pytest.mark.slow,
        ),
        pytest.param(
            SubquantileClassifier,
            {"approximation": "nystroem", "contamination": 0},
            marks=pytest.mark.slow,
        ),
        pytest.param(
            SubquantileRegressor,
            {"approximation": "nystroem", "n_components": 50},
            marks=pytest.mark.slow,
        ),
    ],
    ids=str,
)
def test_passes_the_checks_of_sklearn(estimator, params):
    failed, skipped = failed_checks(estimator(**params))
    assert not failed
    # Each skip carries its reason.
    assert skipped.keys() <= {"check_array_api_input"}
    assert all(reason.startswith("SCIPY_ARRAY_API is not set") for reason in skipped.values())


# --- feature outliers ------------------------------------------------------------------------


@both
@pytest.mark.parametrize("size", [1e2, 1e8, 1e300])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_feature_outliers_are_found_and_do_no_harm(approximation, size):
    X, y = smooth(400)
    new, truth = smooth(500, seed=9)
    spoilt = X.copy()
    spoilt[:20] *= size
    params = {"approximation": approximation, "n_components": 100, "random_state": 0, "alpha": 0.1}
    clean = SubquantileRegressor(contamination=0, **params).fit(X[20:], y[20:])
    model = SubquantileRegressor(**params).fit(spoilt, y)
    assert not model.inlier_mask_[:20].any()
    assert rmse(model, new, truth) < 1.15 * rmse(clean, new, truth)


# --- what cannot be right --------------------------------------------------------------------


def refused(estimator, message, X, y, **params):
    pattern = ".*".join(re.escape(part) for part in message.split(" ... "))
    with pytest.raises(ValueError, match=re.compile(pattern, re.DOTALL)):
        estimator(**params).fit(X, y)


X_SMALL, LABELS = blobs([15, 15])


@each_estimator
@pytest.mark.parametrize(
    ("value", "hint"),
    [("nystrom", "Did you mean 'nystroem'?"), ("rf", "Did you mean 'rff'?"), (3, ""), (True, "")],
)
def test_unknown_approximation(estimator, value, hint):
    refused(
        estimator,
        f"approximation must be one of None, 'auto', 'nystroem', 'rff', got {value!r}. ... {hint}",
        X_SMALL,
        LABELS,
        approximation=value,
    )


@each_estimator
@pytest.mark.parametrize("value", [0, -3, 2.5, True, "many", None, float("nan")])
def test_n_components_is_a_count_or_auto(estimator, value):
    refused(
        estimator,
        f'n_components must be an integer of at least 1 or "auto", got {value!r}',
        X_SMALL,
        LABELS,
        n_components=value,
    )


@pytest.mark.parametrize("count", [np.int64(5), np.int32(5), 5])
def test_n_components_of_any_integer_type_is_fine(count):
    X, y = smooth(30)
    model = SubquantileRegressor(approximation="nystroem", n_components=count, contamination=0)
    assert len(model.fit(X, y).X_fit_) == 5


@each_estimator
@pytest.mark.parametrize(
    ("kernel", "name"), [("linear", "linear"), ("poly", "poly"), (np.dot, "callable")]
)
def test_kernels_without_fourier_features(estimator, kernel, name):
    function = (lambda a, b: a @ b.T) if name == "callable" else kernel
    refused(
        estimator,
        'approximation="rff" needs a kernel of the difference of two rows, one of rbf, laplacian, '
        f'exponential, rational_quadratic, got {name!r}: use "nystroem"',
        X_SMALL,
        LABELS,
        approximation="rff",
        kernel=function,
    )


@both
@each_estimator
def test_a_precomputed_kernel_has_no_rows_to_approximate(approximation, estimator):
    refused(
        estimator,
        f'approximation must be None or "auto" for kernel="precomputed" ... got {approximation!r}',
        X_SMALL @ X_SMALL.T,
        LABELS,
        approximation=approximation,
        kernel="precomputed",
    )


@both
@each_estimator
def test_the_gradient_method_is_defined_by_the_matrix(approximation, estimator):
    refused(
        estimator,
        f'approximation must be None or "auto" for solver="gradient" ... got {approximation!r}',
        X_SMALL,
        LABELS,
        approximation=approximation,
        solver="gradient",
    )


# --- rows in a file --------------------------------------------------------------------------


@pytest.fixture
def mapped(tmp_path):
    X, y, _ = contaminate(*smooth(3000), epsilon=0.2, kind="label", random_state=0)
    np.save(tmp_path / "rows.npy", X)
    return np.load(tmp_path / "rows.npy", mmap_mode="r"), y


@pytest.mark.parametrize(
    "params", [{"approximation": "nystroem", "n_components": 20}, {"kernel": "linear"}], ids=str
)
def test_a_saved_model_leaves_rows_in_their_file(mapped, params, set_sizes):
    set_sizes(subsample_rows=2000)
    X, y = mapped
    model = SubquantileRegressor(contamination=0.2, **params).fit(X, y)
    saved = pickle.dumps(model)
    again = pickle.loads(saved)
    np.testing.assert_array_equal(again.predict(X[:50]), model.predict(X[:50]))
    for query in (again.audit, again.leave_one_out_residuals):
        with pytest.raises(ValueError, match=r"fitted to rows in a file.*or fit again\.$"):
            query()
    assert len(model.audit()) == 3000
    rows = np.asarray(X).tobytes()
    assert rows not in saved


def test_a_model_of_rows_in_a_file_answers_like_any_other(mapped):
    X, y = mapped
    model = SubquantileRegressor(approximation="nystroem", n_components=20, contamination=0.2)
    one, other = clone(model).fit(X, y), clone(model).fit(np.array(X), y)
    np.testing.assert_array_equal(one.predict(X), other.predict(X))
    assert one.audit().equals(other.audit())
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(one)).predict(X), one.predict(X))


def test_a_saved_exact_model_of_rows_in_a_file_still_predicts(mapped):
    # Its expansion is in the rows themselves: they have to come along.
    X, y = mapped
    model = SubquantileRegressor(approximation=None, contamination=0).fit(X[:200], y[:200])
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).predict(X[:50]), model.predict(X[:50])
    )
