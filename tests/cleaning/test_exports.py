"""Files that users take away: bytes kept, formulas harmless, targets repaired in style."""

import csv
import io
import json

import numpy as np
import pytest

from untaint.cleaning import clean_table
from untaint.cleaning.exports import (
    cleaned_bytes,
    escape_formula,
    flagged_csv,
    summary,
    summary_json,
)
from untaint.io import read_table


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=cmd|'/c calc'!A0", "'=cmd|'/c calc'!A0"),
        ("+SUM(A1)", "'+SUM(A1)"),
        ("-SUM(A1)", "'-SUM(A1)"),
        ("@import", "'@import"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("-12.5", "-12.5"),
        ("+1e5", "+1e5"),
        ("-3,5", "-3,5"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_formulas_are_escaped(cell, written):
    assert escape_formula(cell) == written


@pytest.fixture(scope="module")
def cleaned(tmp_path_factory):
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 10, 150)
    y = 3 * x + 0.05 * rng.standard_normal(150)
    y[[4, 80]] += 40
    lines = [
        f"{a:.3f};=b{i};{t:.2f}".replace(".", ",")
        for i, (a, t) in enumerate(zip(x, y, strict=True))
    ]
    lines[60] = lines[60].rpartition(";")[0] + ";"
    path = tmp_path_factory.mktemp("table") / "t.csv"
    path.write_bytes(("x;note;y\r\n" + "\r\n".join(lines)).encode())
    return clean_table(read_table(path), "y"), path.read_bytes()


def test_all_other_rows_keep_their_bytes(cleaned):
    cleaning, original = cleaned
    lines = original.split(b"\r\n")
    del lines[81], lines[5]
    content = cleaned_bytes(cleaning, "drop")
    assert content == b"\r\n".join(lines)


def test_marks_say_kept_flagged_or_no_target(cleaned):
    cleaning, _ = cleaned
    content = cleaned_bytes(cleaning, "mark")
    lines = content.decode().split("\r\n")
    assert lines[0] == "x;note;y;untaint"
    marks = [line.split(";")[-1] for line in lines[1:]]
    assert [i for i, mark in enumerate(marks) if mark == "flagged"] == [4, 80]
    assert [i for i, mark in enumerate(marks) if mark == "no target"] == [60]
    assert marks.count("kept") == 147


def test_repaired_targets_are_written_in_the_style_of_their_column(cleaned):
    cleaning, original = cleaned
    content = cleaned_bytes(cleaning, "repair")
    before, after = original.decode().split("\r\n"), content.decode().split("\r\n")
    changed = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    assert changed == [5, 81]
    x, note, y = after[5].split(";")
    assert (x, note) == tuple(before[5].split(";")[:2])
    assert len(y.partition(",")[2]) <= 2
    assert float(y.replace(",", ".")) == pytest.approx(3 * float(x.replace(",", ".")), abs=0.3)


def test_the_list_of_flagged_rows_is_for_people(cleaned):
    cleaning, _ = cleaned
    content = flagged_csv(cleaning).decode()
    rows = list(csv.DictReader(io.StringIO(content)))
    assert sorted(int(row["row"]) for row in rows) == [5, 81]
    assert sorted(int(row["line"]) for row in rows) == [6, 82]
    assert all(row["note"].startswith("'=b") for row in rows)
    assert all(float(row["observed"]) > float(row["expected"]) + 30 for row in rows)
    assert [float(row["score"]) for row in rows] == sorted(
        (float(row["score"]) for row in rows), reverse=True
    )


def test_the_summary_is_valid_json_with_the_numbers(cleaned):
    cleaning, _ = cleaned
    content = json.loads(summary_json(cleaning))
    assert content == json.loads(json.dumps(summary(cleaning)))
    assert content["flagged"] == 2
    assert content["flagged_rows"] == [5, 81]
    assert (
        content["rows"],
        content["judged"],
        content["set_aside"],
    ) == (150, 149, 1)
    assert "untaint" in content["versions"]


def test_a_row_whose_target_is_a_word_is_flagged(tmp_path):
    """A missing target sets its row aside, a word by mistake is a wrong cell like any other."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 10, 150)
    lines = [f"{a:.3f},{3 * a + 0.05 * rng.standard_normal():.2f}" for a in x]
    lines[60] = lines[60].split(",")[0] + ",about ten"
    lines[90] = lines[90].split(",")[0] + ",n/a"
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["x,y", *lines]))
    cleaning = clean_table(read_table(path), "y")
    assert cleaning.findings.numbers[cleaning.findings.flagged].tolist() == [61]
    assert [suspect.cells[1] for suspect in cleaning.suspects] == ["about ten"]
    assert b"about ten" in flagged_csv(cleaning)
    kept = cleaned_bytes(cleaning, "drop")
    assert b"about ten" not in kept
    assert b"n/a" in kept
    marked = cleaned_bytes(cleaning, "mark")
    assert b"about ten,flagged" in marked
    assert b"n/a,no target" in marked
    notes = [note.text for note in cleaning.findings.notes]
    assert "1 row has no 'y': set aside, neither assessed nor removed." in notes
