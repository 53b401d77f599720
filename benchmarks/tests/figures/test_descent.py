"""Figures are drawn from rows alone and written beside the results."""

from __future__ import annotations

import pytest
from benchmarks.papers.descent import ERROR_MEASURES, OBJECTIVE_MEASURES

from benchmarks.figures.descent import draw_errors, draw_objectives

matplotlib = pytest.importorskip("matplotlib")


def row(measures, **case):
    values = {name: 1.0 + place / 10 for place, name in enumerate(measures)}
    return {"kind": "label", "error": "", "epsilon": 0.2, **case, **values}


def errors():
    return [
        row(ERROR_MEASURES, dataset=name, epsilon=epsilon, method="gradient", seed=seed)
        for name in ("boston", "polynomial-100")
        for epsilon in (0.0, 0.2, 0.4)
        for seed in (0, 1)
    ]


def objectives():
    return [
        row(OBJECTIVE_MEASURES, dataset="boston", method=method, seed=seed)
        for method in ("plain", "momentum", "nesterov")
        for seed in (0, 1)
    ]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("draw", "rows"), [(draw_errors, errors), (draw_objectives, objectives)])
def test_both_formats_are_written_and_settings_left_alone(draw, rows, tmp_path):
    before = dict(matplotlib.rcParams)
    written = draw(rows(), tmp_path / "figure.csv")
    assert [path.name for path in written] == ["figure.png", "figure.pdf"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["figure.pdf", "figure.png"]
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize(
    ("draw", "rows"),
    [pytest.param(draw_errors, errors, marks=pytest.mark.slow), (draw_objectives, objectives)],
)
def test_the_same_rows_give_the_same_files(draw, rows, tmp_path):
    one, two = (draw(rows(), tmp_path / f"{name}.csv") for name in "ab")
    for left, right in zip(one, two, strict=True):
        assert left.read_bytes() == right.read_bytes()


def test_an_unfinished_study_is_drawn_as_far_as_it_is(tmp_path):
    some = [found for found in objectives() if found["method"] != "nesterov"]
    assert draw_objectives(some, tmp_path / "figure.csv")
