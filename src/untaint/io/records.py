"""Where records begin and end, by arithmetic on all bytes at once.

A line end outside quotes ends a record. A byte is inside quotes if the number of quotes before it
is odd: a doubled quote closes and opens again at once, and changes nothing. This is right as long
as every quote that opens stands at the beginning of a field. Where one does not (``5" pipe``), the
quotes are walked one by one, by the rule of Python's and Arrow's readers: a quote opens only at the
beginning of a field, and elsewhere outside quotes it is a character like others.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
_LF, _CR, _SPACE, _TAB = 10, 13, 32, 9
_QUOTE = 34
_BLOCK = 2**18


class Records(NamedTuple):
    """The places of the records of a text; the first is the header as a rule.

    Parameters
    ----------
    starts, ends : array of shape (n,)
        A record is ``text[start:end]``, its line end not included.
    lines : array of shape (n,)
        Line of the file that a record begins in, from 1.
    toggles : array
        Where quotes open and close, in turn.
    multiline : bool
        Whether there are line ends within records.
    n_blank : int
        Lines passed over for being blank.
    spaces : bool
        Whether some of these hold spaces.
    size : int
        Length of the text.
    n_lines : int
        Line ends of the text.
    """

    starts: Places
    ends: Places
    lines: Places
    toggles: Places
    multiline: bool
    n_blank: int
    spaces: bool
    size: int
    n_lines: int

    @property
    def unclosed(self) -> int | None:
        """Where a quote is opened and never closed, None if none is."""
        return int(self.toggles[-1]) if len(self.toggles) % 2 else None

    @property
    def bounds(self) -> Places:
        """Return the n + 1 bounds of records with their line ends and the blank lines that follow.

        Those before the first belong to it. So nothing of the text is lost.
        """
        return np.concatenate([[0], self.starts[1:], [self.size]])

    def counts(self, text: bytes, delimiter: str) -> Places:
        """Return the number of fields of each record."""
        places = _places(np.frombuffer(text, np.uint8), ord(delimiter))
        places = places[~_inside(self.toggles, places)]
        return np.searchsorted(places, self.ends) - np.searchsorted(places, self.starts) + 1


def find_records(text: bytes, delimiter: str, *, quotes: bool, skip_spaces: bool = True) -> Records:
    r"""Find all records of a text that is no empty one.

    Lines of spaces are blank unless ``skip_spaces`` is false.

    Examples
    --------
    >>> from untaint.io.records import find_records
    >>> records = find_records(b'a,b\n1,"x\ny"\n\n2,z', ",", quotes=True)
    >>> records.starts, records.lines
    (array([ 0,  4, 13]), array([1, 2, 5]))
    """
    data = np.frombuffer(text, np.uint8)
    toggles = _find_toggles(text, data, delimiter) if quotes else np.zeros(0, np.int64)
    lines = _line_ends(text, data)
    outside = ~_inside(toggles, lines)
    last = lines[outside]
    starts = np.concatenate([[0], last + 1])
    ends = np.concatenate([last - _return_before(data, last), [len(text)]])
    numbers = np.concatenate([[1], np.flatnonzero(outside) + 2])
    if starts[-1] == len(text):  # the last line end is the end of the text
        starts, ends, numbers = starts[:-1], ends[:-1], numbers[:-1]
    spaces = np.zeros(len(starts), bool)
    if skip_spaces:
        spaces = _spaces_only(text, data, starts, ends, delimiter)
    blank = (starts == ends) | spaces
    kept = ~blank
    places = (starts[kept], ends[kept], numbers[kept], toggles)
    passed_over = (int(blank.sum()), bool(spaces.any()))
    return Records(*places, not outside.all(), *passed_over, len(text), len(lines))


def length_of_whole_records(text: bytes, delimiter: str) -> int:
    r"""Return how many bytes of a text are whole records, if more text may follow.

    Examples
    --------
    >>> from untaint.io.records import length_of_whole_records
    >>> length_of_whole_records(b'1,2\n3,"4\n', ","), length_of_whole_records(b"1,2\r", ",")
    (4, 0)
    """
    # A return at the end may be the first byte of a line end of two.
    if b'"' not in text:
        return max(text.rfind(b"\n"), text.rfind(b"\r", 0, -1)) + 1
    data = np.frombuffer(text, np.uint8)
    lines = _line_ends(text, data)
    lines = lines[(lines < len(text) - 1) | (data[lines] == _LF)]
    whole = lines[~_inside(_find_toggles(text, data, delimiter), lines)]
    return int(whole[-1]) + 1 if len(whole) else 0


def count_lines(text: bytes) -> int:
    """Return the number of line ends of a text."""
    feeds = int(np.count_nonzero(np.frombuffer(text, np.uint8) == _LF))
    return feeds + (text.count(b"\r") - text.count(b"\r\n") if b"\r" in text else 0)


def _find_toggles(text: bytes, data: Bytes, delimiter: str) -> Places:
    if b'"' not in text:
        return np.zeros(0, np.int64)
    quotes = _places(data, _QUOTE)
    opening = quotes[::2]
    before = data[np.maximum(opening - 1, 0)]
    at_start = (before == ord(delimiter)) | (before == _LF) | (before == _CR) | (opening == 0)
    # The second of a doubled quote follows the one that seemed to close.
    at_start[1:] |= opening[1:] == quotes[1::2][: len(opening) - 1] + 1
    if at_start.all():
        return quotes
    return _walk(text, quotes.tolist(), delimiter)


def _walk(text: bytes, quotes: list[int], delimiter: str) -> Places:
    before_field = frozenset((ord(delimiter), _LF, _CR))
    toggles: list[int] = []
    k, m = 0, len(quotes)
    while k < m:
        place = quotes[k]
        k += 1
        if place and text[place - 1] not in before_field:
            continue
        toggles.append(place)
        while k + 1 < m and quotes[k + 1] == quotes[k] + 1:
            k += 2
        if k < m:
            toggles.append(quotes[k])
            k += 1
    return np.array(toggles, np.int64)


def _places(data: Bytes, letter: int) -> Places:
    """Return the places of a byte, block by block, since a whole mask would not fit caches."""
    blocks = range(0, len(data), _BLOCK)
    found = [np.flatnonzero(data[k : k + _BLOCK] == letter) + k for k in blocks]
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def _inside(toggles: Places, places: Places) -> BoolArray:
    if not len(toggles):
        return np.zeros(len(places), bool)
    return np.searchsorted(toggles, places) % 2 == 1


def _line_ends(text: bytes, data: Bytes) -> Places:
    """Return places of line ends: line feeds, and carriage returns that none follows."""
    feeds = _places(data, _LF)
    if b"\r" not in text:
        return feeds
    returns = _places(data, _CR)
    lone = data[np.minimum(returns + 1, len(data) - 1)] != _LF
    return np.sort(np.concatenate([feeds, returns[lone]]))


def _return_before(data: Bytes, ends: Places) -> Places:
    """Return 1 where a line end is two bytes long, else 0."""
    return ((data[ends] == _LF) & (ends > 0) & (data[np.maximum(ends - 1, 0)] == _CR)).astype(int)


def _spaces_only(
    text: bytes, data: Bytes, starts: Places, ends: Places, delimiter: str
) -> BoolArray:
    letters = bytes({_SPACE, _TAB} - {ord(delimiter)})
    blank = np.zeros(len(starts), bool)
    first = data[np.minimum(starts, len(text) - 1)]
    for i in np.flatnonzero(np.isin(first, list(letters)) & (ends > starts)).tolist():
        blank[i] = not text[starts[i] : ends[i]].strip(letters)
    return blank
