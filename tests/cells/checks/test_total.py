"""Rows of totals."""

import pandas
import pytest

from untaint import clean
from untaint.cells.checks import run_checks
from untaint.cells.checks.total import find_totals


@pytest.fixture
def sales(rng):
    """Return sales of 60 shops."""
    price = rng.lognormal(3, 0.5, 60).round(2)
    pieces = rng.integers(20, 90, 60)
    return {"shop": [f"shop {i}" for i in range(60)], "price": price, "pieces": pieces}


def with_row(sales, row, top=False):
    frame = pandas.DataFrame(sales)
    last = pandas.DataFrame([row], columns=frame.columns)
    return pandas.concat([last, frame] if top else [frame, last], ignore_index=True)


@pytest.mark.parametrize("word", ["Total", "Summe:", "insgesamt", "Average"])
@pytest.mark.parametrize("top", [False, True])
def test_a_word_says_it(word, top, sales, columns):
    frame = with_row(sales, [word, None, 3500], top)
    (found,) = find_totals(columns(frame))
    assert (found.row, found.column, found.expected) == (0 if top else 60, 0, None)


def test_sums_say_it_without_a_word(sales, columns):
    (found,) = find_totals(columns(with_row(sales, [None, None, sales["pieces"].sum()])))
    assert (found.row, found.column) == (60, 2)


def test_other_checks_do_not_see_the_row(sales, columns):
    sales["pieces"][5] *= 1000
    found = run_checks(columns(with_row(sales, ["Summe", None, 4_000_000])))
    assert {(one.row, one.kind) for one in found} == {(60, "total"), (5, "unit")}


def test_a_word_that_many_rows_have_is_a_level(sales, columns):
    sales["shop"][10] = "Total"
    assert find_totals(columns(with_row(sales, ["Total", None, 50]))) == []


def test_a_total_is_dropped_and_never_repaired(sales):
    found = clean(with_row(sales, ["Total", None, 10 * 60 * 50]), random_state=0)
    assert found.cells["kind"].tolist() == ["total"]
    assert len(found.repaired) == 60
