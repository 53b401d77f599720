import io
import sys

import numpy as np
import pytest

from plotting.pictures import audited, heights, same_ink, texts
from untaint import SubquantileRegressor
from untaint.plotting import Monitoring, monitor, plot_monitoring
from untaint.plotting.colors import palette


def lines(axes):
    return [
        line
        for found in axes.collections
        if hasattr(found, "get_segments") and same_ink(found.get_color()[0], palette(axes).flagged)
        for line in found.get_segments()
    ]


def test_scores_are_those_of_fits_with_each_share(regression):
    shares, scores = monitor(regression.model, regression.X, regression.y, [0.2, 0.0])
    assert shares.tolist() == [0.0, 0.2]
    for fraction, found in zip(shares, scores, strict=True):
        model = SubquantileRegressor(contamination=fraction, alpha=0.1).fit(
            regression.X, regression.y
        )
        assert np.allclose(found, model.outlier_scores_)


def test_weights_have_their_say(regression):
    weights = np.where(np.arange(80) < 8, 0.0, 1.0)
    _, scores = monitor(regression.model, regression.X, regression.y, [0.0], sample_weight=weights)
    assert scores[0, :8].min() > 20


def test_the_model_stays_as_it_was(regression):
    before = regression.model.outlier_scores_.copy()
    monitor(regression.model, regression.X, regression.y, [0.3])
    assert regression.model.contamination == 0.1
    assert (regression.model.outlier_scores_ == before).all()


def test_a_terminal_shows_a_bar_while_it_fits(regression, monkeypatch):
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", terminal)
    monitor(regression.model, regression.X, regression.y, [0.0, 0.1])
    assert "monitor [" in terminal.getvalue() and "left" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")  # and removes it


def test_shares_of_less_than_a_row_are_left_out_by_default():
    X = np.arange(20.0)[:, None]
    y = np.cos(X).ravel()
    shares, scores = monitor(SubquantileRegressor(contamination=0).fit(X, y), X, y)
    assert shares[0] == 0
    assert shares[1] >= 1 / 20
    assert scores.shape == (len(shares), 20)


@pytest.mark.parametrize("shares", [[0.6], [-0.1], [], [[0.1]], [np.nan]])
def test_shares_out_of_range_are_refused(regression, shares):
    with pytest.raises(ValueError, match=r"shares should be numbers in \[0, 0.5\)"):
        monitor(regression.model, regression.X, regression.y, shares)


def test_what_was_chosen_by_cross_validation_stays(regression):
    seen = []

    class Chosen(SubquantileRegressor):
        def __init__(self, *, contamination=0.1, alphas="auto", gammas="auto"):
            super().__init__(contamination=contamination)
            self.alphas, self.gammas = alphas, gammas

        def fit(self, X, y):
            seen.append((self.alphas, self.gammas))
            self.alpha_, self.gamma_ = 0.5, 2.0
            return super().fit(X, y)

    monitor(Chosen().fit(regression.X, regression.y), regression.X, regression.y, [0.0])
    assert seen == [("auto", "auto"), ([0.5], [2.0])]


def test_needs_a_share_to_vary(regression):
    class Fixed(SubquantileRegressor):
        def __init__(self):
            super().__init__(contamination=0.1)

    with pytest.raises(TypeError, match="the parameter contamination, and Fixed has none"):
        monitor(Fixed().fit(regression.X, regression.y), regression.X, regression.y)


def test_rows_and_targets_are_those_that_the_model_keeps(regression):
    model = audited(regression, observed=regression.y)
    with_model = monitor(model, shares=[0.1])
    assert np.allclose(with_model.scores[0], regression.model.outlier_scores_)
    del model.X_fit_
    with pytest.raises(ValueError, match="Audited does not keep its rows: pass X and y"):
        monitor(model, shares=[0.1])
    with pytest.raises(ValueError, match="does not keep its targets: pass X and y"):
        monitor(audited(regression), shares=[0.1])


def test_other_rows_are_refused(regression):
    with pytest.raises(ValueError, match="the 80 rows that the model was fitted to, got 10"):
        monitor(regression.model, regression.X[:10], regression.y[:10])


def test_one_line_a_row_and_colour_for_the_flagged(regression, axes):
    plot_monitoring(regression.model, regression.X, regression.y, [0.0, 0.1, 0.2], axes)
    assert len(lines(axes)) == 8
    assert sum(len(found.get_segments()) for found in axes.collections) == 80
    assert "10 %, as given" in texts(axes)
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["flagged", "not flagged", "1, 50, 99 % of not flagged"]


def test_good_rows_are_told_apart_beside_astronomical_ones(huge, axes):
    plot_monitoring(huge.model, huge.X, huge.y, [0.0, 0.1, 0.2], axes)
    ends = np.array([line[-1, 1] for line in lines(axes)])
    assert heights(axes, ends).max() < 1
    assert np.ptp(heights(axes, np.array([0.0, 3.0]))) > 0.3


def test_the_estimate_has_a_line_and_a_band(regression, axes):
    regression.model.set_params(contamination="auto")
    regression.model.contamination_interval_ = (0.06, 0.14)
    plot_monitoring(regression.model, regression.X, regression.y, [0.0, 0.1, 0.2], axes)
    assert "estimated 10 %" in texts(axes)
    (band,) = axes.patches
    assert np.allclose([band.get_x(), band.get_width()], [6, 8])


def test_draws_what_was_monitored_before(regression, axes):
    scores = np.ones((2, 80))
    plot_monitoring(regression.model, ax=axes, monitoring=Monitoring(np.array([0.0, 0.4]), scores))
    assert np.allclose(lines(axes)[0], [[0, 1], [40, 1]])
    with pytest.raises(ValueError, match="should have the model's 80 rows, got 3"):
        few = Monitoring(np.array([0.0]), np.ones((1, 3)))
        plot_monitoring(regression.model, ax=axes, monitoring=few)


def test_thousands_of_rows_are_sampled_and_the_worst_are_among_them(axes, rng):
    X = rng.normal(size=(3000, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=3000)
    y[:600] += 10
    model = SubquantileRegressor(kernel="linear", contamination=0.2).fit(X, y)
    scores = np.tile(model.outlier_scores_, (2, 1))
    plot_monitoring(model, ax=axes, monitoring=Monitoring(np.array([0.0, 0.2]), scores))
    drawn = [line for found in axes.collections for line in found.get_segments()]
    assert len(drawn) == 1000
    assert len(lines(axes)) == 400
    assert np.isclose(max(line[0, 1] for line in drawn), model.outlier_scores_.max())
    assert "1,000 rows drawn" in axes.get_title(loc="left")
