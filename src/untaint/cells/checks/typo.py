"""Misspelled levels: a rare spelling close to a frequent one.

A level is rare if at most max(2, n / 100) of n rows have it, and a level is frequent if at least 5
rows, and ten times as many as have the rare one, have it. The rare one is called a misspelling if

- both have the same fingerprint (:func:`.editing.fingerprint`): they differ by case, accents,
  blanks or punctuation only; for these, up to n / 20 rows and a third of the frequent one's rows
  are rare enough;
- or both have the same words but for one, and that one is at a distance of Damerau and Levenshtein
  of 1 if the frequent word has at least 4 letters (6 if a letter is replaced by another), of 2 if
  it has at least 8.

Levels are codes, and left alone, if half of them have at most 4 letters. But a slip of the hand is
one in codes, too: in a column of few levels, a level of one or two rows, or n / 400, that a
frequent one becomes by a doubled letter or two exchanged ones (of at least 3), by a missing one (of
at least 5, or 3 if the column has at most six frequent levels and the word no three consonants in a
row), or, in such a column and such a word, by one more after the first.

Digits have to agree (Q1 is not Q2), as have words whose difference has a meaning in the language:
plurals, "typical" and "atypical". If frequent levels are themselves so close to each other, then
closeness says nothing in the column and it is left alone.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..._typing import IntArray
from ...io.columns.column import Column
from ...io.columns.levels import Levels
from ..finding import CellFinding
from .editing import deletions, edit_distance, fingerprint
from .wording import quoted

# Rows of a frequent level, and how many times as many as the rare one's.
MIN_FREQUENT = 5
MIN_RATIO = 10
MAX_RARE = 0.01
# The same for spellings of one text.
MIN_RATIO_SAME = 3
MAX_RARE_SAME = 0.05
# Letters of a word in which one letter, or two, may be wrong.
MIN_LETTERS = 4
MIN_LETTERS_TWO = 8
# Letters of words that differ in the first letter, or by one letter in place of another, as house
# and horse do.
MIN_LETTERS_FIRST = 6
MIN_LETTERS_SUBSTITUTED = 6
# Letters of codes, such as mpfi and mfi.
MAX_CODE = 4
# Letters of a text that several rows misspell in the same way.
MIN_LETTERS_AGAIN = 6
# Columns of text, such as names, in which most levels are rare, need more.
MIN_LETTERS_TEXT = 6
MIN_RATIO_TEXT = 20
# Levels in which misspellings are looked for, and those with two wrong letters.
MAX_LEVELS = 10_000
MAX_LEVELS_TWO = 2_000
MAX_LENGTH = 60
# A column of more levels is treated as one of text.
MANY_LEVELS = 50
# Frequent levels of a column in which slips are looked for, letters of a word that lacks one, and
# part of the rows that may have rare levels.
FEW_LEVELS, MIN_LETTERS_MISSING, MAX_SLIPS = 40, 5, 0.06
# Part of the rows that may have one slip.
MAX_SLIP = 0.0025
# The same letters in a column of very few levels.
VERY_FEW_LEVELS, MIN_LETTERS_SHORT = 6, 3
_CONSONANTS = re.compile(r"[^aeiouy\W\d_]{3}", re.IGNORECASE)
_DIGIT = re.compile(r"\d+")
_ROMAN = re.compile(r"\b[IVX]+\b")
_BETWEEN_WORDS = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
_PREFIXES = ("a", "an", "un", "in", "im", "il", "ir", "re", "de", "co", "bi", "ex", "on", "up")
_SUFFIXES = ("s", "es", "d", "r", "ed", "er", "ly", "al", "y", "e", "n", "an", "a", "o", "ing")


# The other words of a text, and what is left of one.
_Part = tuple[tuple[str, ...], str]


class _Match(NamedTuple):
    """A rare level, the frequent one that it stands for, and how sure that is."""

    rare: int
    frequent: int
    probability: float
    how: str


def find_typos(columns: Sequence[Column]) -> list[CellFinding]:
    """Find misspelled levels.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from untaint.cells.checks.typo import find_typos
    >>> from untaint.io.columns.column import Column
    >>> from untaint.io.columns.levels import find_levels
    >>> levels = find_levels(pa.array(["London"] * 60 + ["Paris"] * 40 + ["Londn"]))
    >>> print(find_typos([Column("x", "category", levels.missing, None, levels)])[0].reason)
    'Londn' looks like a misspelling of 'London', which 60 rows have.
    """
    found = []
    for j, column in enumerate(columns):
        if column.kind in ("category", "text") and column.levels is not None:
            found += _typos_of(j, column.levels, column.kind == "text")
    return found


def _typos_of(j: int, levels: Levels, names: bool) -> list[CellFinding]:
    counts = np.where(levels.present, levels.counts, 0)
    n_levels = int(np.sum(counts > 0))
    if n_levels > MAX_LEVELS or counts.max(initial=0) < MIN_FREQUENT:
        return []
    texts = [str(text) for text in levels.texts.to_pylist()]
    matches = _same_text(texts, counts)
    close = _close_texts(texts, counts, names or n_levels > MANY_LEVELS)
    for match in [*close, *_slips(texts, counts)]:
        matches.setdefault(match.rare, match)
    found = []
    for rare, match in sorted(matches.items()):
        reason = (
            f"{quoted(texts[rare])} looks like {match.how} of {quoted(texts[match.frequent])}, "
            f"which {counts[match.frequent]:,} rows have."
        )
        found += [
            CellFinding(int(row), j, match.probability, "typo", texts[match.frequent], reason)
            for row in np.flatnonzero(levels.codes == rare)
        ]
    return found


def _same_text(texts: Sequence[str], counts: IntArray) -> dict[int, _Match]:
    """Return rare levels that have the fingerprint of a frequent one."""
    groups: dict[str, list[int]] = defaultdict(list)
    for i in np.flatnonzero(counts > 0).tolist():
        if len(texts[i]) <= MAX_LENGTH:
            groups[fingerprint(texts[i])].append(i)
    matches = {}
    for key, group in groups.items():
        if len(group) < 2 or sum(letter.isalpha() for letter in key) < 2:
            continue
        top = max(group, key=lambda i: counts[i])
        for i in group:
            rare = counts[i] <= max(2, MAX_RARE_SAME * counts.sum())
            often = counts[top] >= max(MIN_FREQUENT, MIN_RATIO_SAME * counts[i])
            if i != top and rare and often:
                matches[i] = _Match(i, top, 0.93, "another spelling")
    return matches


def _close_texts(texts: Sequence[str], counts: IntArray, names: bool) -> list[_Match]:
    """Return rare levels one word of which is nearly that of a frequent one."""
    ratio = MIN_RATIO_TEXT if names else MIN_RATIO
    usable = [i for i in np.flatnonzero(counts > 0).tolist() if len(texts[i]) <= MAX_LENGTH]
    frequent = [i for i in usable if counts[i] >= MIN_FREQUENT]
    most_rows = max(2, MAX_RARE * int(counts.sum()))
    rare = [i for i in usable if counts[i] <= most_rows and ratio * counts[i] <= counts.max()]
    if not frequent or not rare or np.median([len(texts[i]) for i in usable]) <= MAX_CODE:
        return []
    most = 2 if len(usable) <= MAX_LEVELS_TWO else 1
    shared: dict[_Part, list[int]] = defaultdict(list)
    for i in frequent:
        for part in _parts(texts[i], most):
            shared[part].append(i)
    near = {i: _near(texts, i, shared, most, names) for i in {*frequent, *rare}}
    least = counts.max() / MIN_RATIO
    if any(min(counts[i], counts[k]) > least for i in frequent for k in near[i]):
        return []
    matches = []
    for i in rare:
        often = [k for k in near[i] if counts[k] >= max(MIN_FREQUENT, ratio * counts[i])]
        if counts[i] > 1:
            often = [k for k in often if len(texts[k]) >= MIN_LETTERS_AGAIN]
        if often:
            best = max(often, key=lambda k: counts[k])
            probability = _probability(texts[best], names)
            matches.append(_Match(i, best, probability, "a misspelling"))
    return matches


def _slips(texts: Sequence[str], counts: IntArray) -> list[_Match]:
    """Return rare levels that a frequent one becomes by one slip of the hand."""
    frequent = [i for i in np.flatnonzero(counts >= MIN_FREQUENT).tolist()]
    most = max(2.0, MAX_SLIP * float(counts.sum()))
    rare = [i for i in np.flatnonzero((counts > 0) & (counts <= most)).tolist()]
    if len(frequent) > FEW_LEVELS or counts[rare].sum() > MAX_SLIPS * counts.sum():
        return []
    missing = MIN_LETTERS_MISSING if len(frequent) > VERY_FEW_LEVELS else MIN_LETTERS_SHORT
    slips: dict[str, list[int]] = defaultdict(list)
    for i in frequent:
        for slip in _slips_of(texts[i], missing) - {texts[k] for k in frequent}:
            slips[slip].append(i)
    matches = []
    for i in rare:
        own = slips.get(texts[i], [])
        if not own and len(frequent) <= VERY_FEW_LEVELS:
            own = [k for k in frequent if _has_letter_more(texts[i], texts[k])]
        if len(own) == 1 and (counts[i] <= 2 or counts[own[0]] >= MIN_RATIO * counts[i]):
            matches.append(_Match(i, own[0], 0.9, "a misspelling"))
    return matches


def _has_letter_more(text: str, word: str) -> bool:
    """Return whether a text is a word with one letter more, which does not begin it.

    Examples
    --------
    >>> _has_letter_more("sunx", "sun"), _has_letter_more("suns", "sun")
    (True, False)
    """
    if not (word.isalpha() and text.isalpha() and len(text) == len(word) + 1 > MIN_LETTERS_SHORT):
        return False
    if _CONSONANTS.search(text):  # codes, such as mfi and mpfi
        return False
    shorter = (text[:k] + text[k + 1 :] for k in range(1, len(text)))
    return word in shorter and not _have_meaning(text.casefold(), word.casefold())


def _slips_of(text: str, missing: int) -> set[str]:
    """Return what a word becomes by a doubled letter, two exchanged ones, or a missing one.

    Examples
    --------
    >>> sorted(_slips_of("yes", missing=5))
    ['eys', 'yees', 'yess', 'yse', 'yyes']
    """
    roman = {k for found in _ROMAN.finditer(text) for k in range(*found.span())}
    letters = [k for k, letter in enumerate(text) if letter.isalpha() and k not in roman]
    if missing < MIN_LETTERS_MISSING and _CONSONANTS.search(text):
        missing = MIN_LETTERS_MISSING
    if len(letters) < 3:
        return set()
    found = {text[:k] + text[k] + text[k:] for k in letters}
    found |= {text[:k] + text[k + 1] + text[k] + text[k + 2 :] for k in letters if k + 1 in letters}
    if len(letters) >= missing:
        found |= {text[:k] + text[k + 1 :] for k in letters}
    return found - {text}


def _parts(text: str, most: int) -> Iterator[_Part]:
    """Yield what two texts have in common if one word of them is nearly the same."""
    words = _words(text)
    for i, word in enumerate(words):
        if len(word) >= MIN_LETTERS - 1:
            context = (*words[:i], "", *words[i + 1 :])
            # The rare word may be two letters shorter than the frequent one.
            for part in deletions(word, most if len(word) >= MIN_LETTERS_TWO - 2 else 1):
                yield context, part


def _near(
    texts: Sequence[str], i: int, shared: Mapping[_Part, Sequence[int]], most: int, names: bool
) -> list[int]:
    """Return frequent levels that another may be a misspelling of."""
    candidates = {k for part in _parts(texts[i], most) for k in shared.get(part, ()) if k != i}
    return [k for k in sorted(candidates) if _is_misspelling(texts[i], texts[k], names)]


def _is_misspelling(rare: str, frequent: str, names: bool) -> bool:
    """Return whether a text differs from another in few letters of one word."""
    words = _words(rare), _words(frequent)
    if len(words[0]) != len(words[1]) or _DIGIT.findall(rare) != _DIGIT.findall(frequent):
        return False
    different = [(a, b) for a, b in zip(*words, strict=True) if a != b]
    if len(different) != 1:
        return False
    a, b = different[0]
    letters = sum(letter.isalpha() for letter in b)
    if letters < (MIN_LETTERS_TEXT if names else MIN_LETTERS) or _have_meaning(a, b):
        return False
    most = 2 if letters >= MIN_LETTERS_TWO else 1
    distance = edit_distance(a, b, most)
    if distance > most:
        return False
    if a[0] != b[0] and (letters < MIN_LETTERS_FIRST or distance > 1):
        return False
    return not (len(a) == len(b) and sorted(a) != sorted(b) and letters < MIN_LETTERS_SUBSTITUTED)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _BETWEEN_WORDS.split(text) if word]


def _have_meaning(a: str, b: str) -> bool:
    """Return whether two words differ by an ending or a prefix of the language."""
    short, long = sorted((a, b), key=len)
    if long.startswith(short) and long[len(short) :] in _SUFFIXES:
        return True
    if long.endswith(short) and long[: len(long) - len(short)] in _PREFIXES:
        return True
    # Maria and Mario, analyst and analysis, man and men.
    return len(a) == len(b) and a[:-1] == b[:-1] and a[-1] in "aeos" and b[-1] in "aeos"


def _probability(frequent: str, names: bool) -> float:
    letters = len(frequent)
    probability = 0.85 if letters < 6 else 0.92 if letters < MIN_LETTERS_TWO else 0.95
    return probability - (0.1 if names else 0.0)
