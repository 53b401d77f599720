"""Clean-test errors of methods that are tuned alike, next to the oracle's ("Genie").

``defaults``, last, has a budget in place of a grid: no method knows the contamination.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

import numpy as np

from ..data.sets import FIVE
from ..evaluate import Evaluation
from ..frame import Cells, Row, Study, crossed
from ..frame.tables import against_table, by_method, markdown
from ..measures import CLASS_SCORES
from ..methods.base import Grid
from ..tuning import Folds, by_votes, two_scores

REGRESSION = Evaluation(
    "regression",
    ("rmse", "seconds", "alpha", "gamma"),
    # Wide enough on both sides: clean rows like 1e-3, plain ridge on corrupted rows 1e1 and more.
    Grid(range(-4, 2), tuple(np.logspace(-3.0, 1.0, 9).tolist())),
    by_votes,
    nominal=True,
)
REGRESSORS = ("genie", "untaint", "untaint-gradient", "kernel-ridge")
CLASSIFICATION = Evaluation(
    "classification",
    (*CLASS_SCORES, "seconds", "alpha", "gamma"),
    # Flipped labels ask for far more smoothing than clean ones.
    Grid((-4, -2, 0), tuple(np.logspace(-2.0, 0.5, 6)[::-1].tolist())),
    Folds(n_folds=5, most_rows=None),
    nominal=True,
)
# Of a trial run, for all methods and for Genie.
QUICK = Grid((-2, 0), (1.0, 0.1))
CLASSIFIERS = ("genie", "untaint", "untaint-auto", "kernel-logistic", "svc")
AUTOMATIC = Evaluation("search", ("rmse", "rmse_by_median", "seconds"), tuning=two_scores)
SEARCHES = ("genie", "untaint-cv", "kernel-ridge-cv", "plain-cv", "svr", "huber")
# Searched once, chosen by either validation error: two columns of the table.
TWO_SCORES = ("svr", "huber")


def regression_study(question: str, kinds: Sequence[str], epsilons: Sequence[float]) -> Study:
    """Build a study of clean-test error under corruption; quick uses the bundled data only."""
    cases = crossed(
        [Cells(("boston", "concrete", "wine"), kinds, epsilons, REGRESSORS)],
        quick=[Cells(["kiln"], kinds, epsilons, REGRESSORS)],
    )
    quick = replace(REGRESSION, grid=QUICK)
    return Study(
        question, cases, REGRESSION, REGRESSION.measures, against_table, seeds=10, quick_run=quick
    )


def classification_study(
    question: str,
    kinds: Sequence[str],
    epsilons: Sequence[float],
    *,
    datasets: Sequence[str] = ("heart", "breast"),
    quick: str = "classes2-150",
    methods: Sequence[str] = CLASSIFIERS,
    values: Sequence[str] = ("accuracy",),
    seeds: int = 20,
) -> Study:
    """Build a study of clean-test scores under corruption, with a table for each of ``values``.

    ``quick`` names the data set of a trial run, which is drawn and not read.
    """
    cases = crossed(
        [Cells(datasets, kinds, epsilons, methods)],
        quick=[Cells([quick], kinds, epsilons, methods)],
    )
    table = partial(_difference_tables, values)
    few = replace(CLASSIFICATION, grid=QUICK)
    return Study(question, cases, CLASSIFICATION, few.measures, table, seeds, quick_run=few)


def _difference_tables(values: Sequence[str], rows: list[Row]) -> str:
    return "\n\n".join(against_table(rows, value=value, differences=True) for value in values)


def defaults_table(rows: list[Row]) -> str:
    """Return ratios to Genie, and on clean rows to kernel ridge tuned by cross-validation."""
    clean = [
        row for row in rows if row["epsilon"] == 0 and row["method"] in ("plain-cv", "untaint-cv")
    ]
    return (
        f"{against_table(by_score(rows), decimals=3)}\n\n{_by_data_set(rows)}\n\n"
        "Without corruption, over plain kernel ridge tuned by ordinary cross-validation:\n\n"
        f"{against_table(clean, reference='plain-cv', decimals=3)}"
    )


def _by_data_set(rows: list[Row]) -> str:
    """Return the ratios of our fit to Genie, a line for each data set."""
    found = by_method(rows, "rmse")
    settings = list(dict.fromkeys((kind, epsilon) for _, kind, epsilon in found))
    body = []
    for dataset in dict.fromkeys(dataset for dataset, *_ in found):
        cells = [found.get((dataset, *setting), {}) for setting in settings]
        body.append(
            [dataset, *(_ratio(c.get("untaint-cv", {}), c.get("genie", {})) for c in cells)]
        )
    names = [f"{kind} {epsilon:g}" if epsilon else "clean" for kind, epsilon in settings]
    return f"untaint-cv over Genie:\n\n{markdown(['dataset', *names], body)}"


def _ratio(own: Mapping[int, float], base: Mapping[int, float]) -> str:
    ratios = [own[seed] / base[seed] for seed in own.keys() & base.keys()]
    return f"{fmean(ratios):.2f}" if ratios else "-"


def by_score(rows: Iterable[Row]) -> list[Row]:
    """Make two rows of each that holds a choice by mean squared and one by median error."""
    result = []
    for row in rows:
        if row["method"] in TWO_SCORES:
            result.append(row | {"method": f"{row['method']}-mse"})
            result.append(
                row | {"method": f"{row['method']}-median", "rmse": row["rmse_by_median"]}
            )
        else:
            result.append(row)
    return result


STUDIES = {
    "label-noise": regression_study(
        "Clean-test RMSE over Genie's, labels of a share epsilon of the training rows random.",
        ["label"],
        [0.2, 0.4],
    ),
    "structured": regression_study(
        "Clean-test RMSE over Genie's, corruption with structure (local-solid "
        "is not identifiable).",
        ["cluster", "shift", "mirror", "local", "local-solid", "label+feature"],
        [0.2, 0.4],
    ),
    "breakdown": regression_study(
        "Clean-test RMSE over Genie's, 45 % of the training rows with target or features 1e12.",
        ["huge-label", "huge-feature"],
        [0.45],
    ),
    "flips": classification_study(
        "Clean-test accuracy (minus Genie's), labels of a share epsilon of "
        "the training rows flipped.",
        ["flip"],
        [0.1, 0.2, 0.4],
    ),
    "one-sided": classification_study(
        "Clean-test accuracy and smallest recall (minus Genie's), all flips "
        "from one class to another.",
        ["flip-one-sided", "flip-one-sided-back"],
        [0.2],
        values=["accuracy", "smallest_recall"],
    ),
    "flips-with-features": classification_study(
        "Clean-test accuracy (minus Genie's), training rows with flipped label and 100 times x.",
        ["flip+feature"],
        [0.2],
    ),
    "rare-class": classification_study(
        "Clean-test recall of the rare class and accuracy (minus Genie's), flips among the others.",
        ["flip-spare-rare"],
        [0.2],
        datasets=["rare-2000"],
        quick="rare-400",
        values=["rarest_recall", "accuracy"],
        seeds=10,
    ),
    "probabilities": classification_study(
        "Clean-test log loss and accuracy (minus Genie's), 20 % of the training labels flipped.",
        ["flip"],
        [0.2],
        methods=(*CLASSIFIERS[:-1], "logistic", "svc-calibrated"),
        values=["log_loss", "accuracy"],
    ),
    "defaults": Study(
        "Clean-test RMSE over Genie's, every method without knowledge of the contamination.",
        crossed(
            [
                Cells(FIVE, ["label"], [0.0, 0.2, 0.4], SEARCHES),
                Cells(FIVE, ["cluster", "shift"], [0.2, 0.4], SEARCHES),
            ],
            quick=[Cells(["smooth-150"], ["label"], [0.0, 0.4], SEARCHES)],
        ),
        AUTOMATIC,
        AUTOMATIC.measures,
        defaults_table,
        seeds=10,
    ),
}
