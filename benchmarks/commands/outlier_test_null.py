"""Simulate the gains of trimming in clean samples, and fit the constants of the outlier test.

Run ``make bench ARGS=outlier-test-null`` (about fifteen minutes). For each number of rows n
and of columns p, Gaussian samples without outliers give the mean and the deviation of
``G_k = log(S_0 / S_k)`` for every k, and the quantiles of the largest standardised gain. The
printed constants are those of ``untaint.contamination.outlier_test``.
"""

from __future__ import annotations

import numpy as np

from untaint.contamination.outlier_test import MAX_DOF_RATIO, MIN_RESIDUAL_DOF, gain_terms
from untaint.initialization.least_trimmed_squares import lts_path, well_conditioned

ROWS = (8, 10, 13, 16, 20, 25, 32, 40, 50, 65, 80, 100, 140, 200, 300, 500)
COLUMNS = (1, 2, 3, 4, 5, 6, 8, 11)
LEVELS = (0.1, 0.05, 0.025)


def gains(n: int, p: int, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of trimmed rows, and their gains in each sample."""
    rng, rows = np.random.default_rng([n, p]), []
    for _ in range(samples):
        columns = well_conditioned(rng.normal(size=(n, p - 1)), fit_intercept=True)
        path = lts_path(columns, rng.normal(size=n))
        rows.append(np.log(path.squares[0] / path.squares[1:]))
    return path.trimmed[1:], np.array(rows)


def main() -> None:
    """Print the constants, and how well they fit."""
    cells = {
        (n, p): gains(n, p, 1000 if n <= 100 else 400)
        for n in ROWS
        for p in COLUMNS
        if n - p >= MIN_RESIDUAL_DOF and p <= MAX_DOF_RATIO * n
    }
    terms = [gain_terms(k, n, p) for (n, p), (k, _) in cells.items()]
    limit = np.concatenate([limit for limit, _, _ in terms])
    mean_terms = np.concatenate([np.transpose(mean) for _, mean, _ in terms])
    deviation_terms = np.concatenate([np.transpose(deviation) for _, _, deviation in terms])
    mean = np.concatenate([gain.mean(axis=0) for _, gain in cells.values()])
    deviation = np.concatenate([gain.std(axis=0) for _, gain in cells.values()])
    weight = mean / deviation  # errors of the mean in units of the deviation
    fit = np.linalg.lstsq(mean_terms * weight[:, None], np.log(mean / limit) * weight)[0]
    print("LOG_MEAN", np.round(fit, 3).tolist())
    print("error in deviations", np.std((mean_terms @ fit - np.log(mean / limit)) * weight))
    fitted = limit * np.exp(mean_terms @ fit)
    fit = np.linalg.lstsq(deviation_terms, np.log(deviation))[0]
    print("LOG_DEVIATION", np.round(fit, 3).tolist())
    scale, quantiles, at = np.exp(deviation_terms @ fit), [], 0
    for k, gain in cells.values():
        here = slice(at, at + len(k))
        largest = np.max((gain - fitted[here]) / scale[here], axis=1)
        quantiles.append(np.quantile(largest, 1.0 - np.array(LEVELS)))
        at += len(k)
    print("quantiles at", LEVELS, np.mean(quantiles, axis=0), "+-", np.std(quantiles, axis=0))


if __name__ == "__main__":
    main()
