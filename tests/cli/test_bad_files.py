"""Input that cannot be used: one sentence that helps, code 2, and nothing is written."""

from __future__ import annotations

import errno
import gzip
import io
import os
import random
import resource
import subprocess
import sys

import numpy as np
import pytest
from cli_tables import FILES, NAMES, cars, changed, labelled, text, write

ROWS = cars()
TABLE = text(ROWS)
TREES = ("width", "height", "species")
PROGRAM = "import sys; from untaint.cli.main import main; sys.exit(main())"
KNOWN = ("--contamination", "0.05")


def prices(cell):
    return text(changed(ROWS, 3, cell))


BAD_TABLES = {
    "an empty file": ("", "expected a table, found an empty file"),
    "blank lines": ("\n \n\n", "expected a table, found an empty file"),
    "a header": (text([]), "expected rows below the column names, found none"),
    "a header without line end": (text([]).rstrip(), "expected rows below the column names"),
    "one column": ("price\n" + "1\n2\n3\n" * 20, "expected at least two columns, found one"),
    "a short line": (TABLE + "1,2,3\n", "line 62: expected 4 fields as in the header, found 3"),
    "a long line": (TABLE + "1,2,3,4,5\n", "line 62: expected 4 fields as in the header, found 5"),
    "random bytes": (random.Random(0).randbytes(5000), "found binary data"),
    "zeros": (b"\0" * 5000, "found binary data"),
    "a zip archive": (b"PK\x03\x04\x14\0\x08\0\xff" + b"x" * 99, "found a damaged one"),
    "one row": (text(ROWS[:1]), "at least 10 rows with a 'price', found 1"),
    "five rows": (text(ROWS[:5]), "at least 10 rows with a 'price', found 5"),
    "no cells": (text([["", "", "", ""]] * 60), "expected values in the target 'price'"),
    "no target cells": (prices(lambda *_: ""), "expected values in the target 'price'"),
    "dashes for targets": (prices(lambda *_: "NA"), "expected values in the target 'price'"),
    "few target cells": (prices(lambda i, p: p if i < 9 else ""), "'price', found 9"),
    "one amount": (prices(lambda *_: "7.5"), "'price' is 7.5 in every row"),
    "one label": (prices(lambda *_: "dear"), "'price' is dear in every row"),
    "dates": (prices(lambda i, _: f"2024-05-{i % 28 + 1:02d}"), "'price' holds dates"),
    "a name twice": (text(ROWS, ("age", "age", "fuel", "price")), "found 'age' more than once"),
    "the target twice": (text(ROWS, ("age", "price", "f", "price")), "'price' more than once"),
    "half a gzip file": (gzip.compress(TABLE.encode())[:-30], "breaks off before its end"),
    "a broken gzip file": (b"\x1f\x8brubbish" * 9, "damaged"),
    "a NUL": (TABLE.encode().replace(b"petrol", b"pe\0trol", 1), "found a NUL byte"),
    "UTF-16 without a mark": (TABLE.encode("utf-16-le"), "utf-16-le"),
    "an open quote": (
        TABLE.replace("petrol", '"petrol"') + '1,2,"diesel,4\n',
        "expected a closing quote",
    ),
    "half a Parquet file": (b"PAR1" + b"x" * 200 + b"PAR1", "expected a whole Parquet file"),
    "identifiers alone": (
        text(
            [[str(i), random.Random(i).randbytes(8).hex(), p] for i, (*_, p) in enumerate(ROWS)],
            ("id", "uuid", "price"),
        ),
        "expected at least one column to learn from, found none",
    ),
    "constants alone": (text([["1", "x", row[3]] for row in ROWS], ("a", "b", "price")), "none"),
    "a label for each row": (prices(lambda i, _: f"w{i}"), "is it the right target?"),
    "a label for two rows": (prices(lambda i, _: f"w{i // 2}"), "is it the right target?"),
    "versions": (prices(lambda i, _: f"1.{i % 9}.{i % 5}"), "different ones in 60 rows"),
    "words for an eighth of the amounts": (
        prices(lambda i, p: "unknown" if i % 8 == 3 else p),
        "expected numbers in the target 'price', and of its 60 cells 8 are no numbers, such as "
        "'unknown' in line 5; correct these cells or empty them",
    ),
    "one label but for a row": (
        prices(lambda i, _: "rare" if i == 4 else "usual"),
        "at least two labels with two rows each",
    ),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_bad_table_is_refused_with_a_sentence_that_helps(refused, tmp_path, case):
    content, words = BAD_TABLES[case]
    write(tmp_path / "bad.csv", content)
    message = refused("clean", "bad.csv", "--target", "price")
    assert message.startswith("untaint: bad.csv")
    assert words in message


@pytest.mark.parametrize("command", ["fit", "clean"])
def test_standard_input_is_named_in_errors(refused, command):
    assert "standard input: expected a table" in refused(command, "-", "-t", "price", stdin=b"")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cars.csv", "-t", "prise"], "did you mean 'price'"),
        (["cars.csv", "-t", "Price"], "did you mean 'price'"),
        (["cars.csv", "-t", ""], "expected a column ''"),
        (["car.csv", "-t", "price"], "did you mean 'cars.csv'"),
        (["folder", "-t", "price"], "folder: expected a file, found a directory"),
        (["", "-t", "price"], "expected a file"),
        (["a\0b.csv", "-t", "price"], "expected the name of a file"),
        (["x" * 300 + ".csv", "-t", "price"], "ile name too long"),
        (["cars.csv", "-t", "price", "--ignore", "fule"], "did you mean 'fuel'"),
        (["cars.csv", "--ignore", "fule"], "did you mean 'fuel'"),
        (
            ["cars.csv", "-t", "fuel", "--task", "regression"],
            "regression needs numbers in the target",
        ),
        (["cars.csv", "-t", "price", "--encoding", "klingon"], "klingon"),
        (["cars.csv", "-t", "price", "--encoding", "utf-16"], "utf-16"),
        (["cars.csv", "-t", "price", "--delimiter", ";;"], "delimiter"),
        (["cars.csv", "-t", "price", "--delimiter", ""], "delimiter"),
        (["cars.csv", "-t", "price", "--delimiter", "|"], "expected at least two columns"),
        (["cars.csv", "-t", "price", "--decimal", "x"], "decimal"),
        (["cars.csv", "-t", "price", "--contamination", "nan"], "--contamination"),
        (["cars.csv", "-t", "price", "--contamination", "-0.1"], "--contamination"),
        (["cars.csv", "-t", "price", "--contamination", "5%"], "--contamination"),
        (["cars.csv", "-t", "price", "--seed", "-1"], "--seed"),
        (["cars.csv", "-t", "price", "--seed", "one"], "--seed"),
        (["cars.csv", "-t", "price", "-o", "cars.csv"], "--out cars.csv: expected a directory"),
        (["cars.csv", "-t", "price", "-o", "cars.csv/out"], "cars.csv is no directory"),
        (["cars.csv", "-t", "price", "-o", "x" * 300], "ile name too long"),
        (["cars.csv", "-t", "price", "-o", "/proc/untaint/out"], "/proc/untaint"),
    ],
)
def test_bad_words_are_refused_with_a_sentence_that_helps(refused, tmp_path, words, message):
    write(tmp_path / "cars.csv", TABLE)
    (tmp_path / "folder").mkdir()
    assert message in refused("clean", *words)


