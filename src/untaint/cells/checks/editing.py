"""Small differences between two texts.

The distance of Damerau and Levenshtein counts insertions, deletions and substitutions of a letter
and transpositions of two neighbours. Where only distances up to d matter, the table of prefixes is
filled in a band of width 2 d + 1 (Ukkonen, 1985, https://doi.org/10.1016/S0019-9958(85)80046-2).
"""

import re
import unicodedata
from collections.abc import Iterator

_SEPARATORS = re.compile(r"[\s_\-/\\.,;:'\"`´’‘“”()\[\]{}!?|]+")
# Points and the like between digits, and + - < > % anywhere but between letters, say something.
_MEANINGFUL = re.compile(r"(?<=\d)[\s_\-/.,:'](?=\d)|(?<![^\W\d_])[-.,]+(?=\d)|[-]+(?=$|\s)")


def edit_distance(a: str, b: str, most: int) -> int:
    """Return the distance of Damerau and Levenshtein, or most + 1 if it is larger than most.

    Examples
    --------
    >>> from untaint.cells.checks.editing import edit_distance
    >>> edit_distance("Londno", "London", 2), edit_distance("Paris", "London", 2)
    (1, 3)
    """
    beyond = most + 1
    if abs(len(a) - len(b)) > most:
        return beyond
    before: list[int] = []
    last = [j if j <= most else beyond for j in range(len(b) + 1)]
    for i, letter in enumerate(a, 1):
        row = [beyond] * (len(b) + 1)
        if i <= most:
            row[0] = i
        for j in range(max(1, i - most), min(len(b), i + most) + 1):
            row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != b[j - 1]))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == b[j - 1]:
                row[j] = min(row[j], before[j - 2] + 1)
        if min(row) > most:
            return beyond
        before, last = last, row
    return min(last[-1], beyond)


def deletions(text: str, most: int) -> Iterator[str]:
    """Yield a text without up to `most` of its letters, the text itself first.

    Two texts at a distance of at most d have one of these in common.

    Examples
    --------
    >>> from untaint.cells.checks.editing import deletions
    >>> sorted(set(deletions("abc", 1)))
    ['ab', 'abc', 'ac', 'bc']
    """
    seen = {text}
    frontier = [text]
    yield text
    for _ in range(most):
        shorter = []
        for word in frontier:
            for i in range(len(word)):
                left = word[:i] + word[i + 1 :]
                if left not in seen:
                    seen.add(left)
                    shorter.append(left)
        yield from shorter
        frontier = shorter


def fingerprint(text: str) -> str:
    """Return a text without case, accents, blanks and punctuation.

    After the key collisions of OpenRefine; words keep their order, and punctuation that belongs to
    a number or ends a word, as in 1.5, -3 and A-, is kept.

    Examples
    --------
    >>> from untaint.cells.checks.editing import fingerprint
    >>> fingerprint("São  Paulo."), fingerprint("1.5 m"), fingerprint("B-") == fingerprint("B")
    ('saopaulo', '1.5m', False)
    """
    plain = unicodedata.normalize("NFKD", text.strip()).casefold()
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    pieces = []
    end = 0
    for match in _MEANINGFUL.finditer(plain):
        pieces += [_SEPARATORS.sub("", plain[end : match.start()]), match.group()]
        end = match.end()
    return "".join([*pieces, _SEPARATORS.sub("", plain[end:])])
