"""Whatever is handed in: one clear sentence, or a fit that holds together.

A refusal is a ``ValueError`` or ``TypeError`` that names the argument. A fit predicts finite
numbers for ordinary rows and has no NaN anywhere. There is no third outcome: no other exception, no
stray warning of numpy's, no fit without end.
"""

from __future__ import annotations

import re
import signal
import threading
from contextlib import contextmanager

import numpy as np
from sklearn.base import clone

from properties.columns import RADIAL

# Names of arguments, and what scikit-learn calls X, y and sample_weight where shapes are wrong.
ARGUMENTS = re.compile(
    r"\b(X|y|X_copy|sample_weight|Sample weights|contamination|noise_cov|gamma)\b"
    r"|Expected 2D array|Found array with|Found input variables|Unknown label type"
)
SECONDS = 20


@contextmanager
def time_limit(seconds=SECONDS):
    """Interrupt what takes longer, where the system has alarms and this is the main thread."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_):
        raise AssertionError(f"no end after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def hostile_rows_are_refused_or_fitted(subject, hostile):
    model, rows = clone(subject.model), hostile.rows
    with time_limit():
        try:
            subject.fit_quietly(model, rows)
        except np.linalg.LinAlgError as error:
            raise AssertionError("an error of linear algebra reaches the user") from error
        except (ValueError, TypeError) as error:
            assert_is_a_sentence(error)
            return
        holds_together(subject, model, hostile)


def assert_is_a_sentence(error):
    """The first line names an argument; scikit-learn may go on with advice."""
    first = str(error).split("\n")[0]
    assert ARGUMENTS.search(first), f"names no argument: {first!r}"
    assert len(first) < 400, f"no short sentence: {first!r}"
    assert "Traceback" not in str(error)


def holds_together(subject, model, hostile):
    """Finite predictions, attributes of the right shape, no NaN."""
    # A row or a coefficient may be so large that their product is no number: ask ordinary rows.
    queries = np.random.default_rng(0).normal(size=(5, model.n_features_in_))
    block_contribution = [subject.evaluate(model, queries)]
    if subject.kernel in RADIAL:
        block_contribution += [subject.evaluate(model, size * queries) for size in (1e307, 1e-310)]
        block_contribution.append(subject.evaluate(model, hostile.rows.X))
    for result in block_contribution:
        assert np.isfinite(result).all(), f"predictions are not finite: {result}"
    for name, value in vars(model).items():
        if name.endswith("_") and isinstance(value, np.ndarray) and value.dtype.kind == "f":
            assert not np.isnan(value).any(), f"{name} holds NaN"
    if hasattr(model, "inlier_mask_"):
        _outlier_attributes_are_consistent(model, hostile.table.n)


def _outlier_attributes_are_consistent(model, n):
    assert model.inlier_mask_.shape == (n,)
    assert model.inlier_mask_.dtype == bool
    assert model.outlier_scores_.shape == (n,)
    assert not np.isnan(model.loss_threshold_), "loss_threshold_ is NaN"
    assert 0 <= model.contamination_ < 0.5, f"contamination_ is {model.contamination_}"
    table = model.audit()
    assert len(table) == n
    assert not np.isnan(np.asarray(table["score"], dtype=float)).any(), "audit's scores hold NaN"
