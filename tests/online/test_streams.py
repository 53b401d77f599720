"""One stream, however it is cut up, weighted, stored or ordered."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone

from online.cases import (
    EVERY,
    KERNEL,
    LINEAR,
    RIDGE,
    as_dicts,
    copies_for,
    linear_rows,
    name,
    needs_copies,
    quietly,
    views,
)
from untaint.online import CorrectedRidge, NoisyKernelRegressor, NoisyLinearRegressor

each = pytest.mark.parametrize("model", EVERY, ids=name)
LEARNERS = [model for model in EVERY if hasattr(model, "partial_fit")]
each_learner = pytest.mark.parametrize("model", LEARNERS, ids=name)


def problem(model, n=200):
    X, y, _ = linear_rows(n, intercept=0.5)
    return copies_for(model, X, 0.1), y


def with_scale(model):
    """The kernel's width fixed: otherwise it is that of the first rows seen."""
    model = clone(model)
    return model.set_params(gamma=0.3) if isinstance(model, NoisyKernelRegressor) else model


def assert_same(one, other, X, tol):
    expected = other.predict(X)
    scale = max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(one.predict(X), expected, rtol=0, atol=tol * scale)


@each_learner
def test_one_batch_many_batches_and_single_rows_are_one_stream(model):
    model = with_scale(model)
    (X, more), y = problem(model)
    whole = quietly(clone(model).partial_fit, X, y, **more)
    cut, single = clone(model), clone(model)
    for rows in np.split(np.arange(200), [1, 2, 30, 31, 130]):
        quietly(cut.partial_fit, X[rows], y[rows], **{k: v[rows] for k, v in more.items()})
    seconds = as_dicts(more["X_copy"], range(3)) if more else [None] * 200
    for x, target, second in zip(as_dicts(X, range(3)), y, seconds, strict=True):
        quietly(single.learn_one, x, float(target), x_copy=second)
    assert_same(cut, whole, X, 1e-8)
    assert whole.n_rounds_ == cut.n_rounds_ == single.n_rounds_ == 200
    # In a stream of single rows a fit may be some rounds late, and not in a table.
    expected = whole.predict(X)
    predicted = np.array([single.predict_one(x) for x in as_dicts(X, range(3))])
    assert np.sqrt(np.mean((predicted - expected) ** 2)) < 0.1 * expected.std()
    for fit in (whole, single):
        quietly(fit.partial_fit, X[:1], y[:1], **{k: v[:1] for k, v in more.items()})
    assert_same(single, whole, X, 1e-8)


@each_learner
def test_fit_is_the_first_batch_of_a_stream(model):
    model = with_scale(model)
    (X, more), y = problem(model)
    fit = quietly(clone(model).fit, X, y, **more)
    first = quietly(clone(model).partial_fit, X, y, **more)
    np.testing.assert_array_equal(fit.predict(X), first.predict(X))


@each_learner
def test_learn_many_and_predict_many_are_learn_one_and_predict_one(model):
    model = with_scale(model)
    if needs_copies(model):
        pytest.skip("river's learn_many has no second copy")
    (X, _), y = problem(model, 60)
    frame = pd.DataFrame(X, columns=["x0", "x1", "x2"])
    many, single = clone(model), clone(model)
    quietly(many.learn_many, frame, pd.Series(y))
    for x, target in zip(as_dicts(X), y, strict=True):
        quietly(single.learn_one, x, float(target))
    labelled = frame.set_index(pd.Index(range(100, 160)))
    predictions = many.predict_many(labelled)
    assert isinstance(predictions, pd.Series)
    assert predictions.index.equals(labelled.index)
    expected = [single.predict_one(x) for x in as_dicts(X)]  # perhaps a few rounds late
    assert np.sqrt(np.mean((predictions - expected) ** 2)) < 0.2 * np.std(expected)
    for fit in (many, single):
        quietly(fit.learn_many, frame[:1], pd.Series(y[:1]))
    expected = [single.predict_one(x) for x in as_dicts(X)]
    np.testing.assert_allclose(
        many.predict_many(frame), expected, rtol=0, atol=1e-8 * np.abs(expected).max()
    )


@each
def test_second_fit_forgets_the_first(model):
    (X, more), y = problem(model)
    again, fresh = clone(model), clone(model)
    quietly(again.fit, X + 1, -y, **more)
    quietly(again.fit, X[:90, :2], y[:90], **{k: v[:90, :2] for k, v in more.items()})
    quietly(fresh.fit, X[:90, :2], y[:90], **{k: v[:90, :2] for k, v in more.items()})
    np.testing.assert_array_equal(again.predict(X[:, :2]), fresh.predict(X[:, :2]))
    assert again.n_features_in_ == 2


