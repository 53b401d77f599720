"""The archives' own files, each turned into the table that our CSV of the set holds.

Every function takes the bytes that an address of `_sources` serves, a plain file or a zip archive
that contains it, and returns a `DatasetTable`: columns under our names, rows in the archive's
order. None of them checks that the table is the right one; that is what the checksums are for.
"""

import io
import zipfile
from codecs import BOM_UTF8
from collections.abc import Sequence
from fnmatch import fnmatch
from typing import Any

import numpy as np

from ._table import DatasetTable, Task, make_dataset

LARGEST_FILE = 50_000_000  # bytes; the papers' sets are a tenth of this

_CLEVELAND = "age sex cp trestbps chol fbs restecg thalach exang oldpeak slope ca thal target"
_VEHICLE = (
    "comp circ d_circ rad_ra pr_axis_ra max_l_ra scat_ra elong pr_axis_rect max_l_rect "
    "sc_var_maxis sc_var_maxis_2 ra_gyr skew_maxis skew_maxis_2 kurt_maxis kurt_maxis_2 holl_ra "
    "class"
)
_SEGMENT = (
    "region_centroid_col region_centroid_row region_pixel_count short_line_density_5 "
    "short_line_density_2 vedge_mean vedge_sd hedge_mean hedge_sd intensity_mean rawred_mean "
    "rawblue_mean rawgreen_mean exred_mean exblue_mean exgreen_mean value_mean saturation_mean "
    "hue_mean class"
)


def boston(raw: bytes) -> DatasetTable:
    """Read StatLib's file: prose, then records of 14 numbers over two lines (UCI: over one)."""
    lines = [line.split() for line in raw.decode("utf-8-sig").splitlines()]
    numbers = [word for line in lines if _all_numbers(line) for word in line]
    names = "crim zn indus chas nox rm age dis rad tax ptratio b lstat medv"
    return _table(names, _groups(numbers, 14), "regression")


def concrete(raw: bytes) -> DatasetTable:
    """Read UCI's CSV with a header; the original .xls file would need another library."""
    names = (
        "cement blast_furnace_slag fly_ash water superplasticizer coarse_aggregate fine_aggregate "
        "age compressive_strength"
    )
    return _table(names, _cells(raw, ",")[1:], "regression")


def wine_quality(raw: bytes) -> DatasetTable:
    """Read ``winequality-red.csv``: semicolons, and a header of quoted names with spaces."""
    header, *rows = _cells(_member(raw, "*winequality-red.csv"), ";")
    names = [name.lower().replace(" ", "_") for name in header]
    return _table(" ".join(names), rows, "regression")


def drug(raw: bytes) -> DatasetTable:
    """Read ``qsar.mat``: the authors' training part, then their test part."""
    from scipy.io import loadmat  # imported here, since nothing else reads MATLAB files

    parts = loadmat(io.BytesIO(raw))
    data = np.vstack([parts["X_train"], parts["X_test"]]).astype(np.float64)
    target = np.concatenate([parts["y_train"].ravel(), parts["y_test"].ravel()])
    names = [f"x{column}" for column in range(data.shape[1])]
    return DatasetTable(data, target.astype(np.float64), names, "y")


def heart_disease(raw: bytes) -> DatasetTable:
    """Read ``processed.cleveland.data``: "?" is missing; grades 1 to 4 become 1."""
    rows = _cells(_member(raw, "*processed.cleveland.data"), ",")
    rows = [["" if cell == "?" else cell for cell in row] for row in rows]
    return _table(_CLEVELAND, [[*row[:-1], str(int(float(row[-1]) > 0))] for row in rows])


def breast_cancer(raw: bytes = b"") -> DatasetTable:
    """Return the table that scikit-learn bundles, so that nothing need be downloaded."""
    from sklearn.datasets import load_breast_cancer  # only here, as it takes a second to import

    bunch: Any = load_breast_cancer()
    names = [name.replace(" ", "_") for name in bunch.feature_names]
    return DatasetTable(bunch.data, bunch.target, names, "target")


def vehicle(raw: bytes) -> DatasetTable:
    """Read nine files, ``xaa.dat`` to ``xai.dat``, whose rows are 18 numbers and a word."""
    # Words, not lines, are counted: copies of these files differ in where their lines break.
    return _table(_VEHICLE, _groups(_member(raw, "*xa?.dat").decode().split(), 19))


def segment(raw: bytes) -> DatasetTable:
    """Read KEEL's ``segment.dat``: lines that begin with @, then rows with commas."""
    rows = _cells(_member(raw, "*segment.dat"), ",")
    return _table(_SEGMENT, [row for row in rows if not row[0].startswith("@")])


def glass(raw: bytes) -> DatasetTable:
    """Read ``glass.data``; the number of a row comes first and is left out."""
    rows = _cells(_member(raw, "*glass.data"), ",")
    return _table("ri na mg al si k ca ba fe type", [row[1:] for row in rows])


def _member(raw: bytes, pattern: str) -> bytes:
    """Return the matching files of a zip archive, joined by name; else the bytes as given."""
    if not zipfile.is_zipfile(io.BytesIO(raw)):
        return raw
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        names = sorted(name for name in archive.namelist() if fnmatch(name, pattern))
        if not names:
            raise ValueError(f"the archive holds no {pattern.lstrip('*')}")
        if sum(archive.getinfo(name).file_size for name in names) > LARGEST_FILE:
            raise ValueError(f"the archive unpacks to more than {LARGEST_FILE} bytes")
        return b"\n".join(archive.read(name) for name in names)


def _cells(raw: bytes, separator: str) -> list[list[str]]:
    from ..io.cells import split_text  # only here, as all of io takes a second to import

    rows = split_text(raw.removeprefix(BOM_UTF8), separator)
    return [[cell.strip() for cell in row] for row in rows]


def _groups(words: list[str], size: int) -> list[list[str]]:
    return [words[start : start + size] for start in range(0, len(words), size)]


def _all_numbers(words: list[str]) -> bool:
    try:
        return bool([float(word) for word in words])
    except ValueError:
        return False


def _table(
    names: str, rows: Sequence[Sequence[str]], task: Task = "classification"
) -> DatasetTable:
    width = len(names.split())
    if {len(row) for row in rows} != {width}:
        raise ValueError(f"not every row has {width} cells")
    return make_dataset(names.split(), rows, task)
