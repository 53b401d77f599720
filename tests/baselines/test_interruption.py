"""Ctrl-C leaves nothing half done."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import untaint.baselines.base as base_module
from baselines.cases import EVERY, name, problem_of, quietly
from estimators.cases import assert_interrupted_fit_leaves_it_as_it_was
from untaint.baselines import ConsistentRegressor

# Where the user may press the keys: checking, setting up, fitting, storing, scoring.
STAGES = [
    "_check_data",
    "_make_design",
    "_estimate",
    "_store_function",
    "_store_outlier_attributes",
    "_scores",
]
each = pytest.mark.parametrize("model", EVERY, ids=name)
each_stage = pytest.mark.parametrize("stage", STAGES)


@each
@each_stage
def test_interrupted_first_fit_leaves_the_estimator_unfitted(model, stage):
    X, y, _ = problem_of(model)
    model = clone(model)
    assert_interrupted_fit_leaves_it_as_it_was(
        model, lambda model: model.fit(X, y), X, type(model), stage, KeyboardInterrupt
    )
    with pytest.raises(NotFittedError):
        model.predict(X)


@each
@each_stage
@pytest.mark.parametrize("failure", [KeyboardInterrupt, MemoryError])
def test_interrupted_second_fit_leaves_the_first(model, stage, failure):
    X, y, _ = problem_of(model)
    fit = quietly(clone(model), X, y)
    assert_interrupted_fit_leaves_it_as_it_was(
        fit, lambda model: model.fit(X[:50, :2], y[:50]), X, type(fit), stage, failure
    )


@each
def test_interrupted_in_the_middle_of_the_refits(model, monkeypatch):
    X, y, _ = problem_of(model)
    fit = quietly(clone(model), X, y)
    before, calls = dict(vars(fit)), []
    refits, solve = type(fit)._refits, base_module.Fit

    def counted(self, design, targets):
        system, refit = refits(self, design, targets)

        def second_time(*args):
            calls.append(1)
            if len(calls) == 2:
                raise KeyboardInterrupt
            return refit(*args)

        return system, second_time

    monkeypatch.setattr(type(fit), "_refits", counted)
    if isinstance(model, ConsistentRegressor) or "gradient" in repr(model):
        pytest.skip("does not refit by this method")
    with pytest.raises(KeyboardInterrupt):
        fit.fit(X[:50, :2], y[:50])
    assert len(calls) == 2
    assert solve is base_module.Fit
    assert all(vars(fit)[key] is before[key] for key in before)


def test_interrupted_while_the_corruption_is_written_down(monkeypatch):
    X, y, _ = problem_of(ConsistentRegressor())
    fit = ConsistentRegressor().fit(X, y)
    before, calls = dict(vars(fit)), []
    shaped = ConsistentRegressor._shaped_dual

    def interrupted(self, values):
        calls.append(1)
        if len(calls) == 2:  # the first are the coefficients
            raise KeyboardInterrupt
        return shaped(self, values)

    monkeypatch.setattr(ConsistentRegressor, "_shaped_dual", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fit.fit(X[:50], y[:50])
    monkeypatch.setattr(ConsistentRegressor, "_shaped_dual", shaped)
    assert len(calls) == 2
    assert all(vars(fit)[key] is before[key] for key in before)
    np.testing.assert_array_equal(fit.corruption_.shape, (80,))
