"""The archives' formats become our tables, and our tables are the ones that the checksums name."""

from __future__ import annotations

import hashlib
import io
import os
import zipfile

import numpy as np
import pytest

from untaint.datasets import _archives as archives
from untaint.datasets import _sources as sources
from untaint.datasets._obtain import obtain
from untaint.datasets._table import write_dataset

ALL = {
    name: value for name, value in vars(sources).items() if isinstance(value, sources.DatasetSource)
}
needs_files = pytest.mark.skipif("UNTAINT_DATA" not in os.environ, reason="needs the real files")


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "."), text)
    return buffer.getvalue()


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def test_boston_from_two_lines_a_record_or_one():
    statlib = (
        b" The Boston house-price data of Harrison, D. and Rubinfeld, D.L. 1978\n\n"
        b" CRIM     per capita crime rate by town\n MEDV     Median value in $1000's\n\n"
        b" 0.00632  18.00   2.310  0  0.5380  6.5750  65.20  4.0900   1  296.0  15.30\n"
        b"  396.90   4.98  24.00\n"
    )
    uci = b" ".join(statlib.splitlines()[-2:]) + b"\n"
    for raw in (statlib, uci):
        table = archives.boston(raw)
        assert table.data.shape == (1, 13)
        assert table.data[0, [0, 9, 12]].tolist() == [0.00632, 296.0, 4.98]
        assert table.target.tolist() == [24.0]


def test_wine_from_a_zip_archive_or_its_file():
    text = '"fixed acidity";"pH";"quality"\n7.4;3.51;5\n7.8;3.2;6\n'
    for raw in (zipped(winequality_red="", **{"a/winequality-red__csv": text}), text.encode()):
        table = archives.wine_quality(raw)
        assert table.feature_names == ["fixed_acidity", "ph"]
        assert table.data.tolist() == [[7.4, 3.51], [7.8, 3.2]]
        assert table.target.tolist() == [5.0, 6.0]


def test_heart_disease_marks_missing_cells_and_joins_the_grades():
    row = "63.0,1.0,1.0,145.0,233.0,1.0,2.0,150.0,0.0,2.3,3.0"
    raw = zipped(processed__cleveland__data=f"{row},0.0,6.0,0\n{row},?,?,3\n", other="x")
    table = archives.heart_disease(raw)
    assert table.target.tolist() == [0, 1]
    assert np.isnan(table.data).tolist() == [[False] * 13, [False] * 11 + [True] * 2]
    assert table.feature_names[-2:] == ["ca", "thal"]


def test_vehicle_joins_its_parts_in_order_and_minds_words_not_lines():
    numbers = " ".join(map(str, range(18)))
    raw = zipped(xab__dat=f"{numbers} bus \n", xaa__dat=f"{numbers}\nvan", vehicle__doc="text")
    table = archives.vehicle(raw)
    assert table.target.tolist() == ["van", "bus"]
    assert table.data.tolist() == [list(range(18))] * 2


def test_segment_skips_the_declarations():
    values = ", ".join(["1.0", *["-1.5E-8"] * 18])
    table = archives.segment(zipped(segment__dat=f"@relation segment\r\n@data\r\n{values}, 6\r\n"))
    assert table.data[0, :2].tolist() == [1.0, -1.5e-8]
    assert table.target.tolist() == [6]


def test_drug_puts_the_test_part_after_the_training_part():
    buffer = io.BytesIO()
    parts = {"X_train": np.eye(3, dtype=np.uint8), "X_test": np.ones((1, 3), dtype=np.uint8)}
    targets = {"y_train": np.array([[0.5], [1.5], [2.5]]), "y_test": np.array([[-1.0]])}
    pytest.importorskip("scipy.io").savemat(buffer, {**parts, **targets})
    table = archives.drug(buffer.getvalue())
    assert table.data.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    assert table.target.tolist() == [0.5, 1.5, 2.5, -1.0]
    assert table.feature_names == ["x0", "x1", "x2"]


def test_rows_of_another_length_and_archives_without_the_file_are_refused():
    with pytest.raises(ValueError, match="not every row has 10 cells"):
        archives.glass(b"1,1.5,13,1\n")
    with pytest.raises(ValueError, match=r"the archive holds no glass\.data"):
        archives.glass(zipped(glass__names="text"))


def test_an_archive_that_unpacks_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(archives, "LARGEST_FILE", 10)
    with pytest.raises(ValueError, match="unpacks to more than 10 bytes"):
        archives.glass(zipped(glass__data="1," * 100))


def test_breast_cancer_of_scikit_learn_is_the_certified_table():
    assert sha256(write_dataset(archives.breast_cancer())) == sources.BREAST_CANCER.checksum


@needs_files
@pytest.mark.parametrize("name", ALL)
def test_the_real_files_are_the_certified_tables(name):
    table = obtain(ALL[name], download_if_missing=False)
    assert sha256(write_dataset(table)) == ALL[name].checksum


@needs_files
def test_concrete_is_the_file_that_the_archive_serves():
    header = (
        b"Cement,Blast Furnace Slag,Fly Ash,Water,Superplasticizer,Coarse Aggregate,Fine Aggregate,"
        b"Age,Concrete compressive strength"
    )
    _, *rows = write_dataset(obtain(sources.CONCRETE, download_if_missing=False)).splitlines()
    raw = b"".join(line + b"\r\n" for line in (header, *rows))
    # As published for https://archive.ics.uci.edu/static/public/165/data.csv
    assert sha256(raw) == "8d4b15b6fc68cd932d745cbd663d5ceae66dd54422e99c1e4865f2936ab7e2af"
    assert sha256(write_dataset(archives.concrete(raw))) == sources.CONCRETE.checksum


@needs_files
def test_other_spellings_of_the_same_numbers_have_the_same_checksum():
    table = obtain(sources.GLASS, download_if_missing=False)
    lines = [
        f"{n},{row[0]:.5f},{','.join(f'{cell:.2f}' for cell in row[1:])},{label}"
        for n, (row, label) in enumerate(zip(table.data, table.target, strict=True), start=1)
    ]
    assert lines[0] == "1,1.52101,13.64,4.49,1.10,71.78,0.06,8.75,0.00,0.00,1"
    table = archives.glass(zipped(glass__data="\n".join(lines)))
    assert sha256(write_dataset(table)) == sources.GLASS.checksum