EXACT_WEIGHTS = [
    NoisyLinearRegressor(noise_cov=0.1, norm_bound=2.0),
    CorrectedRidge(noise_cov=0.1, alpha=1.0, share=1.0),
    CorrectedRidge(noise_cov=0.1, alpha=1.0, share=0.5, fit_intercept=False),
]


def choice_of(model):
    """What does not depend on which fold a row lands in."""
    return pytest.param(model, id=name(model))


@pytest.mark.parametrize("model", [choice_of(m) for m in EXACT_WEIGHTS[1:]])
@pytest.mark.parametrize("copies", [1, 2])
def test_weights_are_copies_of_the_rows(model, copies, rng):
    X, y, _ = linear_rows(80, intercept=0.5)
    a, b = views(X, 0.1)
    weights = rng.integers(0, 4, 80)
    rows = np.repeat(np.arange(80), weights)
    more = {"X_copy": b} if copies == 2 else {}
    repeated = {"X_copy": b[rows]} if copies == 2 else {}
    weighted = quietly(clone(model).fit, a, y, sample_weight=weights, **more)
    copied = quietly(clone(model).fit, a[rows], y[rows], **repeated)
    np.testing.assert_allclose(weighted.coef_, copied.coef_, rtol=1e-8)
    assert weighted.intercept_ == pytest.approx(copied.intercept_, rel=1e-8)


@each
def test_weights_of_one_change_nothing_and_rows_of_weight_zero_are_absent(model):
    model = with_scale(model)
    (X, more), y = problem(model)
    plain = quietly(clone(model).fit, X, y, **more)
    ones = quietly(clone(model).fit, X, y, sample_weight=np.ones(200), **more)
    np.testing.assert_allclose(ones.predict(X), plain.predict(X), rtol=1e-10, atol=1e-12)
    # The last rows: others would shift their successors into other folds.
    weights = np.ones(200)
    weights[150:] = 0.0
    if needs_copies(model):
        with pytest.raises(ValueError, match="sample_weight"):
            clone(model).fit(X, y, sample_weight=weights, **more)
        return
    left_out = quietly(clone(model).fit, X, y, sample_weight=weights, **more)
    few = {k: v[:150] for k, v in more.items()}
    short = quietly(clone(model).fit, X[:150], y[:150], **few)
    np.testing.assert_allclose(left_out.predict(X), short.predict(X), rtol=1e-8, atol=1e-10)


@each
def test_frames_are_arrays(model):
    (X, more), y = problem(model, 100)
    columns = ["length", "width", "age"]
    expected = quietly(clone(model).fit, X, y, **more).predict(X)
    for frame, series in [(pd.DataFrame, pd.Series), (pl.DataFrame, pl.Series)]:

        def table(values, frame=frame):
            return frame({c: values[:, j] for j, c in enumerate(columns)})

        fit = quietly(
            clone(model).fit, table(X), series(y), **{k: table(v) for k, v in more.items()}
        )
        # A frame's columns lie elsewhere in memory: sums are rounded otherwise.
        np.testing.assert_allclose(fit.predict(table(X)), expected, rtol=1e-9, atol=1e-10)
        assert fit.feature_names_in_.tolist() == columns


@each
def test_single_precision_and_integers_are_taken(model):
    (X, more), y = problem(model, 100)
    X, more = X.astype(np.float32), {k: v.astype(np.float32) for k, v in more.items()}
    double = {k: v.astype(float) for k, v in more.items()}
    expected = quietly(clone(model).fit, X.astype(float), y, **double).predict(X.astype(float))
    fit = quietly(clone(model).fit, X, y, **more)
    np.testing.assert_allclose(fit.predict(X), expected, rtol=1e-4, atol=1e-4)
    whole = (10 * X).round()
    quietly(clone(model).fit, whole.astype(int), y.round().astype(int), **more)


@each
def test_sparse_rows_are_refused_with_a_message(model):
    (X, more), y = problem(model, 30)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        clone(model).fit(sparse.csr_array(X), y, **more)


