"""The example of the documentation: how hot to fire a brick.

Strength grows with firing temperature as the clay sinters, and falls again once it bloats:

    strength = 8 + 50 s((t - 1010) / 28) - 45 s((t - 1195) / 22)
               + 0.05 (soak - 60) - 1.5 (moisture - 3) + N(0, 1.5^2)   [MPa],  s(z) = 1 / (1 + e^-z)

The data are made up, by the recipe in `make_kiln`, and so carry no licence but the library's.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ._random_state import RandomState, as_generator
from ._table import DatasetTable, bundle

KILN_COLUMNS = ("temperature", "soak_minutes", "moisture", "strength")


def make_kiln(random_state: RandomState = 0) -> NDArray[np.float64]:
    """Draw the 400 rows of the kiln log; seed 0 is that of `load_kiln`.

    Temperature is uniform on 900 to 1250 degrees Celsius (whole degrees), soaking time N(60, 12^2)
    minutes (whole minutes), moisture before firing uniform on 1 to 5 percent (one decimal), and
    strength in megapascals follows the module's formula (two decimals).

    Parameters
    ----------
    random_state : int, Generator, RandomState or None, default=0
        Seed of the random numbers.

    Returns
    -------
    rows : ndarray of shape (400, 4)
        Columns temperature, soak_minutes, moisture, strength.

    Examples
    --------
    >>> from untaint.datasets import make_kiln
    >>> make_kiln().shape
    (400, 4)
    """
    rng = as_generator(random_state)
    temperature = np.round(rng.uniform(900.0, 1250.0, size=400))
    soak = np.round(rng.normal(60.0, 12.0, size=400))
    moisture = np.round(rng.uniform(1.0, 5.0, size=400), 1)
    sintered = 50.0 * expit((temperature - 1010.0) / 28.0)
    bloated = 45.0 * expit((temperature - 1195.0) / 22.0)
    handling = 0.05 * (soak - 60.0) - 1.5 * (moisture - 3.0)
    strength = 8.0 + sintered - bloated + handling + rng.normal(0.0, 1.5, size=400)
    return np.column_stack([temperature, soak, moisture, np.round(strength, 2)])


def load_kiln(return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the kiln log: 400 firings, three features, the strength of the brick.

    The first feature, temperature, explains most of the target by a nonlinear function, so that one
    scatter plot shows a robust kernel fit. The rows are clean; use `contaminate` to corrupt them.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(X, y)`` in place of a Bunch.
    as_frame : bool, default=False
        Return pandas objects.

    Returns
    -------
    Bunch or (X, y)

    Examples
    --------
    >>> from untaint.datasets import contaminate, load_kiln
    >>> X, y = load_kiln(return_X_y=True)
    >>> X.shape
    (400, 3)
    >>> X, y, corrupted = contaminate(X, y, epsilon=0.2, random_state=0)
    >>> int(corrupted.sum())
    80
    """
    rows = make_kiln()
    *features, target = KILN_COLUMNS
    table = DatasetTable(rows[:, :-1].copy(), rows[:, -1].copy(), features, target)
    return bundle(table, "regression", str(__doc__), return_X_y=return_X_y, as_frame=as_frame)