@pytest.mark.usefixtures("cleaned_once")
@pytest.mark.parametrize("how", ["fsync", "open", "mkdir"])
@pytest.mark.parametrize("before", [True, False])
def test_a_full_disk_leaves_everything_as_it_was(
    untaint, refused, tmp_path, monkeypatch, how, before
):
    write(tmp_path / "cars.csv", TABLE)
    words = ("clean", "cars.csv", "-t", "price", "-o", "a/out", "--contamination", "0.05")
    if before:
        assert untaint(*words).code == 0
    real, count = getattr(os, how, open), 0

    def full(*arguments, **options):
        nonlocal count
        if how == "open" and "x" not in str(arguments[1:2]):
            return real(*arguments, **options)
        count += 1
        if count == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "out/cleaned.csv")
        return real(*arguments, **options)

    if how == "open":
        real = open
        monkeypatch.setattr("builtins.open", full)
    else:
        monkeypatch.setattr(os, how, full)
    assert "no space left on device" in refused(*words)


@pytest.mark.slow  # of what a full disk says as well
def test_a_limit_on_the_size_of_files_is_reported(tmp_path):
    write(tmp_path / "cars.csv", TABLE)
    words = ["clean", "cars.csv", "-t", "price", *KNOWN]

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))

    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        cwd=tmp_path,
        preexec_fn=limit,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "ile too large" in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["cars.csv"]


