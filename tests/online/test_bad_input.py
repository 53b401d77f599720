"""What users may get wrong, and the sentence that helps them."""

import copy

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from online.cases import EVERY, as_dicts, copies_for, linear_rows, name, quietly, views
from untaint.online import (
    CorrectedRidge,
    NoisyKernelRegressor,
    NoisyLinearRegressor,
    NoisyLogisticRegression,
)

each = pytest.mark.parametrize("model", EVERY, ids=name)
KINDS = [NoisyLinearRegressor, CorrectedRidge, NoisyKernelRegressor]
each_kind = pytest.mark.parametrize("kind", KINDS)
X, Y, _ = linear_rows(40)
A, B = views(X, 0.1)


def second(model):
    return copies_for(model, X)[1]


# --- the noise --------------------------------------------------------------------------------


@each_kind
def test_noise_must_be_declared_or_copies_given(kind):
    with pytest.raises(ValueError, match=r"noise_cov.*X_copy|X_copy.*noise_cov"):
        kind().fit(A, Y)


@each_kind
@pytest.mark.parametrize(
    ("covariance", "message"),
    [
        ([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "positive semidefinite"),
        ([[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "symmetric"),
        (np.eye(2), "shape"),
        ([0.1, 0.2], "shape"),
        (np.zeros((2, 2, 2, 2)), "shape"),
        ([0.1, np.nan, 0.1], "finite"),
        (np.nan, "finite"),
        (np.inf, "finite"),
        (-0.1, "negative"),
        ([0.1, -0.1, 0.1], "negative"),
        ("much", "noise_cov must be"),
        ({"a": 0.1}, "noise_cov"),
    ],
)
def test_invalid_covariances_are_refused(kind, covariance, message):
    with pytest.raises(ValueError, match=message) as raised:
        kind(noise_cov=covariance).fit(A, Y)
    assert "noise_cov" in str(raised.value)


@pytest.mark.parametrize("kind", KINDS[:2])
@pytest.mark.parametrize(
    ("covariances", "message"),
    [
        (np.full((39, 3), 0.1), "shape"),
        (np.full((40, 2), 0.1), "shape"),
        (np.zeros((40, 3, 2)), "shape"),
        (np.full((40,), 0.1), "shape"),  # not one variance a row
        (np.full((40, 3), -0.1), "negative"),
        (np.full((40, 3), np.nan), "finite"),
        (np.tile(-np.eye(3), (40, 1, 1)), "positive semidefinite"),
        (np.tile(np.triu(np.ones((3, 3))), (40, 1, 1)), "symmetric"),
    ],
)
def test_covariances_of_rows_are_checked(kind, covariances, message):
    with pytest.raises(ValueError, match=message) as raised:
        kind().fit(A, Y, noise_cov=covariances)
    assert "noise_cov" in str(raised.value)


@pytest.mark.xfail(reason="(d, d) is one matrix for all rows, also where n is d: not told apart")
@pytest.mark.parametrize("kind", KINDS[:2])
def test_variances_of_as_many_rows_as_features_are_not_taken_for_a_matrix(kind):
    # Three rows of three features: [[v, v, v]] * 3 would also be a (perfectly correlated) matrix.
    X, y, _ = linear_rows(3)
    variances = np.full((3, 3), 0.01)
    if kind is NoisyLinearRegressor:
        cut, whole = kind(learning_rate=0.1), kind(learning_rate=0.1)
        for i in range(3):
            cut.partial_fit(X[[i]], y[[i]], noise_cov=variances[[i]])
    else:
        whole = kind(alpha=1.0, share=1.0)
        cut = clone(whole).fit(X, y, noise_cov=variances[:, :, None] * np.eye(3))
    try:
        whole.fit(X, y, noise_cov=variances)
    except ValueError as error:
        assert "noise_cov" in str(error)
    else:
        np.testing.assert_allclose(whole.coef_, cut.coef_, atol=1e-10)


@each
def test_copies_have_the_shape_of_the_rows(model):
    for other in (B[:-1], B[:, :2], B[0]):
        with pytest.raises(ValueError, match=r"X_copy|feature"):
            clone(model).fit(A, Y, X_copy=other)
    with pytest.raises(ValueError, match="X_copy"):
        clone(model).fit(A, Y, X_copy=np.where(B > 1, np.nan, B))
    with pytest.raises(ValueError, match=r"X_copy|could not convert"):
        clone(model).fit(A, Y, X_copy=B.astype(str) + "?")


def test_noise_above_the_variance_is_refused_and_nearly_as_much_warned_of():
    X, y, _ = linear_rows(2000)
    for model in (CorrectedRidge, NoisyLinearRegressor):
        with pytest.raises(ValueError, match="noise_cov"):
            model(noise_cov=1.3).fit(X, y)
        with pytest.warns(UserWarning, match="noise_cov"):
            model(noise_cov=0.95).fit(X, y)
        # In one direction only, which is none of the axes.
        direction = np.array([1.0, 1.0, -1.0]) / np.sqrt(3)
        with pytest.raises(ValueError, match="noise_cov"):
            model(noise_cov=1.3 * np.outer(direction, direction)).fit(X, y)
        with pytest.warns(UserWarning, match="noise_cov"):
            model(noise_cov=0.95 * np.outer(direction, direction)).fit(X, y)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("model", [CorrectedRidge, NoisyLinearRegressor])
@pytest.mark.parametrize("variance", [0.0, 0.5, 0.8])
def test_plausible_noise_causes_no_warning(model, variance):
    X, y, _ = linear_rows(4000)
    model(noise_cov=variance).fit(X, y)


@pytest.mark.filterwarnings("error")
def test_true_noise_in_few_rows_is_not_refused_by_chance():
    for seed in range(5):
        X, y, _ = linear_rows(400, seed=seed)
        a, _ = views(X, 0.5, seed)
        CorrectedRidge(noise_cov=0.5).fit(a, y)


# --- rows and targets -------------------------------------------------------------------------


@each
def test_targets_are_finite_numbers(model):
    more = second(model)
    with pytest.raises(ValueError, match="y must hold numbers, got 'high' in row 3"):
        clone(model).fit(A, ["1", "2", "3", "high", *["4"] * 36], **more)
    for odd in (np.nan, np.inf, None):
        y = Y.astype(object)
        y[5] = odd
        with pytest.raises(ValueError, match=r"y|NaN|infinity"):
            clone(model).fit(A, y, **more)
    with pytest.raises(ValueError, match=r"y|1d|shape"):
        clone(model).fit(A, np.column_stack([Y, Y]), **more)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clone(model).fit(A, Y[:-1], **more)


@each
def test_rows_are_finite_numbers(model):
    more = second(model)
    for odd in (np.nan, np.inf, -np.inf):
        X = A.copy()
        X[4, 1] = odd
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            clone(model).fit(X, Y, **more)
    with pytest.raises(ValueError, match=r"could not convert|numbers"):
        clone(model).fit(A.astype(str) + "?", Y, **more)
    with pytest.raises(ValueError, match="2D array"):
        clone(model).fit(A[:, 0], Y, **more)
    empty = {key: value[:0] for key, value in more.items()}
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        clone(model).fit(A[:0], Y[:0], **empty)
    empty = {key: value[:, :0] for key, value in more.items()}
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        clone(model).fit(A[:, :0], Y, **empty)


@each
def test_queries_have_as_many_features_as_the_rows(model):
    fit = quietly(clone(model).fit, A, Y, **second(model))
    for wrong in (A[:, :2], np.column_stack([A, A])):
        with pytest.raises(ValueError, match=r"expecting 3 features"):
            fit.predict(wrong)
        with pytest.raises(ValueError, match=r"expecting 3 features"):
            fit.corrected_score(wrong, Y)
    if hasattr(fit, "partial_fit"):
        more = {key: value[:, :2] for key, value in second(model).items()}
        with pytest.raises(ValueError, match=r"expecting 3 features"):
            fit.partial_fit(A[:, :2], Y, **more)
    with pytest.raises(ValueError, match=r"NaN"):
        fit.predict(np.full((2, 3), np.nan))


@each
def test_nothing_is_predicted_before_a_fit(model):
    for call in (lambda m: m.predict(A), lambda m: m.corrected_score(A, Y, X_copy=B)):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            call(clone(model))


@each
def test_weights_are_checked(model):
    more = second(model)
    for weights, message in [
        (np.ones(39), "sample_weight"),
        (-np.ones(40), "negative"),
        (np.zeros(40), "only zeros"),
        (np.full(40, np.nan), r"NaN"),
    ]:
        with pytest.raises(ValueError, match=message):
            clone(model).fit(A, Y, sample_weight=weights, **more)


@each
def test_a_single_row_is_learned_or_refused_with_a_message(model):
    more = {key: value[:1] for key, value in second(model).items()}
    try:
        fit = quietly(clone(model).fit, A[:1], Y[:1], **more)
    except ValueError as error:
        assert "1 sample" in str(error) or "row" in str(error)
    else:
        assert np.isfinite(fit.predict(A)).all()


@each
def test_a_constant_column_does_no_harm(model):
    X, more = A.copy(), second(model)
    X[:, 1] = 7.0
    for value in more.values():
        value = value.copy()
        value[:, 1] = 7.0
    given = np.diag([0.1, 0.0, 0.1])
    fit = quietly(clone(model).set_params(noise_cov=given).fit, X, Y, **more)
    assert np.isfinite(fit.predict(X)).all()


@each
@pytest.mark.parametrize("size", [1e160, 1e300])
def test_enormous_values_give_finite_predictions_or_a_message(model, size):
    more = {key: value * size for key, value in second(model).items()}
    try:
        with np.errstate(all="ignore"):
            fit = quietly(clone(model).fit, A * size, Y * size, **more)
    except ValueError as error:
        assert any(word in str(error) for word in ("large", "overflow", "finite", "infin"))
    else:
        assert np.isfinite(fit.predict(A * size)).all()


@each
def test_tiny_values_give_numbers(model):
    more = {key: value * 1e-200 for key, value in second(model).items()}
    quiet = clone(model).set_params(noise_cov=0.0)
    fit = quietly(quiet.fit, A * 1e-200, Y * 1e-200, **more)
    assert np.isfinite(fit.predict(A * 1e-200)).all()


# --- parameters -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [NoisyLinearRegressor, NoisyKernelRegressor])
@pytest.mark.parametrize("rate", ["fast", 0.0, -0.1, np.nan, np.inf, None, True, [0.1]])
def test_invalid_learning_rates_are_refused(kind, rate):
    with pytest.raises(ValueError, match="learning_rate must be"):
        kind(noise_cov=0.1, learning_rate=rate).fit(A, Y, X_copy=B)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (NoisyLinearRegressor(noise_cov=0.1, norm_bound=-1.0), "norm_bound must be"),
        (NoisyLinearRegressor(noise_cov=0.1, norm_bound="wide"), "norm_bound must be"),
        (NoisyLinearRegressor(noise_cov=0.1, average="yes"), "average must be"),
        (NoisyLinearRegressor(noise_cov=0.1, fit_intercept="yes"), "fit_intercept must be"),
        (NoisyLinearRegressor(noise_cov=0.1, missing="drop"), "missing must be one of"),
        (CorrectedRidge(noise_cov=0.1, alpha=-1.0), "alpha must be"),
        (CorrectedRidge(noise_cov=0.1, alpha="large"), "alpha must be"),
        (CorrectedRidge(noise_cov=0.1, share=1.5), "share must be"),
        (CorrectedRidge(noise_cov=0.1, share=-0.5), "share must be"),
        (CorrectedRidge(noise_cov=0.1, share="half"), "share must be"),
        (CorrectedRidge(noise_cov=0.1, fit_intercept=None), "fit_intercept must be"),
        (CorrectedRidge(noise_cov=0.1, missing="drop"), "missing must be one of"),
        (NoisyKernelRegressor(noise_cov=0.1, noise="cauchy"), "noise must be one of"),
        (NoisyKernelRegressor(noise_cov=0.1, kernel="laplacian"), "kernel must be one of"),
        (NoisyKernelRegressor(noise_cov=0.1, kernel="rbff"), "Did you mean 'rbf'"),
        (NoisyKernelRegressor(noise_cov=0.1, gamma=-1.0), "gamma must be"),
        (NoisyKernelRegressor(noise_cov=0.1, gamma="mean"), "gamma must be"),
        (
            NoisyKernelRegressor(noise_cov=0.1, kernel="rational_quadratic", shape=0.0),
            "shape must be",
        ),
        (NoisyKernelRegressor(noise_cov=0.1, budget=0), "budget must be"),
        (NoisyKernelRegressor(noise_cov=0.1, budget=2.5), "budget must be"),
        (NoisyKernelRegressor(noise_cov=0.1, norm_bound=0.0), "norm_bound must be"),
        (NoisyKernelRegressor(noise_cov=0.1, average="yes"), "average must be"),
        (NoisyKernelRegressor(noise_cov=0.1, random_state="seed"), "seed"),
    ],
)
def test_parameters_are_checked_by_name(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(A, Y, X_copy=B)


def test_a_schedule_that_returns_an_invalid_rate_is_refused():
    model = NoisyLinearRegressor(noise_cov=0.1, learning_rate=lambda t: np.nan if t > 3 else 0.1)
    with pytest.raises(ValueError, match="learning_rate"):
        model.fit(A, Y)


# --- all or nothing ---------------------------------------------------------------------------


def state(model):
    return {k: copy.deepcopy(v) for k, v in vars(model).items()}


@each
@pytest.mark.parametrize("how", ["fit", "partial_fit"])
@pytest.mark.parametrize("wrong", ["rows", "targets", "noise", "copy", "weights"])
def test_a_refused_batch_leaves_the_model_as_it_was(model, how, wrong):
    more = second(model)
    fit = quietly(clone(model).fit, A, Y, **more)
    if not hasattr(fit, how):
        pytest.skip("learns in one go")
    before, rounds = fit.predict(A), fit.n_rounds_
    X, y, options = A.copy(), Y.copy(), dict(more)
    if wrong == "rows":
        X[-1, 0] = np.nan
    elif wrong == "targets":
        y[-1] = np.inf
    elif wrong == "noise":
        options["noise_cov"] = -np.eye(3)
    elif wrong == "copy":
        options["X_copy"] = B[:, :2]
    else:
        options["sample_weight"] = -np.ones(40)
    with pytest.raises(ValueError):
        getattr(fit, how)(X, y, **options)
    np.testing.assert_array_equal(fit.predict(A), before)
    assert fit.n_rounds_ == rounds and fit.n_features_in_ == 3


def test_a_refused_fit_leaves_everything_as_it_was():
    X, y, _ = linear_rows(100)
    for model in (
        NoisyLinearRegressor(noise_cov=0.1),
        CorrectedRidge(noise_cov=0.1),
        NoisyKernelRegressor(noise_cov=0.1, budget=10),
    ):
        with pytest.raises(ValueError, match="noise_cov"):  # more than the rows vary
            model.fit(X, y, noise_cov=3.0)
        assert not [key for key in vars(model) if key.endswith("_")]
        with pytest.raises(NotFittedError):
            model.predict(X)
        model.fit(X, y)
        before = model.predict(X)
        for wrong, noise in [(X, 3.0), (X[:, :2], np.eye(3)), (X[:, :2], 3.0)]:
            with pytest.raises(ValueError, match="noise_cov"):
                model.fit(wrong, y, noise_cov=noise)
            assert model.n_features_in_ == 3 and model.n_rounds_ == 100
            np.testing.assert_array_equal(model.predict(X), before)


def test_frames_may_be_changed_once_they_were_learned():
    X, y, _ = linear_rows(100)
    rows, targets = X.copy(), y.copy()
    model, other = NoisyLinearRegressor(noise_cov=0.1), NoisyLinearRegressor(noise_cov=0.1)
    for start in range(0, 100, 10):
        model.learn_many(rows[start : start + 10], targets[start : start + 10])
        other.learn_many(X[start : start + 10], y[start : start + 10])
        rows[start : start + 10] = targets[start : start + 10] = 1e6
    np.testing.assert_array_equal(model.predict_many(X), other.predict_many(X))


def test_a_refused_row_of_a_stream_leaves_the_model_as_it_was():
    model = NoisyLinearRegressor(noise_cov=0.1)
    rows = as_dicts(A)
    for x, y in zip(rows[:20], Y, strict=False):
        model.learn_one(x, float(y))
    before = model.predict_one(rows[30])
    for x, y in [
        ({**rows[20], "x0": np.nan}, 1.0),
        ({**rows[20], "x0": "high"}, 1.0),
        (rows[20], np.nan),
        (rows[20], "high"),
        (rows[20], None),
    ]:
        with pytest.raises((ValueError, TypeError)):
            model.learn_one(x, y)
    assert model.n_rounds_ == 20
    assert model.predict_one(rows[30]) == before
    model.learn_one(rows[20], float(Y[20]))
    assert model.n_rounds_ == 21


# --- streams ----------------------------------------------------------------------------------


def test_a_refused_row_brings_no_label():
    model = NoisyLogisticRegression(noise_cov=0.1)
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    model.learn_one({"a": 1.0}, 0)
    for learn, x, label in [
        (model.learn_one, {"a": "text"}, "typo"),
        (model.learn_many, frame.astype(str) + "?", ["typo", "typo"]),
        (model.learn_many, frame, ["typo"]),
    ]:
        with pytest.raises(ValueError, match=r"^[xX] "):
            learn(x, label)
    model.learn_one({"a": 2.0}, 1)
    assert model.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("label", [np.nan, None, pd.NA, [1], {}, np.ones(2)], ids=repr)
@pytest.mark.parametrize("labels", [(), (0,), (0, 1)])
def test_what_is_no_label_is_refused_in_a_stream(label, labels):
    model = NoisyLogisticRegression(noise_cov=0.1)
    for known in labels:
        model.learn_one({"a": float(known)}, known)
    with pytest.raises(ValueError, match="y must be a label"):
        model.learn_one({"a": 1.0}, label)


@pytest.mark.parametrize("label", [None, np.nan])
def test_missing_labels_are_refused(label):
    y = np.array(["a", "b"] * 20, dtype=object)
    y[3] = label
    model = NoisyLogisticRegression(noise_cov=0.1)
    for learn in (model.fit, model.learn_many):
        with pytest.raises(ValueError, match="y must hold a label for every row, got 1 missing"):
            learn(A, y)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("x", "found"),
    [
        ({"a": np.nan, "b": 1.0}, "got nan for the feature 'a'"),
        ({"a": "3", "b": 1.0}, "got '3'"),
        ({"a": 1.0, "new": "3"}, "got '3'"),
        ({"a": 1j, "b": 1.0}, "got 1j"),
        ({"a": None, "b": 1.0}, "got None"),
        ({"a": np.inf, "b": 0.0}, "got inf"),
        ([1, 2], "got list"),
        (None, "got NoneType"),
    ],
)
def test_queries_of_a_stream_are_checked(kind, x, found):
    model = kind(noise_cov=0.1)
    for row, y in zip(A.tolist() * 2, Y.tolist() * 2, strict=True):
        model.learn_one({"a": row[0], "b": row[1]}, y)
    with pytest.raises(ValueError, match=r"x must .*" + found):
        model.predict_one(x)


FRAME = pd.DataFrame(A)


@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize(
    ("rows", "targets", "message"),
    [
        (pd.DataFrame(A[:, :2], columns=["a", "a"]), Y, "X must have column names that all differ"),
        (FRAME.iloc[:, :0], Y, "X must have a column"),
        (FRAME + 1j, Y, "X must hold numbers: got the type complex"),
        (FRAME[0], Y, r"X must be a frame of rows, got the shape \(40,\)"),
        (None, Y, "X must be a frame"),
        (FRAME, np.column_stack([Y, Y]), r"y must be one column, got the shape \(40, 2\)"),
        (FRAME, Y + 1j, "y must hold numbers: got the type complex"),
        (FRAME, pd.date_range("2020", periods=40), "y must hold numbers: got the type datetime"),
        (FRAME, None, "y must be one column"),
        (FRAME, 3.0, "y must be one column"),
    ],
)
def test_frames_of_a_stream_are_checked(fitted, rows, targets, message):
    model = NoisyLinearRegressor(noise_cov=0.1)
    if fitted:
        model.learn_many(FRAME, Y)
    before = set(vars(model))
    with pytest.raises(ValueError, match=message):
        model.learn_many(rows, targets)
    assert set(vars(model)) == before


@pytest.mark.parametrize("kind", KINDS)
def test_dates_are_no_targets(kind):
    with pytest.raises(ValueError, match="y must hold numbers, got the type datetime64"):
        kind(noise_cov=0.1).fit(A, pd.date_range("2020", periods=40))
    with pytest.raises(ValueError, match="y must be a finite number"):
        kind(noise_cov=0.1).learn_one({"a": 1.0}, np.timedelta64(3))


@pytest.mark.parametrize(
    "model",
    [
        NoisyLinearRegressor(noise_cov=0.1, learning_rate=2.0),
        NoisyKernelRegressor(noise_cov=0.1, learning_rate=200.0),
        NoisyKernelRegressor(noise_cov=0.1, learning_rate=200.0, budget=10),
    ],
)
def test_steps_that_diverge_are_refused_and_leave_a_finite_model(model):
    rows, copies, targets = (np.repeat(part, 50, axis=0) for part in (A, B, Y))
    options = {} if isinstance(model, NoisyLinearRegressor) else {"X_copy": copies}
    with pytest.raises(ValueError, match="learning_rate must be smaller"):
        model.fit(rows, targets, **options)
    model.partial_fit(A[:2], Y[:2], **{name: copies[:2] for name in options})
    with (
        pytest.raises(ValueError, match="learning_rate must be smaller"),
        np.errstate(all="ignore"),
    ):
        model.partial_fit(rows, targets, **options)
    assert np.isfinite(model.predict(A)).all()


@pytest.mark.parametrize("name", ["X_copy", "X_true"])
@pytest.mark.parametrize("given", ["foo", A[:, 0], [[1, 2], [3]], A + 1j, csr_matrix(A)], ids=type)
def test_measurements_are_named_in_errors(name, given):
    with pytest.raises(ValueError, match=f"^{name} must hold rows like X: "):
        NoisyLinearRegressor(noise_cov=0.1).fit(A, Y, **{name: given})


def test_a_score_refuses_missing_copies_as_a_fit_does():
    copies, labels = B.copy(), (Y > 0).astype(int)
    copies[3] = np.nan
    model = NoisyLogisticRegression(noise_cov=0.1).fit(A, labels)
    with pytest.raises(ValueError, match="X_copy must be one copy of every row"):
        model.corrected_score(A, labels, X_copy=copies)


PAIR = np.ones(2)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (NoisyLinearRegressor(noise_cov=0.1, average=PAIR), "average must be True or False"),
        (NoisyLinearRegressor(noise_cov=0.1, noise_factor=PAIR), "noise_factor must be a finite"),
        (CorrectedRidge(noise_cov=0.1, alpha=PAIR), "alpha must be a finite number"),
        (CorrectedRidge(noise_cov=0.1, share=PAIR), "share must be a finite number"),
        (CorrectedRidge(noise_cov=np.full(3, 0.1 + 1j)), "noise_cov must be a variance"),
    ],
)
def test_arrays_in_the_place_of_scalars_are_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(A, Y)


def test_a_stream_warns_of_steps_that_diverge_and_goes_on_without_these_rows():
    model = NoisyLinearRegressor(noise_cov=0.1, learning_rate=2.0)
    with pytest.warns(ConvergenceWarning, match="learning_rate must be smaller"):
        for _ in range(30):
            for row, target in zip(A, Y.tolist(), strict=True):
                model.learn_one(dict(enumerate(row.tolist())), target)
        predicted = model.predict_one(dict(enumerate(A[0].tolist())))
    assert np.isfinite(predicted)
