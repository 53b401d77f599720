"""Wrong rows that stand side by side are found as others are."""

import pandas
import pytest

from untaint import clean

WRONG = range(10)


@pytest.fixture
def frame(rng):
    frame = pandas.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300)})
    frame["y"] = 2 * frame["a"] + frame["b"] + 0.1 * rng.normal(size=300)
    frame.loc[frame.index.isin(WRONG), "y"] += 30
    return frame


@pytest.mark.parametrize("target", [None, "y"])
def test_the_first_rows_may_all_be_wrong(frame, target):
    found = set(clean(frame, target, random_state=0).rows["row"])
    assert found >= set(WRONG)
    assert len(found) <= len(WRONG) + 3
