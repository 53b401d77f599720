"""A study of what a round of online learning costs, in time and in memory, ten features.

learn-one    row by row, next to river's LinearRegression; by default, or with a fixed step
foretell     the same, and every row is predicted before it is learnt
learn-many   pandas frames of 256 rows, next to river's
algorithm-2  a kernel learner's rounds, next to the paper's form, which is O(t^2) in round t
memory       bytes of the pickled model of a budget, after a tenth of the rounds and at the end

Every pass over the rows starts from a fresh model.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from untaint.datasets import make_noisy_views
from untaint.online import NoisyKernelRegressor, NoisyLinearRegressor

from ..data.drawn import Array
from ..frame import Case, Row, Study
from ..frame.tables import groups, markdown, mean
from ..frame.timing import fastest
from ..methods.algorithm2 import algorithm2

# Rounds of every part, in a full and in a trial run.
ROUNDS = {
    "learn-one": (20_000, 2_000),
    "learn-one-step": (20_000, 2_000),
    "foretell": (20_000, 2_000),
    "learn-many": (102_400, 10_240),
    "algorithm-2": (1_000, 200),
    "memory": (1_000_000, 20_000),
    "memory-step": (1_000_000, 20_000),
}
NEEDS_RIVER = ("learn-one", "learn-one-step", "foretell", "learn-many")
VARIANCE, TARGET_NOISE = 0.25, 0.1
STEP, GAMMA, W, BUDGET, CHUNK, BATCH = 0.01, 0.05, 10.0, 256, 1_000, 256
COLUMNS = [f"x{j}" for j in range(10)]
MEASURES = (
    *("rounds", "microseconds", "microseconds_rival", "time_over_rival"),
    *("speed_over_rival", "distance", "distance_rival", "largest_difference"),
    *("bytes_early", "bytes_late"),
)


@dataclass(frozen=True)
class Rounds:
    """Noisy rows in two copies, targets, and the weights behind them."""

    A: Array
    B: Array
    y: Array
    w: Array


def draw(n: int, seed: int) -> Rounds:
    """Return x ~ N(0, I) in ten features, y = <w, x> + noise with |w| = 1."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=len(COLUMNS))
    w /= np.linalg.norm(w)
    X = rng.normal(size=(n, len(COLUMNS)))
    y = X @ w + TARGET_NOISE * rng.normal(size=n)
    A, B = make_noisy_views(X, noise_cov=VARIANCE, random_state=rng)
    return Rounds(A, B, y, w)


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return one case for each part and seed; parts next to river need it installed."""
    there = find_spec("river") is not None
    parts = [name for name in ROUNDS if there or name not in NEEDS_RIVER]
    return [
        Case(f"rounds-{ROUNDS[part][quick]}", "gaussian", VARIANCE, part, seed)
        for seed in seeds
        for part in parts
    ]


def run(case: Case) -> dict[str, float]:
    """Run one part; what it does not measure stays empty."""
    found = PARTS[case.method](case.size, case.seed)
    return dict.fromkeys(MEASURES, math.nan) | {"rounds": float(case.size)} | found


def rows_pass(rounds: Rounds, *, predict: bool = False) -> Callable[[Any], Any]:
    """Return a pass row by row, in which every row may be predicted before it is learnt."""
    pairs = zip(rounds.A.tolist(), rounds.y.tolist(), strict=True)
    rows = [(dict(zip(COLUMNS, x, strict=True)), target) for x, target in pairs]

    def learn(model: Any) -> Any:
        for x, target in rows:
            model.learn_one(x, target)
        return model

    def predict_and_learn(model: Any) -> Any:
        for x, target in rows:
            model.predict_one(x)
            model.learn_one(x, target)
        return model

    return predict_and_learn if predict else learn


def frames_pass(rounds: Rounds) -> Callable[[Any], Any]:
    """Return a pass frame by frame."""
    import pandas as pd

    frame, series = pd.DataFrame(rounds.A, columns=COLUMNS), pd.Series(rounds.y, name="y")
    parts = [slice(start, start + BATCH) for start in range(0, len(frame), BATCH)]
    batches = [(frame[part], series[part]) for part in parts]

    def learn(model: Any) -> Any:
        for some, targets in batches:
            model.learn_many(some, targets)
        return model

    return learn


def against_river(
    n: int, seed: int, *, make_pass: Callable[[Rounds], Callable[[Any], Any]], **options: Any
) -> dict[str, float]:
    """Time our linear learner and river's in turn, and compare what they have learnt."""
    from river import linear_model

    rounds = draw(n, seed)
    learn = make_pass(rounds)

    def ours() -> Any:
        return learn(NoisyLinearRegressor(noise_cov=VARIANCE, **options))

    def rivers() -> Any:
        return learn(linear_model.LinearRegression())

    times, weights = fastest({"ours": ours, "river": rivers}), rivers().weights
    theirs = np.array([weights[name] for name in COLUMNS])
    return {
        "microseconds": 1e6 * times["ours"] / n,
        "microseconds_rival": 1e6 * times["river"] / n,
        "time_over_rival": times["ours"] / times["river"],
        "speed_over_rival": times["river"] / times["ours"],
        "distance": float(np.linalg.norm(ours().coef_ - rounds.w)),
        "distance_rival": float(np.linalg.norm(theirs - rounds.w)),
    }


