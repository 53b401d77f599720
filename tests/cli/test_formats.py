"""Tables in other formats than text, from the file to its outputs."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import pytest
from cli_tables import FILES, NAMES, cars, read_csv, text, write

KNOWN = ("--target", "price", "--contamination", "0.05", "--learner", "kernel")
ROWS = [[float(age), int(km), fuel, float(price)] for age, km, fuel, price in cars()]


def as_excel():
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["nothing", "here"])
    sheet = book.create_sheet("cars")
    for row in [NAMES, *ROWS]:
        sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def as_json_lines():
    records = (dict(zip(NAMES, row, strict=True)) for row in ROWS)
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


def as_zip():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("cars.csv", text(cars()))
        archive.writestr("README.md", "read me")
    return stream.getvalue()


FORMATS = {
    "cars.xlsx": (as_excel, ("--sheet", "cars"), 2),
    "cars.jsonl": (as_json_lines, (), 1),
    "cars.jsonl.gz": (lambda: gzip.compress(as_json_lines()), (), 1),
    "cars.zip": (as_zip, (), 2),
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_table_of_any_format_is_cleaned_and_predicted(untaint, tmp_path, name):
    content, words, first_line = FORMATS[name]
    write(tmp_path / name, content())
    assert untaint("clean", name, *KNOWN, *words).code == 0
    out = tmp_path / "cars-untaint"
    assert {path.name for path in out.iterdir()} == FILES
    flagged = read_csv(out / "flagged.csv")
    assert {row["row"] for row in flagged} >= {"1", "2", "3"}
    assert all(int(row["line"]) - int(row["row"]) == first_line - 1 for row in flagged)
    cleaned = read_csv(out / "cleaned.csv")
    assert list(cleaned[0]) == list(NAMES)
    assert len(cleaned) == len(ROWS) - len(flagged)
    assert [float(row["price"]) for row in cleaned][-1] == ROWS[-1][-1]
    ran = untaint("predict", out / "model.skops", name, *words)
    assert ran.code == 0
    assert ran.out.count("\n") == len(ROWS) + 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cars.xlsx", "--sheet", "car"], "expected a sheet 'car', found 'Sheet', 'cars'; did you"),
        (["cars.xlsx"], "sheet 'Sheet': expected rows below the column names, found none"),
        (["cars.csv", "--sheet", "cars"], "expected an Excel workbook with a sheet 'cars'"),
        (["cars.csv", "--max-bytes", "99"], "expected at most 99 bytes when unpacked"),
        (["cars.csv", "--max-bytes", "0"], "--max-bytes"),
        (["/dev/zero"], "/dev/zero: expected a file, found a device"),
    ],
)
def test_options_that_do_not_fit_are_refused(refused, tmp_path, words, message):
    write(tmp_path / "cars.csv", text(cars()))
    write(tmp_path / "cars.xlsx", as_excel())
    assert message in refused("clean", *words, "--target", "price")


def test_standard_input_is_read_until_the_bound(refused):
    message = refused("clean", "-", "-t", "y", "--max-bytes", "9999", stdin=b"x,y\n" * 9999)
    assert "standard input: expected at most 9,999 bytes" in message


def test_the_bound_in_help_is_that_of_reading():
    from untaint.cli.options import MAX_BYTES
    from untaint.io import source

    assert MAX_BYTES == source.MAX_BYTES
