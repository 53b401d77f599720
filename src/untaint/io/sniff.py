"""Detection of the delimiter: the one that gives all records the same number of fields."""

from typing import NamedTuple

import numpy as np

from .dialect import DELIMITERS
from .errors import DataFileError, shortened
from .records import find_records

_SAMPLE = 2**18
_NAMED = {"tab": "\t", "\\t": "\t"}


class _Fit(NamedTuple):
    """The goodness of fit of a delimiter."""

    fraction: float  # of records that have as many fields as the first
    header: int  # fields of the first
    usual: int  # fields that most have


_NONE = _Fit(0.0, 0, 0)


def find_delimiter(name: str, text: bytes, default: str | None = None, *, cut: bool = False) -> str:
    r"""Find the delimiter of a text.

    One that is given as the default is returned if it gives all records the same number of fields,
    or if no other gives several. The text may be cut off.

    Examples
    --------
    >>> from untaint.io.sniff import find_delimiter
    >>> find_delimiter("a.csv", b"a;b\n1,5;2,5\n")
    ';'
    """
    sample, cut = text[:_SAMPLE], cut or len(text) > _SAMPLE
    fits = {delimiter: _fit(sample, delimiter, cut=cut) for delimiter in DELIMITERS}
    several = {delimiter: fit for delimiter, fit in fits.items() if fit.header > 1}
    if default is not None and (not several or several.get(default, _NONE).fraction == 1.0):
        return default
    if not several:
        raise _no_delimiter(name, text, fits)
    # Of delimiters that fit equally well the first: commas occur in numbers and text, tabs do not.
    return max(several, key=lambda delimiter: several[delimiter].fraction)


def check_delimiter(delimiter: str) -> str:
    """Return a given delimiter, which may be the word "tab"."""
    delimiter = _NAMED.get(delimiter, delimiter) if isinstance(delimiter, str) else delimiter
    if (
        not isinstance(delimiter, str)
        or len(delimiter) != 1
        or not delimiter.isascii()
        or delimiter in '"\r\n\0'
    ):
        raise DataFileError(f"delimiter should be a single ASCII character, got {delimiter!r}.")
    return delimiter


def _fit(sample: bytes, delimiter: str, *, cut: bool) -> _Fit:
    quotings = [True, False] if b'"' in sample else [False]
    fits = [_fit_quoting(sample, delimiter, quotes=quotes, cut=cut) for quotes in quotings]
    return max(fits, key=lambda fit: fit.fraction)


def _fit_quoting(sample: bytes, delimiter: str, *, quotes: bool, cut: bool) -> _Fit:
    records = find_records(sample, delimiter, quotes=quotes)
    counts = records.counts(sample, delimiter)
    if cut and len(counts) > 1:
        counts = counts[:-1]
    if not len(counts):
        return _NONE
    fraction = float(np.mean(counts == counts[0]))
    if records.unclosed is not None and not cut:
        fraction *= 0.5
    return _Fit(fraction, int(counts[0]), int(np.bincount(counts).argmax()))


def one_column(name: str, delimiter: str | None = None) -> DataFileError:
    """Return an error for a table of one column."""
    tried = DELIMITERS.values() if delimiter is None else [DELIMITERS.get(delimiter, delimiter)]
    return DataFileError(
        f"{name}: expected at least two columns, found one only (tried {', '.join(tried)} as "
        "delimiters)."
    )


def _no_delimiter(name: str, text: bytes, fits: dict[str, _Fit]) -> DataFileError:
    best = max(fits, key=lambda delimiter: fits[delimiter].usual)
    if fits[best].usual < 2:
        return one_column(name)
    first = shortened(text.lstrip().splitlines()[0].decode(errors="replace"))
    return DataFileError(
        f"{name}: expected column names in the first line, found {first}, while most lines have "
        f"{fits[best].usual} fields separated by {DELIMITERS[best]}; remove what stands above the "
        "names."
    )
