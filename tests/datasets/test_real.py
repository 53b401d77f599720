"""The fetchers read CSV files from a directory and return them in scikit-learn's shape."""

from __future__ import annotations

import gzip
import os

import numpy as np
import pytest

from untaint import datasets
from untaint.datasets import (
    fetch_boston,
    fetch_breast_cancer,
    fetch_glass,
    fetch_heart_disease,
    fetch_vehicle,
)

SHAPES = {
    "boston": (506, 13),
    "breast_cancer": (569, 30),
    "concrete": (1030, 8),
    "drug": (4085, 410),
    "glass": (214, 9),
    "heart_disease": (303, 13),
    "segment": (2310, 19),
    "vehicle": (846, 18),
    "wine_quality": (1599, 11),
}


def write(folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")


def test_regression_table_becomes_a_bunch(tmp_path):
    write(tmp_path, "boston_housing.csv", "crim,rm,medv\n0.1,6,24\n0.2,,21.5\n")
    bunch = fetch_boston(data_home=tmp_path)
    np.testing.assert_array_equal(bunch.data, [[0.1, 6.0], [0.2, np.nan]])
    np.testing.assert_array_equal(bunch.target, [24.0, 21.5])
    assert bunch.feature_names == ["crim", "rm"]
    assert bunch.target_names == ["medv"]
    assert "Harrison" in bunch.DESCR
    X, y = fetch_boston(data_home=tmp_path, return_X_y=True)
    np.testing.assert_array_equal(X, bunch.data)
    np.testing.assert_array_equal(y, bunch.target)


def test_compressed_files_and_the_environment_variable_serve(tmp_path, monkeypatch):
    with gzip.open(tmp_path / "glass.csv.gz", "wt", encoding="utf-8") as file:
        file.write("ri,na,type\n1.5,13,1\n1.6,14,7\n")
    monkeypatch.setenv("UNTAINT_DATA", str(tmp_path))
    X, y = fetch_glass(return_X_y=True)
    assert X.shape == (2, 2)
    assert y.tolist() == [1, 7]
    assert np.issubdtype(y.dtype, np.integer)


def test_word_classes_stay_words_and_repeated_names_are_numbered(tmp_path):
    write(tmp_path, "vehicle.csv", "comp,skew,skew,class\n1,2,3,van\n4,5,6,bus\n")
    bunch = fetch_vehicle(data_home=str(tmp_path))
    assert bunch.feature_names == ["comp", "skew", "skew_2"]
    assert bunch.target.tolist() == ["van", "bus"]
    assert bunch.target_names == ["bus", "van"]


def test_frames_carry_the_names(tmp_path):
    pandas = pytest.importorskip("pandas")
    write(tmp_path, "boston_housing.csv", "crim,rm,medv\n0.1,6,24\n")
    bunch = fetch_boston(data_home=tmp_path, as_frame=True)
    assert isinstance(bunch.frame, pandas.DataFrame)
    assert list(bunch.frame.columns) == ["crim", "rm", "medv"]
    assert bunch.target.name == "medv"
    assert list(bunch.data.columns) == ["crim", "rm"]


def test_breast_cancer_needs_neither_file_nor_network(monkeypatch):
    monkeypatch.delenv("UNTAINT_DATA", raising=False)
    bunch = fetch_breast_cancer(download_if_missing=False)
    assert bunch.data.shape == (569, 30)
    assert bunch.feature_names[0] == "mean_radius"
    assert np.bincount(bunch.target).tolist() == [212, 357]


@pytest.mark.skipif("UNTAINT_DATA" not in os.environ, reason="needs the real files")
@pytest.mark.parametrize("name", SHAPES)
def test_the_real_files_have_the_documented_shapes(name):
    X, y = getattr(datasets, f"fetch_{name}")(return_X_y=True)
    assert X.shape == SHAPES[name]
    assert y.shape == SHAPES[name][:1]


@pytest.mark.skipif("UNTAINT_DATA" not in os.environ, reason="needs the real files")
def test_heart_disease_has_six_missing_cells():
    assert np.isnan(fetch_heart_disease().data).sum() == 6
