"""Models are set as their family says, and see the rows that their name says."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from benchmarks.speed.rows import draw_rows, surface

from benchmarks.speed import models
from benchmarks.speed.families import FAMILIES, FROM_R, OURS
from benchmarks.speed.models import build, given
from untaint import SubquantileClassifier, SubquantileRegressor

COMPETITORS = [
    (name, method)
    for name, family in FAMILIES.items()
    for method in family.methods
    if method not in (*OURS, *FROM_R)
]


@pytest.mark.parametrize(("name", "method"), COMPETITORS)
def test_every_rival_fits_a_few_rows(name, method):
    family = FAMILIES[name]
    rows = draw_rows(family.truth, 200, 0, kind=family.kind, n_test=20)
    X, y = given(method, rows)
    model = build(method, family, 0, 20 if family.components else None).fit(X, y)
    if method.startswith("matrix"):
        assert model.matrix_.shape == (200, 200)
        assert model.matrix_.dtype == np.float32
    else:
        assert np.isfinite(model.predict(rows.X_test)).all()


def test_settings_are_shared_within_a_family():
    exact, classes = FAMILIES["exact"], FAMILIES["classes-exact"]
    svr, svc = build("svr", exact, 0, None), build("svc", classes, 0, None)
    assert (svr.gamma, svr.C) == pytest.approx((exact.gamma, 5.0))
    assert (svc.gamma, svc.C) == pytest.approx((classes.gamma, 5.0))
    logistic = build("logistic-regression", FAMILIES["linear-classes"], 0, None)
    assert logistic.get_params()["C"] == 1.0


@pytest.mark.parametrize(
    ("method", "share"),
    [("untaint", 0.2), ("untaint-auto", "auto"), ("untaint-plain", 0.0), ("genie", 0.0)],
)
def test_ours_are_told_what_their_name_says(method, share):
    model = build(method, FAMILIES["linear"], 0, None)
    assert isinstance(model, SubquantileRegressor)
    assert (model.kernel, model.contamination, model.alpha) == ("linear", share, 1e-3)
    assert isinstance(build(method, FAMILIES["linear-classes"], 0, None), SubquantileClassifier)


def test_ours_are_told_of_components_and_limits(monkeypatch):
    monkeypatch.setattr("untaint.SubquantileRegressor", lambda **options: options)
    arguments = build("untaint-rff", FAMILIES["approximate"], 7, 1000)
    assert (arguments["approximation"], arguments["n_components"]) == ("rff", 1000)
    assert "memory_limit" not in arguments
    arguments = build("untaint", FAMILIES["map"], 7, 500)
    assert (arguments["approximation"], arguments["memory_limit"]) == ("nystroem", "4GB")
    assert build("untaint", FAMILIES["exact"], 7, None)["approximation"] is None


def test_genie_sees_the_good_rows_and_some_rivals_single_precision():
    rows = draw_rows(surface, 100, 0, kind="label", n_test=10)
    assert len(given("genie", rows)[0]) == 80
    assert given("untaint", rows)[0] is rows.X
    assert {part.dtype for part in given("nystroem-ridge-32", rows)} == {np.dtype(np.float32)}


def test_every_method_of_every_family_has_a_maker():
    known = {*OURS, *FROM_R, *models.COMPETITORS}
    assert {method for family in FAMILIES.values() for method in family.methods} <= known
    assert all(len(inspect.signature(make).parameters) == 3 for make in models.COMPETITORS.values())
