"""Pictures of noisy features are drawn from rows alone, and lines that explode stay inside."""

from __future__ import annotations

import pytest

from benchmarks.figures.noise import draw_ratios
from benchmarks.figures.regret import draw_regret

pytest.importorskip("matplotlib")


def ratios():
    return [
        {
            "dataset": dataset,
            "epsilon": level,
            "method": method,
            "seed": seed,
            "over_clean": 1.0 + level * (1e12 if method == "river" else 0.1),
            "error": "",
        }
        for dataset in ("kiln", "drug-1000", "boston", "wine")
        for level in (0.2, 1.0)
        for method in ("untaint", "naive", "river")
        for seed in (0, 1)
    ]


def regrets():
    return [
        {
            "kind": kind,
            "method": method,
            "seed": 0,
            "rounds": float(T),
            "regret": T**0.5 - 20.0,
            "bound": 9.0 * T**0.5 if method == "theory-one" else float("nan"),
            "error": "",
        }
        for kind in ("iid", "blocks")
        for method in ("auto-one", "theory-one")
        for T in (100, 1000)
    ]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("draw", "rows"), [(draw_ratios, ratios), (draw_regret, regrets)])
def test_both_formats_are_written_and_the_same_rows_give_the_same_files(draw, rows, tmp_path):
    one, two = (draw(rows(), tmp_path / f"{name}.csv") for name in "ab")
    assert [path.name for path in one] == ["a.png", "a.pdf"]
    for left, right in zip(one, two, strict=True):
        assert left.read_bytes() == right.read_bytes()


@pytest.mark.parametrize(("draw", "rows"), [(draw_ratios, ratios), (draw_regret, regrets)])
def test_an_unfinished_study_is_drawn_as_far_as_it_is(draw, rows, tmp_path):
    assert draw(rows()[:3], tmp_path / "figure.csv")
