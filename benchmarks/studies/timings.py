"""Studies of wall times in one process: competitors take turns, and the shortest time counts.

``baseline-speed``  the competitors, next to as many plain fits as they make: time_per_refit =
                    seconds of the competitor / (seconds of KernelRidge x its refits). KernelRidge
                    has the kernel of the competitor. Refits are those that led to the result; TERM
                    also follows a second start, which is not counted.
``class-speed``     a robust classifier, next to an SVM and to the kernel matrix alone. It is given
                    the share of wrong labels, or estimates it ("auto").
``search-cost``     a robust search over 5 scales and 7 alphas, next to a plain one. scikit-learn
                    refits for every setting and each of 5 folds, with one process or one a core;
                    ours also finds the bad rows.
``small-tables``    fits of small tables next to kernel ridge regression: with the share of bad rows
                    given, estimated, and with kernel and alpha selected too. Our fits have their
                    defaults, which include the choice of the bandwidth; kernel ridge regression is
                    given one.

Genie is our estimator on the uncorrupted rows only, trimming nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from untaint import SubquantileRegressor, SubquantileRegressorCV, baselines
from untaint.datasets import contaminate

from ..data.protocol import Split
from ..data.sets import load
from ..data.timed import EPSILON, N_FEATURES, SHARED, robust, timed_rows
from ..frame import Case, Cells, Row, Study, crossed
from ..frame.tables import means, number, summary_table
from ..frame.timing import fastest
from ..speed.models import matrix_builders

GAMMAS = tuple(2.0**power / (2 * N_FEATURES) for power in (-4, -2, -1, 0, 1))
ALPHAS = tuple(np.logspace(-3.0, 3.0, 7).tolist())


def fits(models: dict[str, Any], split: Split) -> dict[str, Callable[[], object]]:
    """Return the fit of each model to the training rows."""
    return {
        name: partial(model.fit, split.X_train, split.y_train) for name, model in models.items()
    }


def time_baseline(case: Case) -> dict[str, float]:
    """Time the competitor and the plain fit on one problem."""
    plain, straight = KernelRidge(**SHARED), KernelRidge(kernel="linear", alpha=SHARED["alpha"])
    given = {"contamination": EPSILON, "alpha": SHARED["alpha"]}
    competitor, reference = {
        "sever": (baselines.SeverRegressor(contamination=EPSILON, **SHARED), plain),
        "term": (baselines.TiltedRegressor(**SHARED), plain),
        "torrent": (baselines.HardThresholdRegressor(**given), straight),
        "crr": (baselines.ConsistentRegressor(**given), straight),
        "stir": (baselines.ReweightedRegressor(alpha=SHARED["alpha"]), straight),
    }[case.method]
    times = fastest(fits({"competitor": competitor, "plain": reference}, timed_rows(case)))
    return {
        "seconds": times["competitor"],
        "seconds_kernel_ridge": times["plain"],
        "refits": float(competitor.n_iter_),
        "time_per_refit": times["competitor"] / (times["plain"] * competitor.n_iter_),
    }


def time_classes(case: Case) -> dict[str, float]:
    """Time the classifiers on one problem, then score them on clean rows."""
    split = timed_rows(case)
    models = {"untaint": robust(case), "auto": robust(case, "auto"), "svc": SVC()}
    matrices = matrix_builders(split.X_train.astype(np.float32))
    times = fastest({**fits(models, split), **matrices})
    clean = split.clean_mask
    models["genie"] = robust(case, 0.0).fit(split.X_train[clean], split.y_train[clean])
    accuracies = {
        f"accuracy_{name}": float(np.mean(model.predict(split.X_test) == split.y_test))
        for name, model in models.items()
    }
    return {
        **{f"seconds_{name}": seconds for name, seconds in times.items()},
        **accuracies,
        "time_over_svc": times["untaint"] / times["svc"],
        "auto_over_svc": times["auto"] / times["svc"],
        # The quicker of the two builders: the bar that is harder to meet.
        "time_over_matrix": times["untaint"] / min(times[name] for name in matrices),
    }


def time_search(case: Case) -> dict[str, float]:
    """Time the searches on one problem, then score them on clean rows."""
    split = timed_rows(case)
    clean = split.clean_mask
    ours = partial(SubquantileRegressorCV, gammas=GAMMAS, alphas=ALPHAS, random_state=case.seed)
    grid = {"gamma": GAMMAS, "alpha": ALPHAS}
    plain = partial(GridSearchCV, KernelRidge(kernel="rbf"), grid, cv=5)
    models = {
        "untaint": ours(),
        "grid_search": plain(n_jobs=None),
        "grid_search_all_cores": plain(n_jobs=-1),
    }
    # What is imported or compiled on first use, or started once, is not the search's cost.
    ours().fit(split.X_train[:100], split.y_train[:100])
    plain(n_jobs=-1).fit(split.X_train[:50], split.y_train[:50])
    repeats = 3 if case.size <= 1_000 else 2 if case.size <= 2_000 else 1
    times = fastest(fits(models, split), repeats=repeats)
    genie = ours(contamination=0.0).fit(split.X_train[clean], split.y_train[clean])
    return {
        **{f"seconds_{name}": seconds for name, seconds in times.items()},
        "rmse_untaint": split.rmse(models["untaint"]),
        "rmse_grid_search": split.rmse(models["grid_search"]),
        "rmse_genie": split.rmse(genie),
        "times_faster": times["grid_search"] / times["untaint"],
        "times_faster_than_all_cores": times["grid_search_all_cores"] / times["untaint"],
    }


def time_small(case: Case) -> dict[str, float]:
    """Time the fits of one small table."""
    X, y = load(case.dataset, case.seed)
    X, y, _ = contaminate(X, y, epsilon=EPSILON, random_state=case.seed)
    models: dict[str, Any] = {
        "kernel_ridge": KernelRidge(kernel="rbf", gamma=1.0 / (2 * X.shape[1])),
        "given": SubquantileRegressor(contamination=EPSILON, random_state=case.seed),
        "auto": SubquantileRegressor(random_state=case.seed),
        "cv": SubquantileRegressorCV(random_state=case.seed),
    }
    jobs = {name: partial(model.fit, X, y) for name, model in models.items()}
    for fit in jobs.values():  # what is imported on first use is not a fit's cost
        fit()
    times = fastest(jobs, repeats=7)
    return {
        **{f"seconds_{name}": seconds for name, seconds in times.items()},
        "given_over_kernel_ridge": times["given"] / times["kernel_ridge"],
        "auto_over_kernel_ridge": times["auto"] / times["kernel_ridge"],
        "auto_over_given": times["auto"] / times["given"],
    }


def timing_study(
    question: str,
    run: Callable[[Case], dict[str, float]],
    measures: tuple[str, ...],
    datasets: Sequence[str],
    quick: Sequence[str],
    *,
    kind: str = "label",
    methods: Sequence[str] = ("in-turn",),
) -> Study:
    """Declare one case for each data set, method and seed, and a line of the table for each."""
    by = ("dataset",) if len(methods) == 1 else ("dataset", "method")

    def table(rows: list[Row]) -> str:
        return summary_table(rows, means(measures), by=by, form=number)

    full, few = ([Cells(some, [kind], [EPSILON], methods)] for some in (datasets, quick))
    return Study(question, crossed(full, quick=few), run, measures, table, seeds=1)


STUDIES = {
    "baseline-speed": timing_study(
        "Seconds of the competitors, next to as many plain kernel ridge fits as they make.",
        time_baseline,
        ("seconds", "seconds_kernel_ridge", "refits", "time_per_refit"),
        ["smooth-1000", "smooth-3000"],
        ["smooth-300"],
        methods=("sever", "term", "torrent", "crr", "stir"),
    ),
    "class-speed": timing_study(
        "Seconds to fit 8 features in 2 or 5 classes with 20 % flips, and clean-test accuracy.",
        time_classes,
        (
            *("seconds_untaint", "seconds_auto", "seconds_svc"),
            *("seconds_matrix_untaint", "seconds_matrix_sklearn"),
            *("time_over_svc", "auto_over_svc", "time_over_matrix"),
            *("accuracy_untaint", "accuracy_auto", "accuracy_svc", "accuracy_genie"),
        ),
        ["classes2-5000", "classes5-5000"],
        ["classes2-300", "classes5-300"],
        kind="flip",
    ),
    "search-cost": timing_study(
        "Seconds to choose of 5 gammas and 7 alphas and to fit n rows of 8 "
        "features, 20 % bad labels.",
        time_search,
        (
            *("seconds_untaint", "seconds_grid_search", "seconds_grid_search_all_cores"),
            *("times_faster", "times_faster_than_all_cores"),
            *("rmse_untaint", "rmse_grid_search", "rmse_genie"),
        ),
        ["smooth-500", "smooth-2000", "smooth-5000"],
        ["smooth-150", "smooth-300"],
    ),
    "small-tables": timing_study(
        "Seconds to fit small tables with 20 % bad labels, and their ratios to kernel ridge's.",
        time_small,
        (
            *("seconds_kernel_ridge", "seconds_given", "seconds_auto", "seconds_cv"),
            *("given_over_kernel_ridge", "auto_over_kernel_ridge", "auto_over_given"),
        ),
        ["smooth-300", "smooth-1000", "smooth-2000", "smooth10000-60"],
        ["smooth-100", "smooth10000-30"],
    ),
}
