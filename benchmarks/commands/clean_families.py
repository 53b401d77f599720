"""Rows that are accused in synthetic data without any wrong row.

Usage::

    make bench ARGS="clean-families --rows 300 --seeds 0 1 2 --learner cv"

The families are those that a cleaning tool meets and a smooth function with even noise is not: a
step, a corner, a rare binary column, uneven, multiplicative and discrete noise, groups and trends.
Each line gives the share of rows flagged, and the error of the noiseless function over that of
``contamination=0``.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from untaint import SubquantileRegressor, SubquantileRegressorCV

Array = NDArray[np.float64]
Family = Callable[[Array, np.random.Generator], tuple[Array, Array]]
LEARNERS = {
    "cv": SubquantileRegressorCV,
    "rbf": lambda **given: SubquantileRegressor(alpha=0.1, **given),
    "linear": lambda **given: SubquantileRegressorCV(kernel="linear", **given),
}


def smooth(X: Array) -> Array:
    """Return a smooth function of two columns."""
    return np.sin(X[:, 0]) + 0.5 * X[:, 1]


def step(X: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """A jump by 3 in about 30 % of the rows."""
    f = smooth(X) + 3.0 * (X[:, 2] > 0.52)
    return f, f + 0.2 * rng.normal(size=len(X))


def corner(X: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """A steep slope beyond a bend."""
    f = smooth(X) + 4.0 * np.maximum(X[:, 2] - 0.5, 0.0)
    return f, f + 0.2 * rng.normal(size=len(X))


def rare_binary(X: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """A binary column, set in 8 % of the rows, that adds 3."""
    X[:, 2] = rng.random(len(X)) < 0.08
    f = smooth(X) + 3.0 * X[:, 2]
    return f, f + 0.2 * rng.normal(size=len(X))


def friedman1(X: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Friedman's first function."""
    U = X[:] = rng.random(X.shape)
    f = 10 * np.sin(np.pi * U[:, 0] * U[:, 1]) + 20 * (U[:, 2] - 0.5) ** 2 + 10 * U[:, 3]
    return f, f + rng.normal(size=len(X))


def _circuit(X: Array, rng: np.random.Generator) -> tuple[Array, Array, Array, Array]:
    U = rng.random((len(X), 4))
    parts = (100 * U[:, 0], np.pi * (40 + 520 * U[:, 1]), U[:, 2], 1 + 10 * U[:, 3])
    X[:, :4] = U
    return parts


def friedman2(X: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Friedman's second function: the impedance of a circuit."""
    r, w, ind, c = _circuit(X, rng)
    f = np.sqrt(r**2 + (w * ind - 1 / (w * c)) ** 2)
    return f, f + 125 * rng.normal(size=len(X))


def friedman3(X: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Friedman's third function: a phase angle, which is steep near zero."""
    r, w, ind, c = _circuit(X, rng)
    f = np.arctan((w * ind - 1 / (w * c)) / r)
    return f, f + 0.1 * rng.normal(size=len(X))


def uneven(X: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Noise that depends on a column which the function does not depend on."""
    f = smooth(X)
    return f, f + (0.05 + 0.5 * np.abs(X[:, 2])) * rng.normal(size=len(X))


def log_normal(X: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Multiplicative noise."""
    f = np.exp(smooth(X))
    return f * np.exp(0.5 * 0.4**2), f * np.exp(0.4 * rng.normal(size=len(X)))


def poisson(X: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Counts."""
    f = np.exp(0.5 + smooth(X))
    return f, rng.poisson(f).astype(float)


def zero_inflated(X: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Counts of which 30 % are zero."""
    f = np.exp(1.0 + smooth(X))
    return 0.7 * f, rng.poisson(f) * (rng.random(len(X)) < 0.7).astype(float)


def groups(X: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Eight groups, known as indicators, with levels of their own."""
    member = rng.integers(8, size=len(X))
    X[:, 2:] = 0.0
    X[:, 2 : 2 + 8] = np.eye(8)[member]
    f = smooth(X) + 1.5 * np.random.default_rng(1).normal(size=8)[member]
    return f, f + 0.2 * rng.normal(size=len(X))


def time_trend(X: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """A series with trend and season, whose only feature is time."""
    X[:, 0] = np.sort(rng.random(len(X))) * 6 * np.pi
    X[:, 1:] = 0.0
    f = 0.2 * X[:, 0] + np.sin(X[:, 0])
    return f, f + 0.2 * rng.normal(size=len(X))


FAMILIES: list[Family] = [
    *(step, corner, rare_binary, friedman1, friedman2, friedman3, uneven, log_normal),
    *(poisson, zero_inflated, groups, time_trend),
]


def draw(family: Family, n_rows: int, seed: int) -> tuple[Array, Array, Array]:
    """Return features without constant columns, the noiseless function and the targets."""
    rng = np.random.default_rng([seed, 7])
    X = rng.normal(size=(n_rows, 10 if family is groups else 5))
    f, y = family(X, rng)
    X = X[:, X.std(axis=0) > 0]
    return (X - X.mean(axis=0)) / X.std(axis=0), f, y


def main() -> None:
    """Fit every family, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--learner", choices=LEARNERS, default="cv")
    parser.add_argument("--families", nargs="+")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    make = LEARNERS[asked.learner]
    for family in FAMILIES:
        if asked.families and family.__name__ not in asked.families:
            continue
        flagged, ratios = [], []
        for seed in asked.seeds:
            X, f, y = draw(family, 2 * asked.rows, seed)
            train, test = slice(None, None, 2), slice(1, None, 2)
            robust = make().fit(X[train], y[train])
            plain = make(contamination=0).fit(X[train], y[train])
            flagged.append(float(np.mean(~robust.inlier_mask_)))
            errors = [np.mean((m.predict(X[test]) - f[test]) ** 2) for m in (robust, plain)]
            ratios.append(float(np.sqrt(errors[0] / errors[1])))
        print(
            f"{family.__name__:14} flagged {np.mean(flagged):.3f} (at most {max(flagged):.3f})"
            f"  error ratio {np.mean(ratios):.3f} (at most {max(ratios):.3f})",
            flush=True,
        )


if __name__ == "__main__":
    main()
