"""Classifiers under wrong labels: accuracy, log-loss, ranking and false discoveries.

Usage::

    make bench ARGS="wrong-labels --tables confirm --seeds 0 1 2 --out cells.csv"
    make bench ARGS="wrong-labels --tables choose --methods untaint plain svc forest"

Every method is fitted to corrupted labels and judged on clean test rows, as a difference from the
plain kernel logistic regression that knows the wrong labels ("genie"). Rivals are tuned by
cross-validation on the corrupted labels with about as many fits. Average precision is that of the
ranking of wrong labels by out-of-fold probabilities; for ``untaint`` it is that of ``audit()``.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import average_precision_score, log_loss
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.svm import SVC

from benchmarks.commands.real_tables.labels import CHOOSE, CONFIRM, KINDS, corrupt, split
from benchmarks.frame.tables import markdown
from untaint import SubquantileClassifierCV

CELLS = [("clean", 0.0), ("flip", 0.2), ("flip", 0.4), ("one-sided", 0.2), ("one-sided", 0.4)]
CELLS += [("one-sided-back", 0.2), ("pairwise", 0.2)]


class Cell(NamedTuple):
    """What one method reached on one table with one kind of errors.

    ``flagged`` is the share of rows that are flagged, ``discoveries`` that of ``audit(fdr=0.1)``
    and ``false`` the false ones among these; ``rates`` is the mean absolute error of the noise
    matrix, and ``covered`` the part of its entries within their intervals.
    """

    table: str
    kind: str
    epsilon: float
    seed: int
    method: str
    accuracy: float
    log_loss: float
    precision: float
    flagged: float
    discoveries: float
    false: float
    rates: float
    covered: float
    seconds: float


def plain() -> Any:
    """Return kernel logistic regression with its own selection of hyperparameters."""
    return SubquantileClassifierCV(contamination=0)


def svc() -> Any:
    """Return an SVC with probabilities, tuned by accuracy."""
    grid = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [0.01, 0.03, 0.1, 0.3]}
    return GridSearchCV(SVC(probability=True, random_state=0), grid, cv=5)


def forest() -> Any:
    """Return a random forest, its leaves tuned by log-loss."""
    grid = {"min_samples_leaf": [1, 3, 10, 30]}
    model = RandomForestClassifier(200, random_state=0)
    return GridSearchCV(model, grid, cv=5, scoring="neg_log_loss")


def boosting() -> Any:
    """Return gradient boosting, its rounds tuned by log-loss."""
    grid = {"max_iter": [20, 60, 200], "learning_rate": [0.05]}
    model = HistGradientBoostingClassifier(random_state=0)
    return GridSearchCV(model, grid, cv=5, scoring="neg_log_loss")


RIVALS: dict[str, Callable[[], Any]] = {
    "plain": plain,
    "svc": svc,
    "forest": forest,
    "boosting": boosting,
}


def cleaned(make: Callable[[], Any]) -> Any:
    """Return cleanlab's CleanLearning around a method."""
    from cleanlab.classification import CleanLearning

    return CleanLearning(make(), cv_n_folds=5, seed=0)


