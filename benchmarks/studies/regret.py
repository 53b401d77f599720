"""A study of the regret of online learning from noisy rows, and of the theorems' bounds.

    regret = sum_t (<w_t, x_t> - y_t)^2 - min_{|u| <= R} sum_t (<u, x_t> - y_t)^2

w_t is what the learner holds before round t. The minimum solves (X'X + m I) u = X'y with the
smallest m >= 0 that lets u into the ball.

Linear learners see five features, with the covariance known (``one``) or two copies (``two``), and
stay in the unit ball, as the best fixed predictor does. Algorithm 2 (``kernel-two``) sees two
features; its W = 3 covers the predictors of norm up to W / (sqrt(5) R), Theorem 2, if positive and
negative support vectors are orthogonal. The best fixed predictor is sought among all of that norm.

Competitors (:mod:`..methods.streams`) play the same streams, at their best settings in hindsight;
no learner forgets all streams well, and ``over best`` compares losses with the best of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from importlib.util import find_spec
from statistics import fmean
from time import perf_counter
from typing import Any

import numpy as np
from scipy.optimize import brentq

from untaint.online import NoisyKernelRegressor, NoisyLinearRegressor

from ..data.drawn import Array
from ..data.streams import ANGLES, Stream, make_stream
from ..frame import Case, Cells, Row, Study, crossed
from ..frame.tables import groups, markdown, number, values
from ..methods.streams import COMPETITORS, NEEDS_RIVER, loss, printed_bound
from .growth import exponent

ROUNDS = (1_000, 4_000, 16_000, 64_000)
KERNEL_ROUNDS = (300, 1_000, 3_000)
QUICK_ROUNDS = (100, 300, 1_000)
QUICK_KERNEL_ROUNDS = (100, 300)
LEARNERS = ("auto-one", "auto-two", "theory-one", "theory-two")
KERNEL = "kernel-two"
DEVIATION = 0.3
# Of the largest eigenvalue: what is smaller is zero but for rounding.
ROUNDING = 1e-12
RADIUS = 1.0
# s^2 = 1 / gamma must exceed twice the variance of the noise.
GAMMA, W, N_LANDMARKS = 1.0, 3.0, 200
MEASURES = ("rounds", "loss", "loss_best", "regret", "bound", "holds", "seconds")


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return one case for each stream, length, learner and seed."""
    lengths = {True: (QUICK_ROUNDS, QUICK_KERNEL_ROUNDS), False: (ROUNDS, KERNEL_ROUNDS)}[quick]
    there = find_spec("river") is not None
    others = [name for name in COMPETITORS if there or name not in NEEDS_RIVER]
    cells = [
        Cells([f"stream-{T}" for T in some], [*ANGLES], [DEVIATION], methods)
        for some, methods in zip(lengths, ((*LEARNERS, *others), (KERNEL,)), strict=True)
    ]
    return crossed(cells)(seeds, quick)


def run(case: Case) -> dict[str, float]:
    """Play the stream, and look back for the best fixed predictor."""
    T = case.size
    kernel = case.method == KERNEL
    stream = make_stream(case.kind, T, d=2 if kernel else 5, deviation=case.epsilon, seed=case.seed)
    started, bound = perf_counter(), math.nan
    if case.method in COMPETITORS:
        predictions = COMPETITORS[case.method](stream, RADIUS)
        bound = printed_bound(stream, RADIUS) if case.method == "printed" else math.nan
    else:
        model = kernel_learner(stream) if kernel else linear_learner(case.method, stream)
        predictions = play(model, stream, two=case.method.endswith("two"))
        bound = float(getattr(model, "regret_bound_", math.nan))
    seconds = perf_counter() - started
    features = kernel_features(stream.X, GAMMA, N_LANDMARKS) if kernel else stream.X
    best = best_in_ball(features, stream.y, covered_radius(stream) if kernel else RADIUS)
    ours, theirs = loss(predictions, stream.y), loss(features @ best, stream.y)
    return {
        "rounds": float(T),
        "loss": ours,
        "loss_best": theirs,
        "regret": ours - theirs,
        "bound": bound,
        "holds": math.nan if math.isnan(bound) else float(ours - theirs <= bound),
        "seconds": seconds,
    }


def linear_learner(method: str, stream: Stream) -> Any:
    """Return Algorithm 1 with the theorem's step, or the default learner, no intercepts."""
    rate, _, copies = method.partition("-")
    known: dict[str, Any] = {"noise_cov": stream.noise_cov} if copies == "one" else {}
    if rate == "theory":
        known["horizon"] = len(stream.y)
    return NoisyLinearRegressor(learning_rate=rate, norm_bound=RADIUS, fit_intercept=False, **known)


def kernel_learner(stream: Stream) -> Any:
    """Return Algorithm 2 with the theorem's step."""
    return NoisyKernelRegressor(
        noise_cov=stream.noise_cov,
        gamma=GAMMA,
        norm_bound=W,
        learning_rate="theory",
        horizon=len(stream.y),
    )


