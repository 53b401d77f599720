"""The outputs of a fitted estimator, by public names only.

An attribute that an estimator does not have is left out; `compare` reports an output that is
missing on one side.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from benchmarks.commands.output_store.case import Outputs, as_array

ATTRIBUTES = (
    "inlier_mask_",
    "outlier_scores_",
    "contamination_",
    "contamination_interval_",
    "loss_threshold_",
    "n_iter_",
    "converged_",
    "alpha_",
    "gamma_",
    "coef_",
    "intercept_",
    "classes_",
)
# Beyond as many rows the audit's table is not stored: it holds every row once more.
AUDITED_ROWS = 6_000


def outputs_of(model: Any, X_new: Any, *, audit: bool = True, diagnose: bool = False) -> Outputs:
    """Predictions for held-out rows, fitted attributes, the audit's table and the diagnostics."""
    found = predictions(model, X_new) | attributes(model)
    if audit and hasattr(model, "audit") and len(found["inlier_mask_"]) <= AUDITED_ROWS:
        found |= audit_columns(model.audit())
    if diagnose:
        found |= constants(model.diagnostics())
    return found


def predictions(model: Any, X_new: Any) -> Outputs:
    """Return what the model says of held-out rows."""
    names = ("predict", "predict_proba", "decision_function")
    return {
        name: as_array(computed(getattr(model, name)(X_new)))
        for name in names
        if hasattr(model, name)
    }


def attributes(model: Any) -> Outputs:
    """Return fitted attributes, the last objective, and the scores of the settings tried."""
    values = {name: getattr(model, name, None) for name in ATTRIBUTES}
    path = getattr(model, "objective_path_", None)
    if path is not None and len(path):
        values["objective"] = path[-1]
    if hasattr(model, "cv_results_"):
        values["mean_test_score"] = model.cv_results_["mean_test_score"]
    return {name: as_array(computed(value)) for name, value in values.items() if value is not None}


def audit_columns(table: Any) -> Outputs:
    """Return columns of the audit's table, a data frame or a structured array."""
    names = table.dtype.names if isinstance(table, np.ndarray) else table.columns
    return {f"audit {name}": as_array(table[name]) for name in names}


def constants(diagnostics: Any) -> Outputs:
    """The theory's constants; residuals, which are about zero, beside the scale they have."""
    residuals = ("stationarity", "moreau_gradient_norm")
    found = {f"diagnostics {k}": as_array(v) for k, v in diagnostics.items() if k not in residuals}
    scale = diagnostics["lipschitz"]
    for name in residuals:
        found[f"diagnostics {name}"] = np.array([diagnostics[name], scale, scale])
    return found


def computed(value: Any) -> Any:
    """Return a Dask collection's value; anything else as it is."""
    return value.compute() if hasattr(value, "compute") else value


@contextmanager
def noted_warnings(found: Outputs) -> Iterator[None]:
    """Store the categories of the warnings that estimators give, in place of showing them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    categories = (warning.category for warning in caught)
    ours = sorted(c.__name__ for c in categories if c.__module__.startswith(("sklearn", "untaint")))
    found["warnings"] = np.array([" ".join(ours)])