@pytest.mark.parametrize(
    "model",
    [
        NoisyLinearRegressor(),
        NoisyLinearRegressor(learning_rate="adaptive"),
        NoisyLinearRegressor(learning_rate=0.05),
        CorrectedRidge(),
        CorrectedRidge(alpha=1.0, share=1.0),
        NoisyKernelRegressor(noise_cov=0.1, budget=20, random_state=0, gamma=0.3),
    ],
    ids=name,
)
def test_order_of_the_copies_does_not_matter(model):
    X, y, _ = linear_rows(150, intercept=0.5)
    a, b = views(X, 0.1)
    one = quietly(clone(model).fit, a, y, X_copy=b)
    other = quietly(clone(model).fit, b, y, X_copy=a)
    np.testing.assert_allclose(other.predict(X), one.predict(X), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("model", [*LINEAR[:2], *RIDGE, *KERNEL], ids=name)
def test_fit_does_not_touch_its_input(model):
    (X, _), y = problem(model, 60)
    before = X.copy(), y.copy()
    weights, covariances = np.ones(60), np.full((60, 3, 3), 0.0) + 0.1 * np.eye(3)
    if isinstance(model, NoisyKernelRegressor):
        quietly(clone(model).fit, X, y, sample_weight=weights)
    else:
        quietly(clone(model).fit, X, y, noise_cov=covariances, sample_weight=weights)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])
    np.testing.assert_array_equal(covariances, np.full((60, 3, 3), 0.0) + 0.1 * np.eye(3))
    np.testing.assert_array_equal(weights, 1.0)


@each_learner
def test_stream_after_a_fit_goes_on_where_the_fit_ended(model):
    model = with_scale(model)
    (X, more), y = problem(model)
    first, last = {k: v[:120] for k, v in more.items()}, {k: v[120:] for k, v in more.items()}
    fit = quietly(clone(model).fit, X[:120], y[:120], **first)
    quietly(fit.partial_fit, X[120:], y[120:], **last)
    whole = quietly(clone(model).fit, X, y, **more)
    assert_same(fit, whole, X, 1e-8)


def test_one_prediction_sees_what_a_table_of_them_saw():
    X, y, _ = linear_rows(200)
    model = NoisyLinearRegressor(noise_cov=0.04)
    rows = [dict(enumerate(row)) for row in X]
    for row, target in zip(rows[:100], y[:100], strict=True):
        model.learn_one(row, target)
    model.predict_one(rows[0])
    for row, target in zip(rows[100:], y[100:], strict=True):
        model.learn_one(row, target)
    table = model.predict(X[:1])
    assert model.predict_one(rows[0]) == pytest.approx(table[0], rel=1e-12)


def frames_of(X, y, size):
    frame, targets = pd.DataFrame(X, columns=["x0", "x1", "x2"]), pd.Series(y)
    return [(frame[k : k + size], targets[k : k + size]) for k in range(0, len(y), size)]


@pytest.mark.parametrize("size", [1, 30, 900])
def test_frames_may_change_after_they_have_been_learnt(size):
    X, y, _ = linear_rows(3000)
    kept, changed = NoisyLinearRegressor(noise_cov=0.1), NoisyLinearRegressor(noise_cov=0.1)
    for frame, targets in frames_of(X, y, size)[:100]:
        kept.learn_many(frame, targets)
        frame, targets = frame.copy(), targets.copy()
        changed.learn_many(frame, targets)
        frame.iloc[:], targets.iloc[:] = 1e6, 1e6
    np.testing.assert_array_equal(changed.coef_, kept.coef_)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_a_refused_frame_leaves_the_stream_as_it_was(bad):
    X, y, _ = linear_rows(300)
    model, plain = NoisyLinearRegressor(noise_cov=0.1), NoisyLinearRegressor(noise_cov=0.1)
    for frame, targets in frames_of(X, y, 50):
        with pytest.raises(ValueError, match="finite"):
            model.learn_many(frame.assign(x1=bad), targets)
        with pytest.raises(ValueError, match="finite"):
            model.learn_many(frame, targets * bad)
        for stream in (model, plain):
            stream.learn_many(frame, targets)
    assert model.n_rounds_ == plain.n_rounds_ == 300
    np.testing.assert_array_equal(model.coef_, plain.coef_)


def test_a_stored_stream_goes_on_with_its_buffered_frames():
    X, y, _ = linear_rows(300)
    model, plain = NoisyLinearRegressor(noise_cov=0.1), NoisyLinearRegressor(noise_cov=0.1)
    for frame, targets in frames_of(X, y, 50):
        model = pickle.loads(pickle.dumps(model))
        model.learn_many(frame, targets)
        plain.learn_many(frame, targets)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
