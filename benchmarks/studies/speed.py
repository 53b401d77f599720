"""Studies of time, memory and error of a fit, from a thousand to ten million rows.

One study a family of methods, and ``speed`` for all of them but the ten million rows.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..frame import Case, Study, crossed
from ..speed.families import FAMILIES, family_cells
from ..speed.page import page
from ..speed.process import MEASURES, quick_run, run

PARTS: dict[str, tuple[str, ...]] = {
    "speed-exact": ("exact",),
    "speed-approximate": ("approximate",),
    "speed-linear": ("linear",),
    "speed-classes": ("classes-exact", "classes-approximate"),
    "speed-linear-classes": ("linear-classes",),
    "speed-memory": ("memory",),
    "speed-map": ("map", "map-classes", "map-linear", "map-linear-classes"),
}
ALL = tuple(family for name, part in PARTS.items() if name != "speed-map" for family in part)
QUESTION = "Seconds, peak memory and clean-test error with a fifth of the labels wrong"


def speed_study(families: tuple[str, ...], question: str) -> Study:
    """Declare a study of some families; in each, all methods see the same rows."""

    def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
        return crossed([family_cells(name, quick) for name in families])(seeds, quick)

    draw = "speed:draw_growth"
    return Study(question, cases, run, MEASURES, page, seeds=1, quick_run=quick_run, draw=draw)


STUDIES = {
    "speed": speed_study(ALL, f"{QUESTION}: all of speed-* but speed-map."),
    **{
        name: speed_study(
            part, f"{QUESTION}: {'; '.join(FAMILIES[family].title for family in part)}."
        )
        for name, part in PARTS.items()
    },
}
