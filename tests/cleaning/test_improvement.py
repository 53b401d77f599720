"""What cleaning gains is measured on rows that were left out, and claimed only if it is there."""

import numpy as np

from untaint.cleaning.assessment import assess_rows
from untaint.cleaning.findings import Improvement
from untaint.cleaning.improvement import measure_improvement
from untaint.cleaning.monitoring import monitor_rows
from untaint.cleaning.notes import caveats
from untaint.cleaning.wrong_cells import cells_by_row


def assessed(y, X, task="regression"):
    return assess_rows(X, y, task, "auto", 0, cells_by_row([], np.arange(len(y)), len(y)))


def line(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, 2))
    return X, np.sin(2 * X[:, 0]) + 0.05 * rng.standard_normal(n)


def test_one_sided_errors_make_a_plain_fit_worse():
    X, y = line()
    y[::8] += 6
    gain = measure_improvement(X, y, assessed(y, X), "regression", seed=0)
    assert gain.measure == "typical error"
    assert gain.after < 0.5 * gain.before
    assert gain.rows <= 300


def test_clean_rows_gain_nothing_and_say_nothing():
    X, y = line()
    assert measure_improvement(X, y, assessed(y, X), "regression", seed=0) is None


def test_scores_are_monitored_over_the_contamination():
    X, y = line()
    y[::10] += 6
    assessment = assessed(y, X)
    seen = monitor_rows(X, y, assessment, "regression", seed=0)
    assert seen.scores.shape == (len(seen.contaminations), len(seen.rows))
    assert (np.diff(seen.contaminations) > 0).all()
    assert np.isfinite(seen.scores).all()
    wrong = assessment.flagged[seen.rows]
    assert np.median(seen.scores[-1, wrong]) > 5 * np.median(seen.scores[-1, ~wrong])


def test_too_few_rows_are_not_monitored():
    X, y = line(15)
    assert monitor_rows(X, y, assessed(y, X), "regression", seed=0) is None


def test_many_flags_without_a_gain_get_a_caveat():
    X, y = line()
    y[::8] += 6
    assessment = assessed(y, X)
    assert caveats(assessment, Improvement("typical error", 1.0, 0.5, 250)) == []
    assert caveats(assessment, None) == []
    assert "hardly better" in caveats(assessment, Improvement("typical error", 1.0, 0.99, 250))[0]


def test_few_flags_get_a_caveat_if_nothing_is_gained():
    X, y = line()
    y[::50] += 6
    assessment = assessed(y, X)
    assert assessment.flagged.any()
    assert caveats(assessment, Improvement("typical error", 1.0, 0.99, 250)) == []
    said = caveats(assessment, Improvement("share of labels missed", 0.012, 0.012, 250))[0]
    assert "no better" in said and "1.2% before, 1.2% after" in said
    none = assessment._replace(flagged=np.zeros(len(y), dtype=bool), contamination=0.0)
    assert caveats(none, Improvement("typical error", 1.0, 1.0, 250)) == []


def test_wrong_targets_of_which_none_can_be_named_get_a_caveat():
    X, y = line()
    none = assessed(y, X)._replace(flagged=np.zeros(len(y), dtype=bool))
    said = caveats(none._replace(contamination=0.19, interval=(0.0, 0.24)), None)[0]
    assert "About 19% of the targets (0% to 24%)" in said and "no single row can be named" in said
    assert caveats(none._replace(contamination=0.19, interval=None), None) == []
