"""Studies of noisy features declare what they promise and sum their rows up."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import numpy as np
import pytest
from benchmarks.noisy.evaluate import MEASURES as ERROR_MEASURES
from benchmarks.noisy.evaluate import evaluate

from benchmarks import Case
from benchmarks.studies import (
    STUDIES,
    measurement_error,
    noisy_classes,
    noisy_kernel,
    privacy,
    regret,
    stream_speed,
)

NOISY = (
    "measurement-error",
    "regret",
    "noisy-kernel",
    "noisy-classes",
    "stream-speed",
    "privacy",
)


def as_row(case, measures, **found):
    return {**vars(case), **dict.fromkeys(measures, nan), **found, "error": ""}


@pytest.mark.parametrize("name", NOISY)
def test_a_failed_study_still_has_a_table(name):
    study = STUDIES[name]
    rows = [
        {**vars(case), **dict.fromkeys(study.measures, ""), "error": "no luck"}
        for case in study.cases([0], True)
    ]
    assert study.table(rows)


def test_measurement_error_has_every_set_and_level_and_spares_odrpack_the_wide_one():
    cases = measurement_error.cases(range(10), False)
    assert {case.dataset for case in cases} == set(measurement_error.DATASETS)
    assert {case.epsilon for case in cases} == {0.2, 0.5, 1.0}
    wide = {case.method for case in cases if case.dataset.startswith("drug")}
    assert "odrpack" not in wide
    assert {"naive", "simex", "tls", "untaint"} < wide


def test_a_rival_is_scored_against_the_clean_and_the_naive_fit():
    case = Case("kiln", "gaussian", 0.5, "naive", 0)
    naive = evaluate(case)
    assert set(naive) == set(ERROR_MEASURES)
    assert naive["over_naive"] == 1.0
    assert naive["over_clean"] == pytest.approx(naive["rmse"] / naive["rmse_clean"])
    tls = evaluate(replace(case, method="tls"))
    assert tls["over_naive"] == pytest.approx(tls["rmse"] / naive["rmse"])


def test_errors_are_summed_up_by_median_and_worst_seed():
    case = Case("kiln", "gaussian", 0.5, "untaint", 0)
    ratios = [(1.0, 0.9), (1.1, 1.2), (1.3, 0.8)]
    rows = [
        as_row(replace(case, seed=seed), ERROR_MEASURES, over_clean=clean, over_naive=naive)
        for seed, (clean, naive) in enumerate(ratios)
    ]
    text = measurement_error.table(rows)
    assert "| kiln | 0.5 | 1.10 (1.20) |" in text
    assert "river is not installed: river is left out." in text


def regret_row(T, seed, value, bound):
    case = Case(f"stream-{T}", "iid", 0.3, "theory-one", seed)
    found = {"rounds": float(T), "regret": value, "bound": bound, "holds": float(value <= bound)}
    return as_row(case, regret.MEASURES, **found)


def test_regret_is_summed_up_by_its_exponent_and_its_bound():
    rows = [regret_row(T, seed, 2.0 * T**0.5, 100.0) for T in (100, 400, 10_000) for seed in (0, 1)]
    last = regret.table(rows).splitlines()[-1]
    assert last == "| iid | theory-one | 20.00 | 40.00 | 200.00 | 0.50 | 2.00 | 4 of 6 | - |"


def test_losses_are_compared_with_those_of_the_best_competitor():
    def row(method, T, found):
        case = Case(f"stream-{T}", "blocks", 0.3, method, 0)
        return as_row(case, regret.MEASURES, rounds=float(T), loss=found, regret=1.0)

    rows = [row("auto-one", T, 6.0) for T in (10, 20)]
    rows += [row(method, T, 4.0 + T) for method, T in (("rls", 10), ("sgd", 20), ("printed", 10))]
    rows += [row("leader", 20, 3.0)]
    assert regret.over_best(rows, rows[:2], "blocks") == pytest.approx(2.0)


def test_the_kernel_learner_has_fewer_rounds():
    cases = regret.cases([0], False)
    rounds = {case.method: set() for case in cases}
    for case in cases:
        rounds[case.method].add(int(case.dataset.partition("-")[2]))
    assert rounds.pop("kernel-two") == {300, 1_000, 3_000}
    assert all(found == {1_000, 4_000, 16_000, 64_000} for found in rounds.values())


def test_noisy_kernel_has_noise_that_matters_and_noise_that_does_not():
    cases = noisy_kernel.cases([0], False)
    assert {case.dataset for case in cases} == {
        f"{name}{d}-24000" for name in ("sines", "line", "rough") for d in (2, 5)
    }
    assert {case.epsilon for case in cases} == {0.05, 0.3, 0.6}


def test_noisy_classes_are_summed_up_by_the_way_to_the_clean_fit():
    case = Case("heart", noisy_classes.KIND, 0.5, "untaint", 0)
    losses = {"log_loss_clean": 0.2, "log_loss_naive": 0.4}
    rows = [
        as_row(replace(case, seed=seed), noisy_classes.MEASURES, **losses, log_loss=loss)
        | {"over_naive": loss / 0.4}
        for seed, loss in enumerate((0.25, 0.35))
    ]
    text = noisy_classes.table(rows)
    assert "| heart | 0.5 | 0.200 | 0.400 | 0.750 / 0.50 (0.87) |" in text


@pytest.mark.parametrize("method", noisy_classes.METHODS)
def test_every_classifier_of_noisy_classes_is_scored(method):
    found = noisy_classes.run(Case("classes2-80", noisy_classes.KIND, 0.5, method, 0))
    assert set(found) == set(noisy_classes.MEASURES)
    assert np.isfinite(list(found.values())).all()


def test_stream_speed_runs_a_million_rounds_in_full_only():
    full, quick = (
        {
            case.method: int(case.dataset.partition("-")[2])
            for case in stream_speed.cases([0], trial)
        }
        for trial in (False, True)
    )
    assert full["memory"] == 1_000_000
    assert quick["memory"] == 20_000


def test_privacy_shows_ratios_to_the_clean_fit():
    case = Case("kiln", privacy.KIND, 1.0, "in-turn", 0)
    errors = {"rmse_clean": 0.5, "rmse_mean": 1.0, "rmse_naive": 0.75, "rmse_untaint": 0.6}
    row = as_row(case, privacy.MEASURES, **errors, noise_deviation=9.0, exact_delta=1e-6)
    text = privacy.table([row | {"untaint_over_naive": 0.8}])
    assert text.endswith("| kiln | 1.0 | 9.00 | 1.0e-06 | 2.000 | 1.500 | 1.200 | 0.800 | 0 of 1 |")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("run", "case", "measures"),
    [
        (regret.run, Case("stream-60", "blocks", 0.3, "theory-two", 0), regret.MEASURES),
        (regret.run, Case("stream-40", "iid", 0.3, "kernel-two", 0), regret.MEASURES),
        (regret.run, Case("stream-60", "iid", 0.3, "auto-one", 0), regret.MEASURES),
        (
            noisy_kernel.run,
            Case("sines2-200", "gaussian", 0.3, "in-turn", 0),
            noisy_kernel.MEASURES,
        ),
        (privacy.run, Case("kiln", privacy.KIND, 30.0, "in-turn", 0), privacy.MEASURES),
        (evaluate, Case("kiln", "gaussian", 0.5, "untaint", 0), ERROR_MEASURES),
        (evaluate, Case("kiln", "gaussian", 0.5, "untaint-stream", 0), ERROR_MEASURES),
        (evaluate, Case("kiln", "gaussian", 0.5, "untaint-two", 0), ERROR_MEASURES),
        (evaluate, Case("kiln", "gaussian", 0.5, "untaint-stream-two", 0), ERROR_MEASURES),
    ],
)
def test_every_column_is_filled(run, case, measures):
    found = run(case)
    assert set(found) == set(measures)
    empty = {name for name, value in found.items() if not np.isfinite(value)}
    assert empty <= {"bound", "holds"}


@pytest.mark.parametrize("part", stream_speed.ROUNDS)
def test_every_part_of_stream_speed_measures_something(part, monkeypatch):
    if part in stream_speed.NEEDS_RIVER:
        pytest.importorskip("river")
        pytest.importorskip("pandas")
    monkeypatch.setattr(stream_speed, "CHUNK", 50)
    n = 600 if part.startswith("memory") else 30
    found = stream_speed.run(Case(f"rounds-{n}", "gaussian", 0.25, part, 0))
    assert set(found) == set(stream_speed.MEASURES)
    if part.startswith("memory"):
        assert found["bytes_late"] <= 1.01 * found["bytes_early"]
    else:
        assert found["time_over_rival"] > 0
    if part == "algorithm-2":
        assert found["largest_difference"] < 1e-9
