"""The files behind the public data sets: what each is called, where it came from, where to look."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ._table import Task

PathLike: TypeAlias = str | os.PathLike[str]

DATA_HOME_VARIABLE = "UNTAINT_DATA"


@dataclass(frozen=True)
class Source:
    """Where a data set's file is called what, and who made it."""

    filename: str
    task: Task
    origin: str


BOSTON = Source(
    "boston_housing.csv",
    "regression",
    "Harrison and Rubinfeld (1978), StatLib, http://lib.stat.cmu.edu/datasets/boston",
)
CONCRETE = Source(
    "concrete.csv",
    "regression",
    "Yeh (1998), https://archive.ics.uci.edu/dataset/165/concrete+compressive+strength",
)
WINE_QUALITY = Source(
    "wine_quality_red.csv",
    "regression",
    "Cortez et al. (2009), https://archive.ics.uci.edu/dataset/186/wine+quality",
)
DRUG = Source(
    "drug.csv",
    "regression",
    "Olier et al. (2018), the file qsar.mat in https://github.com/litian96/TERM",
)
HEART_DISEASE = Source(
    "heart_disease_cleveland.csv",
    "classification",
    "Detrano et al. (1989), https://archive.ics.uci.edu/dataset/45/heart+disease",
)
BREAST_CANCER = Source(
    "breast_cancer_wdbc.csv",
    "classification",
    "Wolberg, Street and Mangasarian (1995), "
    "https://archive.ics.uci.edu/dataset/17/breast+cancer+wisconsin+diagnostic",
)
VEHICLE = Source(
    "vehicle.csv",
    "classification",
    "Siebert (1987), https://archive.ics.uci.edu/dataset/149/statlog+vehicle+silhouettes",
)
SEGMENT = Source(
    "segment.csv",
    "classification",
    "Statlog (1990), https://archive.ics.uci.edu/dataset/147/statlog+image+segmentation",
)
GLASS = Source(
    "glass.csv",
    "classification",
    "German (1987), https://archive.ics.uci.edu/dataset/42/glass+identification",
)


def locate(source: Source, data_home: PathLike | None = None) -> Path:
    """Return the path of a data set's file, or say in one sentence how to provide it."""
    home = os.environ.get(DATA_HOME_VARIABLE) if data_home is None else data_home
    if home:
        for filename in (source.filename, f"{source.filename}.gz"):
            path = Path(home).expanduser() / filename
            if path.is_file():
                return path
    place = f"in {os.fspath(home)!r}" if home else "because no data directory is set"
    raise FileNotFoundError(
        f"{source.filename} was not found {place}: pass data_home, or set the environment variable "
        f"{DATA_HOME_VARIABLE}, to a directory that holds it (original source: {source.origin})."
    )
