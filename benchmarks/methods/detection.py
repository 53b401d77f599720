"""Outlier scores of competitors; higher is more suspicious.

oracle             the true model's loss of the row: Genie's, which is fitted to the clean rows
                   only, and scores these by fits without them
isolation forest   on the features and the target together
cleanlab           its label quality, with the plain learner tuned on the same corrupted rows
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import IsolationForest
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from untaint.datasets.corruption import task_of

from ..data.protocol import Split
from .search import centred_kernel_ridge, estimator

N_FOLDS = 5

Scores: TypeAlias = NDArray[np.float64]


def oracle(split: Split, kind: str, seed: int) -> Scores:
    """Return loss of each row under Genie."""
    clean, genie = split.clean_mask, estimator(kind, seed, contamination=0.0)
    genie.fit(split.X_train[clean], split.y_train[clean])
    score = np.empty(len(clean))
    if task_of(kind) == "classification":
        everything = np.arange(np.max(split.y_train) + 1)
        bad = _spread(genie.predict_proba(split.X_train[~clean]), genie.classes_, everything)
        good = _held_out(genie, split.X_train[clean], split.y_train[clean], everything)
        score[~clean] = _log_loss(bad, split.y_train[~clean])
        score[clean] = _log_loss(good, split.y_train[clean])
    else:
        score[~clean] = np.abs(split.y_train[~clean] - genie.predict(split.X_train[~clean]))
        score[clean] = np.abs(genie.leave_one_out_residuals())
    return score


def isolation_forest(split: Split, kind: str, seed: int) -> Scores:
    """Return scores of an isolation forest; classes are columns of zeros and ones."""
    target = split.y_train[:, np.newaxis]
    if task_of(kind) == "classification":
        target = (target == np.unique(target)).astype(np.float64)
    rows = np.column_stack([split.X_train, target])
    return -IsolationForest(random_state=seed).fit(rows).score_samples(rows)


def cleanlab(split: Split, kind: str, seed: int) -> Scores | None:
    """Return one minus cleanlab's label quality, or None where the package is not installed."""
    if find_spec("cleanlab") is None:
        return None
    X, y = split.X_train, split.y_train
    tuned = estimator(kind, seed, contamination=0.0)
    if task_of(kind) == "classification":
        P = _held_out(tuned, X, y, np.arange(np.max(y) + 1))
        rank = import_module("cleanlab.rank")
        return 1.0 - np.asarray(rank.get_label_quality_scores(y.astype(int), P))
    tuned.fit(X, y)
    setting = {"regressor__gamma": tuned.gamma_, "regressor__alpha": tuned.alpha_}
    learn = import_module("cleanlab.regression.learn")
    model = centred_kernel_ridge().set_params(**setting)
    issues = learn.CleanLearning(model, seed=seed).find_label_issues(X, y)
    return 1.0 - issues["label_quality"].to_numpy(dtype=np.float64)


def _held_out(model: Any, X: Any, y: Any, everything: NDArray[Any]) -> NDArray[np.float64]:
    """Return probability of every class for each row, by fits without the row's fold."""
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    P = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
    return _spread(P, np.unique(y), everything)


def _spread(P: Any, classes: Any, everything: NDArray[Any]) -> NDArray[np.float64]:
    """Return columns for every class, zero for those that the model has not met."""
    wide = np.zeros((len(P), len(everything)))
    wide[:, np.searchsorted(everything, classes)] = P
    return wide


def _log_loss(P: NDArray[np.float64], y: NDArray[Any]) -> Scores:
    p = P[np.arange(len(y)), y.astype(int)]
    return -np.log(np.maximum(p, np.finfo(np.float64).tiny))
