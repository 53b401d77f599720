"""Digits of a number, and day and month of a date, that are exchanged."""

import numpy as np
import pandas as pd
import pytest

import untaint

N = 300


@pytest.fixture
def days():
    """Return consecutive days of one year."""
    return pd.date_range("2021-01-15", periods=N, freq="D")


def found_in(frame, **settings):
    """Return the wrong cells that are found, by row."""
    settings = {"random_state": 0} | settings
    return {cell.row: cell for cell in untaint.clean(frame, **settings).cells.itertuples()}


def table(day, rng):
    return pd.DataFrame({"day": day, "x": rng.normal(size=N), "y": rng.normal(size=N)})


def exchanged(day):
    return pd.Timestamp(day.year, day.day, day.month)


class TestDigits:
    @pytest.mark.parametrize(("right", "wrong"), [(178.0, 718.0), (718.0, 178.0)])
    def test_far_value(self, rng, right, wrong):
        height = rng.normal(right, 7, N).round()
        height[4] = wrong
        found = found_in(pd.DataFrame({"height": height, "z": rng.normal(size=N)}))
        assert {row: cell.kind for row, cell in found.items()} == {4: "digits"}
        assert float(found[4].expected) == right

    def test_check_is_skipped(self, rng):
        height = rng.normal(172, 7, N).round()
        height[4] = 718
        frame = pd.DataFrame({"height": height})
        assert found_in(frame)[4].kind == "digits"
        # Compared with its column, the value may be taken for such an exchange as well.
        assert found_in(frame, skip=["digits", "columns"]) == {}

    def test_value_that_the_other_columns_contradict(self, rng):
        age = rng.integers(18, 80, N)
        first_job = age - rng.integers(18, 24, N)
        frame = pd.DataFrame({"age": age, "born": 2020 - age, "worked": first_job})
        row = int(np.flatnonzero(age == 62)[0])
        frame.loc[row, "born"] = 1985
        found = found_in(frame)
        assert set(found) == {row}
        assert found[row].column == "born"
        assert found[row].kind == "digits"
        assert found[row].expected == "1958"

    @pytest.mark.parametrize("seed", range(5))
    def test_counts_with_a_long_tail_have_no_finding(self, seed):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(
            {
                "sales": rng.lognormal(4, 0.8, N).round(),
                "price": rng.gamma(2, 30, N).round(2),
                "year": rng.integers(1950, 2020, N),
            }
        )
        assert not [cell for cell in found_in(frame).values() if cell.kind == "digits"]


class TestDayAndMonth:
    def test_rows_in_order(self, days, rng):
        wrong = [55, 56, 140]  # two of them in a row
        day = [exchanged(d) if i in wrong else d for i, d in enumerate(days)]
        found = found_in(table(day, rng))
        assert {row: cell.kind for row, cell in found.items()} == dict.fromkeys(wrong, "daymonth")
        assert [cell.expected for cell in found.values()] == [str(days[i].date()) for i in wrong]

    def test_rows_from_the_last_to_the_first(self, days, rng):
        day = [exchanged(d) if i == 55 else d for i, d in enumerate(days)][::-1]
        assert set(found_in(table(day, rng))) == {N - 1 - 55}

    def test_every_ambiguous_date(self, days, rng):
        wrong = {i for i, d in enumerate(days) if d.day <= 12 and d.day != d.month}
        day = [exchanged(d) if i in wrong else d for i, d in enumerate(days)]
        found = found_in(table(day, rng))
        assert set(found) == wrong

    def test_texts_of_the_other_order(self, days, rng):
        wrong = [3, 50, 100]  # the second one is a date in both orders
        day = [d.strftime("%d/%m/%Y" if i in wrong else "%m/%d/%Y") for i, d in enumerate(days)]
        cleaning = untaint.clean(table(day, rng), random_state=0)
        assert sorted(cleaning.cells["row"]) == wrong
        assert set(cleaning.cells["kind"]) == {"daymonth"}
        assert list(cleaning.repaired["day"]) == list(days.strftime("%m/%d/%Y"))

    def test_time_of_day_is_kept(self, days, rng):
        day = [f"{exchanged(d) if i == 55 else d:%Y-%m-%d} 12:30" for i, d in enumerate(days)]
        cleaning = untaint.clean(table(day, rng), random_state=0)
        assert cleaning.cells["row"].tolist() == [55]
        assert cleaning.repaired["day"][55] == "2021-03-11 12:30"

    def test_date_outside_the_range_of_unordered_ones(self, days, rng):
        day = rng.permutation(np.tile(days[30:50], N // 20)).astype("datetime64[s]")
        day[7] = np.datetime64("2021-05-03")
        found = found_in(table(day, rng))
        assert found[7].kind == "daymonth"
        assert found[7].expected == "2021-03-05"

    def test_check_is_skipped(self, days, rng):
        day = [exchanged(d) if i == 55 else d for i, d in enumerate(days)]
        found = found_in(table(day, rng), skip=["daymonth", "columns"])
        assert found == {}

    @pytest.mark.parametrize("seed", range(3))
    def test_honest_dates(self, seed, days):
        rng = np.random.default_rng(seed)
        first = np.datetime64("2015-01-01")
        frame = pd.DataFrame(
            {
                "shuffled": rng.permutation(days),
                "monthly": pd.date_range("1990-01-01", periods=N, freq="MS"),
                "weekly": pd.date_range("2010-01-04", periods=N, freq="7D"),
                "groups": np.sort(first + rng.integers(0, 900, (10, 30)), axis=1).ravel(),
                "of_groups": np.repeat(first + 30 * np.sort(rng.integers(0, 90, 30)), 10),
                "postponed": [
                    d + pd.Timedelta(days=int(rng.integers(20, 90)) if i % 9 == 0 else 0)
                    for i, d in enumerate(days)
                ],
            }
        )
        assert not [c for c in found_in(frame, skip=["columns"]).values() if c.kind == "daymonth"]
