"""A study of corrected regression on features that were released with privacy noise.

The noise is that of the Gaussian mechanism at (epsilon, delta = 1e-5), and its size is published,
so that it can be corrected for.

Each row x is scaled to a norm of at most C and released as x + N(0, s^2 I). Whoever sees the
release of a row learns little of that row's features, whatever else is known: of two rows that
could have been meant, which differ by at most 2 C (the sensitivity), either makes any event about
as likely,

    P(event | x) <= e^epsilon P(event | x') + delta,   s = 2 C sqrt(2 ln(1.25 / delta)) / epsilon.

That is local (epsilon, delta) differential privacy of the features of one row, released once. The
targets, the number of rows and the constants that scale the columns are taken to be public; two
releases of a row (two copies) would cost twice the epsilon. The formula is proved for epsilon < 1
only. The delta that the noise gives at any epsilon is, exactly,

    delta = F(D / 2s - epsilon s / D) - e^epsilon F(-D / 2s - epsilon s / D),

with D = 2 C and F the normal distribution function (Balle and Wang 2018, Theorem 8).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import median

import numpy as np
from scipy.special import log_ndtr, ndtr

from untaint.datasets import make_noisy_views
from untaint.online import CorrectedRidge

from ..data.drawn import Array
from ..data.noisy import NoisyRows
from ..data.protocol import prepare
from ..data.sets import load
from ..frame import Case, Cells, Row, Study, crossed
from ..frame.tables import groups, markdown, number, show, values
from ..methods.noisy import ridge

KIND = "gaussian-mechanism"
EPSILONS = (0.5, 1.0, 3.0, 10.0, 30.0)
DELTA = 1e-5
MEASURES = (
    *("noise_deviation", "exact_delta", "rmse_clean", "rmse_mean", "rmse_naive"),
    *("rmse_untaint", "untaint_over_naive"),
)


def clip(X: Array, norm: float) -> Array:
    """Scale rows that are longer to this norm."""
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.maximum(lengths / norm, 1.0)


def gaussian_mechanism(epsilon: float, delta: float, sensitivity: float) -> float:
    """Return deviation of the noise by the classical formula."""
    return sensitivity * math.sqrt(2.0 * math.log(1.25 / delta)) / epsilon


def exact_delta(epsilon: float, deviation: float, sensitivity: float) -> float:
    """Return the smallest delta that noise of this deviation gives at epsilon."""
    half, shift = sensitivity / (2.0 * deviation), epsilon * deviation / sensitivity
    return float(ndtr(half - shift) - math.exp(epsilon + log_ndtr(-half - shift)))


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return one case for each data set, epsilon and seed; all fits are in it."""
    datasets = ("kiln", "friedman-600") if quick else ("concrete", "friedman-100000")
    return crossed([Cells(datasets, [KIND], EPSILONS)])(seeds, quick)


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


STUDIES = {
    "privacy": Study(
        "Clean-test RMSE after features were released by the Gaussian mechanism, delta = 1e-5.",
        cases,
        run,
        MEASURES,
        table,
        seeds=10,
    )
}
