import numpy as np
import pytest

from plotting.pictures import audit_scores, audited, flagged, heights, kept, points, texts
from untaint import SubquantileRegressor
from untaint.plotting import plot_audit


@pytest.mark.parametrize("name", ["regression", "huge", "labels"])
def test_colours_the_flagged_rows(name, axes, request):
    case = request.getfixturevalue(name)
    plot_audit(case.model, axes)
    scores = audit_scores(case.model)  # every row is judged by the others
    assert np.allclose(np.sort(flagged(axes)[:, 1]), np.sort(scores[~case.model.inlier_mask_]))
    assert np.allclose(np.sort(kept(axes)[:, 1]), np.sort(scores[case.model.inlier_mask_]))


def test_the_most_suspicious_rows_come_first(regression, axes):
    plot_audit(regression.model, axes)
    found = points(axes)
    found = found[np.argsort(found[:, 0])]
    assert (found[:, 0] == np.arange(1, 81)).all()
    assert (np.diff(found[:, 1]) <= 0).all()


def test_good_rows_are_told_apart_beside_astronomical_ones(huge, axes):
    plot_audit(huge.model, axes)
    assert np.ptp(heights(axes, kept(axes)[:, 1])) > 0.3
    assert heights(axes, flagged(axes)[:, 1]).max() < 1


def test_names_the_most_suspicious_rows(regression, axes):
    plot_audit(regression.model, axes, n_labels=3)
    worst = regression.model.audit()["row"][:3]
    words = " ".join(texts(axes))
    assert all(str(row) in words for row in worst)


def test_names_each_row_beside_its_point_where_there_is_room(axes):
    X = np.arange(20.0)[:, None]
    y = 2 * X.ravel() + np.cos(X).ravel()
    y[[3, 11]] += [4000, -500]
    model = SubquantileRegressor(kernel="linear", contamination=0.1).fit(X, y)
    plot_audit(model, axes)
    assert {"row 3", "row 11"} <= set(texts(axes))


def test_names_no_row_unless_asked(regression, axes):
    plot_audit(regression.model, axes, n_labels=0)
    assert not any("row" in text for text in texts(axes))


def test_says_so_when_nothing_is_flagged(axes):
    model = SubquantileRegressor(contamination=0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.5])
    plot_audit(model, axes)
    assert axes.get_title(loc="left").startswith("none of 3 rows flagged")
    assert len(flagged(axes)) == 0


def test_tells_an_estimated_share_with_its_interval(regression, axes):
    regression.model.set_params(contamination="auto")
    regression.model.contamination_interval_ = (0.06, 0.14)
    plot_audit(regression.model, axes)
    assert "estimated share 10 % (6–14 %)" in axes.get_title(loc="left")


def test_marks_the_kinds_that_an_audit_tells_apart(regression, axes):
    kind = np.where(regression.wrong, "target", "").astype("<U8")
    kind[:2] = ["features", "both"]
    plot_audit(audited(regression, flagged=regression.wrong, kind=kind), axes)
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == [
        "flagged: target (6)",
        "flagged: features (1)",
        "flagged: both (1)",
        "kept (72)",
    ]


def test_tells_rows_that_are_given_up_from_rows_that_are_flagged(regression, axes):
    plot_audit(audited(regression, flagged=np.arange(80) < 4), axes)
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["flagged (4)", "trimmed only (4)", "kept (72)"]


def test_a_kind_that_nobody_has_heard_of_is_still_flagged(regression, axes):
    plot_audit(audited(regression, kind=np.full(80, "moon")), axes)
    assert len(flagged(axes)) == 8


def test_few_among_many_are_seen(axes, rng):
    X = rng.normal(size=(600, 1))
    y = X.ravel() + 0.1 * rng.normal(size=600)
    y[:3] += 10
    plot_audit(SubquantileRegressor(kernel="linear", contamination=0.005).fit(X, y), axes)
    assert axes.get_xscale() == "log"
    assert len(flagged(axes)) == 3


def test_rows_may_be_flagged_at_a_false_discovery_rate(labels, axes):
    plot_audit(labels.model, axes, fdr=0.1)
    table = labels.model.audit(fdr=0.1)
    assert np.allclose(
        np.sort(flagged(axes)[:, 1]), np.sort(table["score"][table["flagged"]].to_numpy())
    )
