"""The public data sets: their files' names, makers, addresses and checksums."""

from collections.abc import Callable
from typing import NamedTuple

from . import _archives as archives
from ._table import DatasetTable, Task

_UCI = "https://archive.ics.uci.edu"
_UCI_FILES = f"{_UCI}/ml/machine-learning-databases"


class DatasetSource(NamedTuple):
    """A data set: what its file is called, who made it, and how to get at it without the file.

    Attributes
    ----------
    filename : str
        The CSV file to look for.
    task : "regression" or "classification"
    origin : str
        Who made the set, and a page for people.
    checksum : str
        SHA-256 of the bytes that `write_dataset` makes of the table. It is the converted table that
        is certified, and not the archive's file, which may be wrapped, renamed or zipped anew.
    parse : callable
        Turns an archive's bytes into the table.
    urls : tuple of str
        Addresses to try in turn; none when `parse` needs no bytes.
    """

    filename: str
    task: Task
    origin: str
    checksum: str
    parse: Callable[[bytes], DatasetTable]
    urls: tuple[str, ...] = ()


BOSTON = DatasetSource(
    "boston_housing.csv",
    "regression",
    "Harrison and Rubinfeld (1978), StatLib, http://lib.stat.cmu.edu/datasets/boston",
    "24ec814c9b6c5bb1cae0f6d203636413195ade13a34b62920787599f63eefd7e",
    archives.boston,
    ("https://lib.stat.cmu.edu/datasets/boston", f"{_UCI_FILES}/housing/housing.data"),
)
CONCRETE = DatasetSource(
    "concrete.csv",
    "regression",
    f"Yeh (1998), {_UCI}/dataset/165/concrete+compressive+strength",
    "c2690f237285ede14fa54fe05dbe6a83ce510f65de6a8c5f8cafd6cefd9f38e2",
    archives.concrete,
    (f"{_UCI}/static/public/165/data.csv",),
)
WINE_QUALITY = DatasetSource(
    "wine_quality_red.csv",
    "regression",
    f"Cortez et al. (2009), {_UCI}/dataset/186/wine+quality",
    "76bb397799995e9bdf3eafaefc25fbf74b0fbc3d278059eacd0daf6d440555f8",
    archives.wine_quality,
    (
        f"{_UCI}/static/public/186/wine+quality.zip",
        f"{_UCI_FILES}/wine-quality/winequality-red.csv",
    ),
)
DRUG = DatasetSource(
    "drug.csv",
    "regression",
    "Olier et al. (2018), the file qsar.mat in https://github.com/litian96/TERM",
    "afac64e3c9ff3b4fd7172874a7edebd79c951fb408b48b246953738a578bbb7f",
    archives.drug,
    (
        "https://raw.githubusercontent.com/litian96/TERM/"
        "c4941bdea707b0f817cceea3a40fe146749c6402/robust_regression/data/qsar.mat",
    ),
)
HEART_DISEASE = DatasetSource(
    "heart_disease_cleveland.csv",
    "classification",
    f"Detrano et al. (1989), {_UCI}/dataset/45/heart+disease",
    "dee6cc4854aeda6daf444110de51698a4f24a778ae207f409732ea191ce3a6c7",
    archives.heart_disease,
    (
        f"{_UCI}/static/public/45/heart+disease.zip",
        f"{_UCI_FILES}/heart-disease/processed.cleveland.data",
    ),
)
BREAST_CANCER = DatasetSource(
    "breast_cancer_wdbc.csv",
    "classification",
    f"Wolberg, Street and Mangasarian (1995), {_UCI}/dataset/17/breast+cancer+wisconsin+diagnostic",
    "432ff316e7bfb60b70a275064b4401315cc39f09c9099d031013a23647e98687",
    archives.breast_cancer,
)
VEHICLE = DatasetSource(
    "vehicle.csv",
    "classification",
    f"Siebert (1987), {_UCI}/dataset/149/statlog+vehicle+silhouettes",
    "31e51a71d2fa704f8841407d8c3d17efc58a179d1e0c68f0e8ce5d13cd2215a7",
    archives.vehicle,
    (f"{_UCI}/static/public/149/statlog+vehicle+silhouettes.zip",),
)
SEGMENT = DatasetSource(
    "segment.csv",
    "classification",
    f"Statlog (1990), {_UCI}/dataset/147/statlog+image+segmentation",
    "fe2da336f44114657252c93837099f1757af76bc38736d1a2e2ddaa16f346832",
    archives.segment,
    # Not UCI's copy: it has the same rows in another order, and a seed would split them otherwise.
    ("https://sci2s.ugr.es/keel/dataset/data/classification/segment.zip",),
)
GLASS = DatasetSource(
    "glass.csv",
    "classification",
    f"German (1987), {_UCI}/dataset/42/glass+identification",
    "21c5d1d6339f3dd4313bc304b5edfdb13061a941858464df5199edb1b4bd513a",
    archives.glass,
    (f"{_UCI}/static/public/42/glass+identification.zip", f"{_UCI_FILES}/glass/glass.data"),
)
