"""Each column assessed by the others: which cell is wrong, and what is no mistake."""

import numpy as np
import pandas as pd
import pytest

from untaint.cells import assess_cells
from untaint.io import read_columns
from untaint.io.frame import frame_table

N = 400


def body(seed=0):
    """Return measures that depend on one another."""
    rng = np.random.default_rng(seed)
    height = rng.normal(170, 10, N)
    weight = 0.9 * height - 80 + rng.normal(0, 3, N)
    frame = {
        "height": height,
        "weight": weight,
        "waist": 0.8 * weight + 20 + rng.normal(0, 2, N),
        "pulse": rng.normal(70, 10, N),
    }
    return pd.DataFrame(frame).round(1)


def found_in(frame, **settings):
    settings = {"skip": ("unit", "sign", "swap")} | settings  # what the checks would see first
    findings = assess_cells(read_columns(frame_table(frame)), **settings).findings
    return {(found.row, frame.columns[found.column]): found for found in findings}


@pytest.mark.parametrize(
    ("column", "factor", "kind"),
    [("weight", 10.0, "decimal"), ("waist", 0.001, "unit"), ("height", -1.0, "sign")],
)
def test_a_mistake_is_named_and_undone(column, factor, kind):
    frame = body()
    right = frame.loc[9, column]
    frame.loc[9, column] *= factor
    found = found_in(frame)
    assert set(found) == {(9, column)}
    assert found[9, column].kind == kind
    assert found[9, column].expected == pytest.approx(right)


def test_the_cell_that_explains_the_others_is_wrong():
    frame = body()
    frame.loc[5, "weight"] = 140.0  # contradicts height and waist, which agree
    found = found_in(frame)
    assert set(found) == {(5, "weight")}
    low, high = 55, 85
    assert low < found[5, "weight"].expected < high


def test_two_exchanged_cells_are_found_together():
    frame = body()
    frame.loc[7, ["height", "weight"]] = frame.loc[7, ["weight", "height"]].to_numpy()
    found = found_in(frame)
    assert {column for row, column in found if row == 7} >= {"height", "weight"}
    assert found[7, "height"].kind == "swap"
    assert found[7, "height"].expected == frame.loc[7, "weight"]


def test_a_level_that_the_others_contradict_is_wrong():
    rng = np.random.default_rng(0)
    kind = rng.choice(["cat", "dog", "horse"], N)
    size = {"cat": 4.0, "dog": 20.0, "horse": 500.0}
    frame = pd.DataFrame({"kind": kind, "weight": [size[k] for k in kind]})
    frame["weight"] *= rng.uniform(0.8, 1.2, N)
    frame["height"] = frame["weight"] ** 0.33 * rng.uniform(0.9, 1.1, N)
    row = int(np.flatnonzero(kind == "horse")[0])
    frame.loc[row, "kind"] = "cat"
    found = found_in(frame)
    assert set(found) == {(row, "kind")}
    assert found[row, "kind"].expected == "horse"


def test_levels_that_nothing_predicts_are_left_alone():
    rng = np.random.default_rng(0)
    frame = body()
    frame["town"] = rng.choice(["London", "Paris", "Rome"], N)
    assert found_in(frame) == {}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "noise",
    [
        lambda rng: rng.standard_t(3, N),
        lambda rng: rng.exponential(size=N),
        lambda rng: rng.lognormal(0, 1, N),
        lambda rng: rng.normal(size=N) * np.linspace(0.1, 5, N),
    ],
    ids=["student", "exponential", "lognormal", "uneven"],
)
def test_long_tails_are_no_mistakes(noise, seed):
    rng = np.random.default_rng(seed)
    frame = body(seed)
    frame["income"] = (20 + frame["height"] / 10 + noise(rng)).round(3)
    assert len(found_in(frame)) <= 1


def test_columns_that_determine_one_another_are_no_mistakes():
    frame = body()
    frame["sum"] = frame["weight"] + frame["waist"]
    frame["copy"] = 2 * frame["height"] + 1
    assert found_in(frame) == {}


def test_series_are_judged_by_their_neighbours():
    rng = np.random.default_rng(0)
    price = 100 * np.exp(np.cumsum(rng.normal(0, 0.01, N)))
    frame = pd.DataFrame({"price": price.round(2), "volume": rng.lognormal(8, 0.3, N).round()})
    frame.loc[200, "price"] *= 1.5
    assert set(found_in(frame)) == {(200, "price")}


def test_the_rate_of_false_discoveries_bounds_what_is_flagged():
    frame = body()
    rng = np.random.default_rng(1)
    rows = rng.choice(N, 12, replace=False)
    frame.loc[rows, "waist"] += rng.uniform(12, 80, 12)
    few, many = (set(found_in(frame, fdr=rate)) for rate in (0.001, 0.3))
    assert few <= many
    assert len(few) < len(many)


def test_the_same_seed_gives_the_same_cells():
    frame = body()
    frame.loc[3, "waist"] = 200.0
    assert found_in(frame, seed=4) == found_in(frame, seed=4)


def test_the_order_of_columns_hardly_matters():
    frame = body()
    frame.loc[3, "waist"] = 200.0
    assert set(found_in(frame)) == set(found_in(frame[frame.columns[::-1]])) == {(3, "waist")}


def test_many_slips_in_one_column_are_found_and_undone():
    """The scatter of right values is estimated without cells that a mistake explains."""
    frame = body()
    rows = np.random.default_rng(2).choice(N, 20, replace=False)
    right = frame.loc[rows, "weight"]
    frame["weight"] = frame["weight"].astype(float)
    frame.loc[rows, "weight"] = right / 10
    found = found_in(frame)
    assert {(row, "weight") for row in rows} <= set(found)
    assert len(found) <= 22
    assert found[rows[0], "weight"].expected == pytest.approx(right.iloc[0])


def test_slips_keep_the_digits():
    """In a column of whole numbers 14.5 is a slip of 145, and 12 may well be right."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=N)
    visits = np.exp(3.5 + 0.6 * x + rng.normal(0, 0.35, N)).round()
    low = int(np.flatnonzero(np.abs(x) < 0.1)[0])
    frame = pd.DataFrame({"x": x, "z": x + rng.normal(0, 0.2, N), "visits": visits})
    frame.loc[low, "visits"] = 3.7
    slipped = found_in(frame)
    frame.loc[low, "visits"] = 12.0
    assert slipped[low, "visits"].kind == "decimal"
    assert (low, "visits") not in found_in(frame)


def test_amounts_that_are_mostly_zero_are_assessed_where_they_are_not():
    rng = np.random.default_rng(4)
    income = rng.lognormal(3, 0.4, N)
    spent = np.where(rng.random(N) < 0.6, 0.0, (0.2 * income * rng.lognormal(0, 0.2, N)).round(2))
    row = int(np.flatnonzero(spent)[0])
    spent[row] *= 1000
    found = found_in(pd.DataFrame({"income": income, "spent": spent}))
    assert set(found) == {(row, "spent")}


def test_of_two_copies_the_one_that_the_others_contradict_is_wrong():
    frame = body()
    frame["age"] = np.random.default_rng(5).normal(50, 10, N).round(2)
    frame.loc[3] = frame.loc[50]
    frame.loc[3, "weight"] += 40
    found = found_in(frame)
    assert set(found) == {(3, "weight")}
    assert found[3, "weight"].expected == frame.loc[50, "weight"]


def test_numbers_that_are_names_are_left_alone():
    frame = body()
    frame["school_code"] = (frame["height"] * 100).round()
    frame.loc[8, "school_code"] = 99_000.0
    assert set(found_in(frame)) <= {(8, "height")}