def kernel(seed: int, **options: Any) -> Any:
    """Return our kernel learner, given the noise."""
    return NoisyKernelRegressor(
        noise_cov=VARIANCE, gamma=GAMMA, norm_bound=W, random_state=seed, **options
    )


def kernel_rounds(n: int, seed: int) -> dict[str, float]:
    """Time Algorithm 2, ours in batches of one row and the paper's."""
    rounds = draw(n, seed)
    found: dict[str, Any] = {}

    def ours() -> None:
        model = kernel(seed, learning_rate=STEP)
        for t in range(n):
            now = slice(t, t + 1)
            model.partial_fit(rounds.A[now], rounds.y[now], X_copy=rounds.B[now])
        found["ours"] = np.asarray(model.dual_coef_)

    def printed() -> None:
        known = {"gamma": GAMMA, "noise": VARIANCE, "eta": STEP, "W": W}
        found["printed"] = algorithm2(rounds.A, rounds.B, rounds.y, **known)

    times = fastest({"ours": ours, "printed": printed}, repeats=1)
    return {
        "microseconds": 1e6 * times["ours"] / n,
        "microseconds_rival": 1e6 * times["printed"] / n,
        "time_over_rival": times["ours"] / times["printed"],
        "speed_over_rival": times["printed"] / times["ours"],
        "largest_difference": float(np.abs(found["ours"] - found["printed"]).max()),
    }


def memory(n: int, seed: int, **options: Any) -> dict[str, float]:
    """Measure the size of a learner with a budget after many rounds."""
    model = kernel(seed, budget=BUDGET, **options)
    early = math.nan
    for chunk in range(n // CHUNK):
        rounds = draw(CHUNK, seed + chunk)
        model.partial_fit(rounds.A, rounds.y, X_copy=rounds.B)
        if chunk + 1 == n // 10 // CHUNK:
            early = float(len(pickle.dumps(model)))
    return {"bytes_early": early, "bytes_late": float(len(pickle.dumps(model)))}


PARTS: dict[str, Callable[[int, int], dict[str, float]]] = {
    "learn-one": partial(against_river, make_pass=rows_pass),
    "learn-one-step": partial(against_river, make_pass=rows_pass, learning_rate=STEP),
    "foretell": partial(against_river, make_pass=partial(rows_pass, predict=True)),
    "learn-many": partial(against_river, make_pass=frames_pass),
    "algorithm-2": kernel_rounds,
    "memory": memory,
    "memory-step": partial(memory, learning_rate=STEP),
}


def table(rows: list[Row]) -> str:
    """Return one line for each part."""
    body = []
    for (part,), found in groups(rows, ("method",)).items():
        means = [mean(name)(found) for name in MEASURES]
        cells = ["-" if math.isnan(value) else f"{value:,.4g}" for value in means]
        body.append([part, *(cells if any(not row["error"] for row in found) else ["failed"])])
    legend = (
        "Microseconds a round, and those of the competitor (river, or Algorithm 2 as printed); "
        "distance of the coefficients to the truth after one pass; bytes of the pickled model."
    )
    header = ["method", *(name.replace("_", " ") for name in MEASURES)]
    return f"{legend}\n\n{markdown(header, body)}"


STUDIES = {
    "stream-speed": Study(
        "Time and memory of online learning, ten features, against river and "
        "the printed Algorithm 2.",
        cases,
        run,
        MEASURES,
        table,
        seeds=1,
    )
}
