"""Ctrl-C leaves nothing half done."""

import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from baselines.cases import EVERY, name, problem_of, quietly
from estimators.cases import assert_interrupted_fit_leaves_it_as_it_was, each_moment

each = pytest.mark.parametrize("model", EVERY, ids=name)


@each
@each_moment
def test_interrupted_first_fit_leaves_the_estimator_unfitted(model, moment):
    X, y, _ = problem_of(model)
    model = clone(model)
    assert_interrupted_fit_leaves_it_as_it_was(
        model, lambda model: quietly(model, X, y), X, moment, KeyboardInterrupt
    )
    with pytest.raises(NotFittedError):
        model.predict(X)


@each
@each_moment
@pytest.mark.parametrize("failure", [KeyboardInterrupt, MemoryError])
def test_interrupted_second_fit_leaves_the_first(model, moment, failure):
    X, y, _ = problem_of(model)
    fit = quietly(clone(model), X, y)
    assert_interrupted_fit_leaves_it_as_it_was(
        fit, lambda model: quietly(model, X[:50, :2], y[:50]), X, moment, failure
    )
