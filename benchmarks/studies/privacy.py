"""A study of corrected regression on features that were released with privacy noise.

The noise is that of the Gaussian mechanism at (epsilon, delta = 1e-5), and its size is published,
so that it can be corrected for. `benchmarks.noisy.privacy` says exactly what is protected.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import median

import numpy as np

from untaint.datasets import make_noisy_views

from ..case import Case
from ..data import load
from ..noisy.competitors import ridge
from ..noisy.privacy import clip, exact_delta, gaussian_mechanism
from ..noisy.rows import NoisyRows
from ..protocol import prepare
from ..results import Row
from ..summary import groups, show, values
from ..table import markdown, number
from ._cells import Cells, cases_of
from .base import Study

KIND = "gaussian-mechanism"
EPSILONS = (0.5, 1.0, 3.0, 10.0, 30.0)
DELTA = 1e-5
MEASURES = (
    "noise_deviation",
    "exact_delta",
    "rmse_clean",
    "rmse_mean",
    "rmse_naive",
    "rmse_untaint",
    "untaint_over_naive",
)


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return one case for each data set, epsilon and seed; all fits are in it."""
    datasets = ("kiln", "friedman-600") if quick else ("concrete", "friedman-100000")
    return cases_of([Cells(datasets, [KIND], EPSILONS)], ["in-turn"], seeds)


def run(case: Case) -> dict[str, float]:
    """Release the features once, fit with and without correction, score on clean rows."""
    rows, deviation, delta = release(case)
    ours = corrected(rows)
    naive, clean = rows.rmse(ridge(rows.A, rows.y)), rows.rmse(ridge(rows.X_clean, rows.y))
    return {
        "noise_deviation": deviation,
        "exact_delta": delta,
        "rmse_clean": clean,
        "rmse_mean": float(np.sqrt(np.mean(np.square(rows.y_test - rows.y.mean())))),
        "rmse_naive": naive,
        "rmse_untaint": ours,
        "untaint_over_naive": ours / naive,
    }


def corrected(rows: NoisyRows) -> float:
    """Return our error, nan if the rows vary less than their noise and are refused."""
    from untaint.online import CorrectedRidge

    try:
        return rows.rmse(CorrectedRidge(noise_cov=rows.noise_cov).fit(rows.A, rows.y))
    except ValueError as error:
        if "noise_cov must be smaller" not in str(error):
            raise
        return math.nan


def release(case: Case) -> tuple[NoisyRows, float, float]:
    """Return clipped and noisy training rows, the noise's deviation and the delta it gives.

    The norm to clip at is the root of the number of features, that of a typical row in standard
    units: a number that can be fixed before any row is seen.
    """
    X, y = load(case.dataset, case.seed)
    split = prepare(X, y, kind="label", epsilon=0.0, seed=case.seed)
    norm = math.sqrt(X.shape[1])
    deviation = gaussian_mechanism(case.epsilon, DELTA, 2.0 * norm)
    rng = np.random.default_rng(case.seed).spawn(3)[2]
    noise_cov = np.full(X.shape[1], deviation**2)
    (A,) = make_noisy_views(
        clip(split.X_train, norm), noise_cov=noise_cov, n_views=1, random_state=rng
    )
    rows = NoisyRows(A, A, split.X_train, split.y_train, noise_cov, split.X_test, split.y_test)
    return rows, deviation, exact_delta(case.epsilon, deviation, 2.0 * norm)


def table(rows: list[Row]) -> str:
    """Return errors over the clean fit's, medians over the seeds."""
    body = []
    for (dataset, epsilon), part in groups(rows, ("dataset", "epsilon")).items():
        good = [row for row in part if not row["error"]]
        if not good:
            body.append([dataset, epsilon, *["failed"] * 7])
            continue
        over_clean = [
            [row[name] / row["rmse_clean"] for row in good if values([row], name)]
            for name in ("rmse_mean", "rmse_naive", "rmse_untaint")
        ]
        refused = len(good) - len(over_clean[-1])
        body.append(
            [
                dataset,
                epsilon,
                number(good[0]["noise_deviation"]),
                f"{good[0]['exact_delta']:.1e}",
                *(show(median(found) if found else math.nan) for found in over_clean),
                show(max(values(good, "untaint_over_naive"), default=math.nan)),
                f"{refused} of {len(good)}",
            ]
        )
    header = ["dataset", "epsilon", "noise", "exact delta", "mean", "naive", "untaint"]
    legend = (
        "Clean-test RMSE over that of a ridge fitted to the unclipped clean rows, median over the "
        "seeds: of the targets' mean, of the naive ridge, and of ours; last, the largest ratio of "
        "ours to naive of a seed. Noise in deviations of a feature. Where the exact delta is above "
        "1e-5, the classical formula does not hold what it is used for. Refused: rows that "
        "vary less than the noise they are said to carry, which chance may bring about."
    )
    return f"{legend}\n\n{markdown([*header, 'worst over naive', 'refused'], body)}"


STUDY = Study(
    "Clean-test RMSE after features were released by the Gaussian mechanism, delta = 1e-5.",
    cases,
    run,
    MEASURES,
    table,
    seeds=10,
)
