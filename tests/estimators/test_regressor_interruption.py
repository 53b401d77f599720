"""Ctrl-C leaves nothing half done, and the progress line says what is going on."""

import re

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from estimators.cases import (
    assert_interrupted_fit_leaves_it_as_it_was,
    calls_counted,
    corrupted,
    each_moment,
)
from untaint import SubquantileRegressor


@each_moment
def test_interrupted_first_fit_leaves_the_estimator_unfitted(moment):
    X, y, _ = corrupted(60)
    model = SubquantileRegressor(contamination=0.2)
    assert_interrupted_fit_leaves_it_as_it_was(
        model, lambda model: model.fit(X, y), X, moment, KeyboardInterrupt
    )
    with pytest.raises(NotFittedError):
        model.predict(X)


@each_moment
@pytest.mark.parametrize("failure", [KeyboardInterrupt, MemoryError, RuntimeError])
def test_interrupted_second_fit_leaves_the_first(moment, failure):
    X, y, _ = corrupted(60)
    assert_interrupted_fit_leaves_it_as_it_was(
        SubquantileRegressor(contamination=0.2).fit(X, y),
        lambda model: model.fit(X[:40, :3], np.column_stack([y, y])[:40]),
        X,
        moment,
        failure,
    )


def test_interrupted_learning_rate_schedule():
    X, y, _ = corrupted(60)

    def schedule(iteration):
        if iteration == 4:
            raise KeyboardInterrupt
        return 0.01

    model = SubquantileRegressor(contamination=0.2, solver="gradient", learning_rate=schedule)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)


LINE = re.compile(
    r"SubquantileRegressor \[[#.]+\] iteration \d+, objective \S+, \d+ weights changed, "
    r"\d+\.\d s left\n"
)


@pytest.mark.parametrize(
    "params",
    [{}, {"solver": "iterative"}, {"kernel": "linear"}, {"solver": "gradient", "max_iter": 5000}],
    ids=str,
)
def test_verbose_writes_one_line_to_standard_error(params, capfd):
    X, y, _ = corrupted(80)
    model = SubquantileRegressor(contamination=0.2, verbose=1, **params).fit(X, y)
    written = capfd.readouterr()
    assert written.out == ""
    assert LINE.fullmatch(written.err)
    assert f"iteration {model.n_iter_}," in written.err
    assert f"objective {model.objective_path_[-1]:.6g}," in written.err


def test_settled_fit_has_no_time_left(capfd):
    X, y, _ = corrupted(80)
    SubquantileRegressor(contamination=0.2, verbose=1).fit(X, y)
    assert "0 weights changed, 0.0 s left" in capfd.readouterr().err


def test_quiet_by_default(capfd):
    X, y, _ = corrupted(80)
    for solver in ("exact", "iterative"):
        SubquantileRegressor(contamination=0.2, solver=solver).fit(X, y).predict(X)
    assert capfd.readouterr() == ("", "")


def test_interrupted_fit_ends_its_line(capfd):
    X, y, _ = corrupted(60)
    model = SubquantileRegressor(contamination=0.2, verbose=1).fit(X, y)
    with calls_counted() as calls:
        model.fit(X, y)
    capfd.readouterr()
    with pytest.raises(KeyboardInterrupt), calls_counted(int(0.97 * len(calls))):
        model.fit(X, y)
    assert LINE.fullmatch(capfd.readouterr().err)
