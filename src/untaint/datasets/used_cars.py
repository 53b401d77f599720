"""The table of ``untaint demo``: used cars, as in a dealer's file with mistakes.

The price of a correct row, with a the age in years, m the mileage in thousands of kilometres and h
the horsepower:

    price = 130 h^1.05 brand fuel gearbox exp(-0.10 a - 0.0032 m) accident exp(N(0, 0.07^2))

Then five common kinds of mistakes are made in some rows, and the true values are kept. The data are
simulated by the functions below, and have the library's licence.
"""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from .._validation import check_count
from ._random_state import RandomState, as_generator

COLUMNS = (
    *("offer", "listed", "brand", "fuel", "gearbox", "year", "mileage_km", "power_hp"),
    *("engine_cc", "owners", "accident", "price_eur"),
)
BRANDS = {"Astra": 0.9, "Corda": 1.0, "Lumo": 0.82, "Nordal": 1.25, "Vesta": 1.1, "Zento": 0.72}
FUELS = {"petrol": 1.0, "diesel": 1.04, "hybrid": 1.16}
GEARBOXES = {"manual": 1.0, "automatic": 1.1}
LAST_YEAR = 2025
# Number of wrong rows of each kind, out of 1,200.
MISTAKES = {
    "price: decimal point slipped": 26,
    "price: of another car": 22,
    "mileage: in thousands": 18,
    "engine: in litres": 14,
    "year and mileage: swapped": 14,
}


def make_used_cars(
    n_rows: int = 1200, random_state: RandomState = 0
) -> tuple[list[list[str]], list[str]]:
    """Draw the table; seed 0 is the one of ``untaint demo``.

    Parameters
    ----------
    n_rows : int, default=1200
    random_state : int, Generator or None, default=0

    Returns
    -------
    rows : list of lists of str
        Cells in the order of the columns.
    truth : list of str
        The mistake in each row; empty for correct rows.

    Examples
    --------
    >>> from untaint.datasets import make_used_cars
    >>> rows, truth = make_used_cars()
    >>> len(rows), sum(map(bool, truth))
    (1200, 94)
    """
    check_count("n_rows", n_rows, high=90_000)
    rng = as_generator(random_state)
    cars = _draw(n_rows, rng)
    truth = np.full(n_rows, "", dtype=object)
    spoilt = iter(rng.permutation(n_rows))
    for mistake, count in MISTAKES.items():
        for row in [next(spoilt) for _ in range(round(count * n_rows / 1200))]:
            _spoil(cars, row, mistake, rng)
            truth[row] = mistake
    rows = [list(cells) for cells in zip(*_cells(cars, rng), strict=True)]
    return rows, truth.tolist()


def _draw(n: int, rng: np.random.Generator) -> dict[str, Any]:
    age = np.minimum(rng.gamma(2.4, 2.6, n), 22.0)
    power = np.round(np.clip(rng.lognormal(4.8, 0.32, n), 55, 420))
    mileage = np.round(np.clip(age * rng.normal(14.0, 4.0, n), 0.8, 380.0) * 1000, -2)
    brand, fuel, gearbox = (rng.choice(list(names), n) for names in (BRANDS, FUELS, GEARBOXES))
    accident = rng.random(n) < 0.12
    factor = np.array(
        [BRANDS[b] * FUELS[f] * GEARBOXES[g] for b, f, g in zip(brand, fuel, gearbox, strict=True)]
    )
    price = 130 * power**1.05 * factor * np.exp(-0.10 * age - 0.0032 * mileage / 1000)
    price *= np.where(accident, 0.82, 1.0) * np.exp(rng.normal(0.0, 0.07, n))
    day = np.datetime64("2025-03-01") + rng.integers(0, 210, n).astype("timedelta64[D]")
    return {
        "offer": [f"UC-{code}" for code in rng.choice(90000, n, replace=False) + 10000],
        "listed": day,
        "brand": brand,
        "fuel": fuel,
        "gearbox": gearbox,
        "year": np.floor(LAST_YEAR - age),
        "mileage_km": mileage,
        "power_hp": power,
        "engine_cc": np.round(power * rng.normal(12.5, 1.0, n) + 150, -1),
        "owners": 1 + rng.poisson(age / 7),
        "accident": np.where(accident, "yes", "no"),
        "price_eur": np.round(price, -1),
    }


def _spoil(cars: dict[str, Any], row: int, mistake: str, rng: np.random.Generator) -> None:
    price = cars["price_eur"]
    if mistake == "price: decimal point slipped":
        price[row] *= rng.choice([10.0, 0.1])
    elif mistake == "price: of another car":
        other = np.flatnonzero(np.abs(np.log(price / price[row])) > np.log(3.0))
        price[row] = price[rng.choice(other)]
    elif mistake == "mileage: in thousands":
        cars["mileage_km"][row] = np.round(cars["mileage_km"][row] / 1000)
    elif mistake == "engine: in litres":
        cars["engine_cc"][row] = np.round(cars["engine_cc"][row] / 1000, 1)
    else:
        year, mileage = cars["year"][row], cars["mileage_km"][row]
        cars["year"][row], cars["mileage_km"][row] = mileage, year


def _cells(cars: dict[str, Any], rng: np.random.Generator) -> list[list[str]]:
    """Return columns as text, with some cells missing."""
    columns = []
    for name in COLUMNS:
        values = cars[name]
        cells = [f"{v:.10g}" if isinstance(v, float) else str(v) for v in values]
        if name in ("power_hp", "owners"):
            lost = rng.random(len(cells)) < 0.015
            cells = ["" if gone else cell for cell, gone in zip(cells, lost, strict=True)]
        if name == "price_eur":
            for row in rng.choice(len(cells), 3, replace=False):
                cells[row] = ""
        columns.append(cells)
    return columns


def used_cars_file() -> Path:
    """Return the path of a CSV file of the table with seed 0; the file ends with the process.

    Examples
    --------
    >>> from untaint.datasets import used_cars_file
    >>> used_cars_file().read_text(encoding="utf-8").splitlines()[0].split(",")[:3]
    ['offer', 'listed', 'brand']
    """
    lines = [",".join(cells) for cells in (COLUMNS, *make_used_cars()[0])]
    path = Path(_folder().name) / "used_cars.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return path


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="untaint-")  # its finalizer removes it


def used_cars_truth() -> list[str]:
    """Return the mistake in each row of the table with seed 0; empty for correct rows.

    Examples
    --------
    >>> from untaint.datasets import used_cars_truth
    >>> sum(map(bool, used_cars_truth()))
    94
    """
    return make_used_cars()[1]
