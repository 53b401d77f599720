"""A fit and its predictions from arrays of another library than NumPy.

    SCIPY_ARRAY_API=1 make bench ARGS="array-library [--rows 100000]"

The rows are arrays of array_api_strict, which has the functions of the array API standard and no
others, so that whatever needs NumPy fails. The fit copies them to the host once and computes there;
predictions are computed by the library itself, on its device. Printed are the largest differences
from the same fit to NumPy's arrays, and the times over those of NumPy's.
"""

import argparse
from time import perf_counter

import array_api_strict as xp
import numpy as np
from sklearn import config_context

from benchmarks.data.large import draw_rows, surface
from untaint import SubquantileRegressor


def timed(work):
    """Return the result of some work and the seconds that it took."""
    start = perf_counter()
    return work(), perf_counter() - start


def main() -> None:
    """Fit and predict with both libraries, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    n = parser.parse_args().rows
    rows = draw_rows(surface, n, seed=0, kind="label", n_test=20_000)
    model = SubquantileRegressor(
        gamma=0.05, alpha=0.1, approximation="nystroem", n_components=300, random_state=0
    )
    model.fit(rows.X, rows.y)
    ours, fit_seconds = timed(lambda: model.fit(rows.X, rows.y).dual_coef_.copy())
    known, predict_seconds = timed(lambda: model.predict(rows.X_test))
    with config_context(array_api_dispatch=True):
        X, y, X_test = (xp.asarray(each) for each in (rows.X, rows.y, rows.X_test))
        found, other_fit = timed(lambda: model.fit(X, y).dual_coef_)
        values, other_predict = timed(lambda: model.predict(X_test))
    gap = float(np.abs(np.asarray(values) - known).max() / np.abs(known).max())
    print("| | difference | time over NumPy's | result |")
    print("|---|--:|--:|---|")
    same = float(np.abs(np.asarray(found) - ours).max())
    print(f"| fit | {same:.1e} | {other_fit / fit_seconds:.2f} | {type(found).__module__} |")
    ratio = other_predict / predict_seconds
    print(f"| predict | {gap:.1e} | {ratio:.2f} | {type(values).__module__} |")


if __name__ == "__main__":
    main()
