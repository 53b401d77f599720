"""Pictures of growth are drawn from rows alone, one a family."""

from __future__ import annotations

import pytest

from benchmarks.figures.speed import curve, draw_growth

pytest.importorskip("matplotlib")


def rows(*families):
    return [
        {
            "dataset": f"{name}-{n}",
            "method": method,
            "seed": 0,
            "n": float(n),
            "seconds": float(n) if n < 1000 or method == "untaint" else "",
            "peak_megabytes": float(n),
            "rmse": 0.5,
            "accuracy": 0.9 - 1 / n,
            "coef_error": 0.1,
            "outcome": "",
            "error": "",
        }
        for name in families
        for n in (10, 100, 1000)
        for method in ("untaint", "genie", "unheard-of")
    ]


@pytest.mark.filterwarnings("error")
def test_one_family_takes_the_name_of_the_results(tmp_path):
    one, two = (draw_growth(rows("linear"), tmp_path / f"{stem}.csv") for stem in "ab")
    assert [path.name for path in one] == ["a.png", "a.pdf"]
    for left, right in zip(one, two, strict=True):
        assert left.read_bytes() == right.read_bytes()


@pytest.mark.filterwarnings("error")
def test_several_families_have_a_picture_each(tmp_path, monkeypatch):
    titles = {}

    def save(figure, path):
        titles[path.name] = figure.axes[2].get_title(loc="left")
        return [path]

    monkeypatch.setattr("benchmarks.figures.speed.save", save)
    some = rows("exact", "linear-classes")
    assert len(draw_growth(some, tmp_path / "speed.csv")) == 2
    assert titles == {
        "speed.exact.csv": "test RMSE",
        "speed.linear-classes.csv": "share of mistakes",
    }


def test_a_curve_has_the_sizes_that_were_measured():
    assert curve(rows("exact")[1::3], "seconds") == ([10.0, 100.0], [10.0, 100.0])
