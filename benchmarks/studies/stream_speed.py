"""A study of what a round of online learning costs, in time and in memory, ten features.

learn-one    row by row, next to river's LinearRegression; by default, or with a fixed step
foretell     the same, and every row is predicted before it is learnt
learn-many   pandas frames of 256 rows, next to river's
algorithm-2  a kernel learner's rounds, next to the paper's form, which is O(t^2) in round t
memory       bytes of the pickled model of a budget, after a tenth of the rounds and at the end
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..case import Case
from ..measure import fastest
from ..noisy import timing
from ..noisy.printed import algorithm2
from ..results import Row
from ..summary import groups, mean
from ..table import markdown
from .base import Study

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
STEP, GAMMA, W, BUDGET, CHUNK = 0.01, 0.05, 10.0, 256, 1_000
MEASURES = (
    "rounds",
    "microseconds",
    "microseconds_rival",
    "time_over_rival",
    "speed_over_rival",
    "distance",
    "distance_rival",
    "largest_difference",
    "bytes_early",
    "bytes_late",
)


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return one case for each part and seed; parts next to river need it installed."""
    there = find_spec("river") is not None
    parts = [name for name in ROUNDS if there or name not in NEEDS_RIVER]
    return [
        Case(f"rounds-{ROUNDS[part][quick]}", "gaussian", timing.VARIANCE, part, seed)
        for seed in seeds
        for part in parts
    ]


def run(case: Case) -> dict[str, float]:
    """Run one part; what it does not measure stays empty."""
    n = int(case.dataset.partition("-")[2])
    return (
        dict.fromkeys(MEASURES, math.nan) | {"rounds": float(n)} | PARTS[case.method](n, case.seed)
    )


def linear(**options: Any) -> Any:
    """Return our linear learner, given the noise."""
    from untaint.online import NoisyLinearRegressor

    return NoisyLinearRegressor(noise_cov=timing.VARIANCE, **options)


def learn_one(n: int, seed: int, **options: Any) -> dict[str, float]:
    """Time learning row by row."""
    rounds = timing.draw(n, seed)
    rows = timing.as_dicts(rounds)
    return _against_river(
        rounds,
        lambda: timing.pass_one(linear(**options), rows),
        lambda: timing.pass_one(timing.river_model(), rows),
    )


def predict_and_learn(n: int, seed: int) -> dict[str, float]:
    """Time learning row by row, with predictions in between."""
    rounds = timing.draw(n, seed)
    rows = timing.as_dicts(rounds)
    return _against_river(
        rounds,
        lambda: timing.pass_foretelling(linear(), rows),
        lambda: timing.pass_foretelling(timing.river_model(), rows),
    )


def learn_many(n: int, seed: int) -> dict[str, float]:
    """Time learning frame by frame."""
    rounds = timing.draw(n, seed)
    batches = timing.as_frames(rounds)
    return _against_river(
        rounds,
        lambda: timing.pass_many(linear(), batches),
        lambda: timing.pass_many(timing.river_model(), batches),
    )


def _against_river(
    rounds: timing.Rounds, ours: Callable[[], Any], rivers: Callable[[], Any]
) -> dict[str, float]:
    """Time both in turn, and compare what they have learnt."""
    n = len(rounds.y)
    times = fastest({"ours": ours, "river": rivers})
    return {
        "microseconds": 1e6 * times["ours"] / n,
        "microseconds_rival": 1e6 * times["river"] / n,
        "time_over_rival": times["ours"] / times["river"],
        "speed_over_rival": times["river"] / times["ours"],
        "distance": timing.distance(np.asarray(ours().coef_), rounds),
        "distance_rival": timing.distance(timing.river_coef(rivers()), rounds),
    }


def kernel(seed: int, **options: Any) -> Any:
    """Return our kernel learner, given the noise."""
    from untaint.online import NoisyKernelRegressor

    return NoisyKernelRegressor(
        noise_cov=timing.VARIANCE, gamma=GAMMA, norm_bound=W, random_state=seed, **options
    )


def kernel_rounds(n: int, seed: int) -> dict[str, float]:
    """Time Algorithm 2, ours in batches of one row and the paper's."""
    rounds = timing.draw(n, seed)
    found: dict[str, Any] = {}

    def ours() -> None:
        model = kernel(seed, learning_rate=STEP)
        for t in range(n):
            now = slice(t, t + 1)
            model.partial_fit(rounds.A[now], rounds.y[now], X_copy=rounds.B[now])
        found["ours"] = np.asarray(model.dual_coef_)

    def printed() -> None:
        known = {"gamma": GAMMA, "noise": timing.VARIANCE, "eta": STEP, "W": W}
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
    early, started = math.nan, 0
    for chunk in range(n // CHUNK):
        rounds = timing.draw(CHUNK, seed + chunk)
        model.partial_fit(rounds.A, rounds.y, X_copy=rounds.B)
        started += CHUNK
        if started == n // 10 // CHUNK * CHUNK:
            early = timing.weight(model)
    return {"bytes_early": early, "bytes_late": timing.weight(model)}


PARTS: dict[str, Callable[[int, int], dict[str, float]]] = {
    "learn-one": learn_one,
    "learn-one-step": lambda n, seed: learn_one(n, seed, learning_rate=STEP),
    "foretell": predict_and_learn,
    "learn-many": learn_many,
    "algorithm-2": kernel_rounds,
    "memory": memory,
    "memory-step": lambda n, seed: memory(n, seed, learning_rate=STEP),
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


STUDY = Study(
    "Time and memory of online learning, ten features, against river and the printed Algorithm 2.",
    cases,
    run,
    MEASURES,
    table,
    seeds=1,
)