EXTREMES = {
    "huge amounts": lambda i, cell: "1e308" if i % 2 else "-1e308",
    "one huge amount": lambda i, cell: "1e308" if i == 9 else cell,
    "infinity": lambda i, cell: "inf" if i == 9 else cell,
    "not a number": lambda i, cell: "nan" if i % 9 == 0 else cell,
    "tiny amounts": lambda i, cell: f"{i % 7 + 1}e-320",
    "letters for digits": lambda i, cell: f"{i % 9}O{i % 5}",
    "a very long cell": lambda i, cell: "x" * 500_000 if i == 9 else cell,
    "very many digits": lambda i, cell: "1" * 400 if i == 9 else cell,
    "words between": lambda i, cell: "unknown" if i == 9 else cell,
}


@pytest.mark.parametrize("column", [1, 3])
@pytest.mark.parametrize("case", EXTREMES)
def test_extreme_cells_end_well(untaint, tmp_path, recwarn, case, column):
    write(tmp_path / "cars.csv", text(changed(ROWS, column, EXTREMES[case])))
    ran = untaint("clean", "cars.csv", "-t", "price", "--contamination", "0.05")
    assert [str(warning.message) for warning in recwarn.list] == []
    if ran.code == 0:
        assert ran.err == ""
        assert "encountered in" not in ran.out
        assert {path.name for path in (tmp_path / "cars-untaint").iterdir()} == FILES
    else:
        assert ran.code == 2
        assert ran.err.count("\n") == 1
        assert [path.name for path in tmp_path.iterdir()] == ["cars.csv"]


def test_more_columns_than_rows(untaint, tmp_path):
    cells = np.random.default_rng(0).normal(size=(50, 60)).round(3).astype(str).tolist()
    rows = [[*row, *more] for row, more in zip(ROWS, cells, strict=False)]
    write(tmp_path / "wide.csv", text(rows, (*NAMES, *(f"c{k}" for k in range(60)))))
    assert untaint("clean", "wide.csv", "-t", "price", "--contamination", "0.05").code == 0


def test_labels_with_few_rows_each(untaint, tmp_path):
    rows = changed(labelled(), 2, lambda i, _: f"kind {i // 4}")
    write(tmp_path / "trees.csv", text(rows, TREES))
    assert untaint("fit", "trees.csv", "-t", "species").code == 0


@pytest.mark.parametrize(
    "words", [["fit", "cars.csv", "-t", "price"], ["predict", "m", "cars.csv"]]
)
def test_a_device_is_no_place_for_a_file(refused, tmp_path, words):
    write(tmp_path / "cars.csv", TABLE)
    assert "a device or a pipe" in refused(*words, "--out", os.devnull, "--force")


def test_fit_does_not_overwrite_its_data_nor_a_file_that_is_there(refused, tmp_path):
    write(tmp_path / "cars.csv", TABLE)
    write(tmp_path / "cars.skops", "something")
    assert "this is what is read" in refused(
        "fit", "cars.csv", "-t", "price", "-o", "cars.csv", "--force"
    )
    assert "use --force" in refused("fit", "cars.csv", "-t", "price")


def test_nobody_who_reads_the_output_is_no_error(tmp_path):
    write(tmp_path / "cars.csv", TABLE)
    reader, writer = os.pipe()
    os.close(reader)
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, "clean", "cars.csv", "-t", "price", *KNOWN],
        cwd=tmp_path,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert {path.name for path in (tmp_path / "cars-untaint").iterdir()} == FILES


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no disk that is always full")
def test_output_that_cannot_be_shown_is_reported_and_the_files_are_there(tmp_path):
    write(tmp_path / "cars.csv", TABLE.replace("petrol", "бензин"))
    with open("/dev/full", "w") as full:
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM, "clean", "cars.csv", "-t", "price", *KNOWN],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
        )
    assert ran.returncode == 2
    assert ran.stderr == "untaint: standard output: no space left on device.\n"
    assert {path.name for path in (tmp_path / "cars-untaint").iterdir()} == FILES


def test_an_old_terminal_shows_what_it_can(untaint, tmp_path, monkeypatch):
    from untaint.cli.main import main

    write(tmp_path / "cars.csv", text(ROWS, ("age", "km", "топливо", "цена")))
    shown = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", shown)
    monkeypatch.chdir(tmp_path)
    assert main(["clean", "cars.csv", "-t", "цена", "--contamination", "0.2"]) == 0
    assert b"12 of 60 rows of cars.csv look wrong." in shown.buffer.getvalue()
