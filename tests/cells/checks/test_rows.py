"""Dates of another century, copies of rows and runs of one value."""

import numpy as np
import pytest

from untaint.cells.checks.century import find_centuries
from untaint.cells.checks.copies import find_copies
from untaint.cells.checks.sentinel import find_sentinels
from untaint.cells.checks.stuck import find_stuck


def cells_of(findings):
    return [(f.row, f.column) for f in findings]


@pytest.fixture
def days(rng):
    return np.datetime64("2012-01-01") + rng.integers(0, 3000, 200).astype("timedelta64[D]")


class TestCentury:
    @pytest.mark.parametrize("years", [100, -100, 1000, -1000, 200])
    def test_year_is_off(self, years, columns, days):
        right = np.datetime64("2016-03-05")
        days[7] = np.datetime64(f"{2016 + years}-03-05")
        (found,) = find_centuries(columns({"day": days.astype("datetime64[s]")}))
        assert (found.row, found.expected) == (7, float(right.astype(int)))

    def test_decade(self, columns, days):
        days = np.datetime64("2019-01-01") + (days - days.min()) // 20
        days[7] = np.datetime64("2009-03-05")
        (found,) = find_centuries(columns({"day": days}))
        assert found.reason.startswith("2009-03-05 is 10 years before 2019-03-05;")

    def test_leap_day(self, columns, days):
        days[7] = np.datetime64("1916-02-29")
        (found,) = find_centuries(columns({"day": days}))
        assert found.reason.startswith("1916-02-29 is 100 years before 2016-02-29;")

    def test_far_but_of_no_century(self, columns, days):
        days[7] = np.datetime64("1950-06-01")
        assert find_centuries(columns({"day": days})) == []

    @pytest.mark.parametrize("code", ["1900-01-01", "1970-01-01", "2099-12-31", "9999-12-31"])
    def test_code_for_a_missing_date(self, code, columns, days):
        days = days.astype("datetime64[s]")
        days[7] = np.datetime64(code)
        table = columns({"day": days})
        assert find_centuries(table) == []
        assert cells_of(find_sentinels(table)) == [(7, 0)]

    def test_first_day_among_others(self, columns, rng):
        days = np.datetime64("1965-01-01") + rng.integers(0, 9000, 300).astype("timedelta64[D]")
        days[7] = np.datetime64("1970-01-01")
        assert find_sentinels(columns({"day": days})) == []


class TestCopy:
    @pytest.fixture
    def table(self, rng):
        table = {name: rng.normal(size=200) for name in "abcde"}
        return table | {"kind": rng.choice(["x", "y"], 200)}

    def test_two_copies(self, table, columns):
        for x in table.values():
            x[9] = x[50]
        table["c"][9] += 4
        found = find_copies(columns(table))
        assert cells_of(found) == [(9, 2), (50, 2)]
        assert [f.probability for f in found] == [0.5, 0.5]
        assert found[0].expected == table["c"][50]

    def test_majority(self, table, columns):
        for x in table.values():
            x[[9, 30]] = x[50]
        table["kind"][9] = "x" if table["kind"][50] == "y" else "y"
        (found,) = find_copies(columns(table))
        assert (found.row, found.column, found.expected) == (9, 5, table["kind"][50])

    def test_equal_copies(self, table, columns):
        for x in table.values():
            x[9] = x[50]
        assert find_copies(columns(table)) == []

    def test_repeated_measurements(self, table, columns, rng):
        table = {name: np.repeat(x, 3) for name, x in table.items()}
        assert find_copies(columns(table | {"y": rng.normal(size=600)})) == []

    def test_columns_that_determine_each_other(self, columns, rng):
        x = rng.normal(size=300)
        x[:20] = x[20:40]
        table = {"a": x, "b": 2 * x, "c": x**2, "d": np.exp(x)}
        table |= {"s": rng.choice(["u", "v"], 300), "t": rng.choice(["u", "v"], 300)}
        assert find_copies(columns(table)) == []


class TestStuck:
    def test_run(self, columns, rng):
        x = rng.normal(size=300)
        x[100:107] = 0.5
        found = find_stuck(columns({"x": x}))
        assert cells_of(found) == [(i, 0) for i in range(101, 107)]
        assert "stands in 7 rows in succession" in found[0].reason

    def test_sensor_of_a_walk(self, columns, rng):
        x = np.cumsum(rng.normal(size=300))
        x[100:107] = x[100]
        assert len(find_stuck(columns({"x": x}))) == 6

    def test_short_run(self, columns, rng):
        x = rng.normal(size=300)
        x[100:104] = x[100]
        assert find_stuck(columns({"x": x})) == []

    def test_value_that_is_frequent(self, columns, rng):
        x = np.where(rng.random(500) < 0.6, 1.0, rng.normal(size=500))
        assert find_stuck(columns({"x": x})) == []

    def test_long_run(self, columns, rng):
        x = rng.normal(size=300)
        x[100:150] = 0.5
        assert find_stuck(columns({"x": x})) == []

    def test_block_of_several_columns(self, columns, rng):
        x, y = rng.normal(size=(2, 300))
        x[100:107], y[100:107] = 0.1, 0.2
        assert find_stuck(columns({"x": x, "y": y})) == []
