"""Ordinary tables have no finding, and no input is too odd to be read."""

import numpy as np
import pytest

from untaint.cells.checks import CHECKS, run_checks
from untaint.io.columns.column import Column

N = 400


def survey(rng):
    answers = ["never", "rarely", "sometimes", "often", "always"]
    table = {f"q{i}": rng.choice(answers, N, p=[0.4, 0.3, 0.2, 0.09, 0.01]) for i in range(6)}
    return table | {"score": rng.integers(1, 6, N), "weight": rng.choice([0.5, 1.0, 2.0], N)}


def amounts(rng):
    zeros = rng.random(N) < 0.6
    return {
        "lognormal": rng.lognormal(3, 1.2, N),
        "pareto": rng.pareto(1.1, N) + 1,
        "cauchy": rng.standard_cauchy(N),
        "student": 100 + 5 * rng.standard_t(2, N),
        "exponential": rng.exponential(5, N),
        "zero_inflated": np.where(zeros, 0, rng.lognormal(2, 1, N)),
        "counts": rng.poisson(0.4, N),
        "many_counts": rng.negative_binomial(1, 0.05, N),
    }


def through_zero(rng):
    return {
        "gain": rng.normal(2, 1, N),
        "growth": 3 + 2 * rng.standard_t(4, N),
        "beta": rng.beta(0.5, 0.5, N),
        "rounded": rng.normal(50, 3, N).round(),
        "mixture": np.where(rng.random(N) < 0.05, rng.normal(300, 20, N), rng.normal(100, 10, N)),
    }


def codes(rng):
    return {
        "quarter": rng.choice(["Q1", "Q2", "Q3", "Q4"], N, p=[0.9, 0.05, 0.045, 0.005]),
        "block": rng.choice(["Block A", "Block B", "Block C"], N, p=[0.98, 0.01, 0.01]),
        "type": rng.choice(["Type II", "Type III", "Type IV"], N, p=[0.98, 0.01, 0.01]),
        "grade": rng.choice(["A+", "A", "A-", "B"], N, p=[0.02, 0.9, 0.01, 0.07]),
        "sex": rng.choice(["Male", "Female"], N, p=[0.99, 0.01]),
        "side": rng.choice(["North Korea", "South Korea"], N, p=[0.99, 0.01]),
        "symptoms": rng.choice(["symptomatic", "asymptomatic"], N, p=[0.99, 0.01]),
        "size": rng.choice(["1.5 l", "15 l", "-5 l", "5 l"], N, p=[0.9, 0.01, 0.01, 0.08]),
        "pet": rng.choice(["horse", "horses", "house"], N, p=[0.98, 0.01, 0.01]),
        "zip": rng.choice([10115, 80331, 99], N, p=[0.5, 0.49, 0.01]),
    }


def walk(rng):
    day = np.datetime64("2010-01-01") + rng.integers(0, 2000, N).astype("timedelta64[D]")
    return {
        "day": day,
        "walk": np.cumsum(rng.normal(size=N)),
        "rounded_walk": np.cumsum(rng.normal(size=N)).round(1),
        "sorted": np.sort(rng.lognormal(0, 1, N)).round(2),
        "by_block": np.repeat(rng.normal(size=N // 8), 8),
        "seen": np.maximum(rng.normal(1, 1, N), 0),
        "born": np.datetime64("1930-01-01") + rng.integers(0, 28000, N).astype("timedelta64[D]"),
    }


def design(rng):
    grid = np.array(np.meshgrid([1, 2, 3], [10, 20], [0.1, 0.2, 0.4])).reshape(3, -1).T
    grid = np.tile(grid, (20, 1))
    return {"a": grid[:, 0], "b": grid[:, 1], "c": grid[:, 2], "y": rng.normal(size=len(grid))}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("table", [survey, amounts, through_zero, codes, walk, design])
def test_ordinary_table_has_no_finding(table, seed, columns):
    assert run_checks(columns(table(np.random.default_rng(seed)))) == []


def test_hardly_any_heavy_tailed_column_has_a_finding(rng):
    found = 0
    for _ in range(300):
        draw = [
            rng.lognormal(0, rng.uniform(0.1, 2), 200),
            rng.pareto(rng.uniform(0.5, 4), 200) + 1,
            rng.gamma(rng.uniform(0.2, 9), 3, 200),
        ]
        columns = [
            Column(name, "number", np.isnan(x), x) for name, x in zip("abc", draw, strict=True)
        ]
        found += len(run_checks(columns))
    assert found <= 3


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize(
    "table",
    [
        {"x": [None, None, None], "y": ["", "", ""]},
        {"x": [1.0], "y": ["a"], "z": [np.datetime64("2020-01-01")]},
        {"x": [3.0] * 100, "y": ["a"] * 100},
        {"x": [np.inf, -np.inf, np.nan] * 40, "y": ["a", "b", None] * 40},
        {"x": [0.0] * 99 + [1.0], "y": [0.0, 1.0] * 50, "z": [1e300, -1e300] * 50},
        {"x": [5e-324, 1e308] * 50},
        {"x": []},
    ],
    ids=["missing", "one row", "constant", "infinite", "two values", "extreme", "empty"],
)
def test_odd_input_has_no_finding(name, table, columns):
    assert CHECKS[name](columns(table)) == []


@pytest.mark.parametrize("name", CHECKS)
def test_no_columns_no_finding(name):
    assert CHECKS[name]([]) == []
