"""The audit is measured against the truth, an oracle and competitors."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from benchmarks.automatic import scores
from benchmarks.automatic.audit import MEASURES, measure_audit
from benchmarks.automatic.fitting import rows_of

from benchmarks import Case

REGRESSION = Case("smooth-150", "label", 0.2, "untaint-cv", 0)
CLASSES = Case("classes2-120", "flip", 0.2, "untaint-cv", 0)


@pytest.fixture
def without_cleanlab(monkeypatch):
    monkeypatch.setattr(scores, "find_spec", lambda name: None)


@pytest.mark.usefixtures("without_cleanlab")
@pytest.mark.parametrize("case", [REGRESSION, CLASSES])
def test_an_audit_fills_its_columns(case):
    measures = measure_audit(case)
    assert set(measures) == set(MEASURES)
    assert np.isnan(measures.pop("precision_cleanlab"))
    assert measures.pop("seconds") > 0
    assert all(0 <= value <= 1 for value in measures.values())
    assert measures["precision_untaint"] > 0.3  # of 0.2 by chance


@pytest.mark.parametrize("case", [REGRESSION, CLASSES])
def test_the_oracle_tells_good_from_bad(case):
    split = rows_of(case)
    score = scores.oracle(split, case.kind, case.seed)
    assert np.isfinite(score).all()
    assert scores.average_precision(~split.clean_mask, score) > 0.4  # of 0.2 by chance


def test_the_oracle_scores_clean_rows_by_fits_without_them():
    split = rows_of(REGRESSION)
    genie = scores.estimator("label", 0, contamination=0.0)
    clean = split.clean_mask
    genie.fit(split.X_train[clean], split.y_train[clean])
    fitted = np.abs(genie.predict(split.X_train[clean]) - split.y_train[clean])
    assert np.all(scores.oracle(split, "label", 0)[clean] >= fitted - 1e-9)


@pytest.mark.parametrize("case", [REGRESSION, CLASSES])
def test_the_forest_scores_every_row_and_follows_the_seed(case):
    split = rows_of(case)
    one, two = (scores.isolation_forest(split, case.kind, 0) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert one.shape == split.y_train.shape


def test_without_a_score_there_is_no_precision():
    assert np.isnan(scores.average_precision(np.array([True, False]), None))


@pytest.mark.skipif(find_spec("cleanlab") is None, reason="needs cleanlab")
@pytest.mark.parametrize("case", [REGRESSION, CLASSES])
def test_cleanlab_finds_some(case):
    split = rows_of(case)
    score = scores.cleanlab(split, case.kind, case.seed)
    assert scores.average_precision(~split.clean_mask, score) > 0.3
