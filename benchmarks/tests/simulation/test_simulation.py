"""Samples are what they are said to be, methods are measured alike, and tables add blocks up."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.case import Case
from benchmarks.simulation import evaluate as module
from benchmarks.simulation.designs import DESIGNS, ERRORS, draw_sample, target_deviation
from benchmarks.simulation.evaluate import MEASURES, evaluate_quickly
from benchmarks.simulation.methods import IN_R, METHODS
from benchmarks.simulation.robustbase import fit_all
from benchmarks.speed.robustbase import missing

from benchmarks.figures import style
from benchmarks.studies import STUDIES
from benchmarks.studies.simulation import cases, curve, efficiency, table

needs_r = pytest.mark.skipif(missing() is not None, reason=str(missing()))
each_design = pytest.mark.parametrize("design", DESIGNS)


@each_design
@pytest.mark.parametrize("kind", ERRORS)
def test_errors_have_mean_zero_and_the_same_variance(design, kind):
    rng = np.random.default_rng(0)
    X = DESIGNS[design].features(200_000, rng)
    noise = ERRORS[kind](X, rng)
    assert abs(noise.mean()) < 0.03
    # Uneven noise has the size of the first feature, whatever that is.
    expected = np.mean(X[:, 0] ** 2) if kind == "growing" else 1.0
    assert np.var(noise) == pytest.approx(expected, rel=0.25)


@each_design
def test_deviation_of_good_targets(design):
    sample = draw_sample(design, 50_000, "gaussian", 0.0, replicate=0)
    assert sample.y.std() == pytest.approx(target_deviation(design), rel=0.02)


@each_design
@pytest.mark.parametrize("kind", ["y-10", "xy-10"])
def test_a_share_of_rows_is_bad_and_the_others_are_as_they_were(design, kind):
    clean = draw_sample(design, 60, "gaussian", 0.0, replicate=3)
    spoiled = draw_sample(design, 60, kind, 0.3, replicate=3)
    assert spoiled.bad.sum() == 18 and not clean.bad.any()
    good = ~spoiled.bad
    np.testing.assert_array_equal(spoiled.X[good], clean.X[good])
    np.testing.assert_array_equal(spoiled.y[good], clean.y[good])
    np.testing.assert_allclose(spoiled.y[spoiled.bad], 10 * target_deviation(design))
    moved = (spoiled.X != clean.X).any(axis=1)
    np.testing.assert_array_equal(moved, spoiled.bad if kind == "xy-10" else False)


@pytest.mark.parametrize(
    ("design", "method"),
    [(design, method) for design in METHODS for method in METHODS[design] if method not in IN_R],
)
def test_every_method_is_measured(design, method):
    found = evaluate_quickly(Case(f"{design}-60", "y-3", 0.2, method, 0))
    assert set(found) == set(MEASURES)
    assert all(np.isfinite(value) for value in found.values())
    assert found["shape"] <= found["mse"] <= found["worst"]


@needs_r
@pytest.mark.parametrize("method", IN_R)
def test_what_r_fits_recovers_the_slopes(method):
    samples = [draw_sample("linear", 80, "y-1000", 0.2, replicate) for replicate in range(3)]
    for predicted, sample in zip(fit_all(method, samples), samples, strict=True):
        assert np.mean((predicted - sample.f_test) ** 2) < 0.5


def test_blocks_have_replicates_of_their_own(monkeypatch):
    drawn = []
    monkeypatch.setattr(
        module,
        "draw_sample",
        lambda *arguments: drawn.append(arguments[-1]) or draw_sample(*arguments),
    )
    for block in (0, 1):
        evaluate_quickly(Case("linear-30", "gaussian", 0.0, "plain", block))
    assert drawn == list(range(8))


def test_a_fit_that_says_nothing_is_broken(monkeypatch):
    monkeypatch.setattr(module, "predictions", lambda *arguments: np.full(500, np.nan))
    found = evaluate_quickly(Case("linear-30", "gaussian", 0.0, "plain", 0))
    assert found["broken"] == 1.0 and found["mse"] == np.inf


def row(method, seed, mse, kind="gaussian", epsilon=0.0, dataset="linear-100"):
    values = dict.fromkeys(MEASURES, 0.0) | {"mse": mse, "shape": mse, "worst": mse}
    return {
        "dataset": dataset,
        "kind": kind,
        "epsilon": epsilon,
        "method": method,
        "seed": seed,
        "error": "",
        **values,
    }


def test_efficiency_is_taken_over_blocks_that_both_have_seen():
    rows = [row("plain", 0, 1.0), row("plain", 1, 9.0), row("huber", 0, 2.0)]
    assert efficiency(rows, "huber", "gaussian", "mse") == 0.5
    assert np.isnan(efficiency(rows, "svr", "gaussian", "mse"))


def test_a_curve_takes_the_worst_size_of_each_share():
    rows = [
        row("huber", seed, float(seed + size), f"y-{size}", 0.1)
        for seed in (0, 1)
        for size in (1, 5)
    ]
    assert curve(rows, "y", 0.1, "mse") == 5.5
    assert np.isnan(curve(rows, "xy", 0.1, "mse"))


def test_tables_show_what_there_is():
    clean = [row("plain", 0, 1.0), row("huber", 0, 2.0)]
    assert "| linear-100 | huber | 0.500 |" in table(clean)
    spoiled = [row("genie", 0, 1.0, "y-3", 0.2), row("huber", 0, 4.0, "y-3", 0.2)]
    text = table(clean + spoiled)
    assert "| linear-100 | y | huber | 2.00 |" in text


def test_the_study_is_of_a_thousand_replicates_and_the_figures_are_drawn(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(style, "FORMATS", (".png",))
    study = STUDIES["simulation"]
    assert study.seeds * module.BLOCK >= 1000
    rows = [
        row(case.method, case.seed, 1.0 + case.epsilon, case.kind, case.epsilon, case.dataset)
        for case in cases([0], quick=True)
        if case.dataset == "linear-60"
    ]
    written = study.draw(rows, tmp_path / "simulation.csv")
    assert [path.name for path in written] == [
        "simulation-efficiency.png",
        "simulation-bias.png",
    ]
