"""What all pictures have in common."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import RobustScaler

from plotting.pictures import audit_scores, points
from untaint import SubquantileRegressor
from untaint.plotting import (
    LeverageDisplay,
    plot_audit,
    plot_convergence,
    plot_monitoring,
    plot_residuals,
)

matplotlib = pytest.importorskip("matplotlib", reason="pictures need matplotlib")
plt = pytest.importorskip("matplotlib.pyplot")
Figure = pytest.importorskip("matplotlib.figure").Figure

PICTURES = {
    "audit": lambda case, ax: plot_audit(case.model, ax),
    "residuals": lambda case, ax: plot_residuals(case.model, case.X, case.y, ax),
    "monitoring": lambda case, ax: plot_monitoring(case.model, case.X, case.y, [0.0, 0.1], ax),
    "convergence": lambda case, ax: plot_convergence(case.model, ax),
    "leverage": lambda case, ax: (
        LeverageDisplay.from_estimator(case.model, case.X, case.y, ax=ax).ax_
    ),
}

every_picture = pytest.mark.parametrize("draw", PICTURES.values(), ids=PICTURES)
every_case = pytest.mark.parametrize("case", ["regression", "huge", "labels"])


@every_picture
@every_case
def test_draws_on_the_given_axes_and_returns_them(draw, case, axes, request):
    returned = draw(request.getfixturevalue(case), axes)
    assert returned is axes
    assert axes.collections or axes.lines
    assert axes.get_xlabel() and axes.get_ylabel() and axes.get_title(loc="left")


@every_picture
@every_case
def test_can_be_saved(draw, case, axes, request, tmp_path):
    draw(request.getfixturevalue(case), axes)
    axes.figure.savefig(tmp_path / "picture.pdf")


@every_picture
def test_an_empty_pipeline_is_named(draw, regression):
    case = SimpleNamespace(model=Pipeline([]), X=regression.X, y=regression.y)
    with pytest.raises(ValueError, match="model should be a pipeline with steps"):
        draw(case, None)


@every_picture
def test_makes_a_figure_when_no_axes_are_given(draw, regression):
    axes = draw(regression, None)
    assert plt.get_fignums() == [axes.figure.number]


@every_picture
def test_leaves_settings_and_current_figure_alone(draw, regression, axes):
    settings = dict(matplotlib.rcParams)
    current = plt.figure()
    draw(regression, axes)
    assert dict(matplotlib.rcParams) == settings
    assert plt.get_fignums() == [current.number]
    assert not current.axes


@every_picture
def test_text_stays_within_a_narrow_figure(draw, regression, axes):
    figure = axes.figure
    figure.set_size_inches(3.4, 2.6)
    draw(regression, axes)
    figure.draw_without_rendering()
    box = figure.get_tightbbox()
    assert box.x0 > -0.02 and box.y0 > -0.02
    assert box.x1 < 3.42 and box.y1 < 2.62


@every_picture
@pytest.mark.parametrize(
    ("model", "error", "words"),
    [
        (SubquantileRegressor(), NotFittedError, "not fitted"),
        (SubquantileRegressor, TypeError, "got the class SubquantileRegressor"),
        ("model", TypeError, "model should be a fitted estimator of untaint.* got str"),
        (Ridge().fit([[0.0], [1.0]], [0.0, 1.0]), TypeError, "got Ridge, which has no"),
    ],
    ids=["unfitted", "class", "string", "stranger"],
)
def test_says_what_is_wrong_with_the_model(draw, model, error, words, regression, axes):
    regression.model = model
    with pytest.raises(error, match=words):
        draw(regression, axes)
    assert not axes.has_data()


@every_picture
def test_a_pipeline_is_drawn_as_its_last_step_with_transformed_rows(draw, regression, axes):
    pipeline = make_pipeline(RobustScaler(), regression.model).fit(regression.X, regression.y)
    other = Figure(layout="constrained").subplots()
    draw(SimpleNamespace(model=pipeline, X=regression.X, y=regression.y), axes)
    X = pipeline[0].transform(regression.X)
    draw(SimpleNamespace(model=pipeline[-1], X=X, y=regression.y), other)
    assert axes.get_title(loc="left") == other.get_title(loc="left")
    assert np.allclose(points(axes), points(other))


def test_a_search_is_drawn_as_its_best(regression, axes):
    search = GridSearchCV(regression.model, {"alpha": [0.1, 1.0]}, cv=2)
    plot_audit(search.fit(regression.X, regression.y), axes)
    scores = audit_scores(search.best_estimator_)
    assert np.allclose(np.sort(points(axes)[:, 1]), np.sort(scores))


def test_says_what_axes_are(regression):
    with pytest.raises(TypeError, match="ax should be matplotlib axes or None, got str"):
        plot_audit(regression.model, ax="left")


def test_names_the_extra_when_matplotlib_is_missing(regression, monkeypatch):
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(ImportError, match=r"pip install 'untaint\[plot\]'"):
            plot_audit(regression.model)
