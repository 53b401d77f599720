"""Misspellings, unreadable cells and shifted rows."""

import numpy as np
import pytest

from untaint.cells.checks.editing import deletions, edit_distance, fingerprint
from untaint.cells.checks.shifted import find_shifted
from untaint.cells.checks.texts import _number_in, find_unreadable
from untaint.cells.checks.typo import find_typos


def naive_distance(a, b):
    """Return the distance from the whole table of prefixes."""
    d = np.add.outer(np.arange(len(a) + 1), np.arange(len(b) + 1))
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            d[i, j] = min(
                d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (a[i - 1] != b[j - 1])
            )
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                d[i, j] = min(d[i, j], d[i - 2, j - 2] + 1)
    return int(d[-1, -1])


class TestEditing:
    @pytest.mark.parametrize("most", [1, 2])
    def test_band_agrees_with_the_whole_table(self, most, rng):
        for _ in range(300):
            a, b = ("".join(rng.choice(list("abc"), rng.integers(0, 7))) for _ in "ab")
            distance = naive_distance(a, b)
            assert edit_distance(a, b, most) == min(distance, most + 1)
            if distance <= most:
                assert set(deletions(a, most)) & set(deletions(b, most))

    @pytest.mark.parametrize(
        ("a", "b"),
        [("São Paulo", "sao  paulo"), ("St. John's", "St Johns"), ("new-york", "New York")],
    )
    def test_same_text(self, a, b):
        assert fingerprint(a) == fingerprint(b)

    @pytest.mark.parametrize(
        ("a", "b"),
        [("1.5", "15"), ("-5", "5"), ("A+", "A"), ("A-", "A"), ("<5", ">5"), ("2-3", "23")],
    )
    def test_another_text(self, a, b):
        assert fingerprint(a) != fingerprint(b)


class TestTypo:
    @pytest.mark.parametrize(
        "typo", ["Londn", "Lodnon", "Londoon", "Lomdon", "london", "LONDON", "Lon don", "Lóndon"]
    )
    def test_spellings_of_a_frequent_level(self, typo, columns):
        city = ["London", "Paris", "Amsterdam"] * 40 + [typo]
        (found,) = find_typos(columns({"city": city}))
        assert (found.row, found.expected) == (120, "London")
        assert found.reason.endswith("of 'London', which 40 rows have.")

    def test_one_letter_more_in_a_short_word(self, columns):
        weather = ["sun", "fog", "rain"] * 600 + ["sunx", "fogx", "sunx", "sunx"]
        found = find_typos(columns({"weather": weather}))
        assert sorted(f.expected for f in found) == ["fog", "sun", "sun", "sun"]

    def test_two_letters_of_a_long_word(self, columns):
        city = ["London", "Paris", "Amsterdam"] * 40 + ["Amstedrm"]
        assert [f.expected for f in find_typos(columns({"city": city}))] == ["Amsterdam"]

    def test_one_word_of_several(self, columns):
        state = ["New York", "North Dakota", "South Dakota"] * 40 + ["North Dakotta"]
        assert [f.expected for f in find_typos(columns({"state": state}))] == ["North Dakota"]

    @pytest.mark.parametrize(
        ("frequent", "rare"),
        [
            ("Male", "Female"),
            ("room 12", "room 13"),
            ("North Dakota", "South Dakota"),
            ("FuseA", "FuseP"),
            ("Iran", "Iraq"),
            ("worker", "workers"),
            ("USA", "USB"),
            ("active", "inactive"),
            ("Maria", "Mario"),
            ("finished", "unfinished"),
            ("virology", "urology"),
            ("horse", "house"),
            ("mfi", "mpfi"),
            ("one", "none"),
            ("sun", "suns"),
        ],
    )
    def test_another_level(self, frequent, rare, columns):
        assert find_typos(columns({"x": [frequent, "zzz"] * 100 + [rare]})) == []

    def test_two_frequent_levels(self, columns):
        assert find_typos(columns({"x": ["Austria", "Austrya"] * 50})) == []

    def test_levels_that_are_close_to_each_other(self, columns):
        x = ["treatment", "treatmant"] * 50 + ["treatmxnt"]
        assert find_typos(columns({"x": x})) == []

    def test_codes(self, columns):
        assert find_typos(columns({"x": ["mpfi", "idi", "spdi"] * 40 + ["mfi"]})) == []

    def test_names(self, columns, rng):
        names = ["".join(rng.choice(list("abcdefghijklm"), 7)) for _ in range(300)]
        assert find_typos(columns({"name": names})) == []


