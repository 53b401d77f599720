"""Reasons name the mistake where its size suggests one, and only there."""

import numpy as np
import pytest

from untaint.cleaning import clean_table
from untaint.cleaning.explaining import error_hint, format_number
from untaint.io import read_table


@pytest.mark.parametrize(
    ("observed", "expected", "words"),
    [
        (250.0, 25.0, "10 times as much, a slipped decimal point?"),
        (2.4, 25.0, "a tenth, a slipped decimal point?"),
        (2500.0, 25.0, "100 times as much, a slipped decimal point?"),
        (25000.0, 25.0, "1,000 times as much, another unit?"),
        (-25.0, 25.5, "is the sign wrong?"),
        (40.0, 25.0, ""),
        (25e9, 25.0, ""),
        (0.0, 25.0, ""),
        (25.0, 0.0, ""),
        (float("nan"), 25.0, ""),
        (25.0, float("inf"), ""),
    ],
)
def test_hints_for_targets(observed, expected, words):
    assert error_hint(observed, expected) == (f": {words}" if words else "")


@pytest.mark.parametrize(
    ("value", "said"),
    [(1234567.8, "1,234,568"), (12.3456, "12.35"), (1e20, "1e+20"), (np.nan, "unknown")],
)
def test_numbers_are_written_as_people_do(value, said):
    assert format_number(value) == said


@pytest.fixture(scope="module")
def cleaning(tmp_path_factory):
    rng = np.random.default_rng(0)
    width, year = rng.normal(1600, 60, 200), rng.integers(1990, 2020, 200)
    price = 3 * width + 50 * (year - 1990) + rng.normal(0, 20, 200)
    width[5] /= 1000
    price[9] *= 10
    width[20], year[20] = year[20], width[20]
    lines = [
        f"{w:.2f},{y},{p:.1f},{'ab'[i % 2]}"
        for i, (w, y, p) in enumerate(zip(width, year, price, strict=True))
    ]
    path = tmp_path_factory.mktemp("table") / "t.csv"
    path.write_text("width,year,price,kind\n" + "\n".join(lines) + "\n")
    return clean_table(read_table(path), "price")


def found(cleaning, number):
    return next(s for s in cleaning.suspects if cleaning.findings.numbers[s.row] == number)


def test_a_target_with_a_slipped_point(cleaning):
    suspect = found(cleaning, 10)
    assert suspect.kind == "target"
    assert suspect.why.startswith("price is ")
    assert suspect.why.endswith(": 10 times as much, a slipped decimal point?")
    assert suspect.odd[0].column == "price"
    assert suspect.odd[0].usual.startswith("about ")


def test_a_cell_in_another_unit(cleaning):
    suspect = found(cleaning, 6)
    assert suspect.kind in ("features", "both")
    assert "width is 1." in suspect.why
    assert "a thousandth, another unit?" in suspect.why
    odd = next(cell for cell in suspect.odd if cell.column == "width")
    assert odd.value == suspect.cells[0]
    assert 1400 < float(odd.usual.removeprefix("about ").replace(",", "")) < 1800


def test_exchanged_cells_are_both_named(cleaning):
    suspect = found(cleaning, 21)
    assert {cell.column for cell in suspect.odd} == {"width", "year"}


def test_cells_are_the_row_as_it_is_written(cleaning):
    assert len(found(cleaning, 10).cells) == 4
    assert found(cleaning, 10).cells[3] == "b"


def test_columns_that_drive_suspicion(cleaning):
    by_name = {column.name: column for column in cleaning.findings.columns}
    assert by_name["price"].used
    assert by_name["width"].suspicion > 0
    assert by_name["kind"].suspicion == 0
    assert all(0 <= column.suspicion <= 1 for column in by_name.values())


def test_the_interval_is_of_all_wrong_rows():
    from untaint.cleaning.row_assessment import assess_by_cells, with_interval_of_all
    from untaint.cleaning.wrong_cells import WrongCells

    nothing = assess_by_cells(WrongCells({}, {}, np.zeros(400)), np.zeros((400, 2)))
    flagged = np.arange(400) < 16
    found = with_interval_of_all(nothing._replace(flagged=flagged, interval=(0.04, 0.04)))
    assert found.interval == pytest.approx((0.02, 0.06))


def test_observed_targets_are_written_like_the_expected(tmp_path):
    x = 37 * np.arange(100) % 101
    rows = [f"{a},{20000.125 + 300 * a}" for a in x]
    rows[8] = rows[8].split(",")[0] + ",620000.0"
    (tmp_path / "t.csv").write_text("\n".join(["x,y", *rows]))
    (found,) = clean_table(read_table(tmp_path / "t.csv"), "y", skip=["unit", "columns"]).suspects
    assert found.why.startswith("y is 620,000, where ")
