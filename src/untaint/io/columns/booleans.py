"""Yes and no, in the words that people use for them; 0 and 1 are numbers."""

import numpy as np

from ..._typing import FloatArray
from .levels import Levels

_PAIRS = (
    *(("true", "false"), ("yes", "no"), ("t", "f"), ("y", "n"), ("on", "off"), ("ja", "nein")),
    *(("wahr", "falsch"), ("j", "n"), ("oui", "non"), ("vrai", "faux"), ("si", "no")),
    *(("sí", "no"), ("sim", "não"), ("sì", "no"), ("ja", "nee"), ("ja", "nej"), ("tak", "nie")),
)
_YES = {yes for yes, _ in _PAIRS} | {"1"}
_NO = {no for _, no in _PAIRS} | {"0"}


def read_booleans(levels: Levels, *, strict: bool = True) -> FloatArray | None:
    """Return 1 for yes and 0 for no, by level; None if the levels are not one such pair.

    Parameters
    ----------
    levels : Levels
    strict : bool, default=True
        False takes any of the words, and has NaN for others.
    """
    if strict and int(levels.present.sum()) > 2**3:  # a word in all its cases, and then some
        return None
    words = [str(text).lower() for text in levels.texts.to_pylist()]
    words_present = {word for word, says in zip(words, levels.present, strict=True) if says}
    if strict:
        pair = next((pair for pair in _PAIRS if words_present == set(pair)), None)
        if pair is None:
            return None
        return np.array([_value(word, {pair[0]}, {pair[1]}) for word in words])
    return np.array([_value(word, _YES, _NO) for word in words])


def _value(word: str, yes: set[str], no: set[str]) -> float:
    return 1.0 if word in yes else 0.0 if word in no else np.nan
