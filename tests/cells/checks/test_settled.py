"""What a check is unsure of is left to the other columns; a rule of the name alone is enough."""

import numpy as np
import pandas as pd

import untaint

N = 200


def test_one_value_in_fahrenheit_that_another_column_contradicts():
    rng = np.random.default_rng(0)
    height = rng.uniform(0, 2000, N).round()
    frame = pd.DataFrame({"height": height, "temp": (25 - height / 150).round(1)})
    right = frame.loc[5, "temp"]
    frame.loc[5, "temp"] = round(right * 1.8 + 32, 1)
    found = untaint.clean(frame, random_state=0).cells
    # 55 degrees may be 12.8 in Fahrenheit or 13.1 in joules: the kind is open, the cell is not.
    assert found[["row", "column"]].to_numpy().tolist() == [[5, "temp"]]
    assert abs(float(found["expected"].iloc[0]) - right) < 1.5


def test_one_percentage_over_100():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"percent": rng.uniform(20, 90, N).round(1), "z": rng.normal(size=N)})
    frame.loc[5, "percent"] = 140.0
    found = untaint.clean(frame, random_state=0).cells
    assert found[["row", "column", "kind"]].to_numpy().tolist() == [[5, "percent", "range"]]
