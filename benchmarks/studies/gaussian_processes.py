"""Robust Gaussian processes of BoTorch and GPyTorch next to our estimator; needs ``botorch``.

*student-t*: a variational Gaussian process with Student's t likelihood (GPyTorch).
*relevance-pursuit*: an extra noise variance for some of the rows, which are found greedily
(BoTorch, ``RobustRelevancePursuitSingleTaskGP``). *gp*: the plain one (``SingleTaskGP``),
*gp-clean* the same on the clean rows. Each selects its own parameters by its own likelihood. The
surface is drawn, 80 training rows of three features: relevance pursuit takes minutes on more.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from importlib.util import find_spec
from statistics import fmean

from ..data.protocol import split_of
from ..frame import Case, Cells, Row, Study, crossed
from ..frame.tables import SETTING, by_method, markdown, number
from ..methods.search import estimator

PROCESSES = ("gp-clean", "gp", "student-t", "relevance-pursuit")
# Without botorch they are left out.
METHODS = ("genie", "untaint-cv", *(PROCESSES if find_spec("botorch") is not None else ()))


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return random targets at three shares, and clustered ones at one."""
    datasets = ("smooth3-40",) if quick else ("smooth3-100",)
    cells = [
        Cells(datasets, ["label"], [0.0, 0.2, 0.4], METHODS),
        Cells(datasets, ["cluster"], [0.2], METHODS),
    ]
    return crossed(cells)(seeds, quick)


def run(case: Case) -> dict[str, float]:
    """Fit, and predict the clean rows."""
    split = split_of(case)
    clean = case.method in ("genie", "gp-clean")
    rows = split.clean_mask if clean else slice(None)
    X, y = split.X_train[rows], split.y_train[rows]
    started = time.perf_counter()
    if case.method in ("genie", "untaint-cv"):
        options = {"contamination": 0.0} if case.method == "genie" else {}
        model = estimator(case.kind, case.seed, **options).fit(X, y)
        seconds = time.perf_counter() - started
        return {"rmse": split.rmse(model), "seconds": seconds}
    from ..methods.gaussian_processes import FITS

    predict = FITS[case.method.removesuffix("-clean")](X, y, case.seed)
    seconds = time.perf_counter() - started
    error = predict(split.X_test) - split.y_test
    return {"rmse": float((error**2).mean() ** 0.5), "seconds": seconds}


def table(rows: list[Row]) -> str:
    """Return errors, and below them seconds."""
    return (
        f"Clean-test RMSE:\n\n{_means(rows, 'rmse')}\n\n"
        f"Seconds of a fit:\n\n{_means(rows, 'seconds')}"
    )


def _means(rows: list[Row], measure: str) -> str:
    body = [
        [
            *setting,
            *(number(fmean(seeds.values()), 3) if seeds else "failed" for seeds in found.values()),
        ]
        for setting, found in by_method(rows, measure).items()
    ]
    methods = dict.fromkeys(row["method"] for row in rows)
    return markdown([*SETTING, *methods], body)


STUDIES = {
    "gaussian-processes": Study(
        "Clean-test RMSE of robust Gaussian processes, next to ours.",
        cases,
        run,
        ("rmse", "seconds"),
        table,
        seeds=2,
    )
}
