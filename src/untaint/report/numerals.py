"""Numbers as people write them, and as the page's script reads them."""

import math

import numpy as np
from numpy.typing import ArrayLike

# Between a number and its percent sign, so that no line breaks there.
NO_BREAK = "\N{NO-BREAK SPACE}"


def count(number: int) -> str:
    """Return a whole number with commas between thousands.

    Examples
    --------
    >>> count(1030)
    '1,030'
    """
    return f"{number:,}"


def percent(fraction: float) -> str:
    """Return a share in percent: whole from ten percent on, two digits below.

    Examples
    --------
    >>> [percent(fraction).replace(NO_BREAK, " ") for fraction in (0.125, 0.025, 0.0042)]
    ['12 %', '2.5 %', '0.42 %']
    """
    if not math.isfinite(fraction):
        return "unknown"
    hundredths = 100 * fraction
    if hundredths == 0 or abs(hundredths) >= 9.95:
        return f"{hundredths:.0f}{NO_BREAK}%"
    return f"{float(f'{hundredths:.2g}'):g}{NO_BREAK}%"


def plain(number: float) -> str:
    """Return a measurement with three digits.

    Examples
    --------
    >>> plain(5.1234), plain(1234.5), plain(0.00012)
    ('5.12', '1,234', '0.00012')
    """
    if not math.isfinite(number):
        return "unknown"
    if number == 0:
        return "0"
    if abs(number) >= 1e9 or abs(number) < 1e-5:
        return f"{number:.2e}"
    digits = max(0, 2 - math.floor(math.log10(abs(number))))
    text = f"{number:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def numeral(number: float) -> float | str:
    """Return a number for the page's script, which reads "Infinity" and "NaN" as such; JSON cannot.

    Examples
    --------
    >>> numeral(1.5), numeral(float("inf"))
    (1.5, 'Infinity')
    """
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return float(number)


def numerals(numbers: ArrayLike) -> list[float | str]:
    """Return every number in full, as the page has to compare them exactly."""
    return [numeral(number) for number in np.asarray(numbers, dtype=np.float64).tolist()]


def rounded(numbers: ArrayLike, digits: int = 6) -> list[float | str]:
    """Return numbers to so many digits, for what is merely drawn."""
    values = np.asarray(numbers, dtype=np.float64).tolist()
    return [numeral(float(f"{value:.{digits}g}")) for value in values]