def main() -> None:
    """Run the cells asked for, print each, and a summary at the end."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--tables", nargs="+", default=["choose"], help="choose, confirm, or names")
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--methods", nargs="+", default=["untaint", "plain"])
    parser.add_argument("--kinds", nargs="+", default=["clean", *KINDS])
    parser.add_argument("--out", type=Path, help="file of comma-separated values")
    asked = parser.parse_args()
    groups = {"choose": CHOOSE, "confirm": CONFIRM}
    names = [name for group in asked.tables for name in groups.get(group, (group,))]
    cells = list[Cell]()
    wanted = [cell for cell in CELLS if cell[0] in asked.kinds]
    for seed, name, (kind, epsilon) in product(asked.seeds, names, wanted):
        for cell in evaluate(name, asked.rows, kind, epsilon, seed, asked.methods):
            cells.append(cell)
            print(_line(cell), file=sys.stderr, flush=True)
    if asked.out is not None:
        with asked.out.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(Cell._fields)
            writer.writerows(cells)
    summarise(cells)


def evaluate(
    name: str, n_rows: int, kind: str, epsilon: float, seed: int, methods: list[str]
) -> list[Cell]:
    """Return the cells of genie and of the methods."""
    X, truth, X_test, y_test = split(name, n_rows, seed)
    y, wrong = corrupt(truth, kind, epsilon, seed)
    if len(np.unique(y[~wrong])) < truth.max() + 1:
        return []
    found = []
    for method in ["genie", *methods]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = time.perf_counter()
            if method == "genie":
                model = plain().fit(X[~wrong], y[~wrong])
            elif method == "untaint":
                model = SubquantileClassifierCV().fit(X, y)
            elif method.startswith("clean-"):
                model = cleaned(RIVALS[method.removeprefix("clean-")]).fit(X, y)
            else:
                model = RIVALS[method]().fit(X, y)
            seconds = time.perf_counter() - start
            probabilities = model.predict_proba(X_test)
            precision, *audit = _ranking(method, model, X, y, truth, wrong)
        place = (name, kind, epsilon, seed, method)
        accuracy = float(np.mean(probabilities.argmax(axis=1) == y_test))
        loss = float(log_loss(y_test, probabilities, labels=np.arange(probabilities.shape[1])))
        found.append(Cell(*place, accuracy, loss, precision, *audit, seconds))
    return found


def _ranking(
    method: str, model: Any, X: Any, y: Any, truth: Any, wrong: Any
) -> tuple[float, float, float, float, float, float]:
    """Return average precision, rows flagged, discoveries, false ones, and the rates' error."""
    nothing = (0.0, 0.0, np.nan, np.nan, np.nan)
    if method == "untaint":
        table = model.audit(fdr=0.1)
        score = np.zeros(len(y))
        score[table["row"]] = table["score"]
        flagged = table["row"][table["flagged"]]
        k = len(model.classes_)
        rates = np.array([[np.mean(y[truth == i] == j) for j in range(k)] for i in range(k)])
        low, high = model.noise_matrix_interval_
        nothing = (
            float(np.mean(~model.inlier_mask_)),
            len(flagged) / len(y),
            float(1.0 - wrong[flagged].mean()) if len(flagged) else np.nan,
            float(np.abs(model.noise_matrix_ - rates).mean()),
            float(np.mean((rates >= low - 1e-9) & (rates <= high + 1e-9))),
        )
    elif method == "genie" or not wrong.any():
        score = 1.0 - model.predict_proba(X)[np.arange(len(y)), y]
    elif method.startswith("clean-"):
        score = 1.0 - model.get_label_issues()["label_quality"].to_numpy()
    else:
        own = cross_val_predict(model, X, y, cv=5, method="predict_proba")
        score = 1.0 - own[np.arange(len(y)), y]
    precision = average_precision_score(wrong, score) if wrong.any() else np.nan
    return float(precision), *nothing


def _line(cell: Cell) -> str:
    return (
        f"{cell.table:14.14} {cell.kind:14} {cell.epsilon:.1f} {cell.seed} {cell.method:14}"
        f" accuracy {cell.accuracy:.3f}  log-loss {cell.log_loss:.3f}  AP {cell.precision:.2f}"
        f"  flagged {cell.flagged:.3f}  fdr {cell.discoveries:.3f} {cell.false:.2f}"
        f"  rates {cell.rates:.3f} {cell.covered:.2f}  {cell.seconds:.2f} s"
    )


def summarise(cells: list[Cell]) -> None:
    """Print, for each kind of errors and method, the median over tables and seeds."""
    genie = {cell[:4]: cell for cell in cells if cell.method == "genie"}
    keys = dict.fromkeys((cell.kind, cell.epsilon, cell.method) for cell in cells)
    body = []
    for key in keys:
        own = [cell for cell in cells if (cell.kind, cell.epsilon, cell.method) == key]
        if key[-1] != "genie":
            body.append([*key, len(own), *_summary(own, [genie[cell[:4]] for cell in own])])
    print(f"\nMedians; accuracy and log-loss less the oracle's:\n\n{markdown(COLUMNS, body)}")


COLUMNS = ("kind", "epsilon", "method", "fits", "accuracy", "worst", "log-loss")
COLUMNS += ("average precision", "flagged", "discoveries", "false", "rates off by", "covered")
COLUMNS += ("seconds",)


def _summary(cells: list[Cell], genies: list[Cell]) -> list[str]:
    """Return what the columns say: means of shares of rows, medians of all others."""
    gains = [c.accuracy - genie.accuracy for c, genie in zip(cells, genies, strict=True)]
    losses = [c.log_loss - genie.log_loss for c, genie in zip(cells, genies, strict=True)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # means of nothing: methods that flag no rows
        return [
            f"{np.median(gains):+.3f}",
            f"{min(gains):+.3f}",
            f"{np.median(losses):+.3f}",
            f"{np.median([c.precision for c in cells]):.2f}",
            f"{np.mean([c.flagged for c in cells]):.3f}",
            f"{np.mean([c.discoveries for c in cells]):.3f}",
            f"{np.nanmedian([c.false for c in cells]):.2f}",
            f"{np.nanmedian([c.rates for c in cells]):.3f}",
            f"{np.nanmean([c.covered for c in cells]):.2f}",
            f"{np.median([c.seconds for c in cells]):.2f}",
        ]


if __name__ == "__main__":
    main()
