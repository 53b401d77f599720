"""Mistakes are planted where the table of truth says, and scored as found there only."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.commands.real_tables import cell_methods, ddc
from benchmarks.data.planted import scores
from benchmarks.data.planted.kinds import KINDS
from benchmarks.data.planted.planting import plant


def a_table(n=400, label=False):
    rng = np.random.default_rng(0)
    size = rng.uniform(20, 90, n).round(1)
    days = pd.Timestamp("2001-01-01") + pd.to_timedelta(np.arange(n), "D")
    return pd.DataFrame(
        {
            "size": size,
            "width": (size * 2 + rng.normal(0, 3, n)).round(1),
            "count": rng.integers(5, 40, n),
            "colour": rng.choice(["yellow", "green", "purple"], n),
            "day": days,
            "text_day": days.strftime("%Y-%m-%d"),
            "y": np.where(size > 50, "large", "small") if label else size * 3 + rng.normal(0, 1, n),
        }
    )


def differing(one, two):
    return {
        (row, name)
        for name in one
        for row in range(len(one))
        if one[name].iloc[row] != two[name].iloc[row]
    }


@pytest.mark.parametrize("kind", [*KINDS, "mixed"])
def test_only_the_cells_of_the_truth_differ(kind):
    frame = a_table(label=kind == "label_other")
    dirty, truth = plant(frame, "y", kind, seed=0)
    copied = set(truth["row"][truth["kind"] == "copied_row"])
    changed = {cell for cell in differing(frame, dirty) if cell[0] not in copied}
    told = set(zip(truth["row"], truth["column"], strict=True))
    assert changed == {cell for cell in told if cell[0] not in copied}
    assert truth["row"].nunique() == pytest.approx(20, abs=4)
    for mistake in truth.itertuples():
        if mistake.kind != "copied_row":
            assert frame[mistake.column].iloc[mistake.row] == mistake.value


def test_whoever_knows_the_truth_has_a_perfect_score():
    frame = a_table()
    _, truth = plant(frame, "y", "mixed", seed=0)
    cells = truth.rename(columns={"value": "expected"})
    found = scores.score(scores.Found(set(truth["row"]), cells), truth)
    assert found.wrong == found.flagged == found.caught == found.placed == found.right


@pytest.mark.parametrize("method", ["script", "forest", "ddc"])
def test_rivals_find_numbers_a_thousand_times_as_large(method):
    dirty, truth = plant(a_table(), "y", "feature_x1000", seed=0)
    found = cell_methods.METHODS[method](dirty, "y", 0.05)
    caught = scores.score(found, truth).caught
    assert caught >= 0.7 * truth["row"].nunique()


def test_ddc_predicts_a_deviating_cell_from_correlated_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 1)) + 0.1 * rng.normal(size=(500, 4))
    true = X[7, 2]
    X[7, 2] += 8
    flagged, expected = ddc.deviating_cells(X)
    assert flagged[7].tolist() == [False, False, True, False]
    assert expected[7, 2] == pytest.approx(true, abs=0.4)
    assert flagged.mean() < 0.03
