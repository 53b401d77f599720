"""The kinds of corruption by name: for which task, what is written, and into which rows."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, NamedTuple

from numpy.random import Generator

from .._typing import AnyArray, IntArray
from . import _attacks as attacks
from . import _classification_kinds as classification
from . import _regression_kinds as regression
from . import _row_selection as choice
from ._table import Task


class Kind(NamedTuple):
    """A choice of rows and something to write into them, or an attack, which settles both."""

    task: Task
    apply: Callable[[AnyArray, AnyArray, IntArray, Generator], None] | None
    choose: Callable[[AnyArray, AnyArray, int, Generator], IntArray] = choice.any_rows
    n_classes: int = 2  # at least so many, of a classification target
    # In place of both when a model is given, or when there is nothing to apply.
    attack: Callable[[AnyArray, AnyArray, int, Any, Generator], attacks.Attack] | None = None


KINDS: dict[str, Kind] = {
    "label": Kind("regression", regression.draw_targets),
    "label+feature": Kind("regression", regression.inflate_both),
    "cluster": Kind("regression", regression.gather_targets),
    "shift": Kind("regression", regression.raise_by_3),
    "mirror": Kind("regression", regression.mirror_targets),
    "local": Kind("regression", regression.raise_by_5, choice.half_of_region),
    "local-solid": Kind("regression", regression.raise_by_5, choice.whole_region),
    "leverage": Kind("regression", regression.move_away),
    "adversarial": Kind("regression", regression.contradict, attack=attacks.push_to_far_end),
    "huge-label": Kind("regression", regression.make_targets_huge),
    "huge-feature": Kind("regression", regression.make_features_huge),
    "flip": Kind("classification", classification.flip),
    "flip+feature": Kind("classification", classification.flip_and_inflate),
    "flip-one-sided": Kind("classification", classification.flip_to_second, choice.largest_class),
    "flip-one-sided-back": Kind(
        "classification", classification.flip_to_largest, choice.second_class
    ),
    "flip-spare-rare": Kind(
        "classification", classification.flip_among_frequent, choice.all_but_rarest_class, 3
    ),
    "flip-adversarial": Kind("classification", None, attack=attacks.flip_surest),
}


def recipe_of(kind: str) -> Kind:
    """Look a kind up, or suggest one in the error."""
    if kind in KINDS:
        return KINDS[kind]
    close = get_close_matches(str(kind), KINDS, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"choose one of {', '.join(KINDS)}."
    raise ValueError(f"Unknown kind {kind!r}: {hint}")
