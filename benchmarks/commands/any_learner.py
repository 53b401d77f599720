"""Any learner made robust: errors against the best learner that knows which rows are wrong.

Usage::

    make bench ARGS="any-learner regression --tables choose --rows 400 --seeds 0 1 --out a.csv"
    make bench ARGS="any-learner classification --tables confirm --methods robust-forest forest"

Regression: RMSE on clean test rows over that of the best of kernel, gradient boosting and extra
trees fitted to the good rows ("genie"), and over that of the same learner fitted to these
("own"). Classification: accuracy less that of the same learner fitted to the good rows. Average
precision is that of the ranking of wrong rows.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict

from benchmarks.commands.real_tables import catalogue, evaluate, labels
from benchmarks.frame.tables import markdown
from untaint import (
    RobustClassifier,
    RobustRegressor,
    SubquantileClassifierCV,
    SubquantileRegressorCV,
)

SHARES = (0.2, 0.4)
#: Tables with enough rows, to choose on and to confirm.
NUMBERS = {
    "choose": ["auto", "windsor", "carprices", "biomass", "diamonds", "bikeshare", "college",
               "caschools", "gapminder"],
    "confirm": ["computers", "belgium", "saratoga", "sacramento", "nox", "wage", "weather", "epa",
                "carseats", "bodies", "olive", "lightchain"],
}  # fmt: skip


class Cell(NamedTuple):
    """What one method reached: error and those of both genies, ranking, flags, fits and time."""

    task: str
    table: str
    n_rows: int
    kind: str
    epsilon: float
    seed: int
    method: str
    error: float
    own: float
    genie: float
    precision: float
    flagged: float
    recall: float
    share: float
    n_fits: int
    seconds: float


def boosting() -> Any:
    """Return gradient boosting with its defaults."""
    return HistGradientBoostingRegressor(random_state=0)


def trees() -> Any:
    """Return extra trees."""
    return ExtraTreesRegressor(200, bootstrap=True, random_state=0)


def kernel() -> Any:
    """Return kernel ridge regression, tuned."""
    return SubquantileRegressorCV(contamination=0)


def cleaned(model: Any) -> Any:
    """Return cleanlab's regressor around a learner."""
    from cleanlab.regression.learn import CleanLearning

    return CleanLearning(model, seed=0, verbose=False)


def cleaned_labels(model: Any) -> Any:
    """Return cleanlab's classifier around a learner."""
    from cleanlab.classification import CleanLearning

    return CleanLearning(model, seed=0, verbose=False)


GENIES = {"kernel": kernel, "boosting": boosting, "trees": trees}
REGRESSORS: dict[str, Callable[[], Any]] = {
    "robust-auto": lambda: RobustRegressor(random_state=0),
    "robust-boosting": lambda: RobustRegressor(boosting(), random_state=0),
    "robust-trees": lambda: RobustRegressor(trees(), random_state=0),
    "robust-kernel": SubquantileRegressorCV,
    "boosting": boosting,
    "absolute": lambda: HistGradientBoostingRegressor(loss="absolute_error", random_state=0),
    "clean-boosting": lambda: cleaned(boosting()),
}
CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "kernel": lambda: SubquantileClassifierCV(contamination=0),
    "boosting": lambda: HistGradientBoostingClassifier(random_state=0),
    "forest": lambda: RandomForestClassifier(200, min_samples_leaf=3, random_state=0),
    "trees": lambda: ExtraTreesClassifier(200, min_samples_leaf=3, random_state=0),
}


def learner_of(method: str) -> str:
    """Return the learner that a method is made of."""
    found = method.removeprefix("robust-").removeprefix("clean-")
    return "boosting" if found == "absolute" else found


def numbers(table: str, n_rows: int, kind: str, epsilon: float, seed: int,
            methods: list[str]) -> Iterator[Cell]:  # fmt: skip
    """Yield the cells of one table of numbers."""
    X, y, X_test, y_test = catalogue.split(table, n_rows, seed)
    X, y, wrong = evaluate.corrupt(X, y, kind, epsilon, seed)

    def error(model: Any) -> float:
        return float(np.sqrt(np.mean(np.square(model.predict(X_test) - y_test))))

    genies = {name: error(make().fit(X[~wrong], y[~wrong])) for name, make in GENIES.items()}
    for method in methods:
        model, start = REGRESSORS[method](), time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - start
        own = genies.get(learner_of(method), min(genies.values()))
        yield Cell(
            *("regression", table, n_rows, kind, epsilon, seed, method),
            *(error(model), own, min(genies.values())),
            *_findings(model, _number_scores(model, X, y), wrong),
            seconds,
        )


def _number_scores(model: Any, X: Any, y: Any) -> Any:
    """Return scores that rank wrong targets."""
    if hasattr(model, "label_issues_df"):
        return 1.0 - model.label_issues_df["label_quality"].to_numpy()
    if hasattr(model, "outlier_scores_"):
        return model.outlier_scores_
    return np.abs(y - cross_val_predict(clone(model), X, y, cv=5))


def _findings(model: Any, scores: Any, wrong: Any) -> tuple[float, float, float, float, int]:
    """Return average precision, false and true flags, share and fits."""
    precision = float(average_precision_score(wrong, scores)) if wrong.any() else np.nan
    mask = getattr(model, "inlier_mask_", np.ones(len(wrong), dtype=bool))
    recall = float((~mask[wrong]).mean()) if wrong.any() else np.nan
    share = getattr(model, "contamination_", np.nan)
    return precision, float((~mask[~wrong]).mean()), recall, share, getattr(model, "n_fits_", 1)


