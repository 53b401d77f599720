"""Frames of any layout, type and order of columns: learnt like the same rows one by one."""

import numpy as np
import pandas as pd
import pytest

from online.cases import as_dicts, linear_rows, noisy
from untaint.online import NoisyLinearRegressor

NAMES = ["b", "a", "c"]
NOISE = {"b": 0.1, "a": 0.2, "c": 0.3}


def rows():
    """As many rows as predictions of a stream use: up to the end of a block."""
    X, y, _ = linear_rows(640, intercept=2.0)
    return np.round(noisy(X, list(NOISE.values()), 1), 3), np.round(y, 3)


def by_frames(frame, y, step=100):
    model = NoisyLinearRegressor(noise_cov=NOISE)
    for start in range(0, len(y), step):
        model.learn_many(frame[start : start + step], pd.Series(y[start : start + step]))
    return model


def coefficients(model):
    return dict(zip(model.feature_names_in_, model.coef_, strict=True))


def assert_same_model(model, reference, rtol=1e-9):
    found, expected = coefficients(model), coefficients(reference)
    assert found.keys() == expected.keys()
    for name in expected:
        assert found[name] == pytest.approx(expected[name], rel=rtol)
    assert model.intercept_ == pytest.approx(reference.intercept_, rel=rtol)


@pytest.fixture(scope="module")
def one_by_one():
    A, y = rows()
    model = NoisyLinearRegressor(noise_cov=NOISE)
    for x, target in zip(as_dicts(A, NAMES), y.tolist(), strict=True):
        model.learn_one(x, target)
    return model


LAYOUTS = {
    "by column": lambda A: pd.DataFrame(np.asfortranarray(A), columns=NAMES),
    "by row": lambda A: pd.DataFrame(np.ascontiguousarray(A), columns=NAMES, copy=False),
    "another order": lambda A: pd.DataFrame(A, columns=NAMES)[["c", "b", "a"]],
    "columns apart": lambda A: pd.DataFrame({name: A[:, k] for k, name in enumerate(NAMES)}),
    "objects": lambda A: pd.DataFrame(A, columns=NAMES).astype(object),
    "nullable": lambda A: pd.DataFrame(A, columns=NAMES).astype("Float64"),
    "another index": lambda A: pd.DataFrame(A, columns=NAMES).set_index(np.arange(len(A))[::-1]),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_layout_of_a_frame_does_not_matter(layout, one_by_one):
    A, y = rows()
    assert_same_model(by_frames(layout(A), y), one_by_one)


def test_types_and_orders_may_change_along_the_stream(one_by_one):
    A, y = rows()
    model = NoisyLinearRegressor(noise_cov=NOISE)
    for k, layout in enumerate(LAYOUTS.values()):
        part = slice(100 * k, 100 * k + 100)
        model.learn_many(layout(A[part]), pd.Series(y[part]))
    assert_same_model(model, one_by_one)


def test_integers_and_single_precision_are_numbers():
    A, y = np.round(rows()[0]), rows()[1]
    reference = by_frames(pd.DataFrame(A, columns=NAMES), y)
    for dtype in ("int64", "float32", "int8"):
        assert_same_model(by_frames(pd.DataFrame(A, columns=NAMES).astype(dtype), y), reference)


def test_frames_and_single_rows_take_turns(one_by_one):
    A, y = rows()
    frame, model = pd.DataFrame(A, columns=NAMES), NoisyLinearRegressor(noise_cov=NOISE)
    for start in range(0, len(y), 64):
        model.learn_many(frame[start : start + 50], pd.Series(y[start : start + 50]))
        for t in range(start + 50, start + 64):
            model.learn_one(dict(zip(NAMES, A[t].tolist(), strict=True)), float(y[t]))
    assert_same_model(model, one_by_one)


def test_a_missing_column_is_zero_as_in_dictionaries():
    A, y = rows()
    frame, many = pd.DataFrame(A, columns=NAMES), NoisyLinearRegressor(noise_cov=NOISE)
    one = NoisyLinearRegressor(noise_cov=NOISE)
    for start, stop, names in ((0, 200, NAMES), (200, 400, ["a", "b"]), (400, 640, NAMES)):
        part, targets = frame[start:stop][names], y[start:stop]
        many.learn_many(part, pd.Series(targets))
        for x, target in zip(as_dicts(part.to_numpy(), names), targets.tolist(), strict=True):
            one.learn_one(x, target)
    assert_same_model(many, one)


def test_large_entries_that_cancel_are_refused():
    A, y = rows()
    model = by_frames(pd.DataFrame(A, columns=NAMES), y)
    spoilt = pd.DataFrame(A, columns=NAMES)[:4].assign(a=[1e200, -1e200, 0.0, 0.0])
    with pytest.raises(ValueError, match="X must hold finite numbers"):
        model.learn_many(spoilt, pd.Series(y[:4]))


def test_frames_beyond_the_buffer_give_the_fit_to_the_table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15_000, 40)) + 1.0
    sign = np.where(np.arange(15_000) < 11_000, 1.0, -1.0)
    y = sign * X[:, 0] + 0.1 * rng.normal(size=15_000)
    model, frame = NoisyLinearRegressor(noise_cov=0.0), pd.DataFrame(X).add_prefix("x")
    for start in range(0, 15_000, 600):
        model.learn_many(frame[start : start + 600], pd.Series(y[start : start + 600]))
    table = NoisyLinearRegressor(noise_cov=0.0).fit(X, y)
    order = np.argsort([f"x{j}" for j in range(40)])
    np.testing.assert_allclose(model.coef_, table.coef_[order], atol=1e-8)
    assert abs(table.coef_[0] + 1.0) < 0.2