class TestText:
    def test_text_among_numbers(self, texts, rng):
        x = [*rng.normal(50, 5, 100).round(2).tolist(), "abc", "1O5", "l2.5", "12 kg"]
        found = find_unreadable(texts({"x": x}))
        assert [(f.row, f.expected) for f in found] == [
            (100, None),
            (101, 105.0),
            (102, 12.5),
            (103, 12.0),
        ]

    def test_the_number_that_a_decimal_comma_means_is_named(self, texts, rng):
        x = [*rng.normal(50, 5, 100).round(2).tolist(), "51,05", "abc"]
        said = [found.reason for found in find_unreadable(texts({"x": x}))]
        assert said[0] == "'51,05' is no number, as 100 other cells are; 51.05 may be meant."
        assert said[1] == "'abc' is no number, as 100 other cells are."

    def test_text_among_dates(self, texts, rng):
        days = np.datetime64("2020-01-01") + rng.integers(0, 300, 100).astype("timedelta64[D]")
        found = find_unreadable(texts({"x": [*days, "2020-02-30", "soon"]}))
        assert [f.row for f in found] == [100, 101]

    @pytest.mark.parametrize("word", ["NA", "-", "unknown", "inf", "<5", "7+", "2-3", "136A"])
    def test_words_that_say_something(self, word, texts, rng):
        x = [*rng.normal(50, 5, 100).round(2).tolist(), word]
        assert find_unreadable(texts({"x": x})) == []

    def test_numbers_that_are_too_large_are_as_infinite_ones(self, texts, rng):
        x = [*rng.normal(50, 5, 100).round(2).tolist(), "abc", "inf", "1e400", "-1E+999"]
        assert [f.row for f in find_unreadable(texts({"x": x}))] == [100]

    def test_code_that_occurs_often(self, texts, rng):
        x = [*rng.normal(50, 5, 100).round(2).tolist(), *["trace"] * 5]
        assert find_unreadable(texts({"x": x})) == []


class TestShifted:
    @pytest.fixture
    def table(self, rng):
        return {
            "id": [f"p{i}" for i in range(80)],
            "age": rng.integers(20, 80, 80).tolist(),
            "sex": rng.choice(["male", "female"], 80).tolist(),
            "weight": rng.normal(70, 8, 80).round(1).tolist(),
            "city": rng.choice(["London", "Paris"], 80).tolist(),
        }

    def test_cells_shifted_to_the_left(self, table, texts):
        table["age"][7], table["sex"][7], table["weight"][7] = "male", "71.5", "London"
        table["city"][7] = ""
        found = find_shifted(texts(table))
        assert [(f.row, f.column) for f in found] == [(7, 1), (7, 2), (7, 3)]

    def test_cells_shifted_to_the_right(self, table, texts):
        table["sex"][7], table["weight"][7], table["city"][7] = "33", "male", "71.5"
        found = find_shifted(texts(table))
        assert [(f.row, f.column) for f in found] == [(7, 2), (7, 3), (7, 4)]

    def test_one_cell_that_does_not_fit(self, table, texts):
        table["age"][7] = "male"
        assert find_shifted(texts(table)) == []

    def test_cells_that_fit_nowhere(self, table, texts):
        table["age"][7], table["sex"][7] = "abc", "0.001"
        assert find_shifted(texts(table)) == []


def test_a_point_that_may_separate_thousands_is_not_read():
    assert _number_in("€ 447.600", (".",)) is None
    assert _number_in("12.5 kg", (".",)) == 12.5