def classes(table: str, n_rows: int, kind: str, epsilon: float, seed: int,
            methods: list[str]) -> Iterator[Cell]:  # fmt: skip
    """Yield the cells of one table of labels."""
    X, y, X_test, y_test = labels.split(table, n_rows, seed)
    y, wrong = labels.corrupt(y, kind, epsilon, seed)
    genies: dict[str, float] = {}
    for method in methods:
        name = learner_of(method)
        if name != "auto" and name not in genies:
            genies[name] = CLASSIFIERS[name]().fit(X[~wrong], y[~wrong]).score(X_test, y_test)
        own = max(genies.values()) if name == "auto" else genies[name]
        model: Any = CLASSIFIERS[name]() if name != "auto" else None
        if method.startswith("robust-"):
            model = RobustClassifier(model, random_state=0)
        elif method.startswith("clean-"):
            model = cleaned_labels(model)
        start = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - start
        if hasattr(model, "outlier_scores_"):
            scores = model.outlier_scores_
        elif hasattr(model, "label_issues_df"):
            scores = 1.0 - model.label_issues_df["label_quality"].to_numpy()
        else:
            predicted = cross_val_predict(clone(model), X, y, cv=5, method="predict_proba")
            scores = 1.0 - predicted[np.arange(len(y)), np.searchsorted(np.unique(y), y)]
        yield Cell(
            *("classification", table, n_rows, kind, epsilon, seed, method),
            *(model.score(X_test, y_test), own, max(genies.values())),
            *_findings(model, scores, wrong),
            seconds,
        )


def main() -> None:
    """Run the study and write a line for each fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=["regression", "classification"])
    parser.add_argument("--tables", nargs="+", default=["choose"])
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--methods", nargs="+")
    parser.add_argument("--kinds", nargs="+")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    regression = args.task == "regression"
    named = NUMBERS if regression else {"choose": labels.CHOOSE, "confirm": labels.CONFIRM}
    tables = [name for given in args.tables for name in named.get(given, [given])]
    kinds = args.kinds or (
        list(evaluate.KINDS) if regression else ["flip", "one-sided", "one-sided-back", "pairwise"]
    )
    cells = [("clean", 0.0), *product(kinds, SHARES)]
    methods = args.methods or (list(REGRESSORS) if regression else ["robust-forest", "forest"])
    found = []
    for seed, table, (kind, epsilon) in product(args.seeds, tables, cells):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = numbers if regression else classes
            try:
                for cell in run(table, args.rows, kind, epsilon, seed, methods):
                    found.append(cell)
                    print(_line(cell), file=sys.stderr, flush=True)
            except ValueError as error:
                print(f"{table} {kind} {epsilon}: {error}", file=sys.stderr, flush=True)
    if args.out is not None:
        with args.out.open("w", newline="") as file:
            csv.writer(file).writerows([Cell._fields, *found])
    summarise(found)


def summarise(cells: list[Cell]) -> None:
    """Print medians and worst cases over tables and seeds, a line for each kind of mistakes."""
    methods = list(dict.fromkeys(cell.method for cell in cells))
    results = {"genie": "the best learner that knows the wrong rows", "own": "itself on right rows"}
    for against, words in results.items():
        body = []
        for kind, epsilon in dict.fromkeys((cell.kind, cell.epsilon) for cell in cells):
            here = [cell for cell in cells if (cell.kind, cell.epsilon) == (kind, epsilon)]
            own = [[cell for cell in here if cell.method == method] for method in methods]
            body.append([kind, epsilon, *(_median_and_worst(part, against) for part in own)])
        table = markdown(["kind", "epsilon", *methods], body)
        print(f"\nAgainst {words}, median (worst):\n\n{table}")
    print(f"\n{_flags(cells)}")


def _median_and_worst(cells: list[Cell], against: str) -> str:
    if not cells:
        return "-"
    values = [_against(cell, against) for cell in cells]
    worst = max(values) if cells[0].task == "regression" else min(values)
    return f"{np.median(values):.3f} ({worst:.2f})"


def _against(cell: Cell, name: str) -> float:
    """Return the ratio of errors, or the difference of accuracies, to an oracle."""
    other: float = getattr(cell, name)
    return cell.error / other if cell.task == "regression" else cell.error - other


def _flags(cells: list[Cell]) -> str:
    """Return what is flagged of tables as they are, and how long the fits take."""
    text = []
    for method in dict.fromkeys(cell.method for cell in cells):
        own = [cell for cell in cells if cell.method == method]
        clean = [cell.flagged for cell in own if cell.epsilon == 0]
        text.append(
            f"{method}: {np.mean(clean or [np.nan]):.2%} of the rows of clean tables flagged, at "
            f"most {max(clean, default=np.nan):.2%}; {np.median([c.seconds for c in own]):.1f} s "
            f"a fit of {len(own)}"
        )
    return "\n\n".join(text)


def _line(cell: Cell) -> str:
    own, best = _against(cell, "own"), _against(cell, "genie")
    return (
        f"{cell.table:12s} {cell.kind:14s} {cell.epsilon} {cell.seed} {cell.method:16s} "
        f"own {own:6.3f}  genie {best:6.3f}  AP {cell.precision:.2f}  flagged {cell.flagged:.3f} "
        f"{cell.recall:.2f}  share {cell.share:.2f}  fits {cell.n_fits}  {cell.seconds:.1f} s"
    )


if __name__ == "__main__":
    main()
