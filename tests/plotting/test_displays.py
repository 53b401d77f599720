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
    NoiseMatrixDisplay,
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
    monitored = MonitoringDisplay.from_estimator(model, X, y, ax=axes)
    assert 5 < len(monitored.shares) < 15  # fewer than of a kernel, as each is many fits


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
        (lambda: ResidualsDisplay.from_estimator(regression.model, kind="hat"), "kind must be"),
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


def scores_of(display, scores):
    extra = {"distances": [1.0, 2.0], "cutoff": 1.0} if display is LeverageDisplay else {}
    return display(scores=scores, flagged=[False, True], **extra)


@pytest.mark.parametrize("display", [AuditDisplay, LeverageDisplay])
@pytest.mark.parametrize("scores", [[1.0, np.nan], ["a", "b"], [None, 1.0]])
def test_scores_are_numbers(display, scores):
    with pytest.raises(ValueError, match="scores should be numbers, got"):
        scores_of(display, scores)


@pytest.mark.parametrize("display", [AuditDisplay, LeverageDisplay])
@pytest.mark.parametrize("scores", [[1.0, np.inf], [1e-308, 1e308]])
def test_scores_of_any_size_are_drawn(display, scores, axes):
    scores_of(display, scores).plot(axes)
    assert np.isfinite(axes.get_ylim()).all()
    axes.figure.canvas.draw()


@pytest.mark.parametrize("n_labels", [-1, 2.5, "a", None])
def test_the_number_of_labels_is_a_count(n_labels, axes):
    with pytest.raises(ValueError, match="n_labels must be an integer of at least 0"):
        scores_of(AuditDisplay, [1.0, 2.0]).plot(axes, n_labels=n_labels)


def test_an_audit_table_is_one_of_all_rows(regression, axes):
    table = regression.model.audit()
    with pytest.raises(ValueError, match="table should be an audit of all rows"):
        AuditDisplay.from_audit(table[1:], ax=axes)
    for other in (None, [1, 2], np.ones(3)):
        with pytest.raises(TypeError, match="table should be an audit, as audit"):
            AuditDisplay.from_audit(other, ax=axes)


@pytest.mark.parametrize("kind", ["residuals", "observed_vs_expected", "qq"])
def test_residuals_of_missing_or_huge_targets(kind, axes):
    for y in ([1.0, np.nan], ["a", "b"]):
        with pytest.raises(ValueError, match="y_true should be numbers, got"):
            ResidualsDisplay.from_predictions(y, [1.0, 2.0], kind=kind, ax=axes)
    huge = [1e308, -1e308, 2.0]
    ResidualsDisplay.from_predictions(huge, [-1e308, 1e308, 3.0], kind=kind, ax=axes)
    axes.figure.canvas.draw()


def test_missing_targets_of_new_rows_are_named(regression, axes):
    with pytest.raises(ValueError, match="y should be numbers, got NaN in row 0"):
        y = np.where(np.arange(80) == 0, np.nan, regression.y)
        ResidualsDisplay.from_estimator(regression.model, regression.X, y, ax=axes)


@pytest.mark.parametrize("proba", [[[np.nan, 0.5]], [[7.0, 0.5]], [[-1.0, 0.5]], [["a", "b"]]])
def test_probabilities_are_such(proba, axes):
    with pytest.raises(ValueError, match="probabilities should be"):
        LabelOddsDisplay.from_predictions([0], proba, classes=[0, 1], ax=axes)


@pytest.mark.parametrize("classes, message", [(2, "of shape"), ([0, 0], "distinct")])
def test_classes_are_a_list_of_distinct_labels(classes, message, axes):
    with pytest.raises(ValueError, match=f"classes should be .*{message}"):
        LabelOddsDisplay.from_predictions([0], [[0.5, 0.5]], classes=classes, ax=axes)
    with pytest.raises(ValueError, match=f"classes should be .*{message}"):
        NoiseMatrixDisplay.from_predictions([0], [0], classes=classes, ax=axes)


@pytest.mark.parametrize("cell", [np.nan, -1.0, np.inf])
def test_a_noise_matrix_has_no_other_numbers(cell):
    with pytest.raises(ValueError, match="matrix should be finite numbers of at least 0"):
        NoiseMatrixDisplay(matrix=[[1.0, cell], [0.0, 1.0]], classes=[0, 1])


def test_labels_that_cannot_be_sorted_need_classes(axes):
    labels = np.array(["a", None], dtype=object)
    with pytest.raises(ValueError, match="classes should be passed"):
        NoiseMatrixDisplay.from_predictions(labels, labels, ax=axes)


def test_axes_are_rectilinear_and_of_a_figure(regression, axes):
    polar = axes.figure.add_subplot(projection="polar")
    with pytest.raises(ValueError, match="ax should be rectilinear axes, got polar"):
        AuditDisplay.from_estimator(regression.model, ax=polar)
    axes.remove()
    with pytest.raises(ValueError, match="ax should be axes of a figure"):
        AuditDisplay.from_estimator(regression.model, ax=axes)


@pytest.mark.parametrize(
    "parts, message",
    [
        ({"scores": [["a", "b"]]}, "scores should be an array of numbers"),
        ({"contamination": "auto"}, "contamination should be a finite number, got 'auto'"),
        ({"interval": (0.1,)}, "interval should be two numbers"),
        ({"shares": [np.nan]}, "shares should be numbers"),
    ],
)
def test_parts_of_a_monitoring_are_checked(parts, message):
    good = {"shares": [0.1], "scores": [[1.0, 2.0]], "flagged": [False, True]}
    with pytest.raises(ValueError, match=message):
        MonitoringDisplay(**{**good, **parts})


def test_a_monitoring_is_of_the_rows_of_the_fit(regression, axes):
    with pytest.raises(TypeError, match="monitoring should be what monitor returns"):
        MonitoringDisplay.from_estimator(regression.model, monitoring=3, ax=axes)
    with pytest.raises(ValueError, match="X should have the 2 columns of the fit, got 1"):
        X = regression.X[:, :1]
        MonitoringDisplay.from_estimator(regression.model, X, regression.y, ax=axes)
    with pytest.raises(ValueError, match="shares should be numbers in"):
        MonitoringDisplay.from_estimator(regression.model, shares=["a"], ax=axes)


@pytest.mark.parametrize("X, y", [(5, [1.0] * 80), (np.ones((80, 2)), 5)])
def test_rows_are_no_single_numbers(X, y, regression, axes):
    for display in (ResidualsDisplay, AuditDisplay, LeverageDisplay):
        with pytest.raises(TypeError, match="X and y should be arrays with a row each"):
            display.from_estimator(regression.model, X, y, ax=axes)


def test_rows_of_text_are_refused_by_the_model(regression, axes):
    with pytest.raises(ValueError, match="X must hold numbers"):
        ResidualsDisplay.from_estimator(
            regression.model, np.full((80, 2), "a"), regression.y, ax=axes
        )


def test_equal_rows_have_no_leverage(axes):
    y = np.r_[np.linspace(0.0, 1.0, 19), 50.0]
    model = SubquantileRegressor(contamination=0.1).fit(np.ones((20, 2)), y)
    assert not LeverageDisplay.from_estimator(model, ax=axes).distances.any()