def covered_radius(stream: Stream) -> float:
    """Return w / (sqrt(5) R), R^4 = prod s^2 / (s^2 - 2 sigma^2)."""
    d = stream.X.shape[1]
    R = (1.0 - 2.0 * GAMMA * stream.noise_cov) ** (-d / 4.0)
    return W / (math.sqrt(5.0) * R)


def best_in_ball(X: Array, y: Array, radius: float) -> Array:
    """Return the least-squares coefficients in a ball."""
    values, vectors = np.linalg.eigh(X.T @ X)
    keep = values > ROUNDING * values[-1]
    values, vectors = values[keep], vectors[:, keep]
    target = vectors.T @ (X.T @ y)

    def excess(m: float) -> float:
        return float(np.linalg.norm(target / (values + m)) - radius)

    # |u| is at most |X'y| / m.
    far = np.linalg.norm(target) / radius
    m = brentq(excess, 0.0, far, rtol=1e-12) if excess(0.0) > 0 else 0.0
    return vectors @ (target / (values + m))


def play(model: Any, stream: Stream, *, two: bool) -> Array:
    """Return a learner's prediction of each clean row before it has seen that round."""
    found = np.zeros(len(stream.y))
    rounds = zip(*(map(_as_dict, X) for X in (stream.X, stream.A, stream.B)), strict=True)
    for t, (clean, row, copy) in enumerate(rounds):
        found[t] = model.predict_one(clean)
        model.learn_one(row, float(stream.y[t]), x_copy=copy if two else None)
    return found


def _as_dict(row: Array) -> dict[int, float]:
    return dict(enumerate(row.tolist()))


def kernel_features(X: Array, gamma: float, n_landmarks: int) -> Array:
    """Return Nystroem features of exp(-gamma r^2): inner products are the kernel on their span."""
    Z = X[:n_landmarks]
    values, vectors = np.linalg.eigh(_gaussian(Z, Z, gamma))
    keep = values > ROUNDING * values[-1]
    return _gaussian(X, Z, gamma) @ (vectors[:, keep] / np.sqrt(values[keep]))


def _gaussian(X: Array, Z: Array, gamma: float) -> Array:
    squares = np.sum(X**2, axis=1)[:, np.newaxis] + np.sum(Z**2, axis=1) - 2.0 * X @ Z.T
    return np.exp(-gamma * np.maximum(squares, 0.0))


def table(rows: list[Row]) -> str:
    """Return mean regret over the rounds, its exponent, and how often the bound held."""
    lengths = sorted({T for T in values(rows, "rounds")})
    body = []
    for (kind, method), part in groups(rows, ("kind", "method")).items():
        by_length = {T: [row for row in part if row["rounds"] == T] for T in lengths}
        means = {T: fmean(values(some, "regret")) for T, some in by_length.items() if some}
        held = values(part, "holds")
        body.append(
            [
                kind,
                method,
                *(number(means[T]) if T in means else "-" for T in lengths),
                number(growth(means)),
                number(last_over_root(means)),
                f"{sum(held):.0f} of {len(held)}" if held else "-",
                number(over_best(rows, part, str(kind))),
            ]
        )
    header = ["kind", "method", *(f"T = {T:,.0f}" for T in lengths), "exponent"]
    header += ["last over sqrt(T)", "bound holds", "over best"]
    legend = (
        "Mean over the seeds of the cumulative clean loss minus that of the best fixed predictor "
        "of the ball; the exponent is the slope of log max(regret, 1) on log T. Over best: the "
        "largest ratio, over T, of the loss to that of the best of leader, rls, sgd and adagrad."
    )
    return f"{legend}\n\n{markdown(header, body)}"


def over_best(rows: list[Row], part: list[Row], kind: str) -> float:
    """Return the largest ratio, over the lengths, of losses to those of the best competitor."""
    ratios = []
    for (T,), own in groups(part, ("rounds",)).items():
        rivals = [row for row in rows if row["kind"] == kind and row["rounds"] == T]
        losses = [
            fmean(values(found, "loss"))
            for (method,), found in groups(rivals, ("method",)).items()
            if method in COMPETITORS and method != "printed" and values(found, "loss")
        ]
        if losses and values(own, "loss"):
            ratios.append(fmean(values(own, "loss")) / min(losses))
    return max(ratios, default=math.nan)


def growth(means: dict[float, float]) -> float:
    """Return slope of log max(regret, 1) on log T."""
    if len(means) < 2:
        return math.nan
    return exponent(list(means), [max(regret, 1.0) for regret in means.values()]) + 0.0


def last_over_root(means: dict[float, float]) -> float:
    """Return regret of the longest stream over the root of its rounds."""
    T = max(means, default=math.nan)
    return means[T] / math.sqrt(T) if means else math.nan


STUDIES = {
    "regret": Study(
        "Regret on the clean losses over T rounds, against the best fixed predictor in hindsight.",
        cases,
        run,
        MEASURES,
        table,
        seeds=5,
        draw="regret:draw_regret",
    )
}
