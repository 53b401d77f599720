"""Displays hold their data, draw again, and say what is wrong with their arguments."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from plotting.pictures import audit_scores, flagged, kept, points, texts
from untaint import RobustRegressor, SubquantileRegressor
from untaint.plotting import (
    AuditDisplay,
    LabelOddsDisplay,
    LeverageDisplay,
    MonitoringDisplay,
    ResidualsDisplay,
)


def test_the_audit_is_drawn_at_the_given_rate(regression, axes):
    display = AuditDisplay.from_estimator(regression.model, fdr=0.3, ax=axes)
    assert np.allclose(display.scores, audit_scores(regression.model))
    assert np.array_equal(display.flagged, audit_scores(regression.model, "flagged", fdr=0.3))
    assert "FDR 30 %" in axes.get_title(loc="left")


def test_a_display_draws_again_on_other_axes(regression, axes):
    display = AuditDisplay.from_estimator(regression.model)
    first = display.ax_
    assert display.plot(axes, n_labels=0) is display
    assert display.ax_ is axes is not first
    assert np.allclose(points(first), points(axes))


def test_an_audit_table_is_enough(regression, axes):
    table = regression.model.audit(fdr=0.1)
    display = AuditDisplay.from_audit(table, ax=axes)
    assert np.array_equal(display.order, np.argsort(-audit_scores(regression.model)))
    with pytest.raises(ValueError, match="table should be an audit, with the column score"):
        AuditDisplay.from_audit(table.drop(columns="score"), ax=axes)


def test_observed_stand_over_expected(regression, axes):
    options = {"fdr": None, "kind": "observed_vs_expected", "ax": axes}
    ResidualsDisplay.from_estimator(regression.model, **options)
    expected = audit_scores(regression.model, "expected")
    inside = kept(axes)
    assert np.allclose(np.sort(inside[:, 0]), np.sort(expected[8:]))
    assert np.allclose(np.sort(inside[:, 1]), np.sort(regression.y[8:]))
    # The eight wrong targets are far out of view.
    low, high = axes.get_ylim()
    assert len(flagged(axes)) == 8 and high < 20
    assert ((flagged(axes)[:, 1] > low) & (flagged(axes)[:, 1] < high)).all()
    assert "8 rows beyond, at the edge" in axes.get_xlabel()


def test_quantiles_of_the_kept_rows_are_normal_ones(axes, rng):
    residuals = norm.ppf((np.arange(1, 201) - 0.375) / 200.25)
    y = np.concatenate([rng.permutation(residuals), [9.0, 9.5]])
    display = ResidualsDisplay.from_predictions(
        y, np.zeros(202), flagged=np.arange(202) >= 200, kind="qq", ax=axes
    )
    drawn = kept(axes)
    slope = np.polyfit(drawn[:, 0], drawn[:, 1], 1)[0]
    assert np.isclose(slope, 1, atol=0.02)  # wrong rows do not shift the quantiles of the others
    assert (flagged(axes)[:, 0] > drawn[:, 0].max()).all()
    assert np.allclose(np.sort(points(axes)[:, 1]), np.sort(display.standardised))


def test_the_envelope_covers_normal_residuals_and_not_others(axes, rng):
    def outside(values):
        axes.clear()
        ResidualsDisplay.from_predictions(values, np.zeros(300), kind="qq", ax=axes)
        band = axes.collections[0].get_paths()[0].vertices
        x, y = kept(axes).T
        order = np.argsort(x)
        edge = {round(at, 9): sorted(band[np.isclose(band[:, 0], at), 1]) for at in x}
        return np.mean(
            [not edge[round(x[i], 9)][0] <= y[i] <= edge[round(x[i], 9)][-1] for i in order]
        )

    assert outside(rng.normal(size=300)) < 0.15
    assert outside(rng.exponential(size=300) - 1) > 0.3


def test_standardised_residuals_are_signed_scores(regression, axes):
    display = ResidualsDisplay.from_estimator(regression.model, kind="qq", ax=axes)
    assert np.allclose(abs(display.standardised), audit_scores(regression.model))
    assert (np.sign(display.standardised) == np.sign(display.residuals)).all()


def test_the_envelope_of_monitoring_is_that_of_unflagged_rows(regression, axes):
    display = MonitoringDisplay.from_estimator(
        regression.model, fdr=None, shares=[0.0, 0.1, 0.2], n_labels=3, ax=axes
    )
    others = display.scores[:, ~regression.wrong]
    assert np.allclose(display.envelope, np.quantile(others, [0.01, 0.5, 0.99], axis=1))
    drawn = [line.get_ydata() for line in axes.lines if len(line.get_xdata()) == 3]
    assert np.allclose(drawn, display.envelope)
    named = [int(text.split()[1]) for text in texts(axes) if text.startswith("row ")]
    last = np.where(regression.wrong, display.scores[-1], 0)
    assert named == np.argsort(-last)[:3].tolist()


def test_a_robust_learner_is_drawn_from_its_rows(regression, axes):
    model = make_pipeline(
        StandardScaler(), RobustRegressor(LinearRegression(), cv=2, random_state=0)
    ).fit(regression.X, regression.y)
    X, y = regression.X, regression.y
    assert len(AuditDisplay.from_estimator(model, ax=axes).scores) == 80
    assert len(LeverageDisplay.from_estimator(model, X, y, ax=axes).distances) == 80
    residuals = ResidualsDisplay.from_estimator(model, X, y, ax=axes)
    assert np.allclose(residuals.expected, audit_scores(model[-1], "expected"))


@pytest.mark.parametrize("kind", ["residuals", "observed_vs_expected", "qq"])
def test_any_predictions_may_be_drawn(kind, axes):
    display = ResidualsDisplay.from_predictions(
        [1.0, 2.0, 4.0], [1.0, 2.5, 3.0], kind=kind, ax=axes
    )
    assert display.residuals.tolist() == [0.0, -0.5, 1.0]
    assert len(points(axes)) == 3


def test_an_unfitted_pipeline_is_refused(regression, axes):
    pipeline = make_pipeline(StandardScaler(), SubquantileRegressor())
    with pytest.raises(NotFittedError):
        ResidualsDisplay.from_estimator(pipeline, regression.X, regression.y, ax=axes)


def test_says_which_argument_is_wrong(regression, labels, axes):
    cases = [
        (lambda: ResidualsDisplay.from_estimator(regression.model, kind="hat"), "kind should be"),
        (lambda: ResidualsDisplay.from_predictions([1.0], [1.0, 2.0]), r"y_pred .* shape \(1,\)"),
        (lambda: AuditDisplay(scores=[[1.0]], flagged=[True]), r"scores .* shape \(n,\)"),
        (lambda: AuditDisplay(scores=[1.0], flagged=[True, False]), r"flagged .* shape \(1,\)"),
        (lambda: AuditDisplay.from_estimator(regression.model, regression.X[:3]), "X .* 80 rows"),
        (lambda: AuditDisplay.from_estimator(regression.model, fdr=2), "fdr"),
        (
            lambda: MonitoringDisplay(shares=[0.1], scores=[1.0], flagged=[False]),
            r"scores should be of shape \(1, n\)",
        ),
        (
            lambda: LabelOddsDisplay.from_predictions(["a"], [[1.0]], classes=["a", "b"]),
            r"y_proba should be of shape \(1, 2\)",
        ),
    ]
    for call, words in cases:
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(TypeError, match="should be a regressor, got SubquantileClassifier"):
        ResidualsDisplay.from_estimator(labels.model, ax=axes)
    with pytest.raises(TypeError, match="should be a classifier, got SubquantileRegressor"):
        LabelOddsDisplay.from_estimator(regression.model, ax=axes)
